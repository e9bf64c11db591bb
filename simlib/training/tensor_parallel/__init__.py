"""Tensor parallelism: every matrix split over t ranks that compute each layer together.

`split` says who has which part of which matrix, `regions` where ranks meet, `mlp`, `attention`, `vocabulary` how each
layer runs, `train` puts them together. Sources: Shoeybi et al. 2019, section 3; Korthikanti et al. 2022, section 4.2.
"""

from simlib.training.tensor_parallel.train import MISTAKES, gradients, train

__all__ = ["MISTAKES", "gradients", "train"]
