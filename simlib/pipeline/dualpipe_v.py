"""DualPipe-V: DualPipe cut in half (Sea AI Lab's "cut-in-half" of DeepSeek-AI 2024).

DualPipe's ranks r and p-1-r hold the same two model stages. Keep one of the pair, with twice the
stages: rank r has model stages r and 2p-1-r, all micro-batches go down the ranks and come up again,
and a rank overlaps the forward pass of one going down with the backward pass of one coming up, or
the other way round. The rows are DualPipe's, and nothing is held twice.
"""

from __future__ import annotations

from simlib.pipeline.dualpipe import Stream, row
from simlib.pipeline.rows import Orders


def orders(stages: int, micro_batches: int) -> Orders:
    """The order of each of `stages` ranks for 2p micro-batches or more.

    >>> " ".join(map(str, orders(1, 2)[0]))
    '0F0 1F0 0F1 1B0 (1F1;0B0)OVERLAP_F_B 1B1 0I1 0W1'
    """
    return tuple(
        row(rank, stages, micro_batches, here=Stream(rank), across=Stream(2 * stages - 1 - rank))
        for rank in range(stages)
    )
