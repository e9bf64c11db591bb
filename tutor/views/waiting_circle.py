"""Who waits for whom: the circle or the chain drawn, and under it each worker's call with its line."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from tutor.views import heads, marks, palette
from tutor.views.laid_out import LaidOut
from tutor.views.layout import Line, left, note, trimmed
from tutor.views.picture import Cell, CellValue, Overlay, Role, Run, cell

_GAP = 3
_LEAST_SOURCE = 20  # columns
_LINK = f" {palette.RULE}{palette.ARROW} "


class Halted(NamedTuple):
    """A worker that cannot go on, or that has finished: what it does, for whom, and the line that says so."""

    worker: int
    does: str  # "sends to 1", "calls all_gather", "has finished"
    line: int | None
    source: str  # that line of the program; empty where it is not known


@dataclass(frozen=True, eq=False)
class WaitingCircle(LaidOut):
    """Cells are cell(worker=): the line at which it waits, None where it does not."""

    rows: Sequence[Halted]  # the circle's first, in its order
    linked: Sequence[int]  # the workers of the circle or chain, each waiting for the next; empty where none does
    closed: bool  # whether the last one waits for the first
    notes: tuple[str, ...] = ()
    overlay: Overlay = field(default_factory=lambda: MappingProxyType({}))

    def cells(self) -> Mapping[Cell, CellValue]:
        return {cell(worker=row.worker): row.line for row in self.rows}

    def marked(self, overlay: Overlay) -> WaitingCircle:
        return replace(self, overlay=MappingProxyType(dict(overlay)))

    def foot_rows(self, width: int) -> int:
        return 0

    def words(self) -> list[str]:
        said = []
        for row in self.rows:
            line = "" if row.line is None else f", line {row.line}"
            source = f", in: {shown_source(row.source)}" if row.source else ""
            said.append(f"worker {row.worker}{line}: {row.does}{source}")
        links = [f"worker {one} waits for worker {other}" for one, other in self._pairs()]
        return [*said, *links, *self.notes]

    def _pairs(self) -> list[tuple[int, int]]:
        pairs = list(zip(self.linked, self.linked[1:], strict=False))
        return [*pairs, (self.linked[-1], self.linked[0])] if self.closed else pairs

    def _foot(self, width: int) -> list[Line]:
        return []

    def _all(self, width: int) -> list[Line]:
        drawn = self._drawn(width)
        return [*drawn, *([[]] if drawn else []), *self._table(width), *map(note, self.notes)]

    def _drawn(self, width: int) -> list[Line]:
        """The workers on one row, joined by arrows, with a line back to the first where it is a circle."""
        if not self.linked:
            return []
        for names in ([f"worker {worker}" for worker in self.linked], list(map(str, self.linked))):
            row = self._row(names)
            columns = sum(len(run.text) for run in row)
            if columns + 6 <= width:
                break
        else:
            return []
        if not self.closed:
            return [row]
        joints = palette.JOINTS
        around = columns + 4
        ahead = Run(f"{joints['rd']}{palette.ARROW} ", Role.DIFFERENCE)
        behind = Run(f" {palette.RULE}{joints['ld']}", Role.DIFFERENCE)
        back = Run(f"{joints['ru']}{palette.RULE * around}{joints['lu']}", Role.DIFFERENCE)
        return [[ahead, *row, behind], [back]]

    def _row(self, names: list[str]) -> Line:
        row: Line = []
        for worker, name in zip(self.linked, names, strict=True):
            row += [Run(_LINK, Role.DIFFERENCE)] if row else []
            row.append(Run(name, palette.of_rank(worker), cell(worker=worker)))
        return row

    def _table(self, width: int) -> list[Line]:
        """A row a worker: its name, line and call; then each of those lines of the program."""
        lines = ["" if row.line is None else f"line {row.line}" for row in self.rows]
        columns = [max(map(len, column)) + _GAP for column in (self._names, lines)]
        table = []
        for name, line, row in zip(self._names, lines, self.rows, strict=True):
            place = cell(worker=row.worker)
            shown, role = marks.shown(line, Role.PLAIN, self.overlay.get(place), len(line))
            runs = left([heads.head(name)], columns[0]) + left([Run(shown, role, place)], columns[1])
            table.append(trimmed([*runs, Run(row.does)]))
        sources = {row.line: row.source for row in self.rows if row.line is not None and row.source}
        table += [[]] if sources else []
        for number in sorted(sources):
            room = max(_LEAST_SOURCE, width - columns[1])
            for at, part in enumerate(textwrap.wrap(shown_source(sources[number]), room, break_on_hyphens=False)):
                head = "" if at else f"line {number}"
                table.append(note(head.ljust(columns[1]) + part))
        return table

    @property
    def _names(self) -> list[str]:
        return [f"worker {row.worker}" for row in self.rows]


def shown_source(text: str) -> str:
    """A line of somebody's program, one column a character.

    >>> shown_source("x = 1")
    'x = 1'
    """
    return "".join(map(marks.one_column, text))
