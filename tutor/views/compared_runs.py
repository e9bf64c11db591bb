"""Figures of one step on one device, and of the same step through a pipeline, row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from tutor.views import marks
from tutor.views.figure_table import FigureTable, TableRow
from tutor.views.figures import number
from tutor.views.laid_out import LaidOut
from tutor.views.layout import Line, flow, note
from tutor.views.picture import Cell, CellValue, Overlay

NAMES = ("of", "", "one device", "pipeline", "apart")


@dataclass(frozen=True, eq=False)
class ComparedRuns(LaidOut):
    """A row for each micro-batch's loss, the step's, and each rank's gradient."""

    rows: Sequence[TableRow]
    notes: tuple[str, ...]
    overlay: Overlay = field(default_factory=lambda: MappingProxyType({}))

    @property
    def head_rows(self) -> int:  # type: ignore[override]
        return 1

    @property
    def head_columns(self) -> int:  # type: ignore[override]
        # Only a table on its side, which has the names of its columns at the left, is wider than its window
        return max(map(len, NAMES))

    def cells(self) -> Mapping[Cell, CellValue]:
        return self._table.cells()

    def marked(self, overlay: Overlay) -> ComparedRuns:
        return replace(self, overlay=MappingProxyType(dict(overlay)))

    def written(self, place: Cell, value: CellValue) -> str:
        return f"{value:.6f}" if isinstance(value, float) else super().written(place, value)

    def words(self) -> list[str]:
        told = []
        for at, row in enumerate(self.rows):
            figures = zip(NAMES[2:], self._table.spoken(at), strict=True)
            told.append(f"{' '.join(row.heads)}: " + ", ".join(f"{name} {text}" for name, text in figures))
        return [*told, *(() if self._asking else self.notes)]

    @cached_property
    def _table(self) -> FigureTable:
        return FigureTable(
            NAMES,
            self.rows,
            lambda figure: figure.text or f"{figure.value:.6f}",
            lambda figure: figure.text or f"{figure.value:.6f}",
            self.overlay,
        )

    def _all(self, width: int) -> list[Line]:
        return [*self._table.lines(width), [], *self._foot(width)]

    @property
    def _asking(self) -> bool:
        return any(self._table.asks(at) for at in range(len(self.rows)))

    def _foot(self, width: int) -> list[Line]:
        notes = () if self._asking else self.notes
        return flow([*map(note, notes), *marks.legend(self.overlay)], width)


def difference(value: float) -> str:
    """How far two figures are apart: 0 where not even the last bit differs.

    >>> difference(0.0), difference(5.55e-17)
    ('0', '6e-17')
    """
    return "0" if value == 0 else f"{value:.0e}" if value < 1e-6 else number(value)
