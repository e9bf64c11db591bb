"""Orders that cannot run, timed as far as they get."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from simlib.pipeline.diagnosis import CannotRun
from simlib.pipeline.durations import Column
from simlib.pipeline.rows import Row, parse_orders
from simlib.pipeline.timeline import Timeline, time_orders


class AsFarAsItRuns(NamedTuple):
    """`timeline` has what runs; where the orders stop, `stopped` says why, and its operation comes last on its rank."""

    timeline: Timeline
    stopped: CannotRun | None


def time_as_far_as_it_runs(orders: Sequence[Sequence[str]], chunks: int = 1) -> AsFarAsItRuns:
    """The timeline of `orders` with times F = 1 and B = 2, divided by `chunks`, up to where nobody can go on.

    The first operation that can never start is drawn in as the last one of its rank, a forward pass long.
    Raises BadArgument for rows that are none, and for orders without any operation.

    >>> timeline, stopped = time_as_far_as_it_runs([["0F0", "0B0"], ["1B0", "1F0"]])
    >>> [[str(step) for step in row] for row in timeline.orders], str(stopped.operation)
    ([['0F0'], ['1B0']], '1B0')
    """
    try:
        return AsFarAsItRuns(time_orders(orders, chunks=chunks), None)
    except CannotRun as error:
        return AsFarAsItRuns(_until(orders, chunks, error), error)


def _until(orders: Sequence[Sequence[str]], chunks: int, error: CannotRun) -> Timeline:
    rows = parse_orders([row[:done] for row, done in zip(orders, error.done, strict=True)])
    slot = Fraction(1, chunks)
    started: list[Column] = [[] for _ in rows]
    lasting: list[Column] = [[] for _ in rows]
    if any(rows):
        ran = time_orders(rows, chunks=chunks)
        started = [[start / slot for start in map(float, starts)] for starts in ran.starts]
        lasting = [
            [(end - start) / slot for start, end in zip(starts, ends, strict=True)]
            for starts, ends in zip(ran.starts, ran.ends, strict=True)
        ]
    rank = error.rank
    clock = started[rank][-1] + lasting[rank][-1] if started[rank] else 0
    stuck = parse_orders([[str(error.operation)]])[0]
    rows = tuple(Row.of((*row, *stuck)) if at == rank else row for at, row in enumerate(rows))
    started[rank].append(clock)
    lasting[rank].append(1)
    return Timeline(rows, started, lasting, slot)
