"""1F1B, interleaved or not, with the backward pass in two halves: the weights' half waits (Qi et al. 2023, ZB-1P).

Only I, the gradient of the input, is awaited by the stage before. So I takes the place of B, and W
follows later, where it fills time that would be idle. The rule here is the plain one of
torch.distributed.pipelining: rank r lets its W passes lag r behind its I passes. A later rank starts
later and has to wait in the end; what it puts off it does then.

With one chunk and F = I = W this is ZB-H1, and `zero_bubble` plans for other times; with more chunks
it is the zero-bubble form of the interleaved schedule.
"""

from __future__ import annotations

from simlib.pipeline.interleaved import in_rounds
from simlib.pipeline.operations import FORWARD, INPUT, WEIGHT
from simlib.pipeline.rows import Orders, Row


def orders(stages: int, micro_batches: int, chunks: int) -> Orders:
    """The order of each of `stages` ranks with `chunks` model stages each (stage s on rank s mod p).

    >>> [" ".join(map(str, row)) for row in orders(2, 2, 1)]
    ['0F0 0F1 0I0 0W0 0I1 0W1', '1F0 1I0 1F1 1I1 1W0 1W1']
    """
    return tuple(_row(rank, stages, micro_batches, chunks) for rank in range(stages))


def _row(rank: int, stages: int, micro_batches: int, chunks: int) -> Row:
    forwards = list(in_rounds(rank, FORWARD, stages, micro_batches, range(chunks)))
    inputs = list(in_rounds(rank, INPUT, stages, micro_batches, reversed(range(chunks))))
    weights = list(in_rounds(rank, WEIGHT, stages, micro_batches, reversed(range(chunks))))
    round_size = micro_batches // max(1, micro_batches // stages)
    # One forward ahead for each later rank, not two as with B: an I is back in half the time
    warmup = min((chunks - 1) * round_size + stages - 1 - rank, len(forwards))

    row = forwards[:warmup]
    for turn in range(len(inputs)):
        row += forwards[warmup + turn : warmup + turn + 1]
        row.append(inputs[turn])
        if turn >= rank:
            row.append(weights[turn - rank])
    return Row.of(row + weights[max(0, len(inputs) - rank) :])
