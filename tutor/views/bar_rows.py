"""Rows of figures with a bar behind each: a table that can be read and seen at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tutor.views import marks
from tutor.views.byte_scale import ByteScale
from tutor.views.figure_table import Figure, FigureTable, TableRow
from tutor.views.figures import byte_unit, in_table_bytes, in_unit, in_unit_or_own
from tutor.views.layout import Line, compose, flow, left, note
from tutor.views.picture import Cell, CellValue, Role, Run
from tutor.views.tabled import Tabled

_LEAST_BAR = 10  # columns
_GAP = 2


class Look(NamedTuple):
    """How a part of a bar is drawn, and what it is called in the legend."""

    role: Role
    fill: str
    name: str

    def in_legend(self) -> Line:
        return [Run(self.fill, self.role), *note(f" {self.name}")]


class BarRow(NamedTuple):
    """A row: its heads, its figures, and the parts of its bar, in bytes, by the name of their look."""

    heads: tuple[str, ...]
    figures: tuple[Figure, ...]
    parts: tuple[tuple[float, str], ...]
    spoken: str  # what the row is about, in words


@dataclass(frozen=True, eq=False)
class BarRows(Tabled):
    """Rows with bars on one scale. Figures without a text are bytes, in the unit that the largest one asks for."""

    heads: tuple[str, ...]  # of the columns, those of the row heads first
    rows: Sequence[BarRow]
    looks: Mapping[str, Look]
    say: Callable[[BarRow, Sequence[str]], str]  # a row in words, from its figures in words
    notes: tuple[str, ...] = ()
    head_rows = 1

    def written(self, place: Cell, value: CellValue) -> str:
        if not isinstance(value, (int, float)):
            return super().written(place, value)
        return in_unit_or_own(value, self._unit[1])

    def words(self) -> list[str]:
        return [*(self.say(row, self._table.spoken(at)) for at, row in enumerate(self.rows)), *self.notes]

    @cached_property
    def _unit(self) -> tuple[str, int]:
        sizes = [figure.value for row in self.rows for figure in row.figures if not figure.text]
        return byte_unit(max(sizes, default=1))

    @cached_property
    def _table(self) -> FigureTable:
        return FigureTable(
            self.heads,
            [TableRow(row.heads, row.figures) for row in self.rows],
            lambda figure: figure.text or in_unit(figure.value, self._unit[1]),
            lambda figure: figure.text or in_table_bytes(figure.value),
            self.overlay,
        )

    def _rows(self, width: int) -> list[Line]:
        return [self._table.header(), *self._body(width), [], *self._foot(width)]

    def _body(self, width: int) -> Iterator[Line]:
        bar_at = self._table.columns + _GAP
        longest = max(sum(count for count, _ in row.parts) for row in self.rows)
        scale = ByteScale.of(longest, None, max(_LEAST_BAR, width - bar_at))
        for at, row in enumerate(self.rows):
            bar = [] if self._table.asks(at) else list(scale.stretches(row.parts))
            pieces = [(column, self._piece(name, columns)) for column, columns, name, _ in bar]
            hidden = [Run("?", Role.BLANK)] if self._table.asks(at) else []
            yield [*left(self._table.line(at), bar_at), *(hidden or compose(pieces, scale.columns, 0, None))]
        yield compose(scale.ruler(*byte_unit(longest), bar_at), width, 0, None)

    def _piece(self, name: str, columns: int) -> Run:
        look = self.looks[name]
        return Run(look.fill * columns, look.role)

    def _foot(self, width: int) -> list[Line]:
        legend = [look.in_legend() for look in self.looks.values() if look.name]
        return flow([*legend, *map(note, self.notes), *marks.legend(self.overlay)], width)
