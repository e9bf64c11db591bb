"""Where the chunks of an array stand beside each other, value by value."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

EMPTY_CHUNK = "–"


class Column(NamedTuple):
    """Where a chunk stands in the layout: its first value's column, and where each value starts and ends."""

    start: int  # the arrow of what arrives
    values: tuple[int, ...]  # past the last column of each value
    stop: int  # past the last value; the tick and the arrow of what leaves follow


def chunk_columns(
    bounds: Sequence[tuple[int, int]],
    start: int,
    digits: int,
    wider: Mapping[tuple[int, int], int],
    around: tuple[int, int, int],
) -> tuple[Column, ...]:
    """The chunks from column `start` on, `digits` columns a value; `wider` are those of (chunk, index) that need more.

    `around` are the columns kept free before and after each chunk, and between two of them.

    >>> chunk_columns([(0, 2), (2, 3)], 0, 3, {}, (1, 1, 1))
    (Column(start=0, values=(4, 8), stop=8), Column(start=10, values=(14,), stop=14))
    """
    before, after, gap = around
    columns = []
    at = start
    for chunk, (first, stop) in enumerate(bounds):
        begin = at
        at += before
        ends = []
        least = len(str(chunk)) if stop - first < 2 else 1
        for index in range(stop - first):
            at += max(digits, least, wider.get((chunk, index), 0)) + (1 if index else 0)
            ends.append(at)
        if first == stop:
            at += max(least, len(EMPTY_CHUNK))
        columns.append(Column(begin, tuple(ends), at))
        at += after + gap
    return tuple(columns)


def visible(columns: Sequence[Column], start: int, stop: int | None) -> Iterator[tuple[int, Column]]:
    """The chunks that reach into the columns from `start` to `stop`, with their numbers."""
    first = max(0, bisect_right(columns, start, key=lambda column: column.start) - 1)
    for chunk in range(first, len(columns)):
        if stop is not None and columns[chunk].start >= stop:
            return
        yield chunk, columns[chunk]
