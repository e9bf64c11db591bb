"""The grid of a pipeline: a row a rank, a cell a slot, the micro-batch number in it, idle slots as dots."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, repeat
from math import ceil
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from tutor.views import marks, operations, palette
from tutor.views.cell_map import LookedUp
from tutor.views.picture import Cell, CellValue, Role, Run, cell
from tutor.views.pipeline_rows import PipelineRows, rank_and

if TYPE_CHECKING:
    from simlib.pipeline import Operation, Overlap


class _Stretch(NamedTuple):
    """An operation, or a pause, from slot `start` until before slot `end`."""

    operation: Operation | Overlap | None
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class SlotGrid(PipelineRows):
    """A timeline that has a slot. Cells are cell(rank=, slot=): the operation's text ("0F0"), None while idle.

    Nothing is kept for each cell: a row of thousands of slots costs only the columns that are asked for.
    """

    time_name = "slot"

    def columns(self) -> int:
        return self._column(self.slots)

    @cached_property
    def slots(self) -> int:
        """Slots from the start to the end of the last operation."""
        return self._slot(self.timeline.makespan)

    @cached_property
    def per_slot(self) -> int:
        """Columns of a slot: as few as hold every operation's text."""
        if self.unit_columns is not None:
            return round(self.unit_columns * self._length)
        # Rounded, so that a length of 2.9999999 slots does not cost a column
        least = ceil(round(self.columns_for(0) * self._length, 6))
        signs = marks.brackets(self.overlay)
        return max(least, self.label_columns + signs) if signs else least

    @property
    def needed_columns(self) -> float:
        return (self.per_slot + max(self._extra.values(), default=0)) / self._length

    def cells(self) -> Mapping[Cell, CellValue]:
        def places() -> Iterator[Cell]:
            return (cell(rank=rank, slot=slot) for rank in range(self.ranks) for slot in range(self.slots))

        return LookedUp(("rank", "slot"), self._value, places, self.ranks * self.slots)

    def ruler(self, start: int, stop: int | None) -> Iterator[tuple[int, Run]]:
        step = self._ruler_step
        # Over the number of the slot, which has a sign or a blank before it
        ahead = min(1, self.per_slot - 1)
        for slot in range(max(0, self._slot_at(start) // step - 1) * step, self.slots, step):
            at = self._column(slot) + ahead
            if (stop is not None and at >= stop) or at + len(str(slot)) > self.columns():
                return
            yield at, Run(str(slot), Role.QUIET)

    def row(self, rank: int, start: int, stop: int | None) -> Iterator[tuple[int, Run]]:
        first = self._slot_at(start)
        last = self.slots if stop is None else self._slot_at(stop - 1) + 1
        for found in self._stretches_from(rank, first):
            if found.start >= last:
                return
            yield from self._stretch(rank, found, max(first, found.start), min(found.end, last))

    def when(self, start: float, end: float) -> str:
        first, last = self._slot(start), self._slot(end) - 1
        return f"slot {first}" if first == last else f"slots {first} to {last}"

    def idle_text(self) -> str:
        idle = self._slot(sum(self.timeline.idle))
        return f"{idle:,} of {self.ranks * self.slots:,} slots idle"

    def spoken_marks(self) -> list[str]:
        lines = []
        for place in sorted(self.overlay):
            if place in self.cells():
                rank, slot = rank_and(place, "slot")
                operation = self._at(rank, slot).operation
                text = "idle" if operation is None else operations.spoken(operation, self.stages_of(rank))
                lines.append(f"{self.row_name(rank)}, slot {slot}: {marks.spoken(text, self.overlay[place])}")
        return lines

    # Whole slots

    def _slot(self, time: float) -> int:
        return round(time / self._length)

    @cached_property
    def _length(self) -> float:
        return self.timeline.slot or 1

    def _at(self, rank: int, slot: int) -> _Stretch:
        """What a rank does in a slot, and from which slot to which."""
        return next(self._stretches_from(rank, slot), _Stretch(None, self.slots, self.slots))

    def _stretches_from(self, rank: int, slot: int) -> Iterator[_Stretch]:
        """What a rank does, one thing after another, beginning with what it does in this slot."""
        starts, ends = self.timeline.starts[rank], self.timeline.ends[rank]
        # Half a slot in, so that a rounded time on the border does not matter
        first = max(0, bisect_right(starts, (slot + 0.5) * self._length) - 1)
        before = self._slot(ends[first - 1]) if first else 0
        for at in range(first, len(starts)):
            start, end = self._slot(starts[at]), self._slot(ends[at])
            if before < start > slot:
                yield _Stretch(None, before, start)
            if end > slot:
                yield _Stretch(self.timeline.orders[rank][at], start, end)
            before = end
        if before < self.slots:
            yield _Stretch(None, before, self.slots)

    def _value(self, rank: int, slot: int) -> CellValue:
        if not (0 <= rank < self.ranks and 0 <= slot < self.slots):
            raise IndexError
        operation = self._at(rank, slot).operation
        return None if operation is None else str(operation)

    # Where a slot stands

    def _column(self, slot: int) -> int:
        """The first column of a slot: marks that need more than `per_slot` columns push what follows to the right."""
        wide, pushed = self._wide
        if not wide:
            return slot * self.per_slot
        return slot * self.per_slot + pushed[bisect_left(wide, slot)]

    def _slot_at(self, column: int) -> int:
        """The slot in a column."""
        if not self._wide[0]:
            return min(column // self.per_slot, self.slots)
        return bisect_right(range(self.slots + 1), column, key=self._column) - 1

    @cached_property
    def _wide(self) -> tuple[list[int], list[int]]:
        """The slots that marks make wider, and by how much all before each of them, and all, push to the right."""
        # On a shared axis no slot may push what follows: there all slots are wide enough
        extra = {} if self.unit_columns is not None else self._extra
        wide = sorted(extra)
        return wide, [0, *accumulate(extra[slot] for slot in wide)]

    @cached_property
    def _extra(self) -> dict[int, int]:
        """How many columns more than `per_slot` the marks in a slot need, for the slots that need any."""
        extra: dict[int, int] = {}
        cells = self.cells()
        for place, mark in self.overlay.items():
            if place in cells:
                rank, slot = rank_and(place, "slot")
                bare = self._label(rank, self._at(rank, slot))
                needed = 1 + len(self.marked_text(bare, Role.PLAIN, mark, rank)[0]) - self.per_slot
                if needed > 0:
                    extra[slot] = max(extra.get(slot, 0), needed)
        return extra

    @cached_property
    def _ruler_step(self) -> int:
        """Slots between the ruler's numbers: 1, 2 or 5 times a power of ten, with a blank between them."""
        steps = (times * power for power in accumulate(repeat(10), mul, initial=1) for times in (1, 2, 5))
        least = len(str(self.slots)) + 1
        return next(step for step in steps if step * self.per_slot >= least)

    # What a slot shows

    def _stretch(self, rank: int, found: _Stretch, slot: int, stop: int) -> Iterator[tuple[int, Run]]:
        """The runs of slots `slot` to `stop` of an operation or a pause."""
        first = self._column(found.start)
        if found.operation is None:
            text, role = "", Role.IDLE
        else:
            role = operations.role(found.operation)
            long = found.end - found.start > 1
            columns = self._column(found.end) - first
            text = operations.drawn(found.operation, self.stages_of(rank), columns, fill=long)
        for at in range(slot, stop):
            start, end = self._column(at), self._column(at + 1)
            place = cell(rank=rank, slot=at)
            shown = text[start - first : end - first] if text else f" {palette.IDLE}"[start - end :]
            run = Run(shown.ljust(end - start), role, place)
            if self.overlay and (mark := self.overlay.get(place)) is not None:
                marked, marked_role = self.marked_text(self._label(rank, found), role, mark, rank)
                run = Run(f" {marked}".ljust(end - start), marked_role, place)
            yield start, run

    def _label(self, rank: int, found: _Stretch) -> str:
        return palette.IDLE if found.operation is None else operations.label(found.operation, self.stages_of(rank))
