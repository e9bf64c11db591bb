"""Tensor parallelism: each matrix split over t GPUs that compute every layer together.

`mlp` runs split matrices in numbers, `heads` says who has which heads, `vocabulary` takes a loss over split logits,
`costs` counts messages and bytes, `review` says what is wrong with somebody's split layer.
`simlib.training.tensor_parallel` trains a decoder so. NumPy waits until a matrix is split.
Source: Shoeybi et al. 2019, "Megatron-LM", section 3.
"""

from simlib.tensor_parallel.costs import (
    LayerParams,
    collectives_per_layer,
    elements_between_stages,
    elements_sent_per_all_reduce,
    gradient_norm,
    layer_params,
    weights_gathered_or_sums_reduced,
)
from simlib.tensor_parallel.gelu import gelu, gelu_slope
from simlib.tensor_parallel.heads import HeadShare, heads_on_gpus, largest_split
from simlib.tensor_parallel.mlp import (
    RowsFirst,
    SequenceParallelMlp,
    SplitMlp,
    SplitMlpBackward,
    rows_first,
    sequence_parallel_mlp,
    split_mlp,
    split_mlp_backward,
)
from simlib.tensor_parallel.vocabulary import cross_entropy

__all__ = [
    "HeadShare",
    "LayerParams",
    "RowsFirst",
    "SequenceParallelMlp",
    "SplitMlp",
    "SplitMlpBackward",
    "collectives_per_layer",
    "cross_entropy",
    "elements_between_stages",
    "elements_sent_per_all_reduce",
    "gelu",
    "gelu_slope",
    "gradient_norm",
    "heads_on_gpus",
    "largest_split",
    "layer_params",
    "rows_first",
    "sequence_parallel_mlp",
    "split_mlp",
    "split_mlp_backward",
    "weights_gathered_or_sums_reduced",
]
