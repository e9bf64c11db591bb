"""Bars that part a whole, one under the other from nothing to all of it, and their shares in a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tutor import units
from tutor.views import heads, marks
from tutor.views.bar_rows import BarRow, Look
from tutor.views.byte_scale import ByteScale
from tutor.views.figure_table import FigureTable, TableRow
from tutor.views.layout import Line, compose, flow, left
from tutor.views.picture import Cell, CellValue, Role, Run
from tutor.views.tabled import Tabled

_LEAST_BAR = 10  # columns
_TICKS = (0, 0.25, 0.5, 0.75, 1)


@dataclass(frozen=True, eq=False)
class ShareBars(Tabled):
    """Bars above, their table below, parted where it is too wide. A bar's parts are shares of 1.

    Figures are shares too, or in `unit`.
    """

    heads: tuple[str, ...]  # of the table's columns, that of the rows' heads first
    rows: Sequence[BarRow]
    looks: Mapping[str, Look]
    say: Callable[[BarRow, Sequence[str]], str]  # a row in words, from its figures in words
    unit: str = "%"

    def written(self, place: Cell, value: CellValue) -> str:
        return units.show(value, self.unit) if isinstance(value, (int, float)) else super().written(place, value)

    def words(self) -> list[str]:
        return [self.say(row, self._table.spoken(at)) for at, row in enumerate(self.rows)]

    @cached_property
    def _table(self) -> FigureTable:
        return FigureTable(
            self.heads,
            [TableRow(row.heads, row.figures) for row in self.rows],
            lambda figure: figure.text or units.show(figure.value, self.unit),
            lambda figure: units.show(figure.value, self.unit),
            self.overlay,
        )

    # Where it stands

    def _rows(self, width: int) -> list[Line]:
        return [*self._bars(width), *self._parted_table(width), [], *self._foot(width)]

    def _bars(self, width: int) -> Iterator[Line]:
        head = self.head_columns
        scale = ByteScale(1, max(_LEAST_BAR, width - head), None, None)
        for at, row in enumerate(self.rows):
            name = left([heads.head(row.heads[0])], head)
            if self._table.asks(at):
                yield [*name, Run("?", Role.BLANK)]
                continue
            pieces = [
                (column, Run(self.looks[part].fill * columns, self.looks[part].role))
                for column, columns, part, _ in scale.stretches(row.parts)
            ]
            yield [*name, *compose(pieces, scale.columns, 0, None)]
        yield compose(self._ruler(head, scale.columns), head + scale.columns, 0, None)

    def _ruler(self, head: int, columns: int) -> Iterator[tuple[int, Run]]:
        for tick in _TICKS:
            text = units.show(tick, "%")
            # The last number stands before its tick, so that the ruler is no wider than the bars
            at = min(round(tick * columns), columns - len(text))
            if tick == 1 or at + len(text) < columns - len("100%"):
                yield head + at, Run(text, Role.QUIET)

    def _foot(self, width: int) -> list[Line]:
        shown = {part for row in self.rows for share, part in row.parts if share}
        legend = [look.in_legend() for part, look in self.looks.items() if part in shown]
        return flow([*legend, *marks.legend(self.overlay)], width)
