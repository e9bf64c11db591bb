"""What tensor parallelism costs in messages and bytes, and what each GPU of a group holds. Closed forms; no NumPy.

Sources: Shoeybi et al. 2019, "Megatron-LM", section 3; Korthikanti et al. 2022, section 4.2.2 (sequence parallelism);
Narayanan et al. 2021, section 4.1 (messages between pipeline stages).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt
from typing import NamedTuple

from simlib.errors import BadArgument, positive_number, whole_number


def collectives_per_layer(sequence_parallel: bool = False, recompute: bool = False) -> int:
    """Collectives of one transformer layer in one step, forward and backward.

    Two all-reduces forward (attention, MLP), two backward; with full recomputation the forward ones again. With
    sequence parallelism each is a reduce-scatter and an all-gather, of the same bytes together.

    >>> collectives_per_layer(), collectives_per_layer(sequence_parallel=True), collectives_per_layer(recompute=True)
    (4, 8, 6)
    """
    return (6 if recompute else 4) * (2 if sequence_parallel else 1)


def elements_sent_per_all_reduce(sequence: int, micro_batch: int, hidden: int, tensor: int) -> float:
    """Elements that each GPU sends in one all-reduce of a layer's output: 2 (t - 1) / t x b s h.

    >>> elements_sent_per_all_reduce(2048, 1, 4096, 2)
    8388608.0
    """
    t = whole_number("tensor", tensor)
    return 2 * (t - 1) / t * _activation(sequence, micro_batch, hidden)


def elements_between_stages(
    sequence: int, micro_batch: int, hidden: int, tensor: int = 1, scatter_gather: bool = False
) -> float:
    """Elements that each GPU of a pipeline stage sends to the next: b s h, or b s h / t.

    All t GPUs of a stage hold the same output. With `scatter_gather` each sends its own slice over the network, and
    the receiving server puts them together over its fast links.
    """
    whole, t = _activation(sequence, micro_batch, hidden), whole_number("tensor", tensor)
    return whole / t if scatter_gather else whole


def weights_gathered_or_sums_reduced(flops_per_byte: float) -> float:
    """Inner dimension D from which two all-reduces of partial products beat an all-gather of the weights.

    `flops_per_byte` is the chip's FLOP/s over its link's bytes per second: the product must have D above twice that.

    >>> weights_gathered_or_sums_reduced(2550)
    5100.0
    """
    return 2 * positive_number("flops_per_byte", flops_per_byte)


class LayerParams(NamedTuple):
    """Parameters of one transformer layer on one GPU."""

    split: float  # its part of the matrices, and of the biases that go with their columns
    whole: int  # the norms, and the biases that are added after a sum: every GPU has all of them


def layer_params(hidden: int, tensor: int) -> LayerParams:
    """Parameters of a GPT layer on each of `tensor` GPUs: (12 h^2 + 7 h) / t split, 6 h whole.

    Split are the matrices (3 h^2 and h^2 of attention, twice 4 h^2 of the MLP) and the biases 3 h and 4 h of those cut
    by columns. Whole are two layer norms with 2 h each and the biases of the two matrices cut by rows.

    >>> layer_params(4096, 8)
    LayerParams(split=25169408.0, whole=24576)
    """
    h, t = whole_number("hidden", hidden), whole_number("tensor", tensor)
    return LayerParams((12 * h * h + 7 * h) / t, 6 * h)


def gradient_norm(split: Sequence[float], whole: Sequence[float] = ()) -> float:
    """Length of the gradient of a model of which each GPU holds a part: sqrt(sum of squares).

    `split` are the lengths of what the GPUs hold parts of, one a GPU; `whole` those of parameters that all of them
    hold, which count once. Raises BadArgument where nothing is given.

    >>> gradient_norm([3, 4], [12])
    13.0
    """
    if not split and not whole:
        raise BadArgument("split", list(split), "the length of at least one gradient")
    lengths = [positive_number("split", length, zero=True) for length in split]
    lengths += [positive_number("whole", length, zero=True) for length in whole]
    return sqrt(fsum(length * length for length in lengths))


def _activation(sequence: int, micro_batch: int, hidden: int) -> int:
    return (
        whole_number("sequence", sequence) * whole_number("micro_batch", micro_batch) * whole_number("hidden", hidden)
    )
