"""Interleaved 1F1B: v smaller stages on each rank instead of a big one (Narayanan et al. 2021, section 2.2).

Model stage s is on rank s mod p: with p = 2 and v = 2, rank 0 has stages 0 and 2, rank 1 has 1 and 3.
A micro-batch goes round the ranks v times, and a stage takes only 1/v as long:

    rank 0   0F0 0F1 2F0 2F1 .   .   2B0 2B0 .   2B1 2B1 0B0 0B0 0B1 0B1
    rank 1   .   1F0 1F1 3F0 3B0 3B0 3F1 3B1 3B1 1B0 1B0 1B1 1B1 .   .

The first micro-batch reaches the last rank after p-1 small stages instead of p-1 big ones: the
bubble shrinks to 1/v. The price is v times as many messages, and more activations held.

Micro-batches move in rounds of about p: a round goes through a rank's first chunk, then its next,
and so on, before the next round begins; backward the same from the last chunk. Within that, it is
1F1B: warm up, take turns, cool down.
"""

from __future__ import annotations

from collections.abc import Iterable

from simlib.pipeline.formulas import interleaved_warmup
from simlib.pipeline.one_f_one_b import three_phases
from simlib.pipeline.operations import BACKWARD, FORWARD
from simlib.pipeline.rows import Orders, Row, in_sequence, passes


def orders(stages: int, micro_batches: int, chunks: int) -> Orders:
    """The order of each of `stages` ranks with `chunks` model stages each.

    The number of rounds, max(1, micro_batches // stages), has to divide the micro-batches, as in
    torch.distributed.pipelining: rounds may be larger than p, where Megatron-LM wants them to be p.

    >>> [" ".join(map(str, row)) for row in orders(2, 2, 2)]
    ['0F0 0F1 2F0 2F1 2B0 2B1 0B0 0B1', '1F0 1F1 3F0 3B0 3F1 3B1 1B0 1B1']
    """
    return tuple(
        three_phases(
            forwards=in_rounds(rank, FORWARD, stages, micro_batches, range(chunks)),
            backwards=in_rounds(rank, BACKWARD, stages, micro_batches, reversed(range(chunks))),
            warmup=interleaved_warmup(stages, micro_batches, chunks, rank),
        )
        for rank in range(stages)
    )


def in_rounds(rank: int, kind: str, stages: int, micro_batches: int, chunks: Iterable[int]) -> Row:
    """The passes of one kind on one rank: round after round, and each through `chunks` in their order."""
    size = micro_batches // max(1, micro_batches // stages)
    in_order = list(chunks)
    return in_sequence(
        *(
            passes(chunk * stages + rank, kind, range(first, min(first + size, micro_batches)))
            for first in range(0, micro_batches, size)
            for chunk in in_order
        )
    )
