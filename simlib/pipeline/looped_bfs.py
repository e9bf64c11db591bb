"""Looped breadth-first: v stages on each rank, and every micro-batch through one before the next (Lamy-Poirier 2023).

Model stage s is on rank s mod p. With p = 2, v = 2 and four micro-batches rank 0 runs

    0F0 0F1 0F2 0F3   2F0 2F1 2F2 2F3   2B3 2B2 2B1 2B0   0B3 0B2 0B1 0B0

The bubble is that of the interleaved schedule, but all v m activations are held, as in GPipe. What
it buys is that a stage's parameters are used in one go, forward and backward: with sharded
parameters (FSDP) each stage is gathered twice a step, instead of twice a round.

Backward passes take the micro-batches from the last to the first, as torch.distributed.pipelining
does. (Lamy-Poirier, "Breadth-First Pipeline Parallelism", arXiv 2211.05953.)
"""

from __future__ import annotations

from simlib.pipeline.operations import BACKWARD, FORWARD
from simlib.pipeline.rows import Orders, Row, in_sequence, passes


def orders(stages: int, micro_batches: int, chunks: int) -> Orders:
    """The order of each of `stages` ranks with `chunks` model stages each.

    >>> [" ".join(map(str, row)) for row in orders(2, 2, 2)]
    ['0F0 0F1 2F0 2F1 2B1 2B0 0B1 0B0', '1F0 1F1 3F0 3F1 3B1 3B0 1B1 1B0']
    """
    return tuple(_row(range(rank, stages * chunks, stages), micro_batches) for rank in range(stages))


def _row(own_stages: range, micro_batches: int) -> Row:
    forwards = [passes(stage, FORWARD, range(micro_batches)) for stage in own_stages]
    backwards = [passes(stage, BACKWARD, reversed(range(micro_batches))) for stage in reversed(own_stages)]
    return in_sequence(*forwards, *backwards)
