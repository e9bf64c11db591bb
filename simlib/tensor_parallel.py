"""Tensor parallelism: what splitting each matrix over t GPUs costs in messages and bytes.

Source: Shoeybi et al. 2019, "Megatron-LM", section 3; Korthikanti et al. 2022, section 4.2.2 (sequence parallelism);
Narayanan et al. 2021, section 4.1 (messages between pipeline stages). Closed forms.
"""

from __future__ import annotations

from simlib.errors import positive_number, whole_number


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
    whole = _activation(sequence, micro_batch, hidden)
    return whole / whole_number("tensor", tensor) if scatter_gather else whole


def weights_gathered_or_sums_reduced(flops_per_byte: float) -> float:
    """Inner dimension D from which two all-reduces of partial products beat an all-gather of the weights.

    `flops_per_byte` is the chip's FLOP/s over its link's bytes per second: the product must have D above twice that.

    >>> weights_gathered_or_sums_reduced(2550)
    5100.0
    """
    return 2 * positive_number("flops_per_byte", flops_per_byte)


def _activation(sequence: int, micro_batch: int, hidden: int) -> int:
    return (
        whole_number("sequence", sequence) * whole_number("micro_batch", micro_batch) * whole_number("hidden", hidden)
    )
