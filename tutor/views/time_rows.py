"""A pipeline's timeline to scale, for times that have no common slot: the columns follow the time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil

from tutor.views import marks, operations, palette
from tutor.views.cell_map import LookedUp
from tutor.views.figures import number
from tutor.views.picture import Cell, CellValue, Role, Run, cell
from tutor.views.pipeline_rows import PipelineRows, rank_and

_RULER_ROOM = 8  # columns from one number of the ruler to the next, at least


@dataclass(frozen=True, eq=False)
class TimeRows(PipelineRows):
    """A timeline without slots. Cells are cell(rank=, place=): the place-th operation of the rank's row, from 0."""

    def columns(self) -> int:
        return ceil(self.timeline.makespan * self.scale)

    @cached_property
    def scale(self) -> float:
        """Columns for one unit of time: the shortest operation, and each marked one, has room for its text."""
        if self.unit_columns is not None:
            return self.unit_columns
        return max([self.columns_for(marks.brackets(self.overlay)), *map(self._needed, self.overlay)])

    @property
    def needed_columns(self) -> float:
        return self.scale

    def cells(self) -> Mapping[Cell, CellValue]:
        orders = self.timeline.orders

        def places() -> Iterator[Cell]:
            return (cell(rank=rank, place=place) for rank, row in enumerate(orders) for place in range(len(row)))

        return LookedUp(("place", "rank"), self._value, places, sum(map(len, orders)))

    def ruler(self, start: int, stop: int | None) -> Iterator[tuple[int, Run]]:
        step = 1.0
        while step * self.scale >= 10 * _RULER_ROOM:
            step /= 10
        while step * self.scale < _RULER_ROOM:
            step *= 10
        step = next((step / by for by in (5, 2) if step / by * self.scale >= _RULER_ROOM), step)
        tick = max(0, int(start / self.scale / step) - 1)
        while tick * step <= self.timeline.makespan:
            at, text = round(tick * step * self.scale), number(round(tick * step, 6))
            if (stop is not None and at >= stop) or at + len(text) > self.columns():
                return
            yield at, Run(text, Role.QUIET)
            tick += 1

    def row(self, rank: int, start: int, stop: int | None) -> Iterator[tuple[int, Run]]:
        starts, ends = self.timeline.starts[rank], self.timeline.ends[rank]
        first = max(0, bisect_right(starts, start / self.scale) - 2)
        at = self._column(ends[first - 1]) if first else 0
        for place in range(first, len(starts)):
            begin, end = self._column(starts[place]), self._column(ends[place])
            yield from self._idle(at, begin)
            if stop is not None and begin >= stop:
                return
            yield begin, self._run(rank, place, end - begin)
            at = end
        yield from self._idle(at, self.columns())

    def when(self, start: float, end: float) -> str:
        return f"from {number(round(start, 6))} to {number(round(end, 6))}"

    def idle_text(self) -> str:
        timeline = self.timeline
        everything = self.ranks * timeline.makespan
        return f"{number(round(sum(timeline.idle), 6))} of {number(round(everything, 6))} units of time idle"

    def spoken_marks(self) -> list[str]:
        lines = []
        for place in sorted(self.overlay):
            if place in self.cells():
                rank, at = rank_and(place, "place")
                text = operations.spoken(self.timeline.orders[rank][at], self.stages_of(rank))
                lines.append(f"{self.row_name(rank)}, operation {at}: {marks.spoken(text, self.overlay[place])}")
        return lines

    def _column(self, time: float) -> int:
        return round(time * self.scale)

    def _run(self, rank: int, place: int, columns: int) -> Run:
        operation = self.timeline.orders[rank][place]
        bare = operations.label(operation, self.stages_of(rank))
        where = cell(rank=rank, place=place)
        role = operations.role(operation)
        if where in self.overlay:
            text, role = self.marked_text(bare, role, self.overlay[where], rank)
            return Run(f" {text}".ljust(columns)[:columns], role, where)
        return Run(operations.drawn(operation, self.stages_of(rank), columns, fill=True), role, where)

    def _idle(self, start: int, stop: int) -> Iterator[tuple[int, Run]]:
        """Dots in every second column of a gap."""
        if stop > start:
            yield start, Run("".join(palette.IDLE if at % 2 else " " for at in range(start, stop)), Role.IDLE)

    def _value(self, rank: int, place: int) -> CellValue:
        if rank < 0 or place < 0:
            raise IndexError
        return str(self.timeline.orders[rank][place])

    def _needed(self, place: Cell) -> float:
        """Columns for one unit of time that a marked operation needs."""
        if place not in self.cells():
            return 0
        rank, at = rank_and(place, "place")
        operation = self.timeline.orders[rank][at]
        bare = operations.label(operation, self.stages_of(rank))
        text, _ = self.marked_text(bare, Role.PLAIN, self.overlay[place], rank)
        lasts = self.timeline.ends[rank][at] - self.timeline.starts[rank][at]
        return (1 + len(text)) / lasts
