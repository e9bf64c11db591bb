"""The scale that bars of bytes share: which column a byte count falls on, the capacity's line, the ruler."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tutor.views import palette
from tutor.views.figures import in_unit
from tutor.views.picture import Role, Run

_TICK_ROOM = 8  # columns from one number of the ruler to the next, at least
_FAR = 4  # a capacity more than this many times the longest bar is off the scale


@dataclass(frozen=True)
class ByteScale:
    """`columns` columns for `most` bytes; the capacity's line, at `line`, has a column of its own between them."""

    most: float
    columns: int
    line: int | None
    capacity: float | None

    @classmethod
    def of(cls, longest: float, capacity: float | None, columns: int) -> ByteScale:
        """The scale on which `longest` bytes and, unless it is far beyond, the capacity's line just fit `columns`."""
        longest = max(longest, 1)
        if capacity is None or capacity > _FAR * longest:
            return cls(longest, columns, None, capacity)
        most = max(longest, capacity)
        return cls(most, columns - 1, max(1, round(capacity / most * (columns - 1))), capacity)

    def column(self, count: float) -> int:
        """The column where `count` bytes end, the capacity's own column counted."""
        at = round(count / self.most * self.columns)
        if self.line is None or self.capacity is None:
            return at
        # Rounding must not push a bar over the line that it stays below, or back over one that it passes
        return min(at, self.line) if count <= self.capacity else max(at, self.line + 1) + 1

    def stretches(self, parts: Sequence[tuple[float, str]]) -> Iterator[tuple[int, int, str, bool]]:
        """(first column, columns, name, whether past the line) of each part of a bar, split at the line.

        Parts of equal size are equally long; what rounding leaves goes to the last part.
        """
        ends = self._ends([count for count, _ in parts])
        at = 0
        for (_, name), end in zip(parts, ends, strict=True):
            if self.line is None or end <= self.line:
                pieces = [(at, end, False)]
            else:
                pieces = [(at, self.line, False), (max(at, self.line + 1), end, True)]
            yield from ((first, stop - first, name, over) for first, stop, over in pieces if stop > first)
            at = max(at, end)

    def _ends(self, sizes: Sequence[float]) -> list[int]:
        """The column after each part."""
        whole = self.column(sum(sizes))
        passed = self.line is not None and whole > self.line
        cells = max(whole - passed, 1 if sum(sizes) else 0)
        each = [min(cells, round(size / self.most * self.columns)) for size in sizes]
        ends = [min(cells, end) for end in accumulate(each)]
        ends[-1] = cells
        return [end + (self.line is not None and end > self.line) for end in ends]

    def ruler(self, unit: str, size: int, head: int) -> Iterator[tuple[int, Run]]:
        """Numbers at round byte counts, each starting at its column; the last one names the unit."""
        step = self._tick()
        ticks = [step * count for count in range(int(self.most / step) + 1)]
        for tick in ticks:
            at = head + round(tick / self.most * self.columns)
            if self.line is not None and at - head > self.line:
                at += 1
            text = in_unit(tick, size)
            # The number at the right edge stands before its tick, so that the ruler is no wider than the bars
            at = min(at, head + self.columns + (self.line is not None) - len(f"{text} {unit}")) if tick else at
            yield at, Run(f"{text} {unit}" if tick == ticks[-1] else text, Role.QUIET)

    def capacity_label(self, text: str, head: int) -> Iterator[tuple[int, Run]]:
        """The capacity's name at its line, on the side where there is room."""
        if self.line is None:
            yield head, Run(f"{text}, far to the right", Role.CAPACITY)
            return
        at = head + self.line
        before = at - len(text) - 1
        if before >= 0:
            yield before, Run(f"{text} ", Role.CAPACITY)
        yield at, Run(palette.CAPACITY, Role.CAPACITY)
        if before < 0:
            yield at + 1, Run(f" {text}", Role.CAPACITY)

    def _tick(self) -> float:
        """The step of the ruler: 1, 2 or 5 times a power of ten, as fine as the numbers have room."""
        least = self.most * _TICK_ROOM / self.columns
        power = 1.0
        while power * 10 <= least:
            power *= 10
        return next(power * times for times in (1, 2, 5, 10) if power * times >= least)
