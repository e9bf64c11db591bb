"""Two training runs beside each other: their losses after so many steps, as figures and as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from types import MappingProxyType

from tutor.views import marks, palette
from tutor.views.figure_table import FigureTable, TableRow
from tutor.views.laid_out import LaidOut
from tutor.views.layout import Line, flow, length, note, space
from tutor.views.picture import Cell, CellValue, Overlay, Role, Run

_LARGE = 1000
_LEAST_BAR, _MOST_BAR, _GAP = 6, 40, 2  # columns


@dataclass(frozen=True, eq=False)
class LossTable(LaidOut):
    """A row for each time at which the runs were judged; the bar is as long as the row's loss, beside the largest."""

    names: tuple[str, ...]  # of the table's columns
    rows: Sequence[TableRow]
    losses: Sequence[float]  # a row's bar
    notes: tuple[str, ...] = ()
    overlay: Overlay = field(default_factory=lambda: MappingProxyType({}))

    @property
    def head_rows(self) -> int:  # type: ignore[override]
        return 1

    @property
    def head_columns(self) -> int:  # type: ignore[override]
        # Only a table on its side, which has the names of its columns at the left, is wider than its window
        return max(map(len, self.names))

    def cells(self) -> Mapping[Cell, CellValue]:
        return self._table.cells()

    def marked(self, overlay: Overlay) -> LossTable:
        return replace(self, overlay=MappingProxyType(dict(overlay)))

    def written(self, place: Cell, value: CellValue) -> str:
        return loss(value) if isinstance(value, (int, float)) else super().written(place, value)

    def words(self) -> list[str]:
        told = []
        for at, row in enumerate(self.rows):
            figures = ", ".join(
                f"{name} {text}" for name, text in zip(self.names[1:], self._table.spoken(at), strict=True)
            )
            told.append(f"after {row.heads[0]} step{'' if row.heads[0] == '1' else 's'}: {figures}")
        return [*told, *self.notes]

    @cached_property
    def _table(self) -> FigureTable:
        return FigureTable(
            self.names,
            self.rows,
            lambda figure: figure.text or loss(figure.value),
            lambda figure: figure.spoken or figure.text or loss(figure.value),
            self.overlay,
        )

    def _all(self, width: int) -> list[Line]:
        table = self._table.lines(width)
        room = min(_MOST_BAR, width - length(table[0]) - _GAP)
        if self._table.columns <= width and room >= _LEAST_BAR and not self._asking:
            # A run that leaves every scale fills its row: the others still say something
            largest = max((value for value in self.losses if value < _LARGE), default=1.0)
            for line, value in zip(table[1:], self.losses, strict=True):
                columns = max(1, round(min(1, value / largest) * room)) if isfinite(value) else room
                line += [*space(_GAP), Run(palette.RULE * columns, Role.HEAD)]
        return [*table, [], *self._foot(width)]

    @property
    def _asking(self) -> bool:
        return any(self._table.asks(at) for at in range(len(self.rows)))

    def _foot(self, width: int) -> list[Line]:
        notes = () if self._asking else self.notes
        return flow([*map(note, notes), *marks.legend(self.overlay)], width)


def loss(value: float) -> str:
    """A loss to six decimals; where a run has left every scale, its size, or that it has.

    >>> loss(2.5700231), loss(4860.65), loss(float("inf"))
    ('2.570023', '4.86e+03', 'beyond all')
    """
    if not isfinite(value):
        return "beyond all"
    return f"{value:.6f}" if value < _LARGE else f"{value:.2e}"
