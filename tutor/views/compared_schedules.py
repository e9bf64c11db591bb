"""Several schedules one above the other on one time axis, each with what its ranks hold under it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, chain
from math import ceil
from types import MappingProxyType

from simlib.pipeline import Schedule
from simlib.pipeline.durations import common_slot, exact
from tutor.views import marks, operations, palette
from tutor.views.figures import number, percent
from tutor.views.held_rows import HeldRows
from tutor.views.joined_cells import JoinedCells
from tutor.views.layout import Line, columns_of, compose, flow, note
from tutor.views.limits import MOST_SLOTS
from tutor.views.picture import Cell, CellValue, Mark, Overlay, Picture, Role, Run, Size, cut
from tutor.views.pipeline_rows import PipelineRows
from tutor.views.slot_grid import SlotGrid
from tutor.views.time_rows import TimeRows

_SCHEDULE, _HELD = "schedule", "held"


@dataclass(frozen=True)
class Panel:
    """One schedule: its grid, and its rows of memory where they are shown."""

    schedule: Schedule
    grid: PipelineRows
    memory: HeldRows | None

    @property
    def rows(self) -> int:
        """A row with the name, a row a rank, and one more a rank with memory."""
        return 1 + self.grid.ranks * (1 if self.memory is None else 2)


@dataclass(frozen=True, eq=False)
class ComparedSchedules(Picture):
    """Schedules on one time axis. Cells are those of each grid with schedule= its name, and held= for the memory.

    Only the columns that are asked for are drawn.
    """

    panels: tuple[Panel, ...]
    overlay: Overlay = field(default_factory=lambda: MappingProxyType({}))
    _feet: dict[int, list[Line]] = field(init=False, repr=False, default_factory=dict)

    # The picture

    @cached_property
    def head_columns(self) -> int:  # type: ignore[override]
        names = [panel.schedule.name for panel in self.panels]
        rows = [panel.grid.row_name(panel.grid.ranks - 1) for panel in self.panels]
        return max(map(len, [*names, *rows])) + 1

    def size(self, width: int) -> Size:
        foot = self._foot(width)
        grid = self.head_columns + max(panel.grid.columns() for panel in self._aligned)
        return Size(max(grid, columns_of(foot)), self._tops[-1] + len(foot))

    def foot_rows(self, width: int) -> int:
        return 1 + len(self._foot(width))

    def line(self, row: int, width: int, start: int = 0, stop: int | None = None) -> Line:
        if row >= self._tops[-1]:
            foot, at = self._foot(width), row - self._tops[-1]
            return cut(foot[at], start, stop) if at < len(foot) else []
        place = next((at for at, top in enumerate(self._tops[1:]) if row < top), 0)
        panel, at = self._aligned[place], row - self._tops[place]
        if not 0 <= at < panel.rows:
            return []
        head = self.head_columns
        window = (max(0, start - head), None if stop is None else max(0, stop - head))
        named, pieces = self._row(panel, at, *window)
        own = (_SCHEDULE if at <= panel.grid.ranks else _HELD, panel.schedule.name)
        moved = ((head + column, _named(run, own)) for column, run in pieces)
        return compose(chain([(0, named)], moved), head + panel.grid.columns(), start, stop)

    def cells(self) -> Mapping[Cell, CellValue]:
        parts = {}
        for panel in self.panels:
            parts[_SCHEDULE, panel.schedule.name] = panel.grid.cells()
            if panel.memory is not None:
                parts[_HELD, panel.schedule.name] = panel.memory.cells()
        return JoinedCells(parts)

    def marked(self, overlay: Overlay) -> ComparedSchedules:
        return replace(self, overlay=MappingProxyType(dict(overlay)))

    def written(self, place: Cell, value: CellValue) -> str:
        at = dict(place)
        panel = next((panel for panel in self.panels if panel.schedule.name == at.get(_SCHEDULE)), None)
        if panel is None:
            return super().written(place, value)
        return panel.grid.written(tuple(pair for pair in place if pair[0] != _SCHEDULE), value)

    def words(self) -> list[str]:
        if self._asking:
            return self._spoken_marks()
        lines = []
        for panel in self.panels:
            lines.append(f"{panel.schedule.name}: {self._figures(panel)}")
            grid = panel.grid.words()[: panel.grid.ranks]
            lines += [f"{panel.schedule.name}, {row}" for row in grid]
            if panel.memory is not None:
                lines += [
                    f"{panel.schedule.name}, {panel.grid.row_name(rank)}, activations held: {panel.memory.spoken(rank)}"
                    for rank in range(panel.grid.ranks)
                ]
        return [*lines, *self._spoken_marks()]

    # One axis

    @cached_property
    def _unit_columns(self) -> float:
        """Columns of one unit of time, so that the widest text of all panels fits."""
        needed = 0.0
        for panel in self.panels:
            grid = panel.grid.marked(self._of(_SCHEDULE, panel))
            needed = max(needed, grid.needed_columns)
            if panel.memory is not None:
                texts = [panel.memory.label_columns, *(self._mark_columns(panel))]
                needed = max(needed, max(texts) / panel.memory.slot)
        slots = [panel.schedule.slot for panel in self.panels]
        lengths = [exact(slot) for slot in slots if slot is not None]
        common = common_slot(lengths) if len(lengths) == len(slots) else None
        # Whole columns for the slot that all slots are a whole number of
        return needed if common is None else float(ceil(round(needed * common, 6)) / common)

    def _mark_columns(self, panel: Panel) -> Iterator[int]:
        for mark in self._of(_HELD, panel).values():
            yield 1 + len(marks.shown(str(panel.schedule.micro_batches), Role.PLAIN, mark, 1)[0])

    @cached_property
    def _aligned(self) -> tuple[Panel, ...]:
        """The panels with their grids on the common axis, marks in place."""
        return tuple(
            replace(
                panel,
                grid=replace(panel.grid, unit_columns=self._unit_columns).marked(self._of(_SCHEDULE, panel)),
            )
            for panel in self.panels
        )

    @cached_property
    def _tops(self) -> list[int]:
        """The first row of each panel, a blank row between them, and the first of the foot."""
        return [0, *accumulate(panel.rows + 1 for panel in self.panels)]

    def _of(self, what: str, panel: Panel) -> dict[Cell, Mark]:
        """The marks on one panel's grid or memory, by the cells that it knows itself."""
        own = (what, panel.schedule.name)
        return {
            tuple(pair for pair in place if pair != own): mark for place, mark in self.overlay.items() if own in place
        }

    # Rows

    def _row(self, panel: Panel, at: int, start: int, stop: int | None) -> tuple[Run, Iterator[tuple[int, Run]]]:
        ranks = panel.grid.ranks
        if at == 0:
            return Run(panel.schedule.name, Role.CAPACITY), self._ruler(panel, start, stop)
        if at <= ranks:
            return panel.grid.head(at - 1), panel.grid.row(at - 1, start, stop)
        rank = at - 1 - ranks
        named = Run(f"held {rank}", Role.QUIET)
        if panel.memory is None:
            return named, iter(())
        columns = round(self._unit_columns * panel.memory.slot)
        return named, panel.memory.row(rank, columns, start, stop, self._of(_HELD, panel), self._asking)

    def _ruler(self, panel: Panel, start: int, stop: int | None) -> Iterator[tuple[int, Run]]:
        """Times, at columns that are the same in every panel."""
        columns = panel.grid.columns()
        step, ahead = self._tick, 0 if panel.schedule.slot is None else 1
        tick = max(0, int(start / self._unit_columns / step) - 1)
        while True:
            at, text = round(tick * step * self._unit_columns) + ahead, number(round(tick * step, 6))
            if at + len(text) > columns or (stop is not None and at >= stop):
                return
            yield at, Run(text, Role.QUIET)
            tick += 1

    @cached_property
    def _tick(self) -> float:
        """Time between the ruler's numbers: 1, 2 or 5 times a power of ten, with room for them."""
        longest = max(panel.schedule.makespan for panel in self.panels)
        room = len(number(round(longest))) + 2
        power = 1.0
        while power * self._unit_columns > room * 10:
            power /= 10
        while True:
            for times in (1, 2, 5):
                if times * power * self._unit_columns >= room:
                    return times * power
            power *= 10

    # Notes and words

    @cached_property
    def _asking(self) -> bool:
        return any(marks.asks(mark) for mark in self.overlay.values())

    def _foot(self, width: int) -> list[Line]:
        if width not in self._feet:
            rows: list[Line] = []
            if not self._asking:
                for panel in self.panels:
                    figures = note(f" {self._figures(panel)}", Role.PLAIN)
                    rows += flow([[Run(f"{panel.schedule.name}:", Role.HEAD), *figures]], width)
            kinds = {kind for panel in self.panels for kind in panel.grid.kinds}
            legend = operations.legend(kinds, any(panel.schedule.chunks > 1 for panel in self.panels))
            if any(panel.memory is not None for panel in self.panels):
                legend.append([Run(f"{palette.PEAK}n", Role.PEAK), *note(" activations held: the most of the row")])
            self._feet[width] = [*rows, *flow(legend + marks.legend(self.overlay), width)]
        return self._feet[width]

    def _figures(self, panel: Panel) -> str:
        timed = panel.schedule
        said = (
            f"done at {number(round(timed.makespan, 6))}, idle {percent(timed.bubble)} of total, "
            f"{percent(timed.bubble_of_ideal)} of ideal"
        )
        if panel.memory is None:
            return said
        chunks = f" (of a chunk, 1/{timed.chunks} of a rank)" if timed.chunks > 1 else ""
        return f"{said}; peak {panel.grid.peaks()}{chunks}"

    def _spoken_marks(self) -> list[str]:
        lines = []
        for panel in self._aligned:
            lines += [f"{panel.schedule.name}, {line}" for line in panel.grid.spoken_marks()]
            held = {} if panel.memory is None else panel.memory.cells()
            for place, mark in sorted(self._of(_HELD, panel).items()):
                if place in held:
                    at = dict(place)
                    said = marks.spoken(str(held[place]), mark)
                    lines.append(f"{panel.schedule.name}, held on rank {at['rank']} in slot {at['slot']}: {said}")
        return lines


def _named(run: Run, own: tuple[str, str]) -> Run:
    """The run of a panel, its cell with the coordinate that tells the panels apart."""
    return run if run.cell is None else run._replace(cell=tuple(sorted((*run.cell, own))))


def compared(schedules: list[Schedule], memory: bool) -> ComparedSchedules:
    """The picture of these schedules (of different names), in slots where all their times have slots."""
    slots = [timed.slot for timed in schedules]
    lengths = [exact(slot) for slot in slots if slot is not None]
    common = common_slot(lengths) if len(lengths) == len(slots) else None
    longest = max(timed.makespan for timed in schedules)
    in_slots = common is not None and longest / float(common) <= MOST_SLOTS
    panels = []
    for timed in schedules:
        grid = SlotGrid(timed.timeline) if in_slots else TimeRows(timed.timeline)
        rows = None
        if memory and isinstance(grid, SlotGrid):
            rows = HeldRows(timed.timeline, grid.slots, timed.slot or 1)
        panels.append(Panel(timed, grid, rows))
    return ComparedSchedules(tuple(panels))
