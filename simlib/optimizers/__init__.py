"""How gradients become new weights: AdamW, plain gradient descent, and in which precision what is kept."""

from simlib.optimizers.adam import AdamW
from simlib.optimizers.clipping import clipping_factor, norm_of
from simlib.optimizers.precision import BFLOAT16, DOUBLE, MIXED, SINGLE, Precision, precision, round_to_bfloat16
from simlib.optimizers.sgd import Sgd
from simlib.optimizers.state import State

__all__ = [
    "BFLOAT16",
    "DOUBLE",
    "MIXED",
    "SINGLE",
    "AdamW",
    "Precision",
    "Sgd",
    "State",
    "clipping_factor",
    "norm_of",
    "precision",
    "round_to_bfloat16",
]
