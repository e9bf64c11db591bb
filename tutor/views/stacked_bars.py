"""Bars made of parts, one under the other on one scale, a card's memory as a line, and their figures in a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tutor.views import heads, marks, palette
from tutor.views.bar_rows import BarRow, Look
from tutor.views.byte_bars import Capacity
from tutor.views.byte_scale import ByteScale
from tutor.views.figure_table import FigureTable, TableRow
from tutor.views.figures import byte_unit, in_table_bytes, in_unit, in_unit_or_own
from tutor.views.layout import Line, compose, flow, left, note
from tutor.views.picture import Cell, CellValue, Role, Run
from tutor.views.tabled import Tabled

_LEAST_BAR = 10  # columns


@dataclass(frozen=True, eq=False)
class StackedBars(Tabled):
    """Bars above, their table below; both have the rows' heads on the left.

    Figures are bytes, in the unit that `largest` asks for. A table that is wider than the picture is parted into
    several, one under the other.
    """

    heads: tuple[str, ...]  # of the table's figures
    rows: Sequence[BarRow]
    looks: Mapping[str, Look]
    say: Callable[[BarRow, Sequence[str]], str]  # a row in words, from its figures in words
    largest: float  # bytes
    capacity: Capacity | None = None
    notes: tuple[str, ...] = ()

    def written(self, place: Cell, value: CellValue) -> str:
        if not isinstance(value, (int, float)):
            return super().written(place, value)
        return in_unit_or_own(value, self._unit[1])

    def words(self) -> list[str]:
        room = [] if self.capacity is None else [f"memory of the card: {self.capacity}"]
        return [*(self.say(row, self._table.spoken(at)) for at, row in enumerate(self.rows)), *room, *self.notes]

    # What is written

    @cached_property
    def _unit(self) -> tuple[str, int]:
        return byte_unit(self.largest)

    @cached_property
    def _table(self) -> FigureTable:
        return FigureTable(
            (self._unit[0], *self.heads),
            [TableRow(row.heads, row.figures) for row in self.rows],
            lambda figure: in_unit(figure.value, self._unit[1]),
            lambda figure: in_table_bytes(figure.value),
            self.overlay,
        )

    # Where it stands

    def _rows(self, width: int) -> list[Line]:
        return [*self._bars(width), *self._parted_table(width), [], *self._foot(width)]

    def _bars(self, width: int) -> Iterator[Line]:
        head = self.head_columns
        longest = max(sum(count for count, _ in row.parts) for row in self.rows)
        capacity = self.capacity.bytes if self.capacity else None
        scale = ByteScale.of(longest, capacity, max(_LEAST_BAR, width - head))
        if self.capacity is not None:
            yield compose(scale.capacity_label(str(self.capacity), head), width, 0, None)
        for at, row in enumerate(self.rows):
            name = left([heads.head(row.heads[0])], head)
            bar = sorted(self._bar(at, row, scale), key=lambda piece: piece[0])
            yield [*name, *compose(bar, scale.columns + (scale.line is not None), 0, None)]
        yield compose(scale.ruler(*byte_unit(longest), head), width, 0, None)

    def _bar(self, at: int, row: BarRow, scale: ByteScale) -> Iterator[tuple[int, Run]]:
        if self._table.asks(at):
            yield 0, Run("?", Role.BLANK)
        else:
            for column, columns, name, over in scale.stretches(row.parts):
                look = self.looks[name]
                yield column, Run(look.fill * columns, Role.OVER if over else look.role)
        if scale.line is not None:
            yield scale.line, Run(palette.CAPACITY, Role.CAPACITY)

    def _foot(self, width: int) -> list[Line]:
        legend = [look.in_legend() for look in self.looks.values()]
        return flow([*legend, *map(note, self.notes), *marks.legend(self.overlay)], width)
