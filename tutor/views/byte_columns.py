"""Bytes held from moment to moment: a column for each, stacked by what they are for, and the largest in a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from tutor.views import marks, palette
from tutor.views.bar_rows import Look
from tutor.views.figure_table import FigureTable, TableRow
from tutor.views.figures import byte_unit, in_table_bytes, in_unit, in_unit_or_own
from tutor.views.layout import Line, flow, left, merged, note, right, space
from tutor.views.picture import Cell, CellValue, Role, Run
from tutor.views.tabled import Tabled

_HEIGHT = 10  # rows of the columns
_LEAST = 20  # columns of the drawing


@dataclass(frozen=True, eq=False)
class ByteColumns(Tabled):
    """Columns from left to right in stretches with a name each ("forward", "backward"), and a table of figures.

    With more moments than columns, a column stands for the largest of several.
    """

    stretches: Mapping[str, Sequence[tuple[float, ...]]]  # by name: of each moment, the bytes of each part
    looks: Sequence[Look]  # of the parts, from the bottom
    names: tuple[str, ...]  # of the table's columns
    rows: Sequence[TableRow]
    say: Callable[[int, Sequence[str]], str]  # a row of the table in words, from its figures in words
    notes: tuple[str, ...] = ()

    @property
    def head_columns(self) -> int:  # type: ignore[override]
        return max(len(self._unit[0]), *(len(in_unit(tick, self._unit[1])) for tick in self._ticks)) + 1

    def written(self, place: Cell, value: CellValue) -> str:
        if not isinstance(value, (int, float)):
            return super().written(place, value)
        return in_unit_or_own(value, self._unit[1])

    def words(self) -> list[str]:
        return [*(self.say(at, self._table.spoken(at)) for at in range(len(self.rows))), *self.notes]

    # What is written

    @cached_property
    def _most(self) -> float:
        return max(sum(parts) for moments in self.stretches.values() for parts in moments)

    @cached_property
    def _unit(self) -> tuple[str, int]:
        return byte_unit(self._most)

    @cached_property
    def _ticks(self) -> list[float]:
        """Round byte counts up the side: at most five."""
        power = 10.0 ** (len(str(int(self._most))) - 1)
        step = next(power * times for times in (0.2, 0.5, 1, 2) if self._most / (power * times) <= 5)
        return [step * count for count in range(int(self._most / step) + 1)]

    @cached_property
    def _table(self) -> FigureTable:
        return FigureTable(
            self.names,
            self.rows,
            lambda figure: in_unit(figure.value, self._unit[1]),
            lambda figure: in_table_bytes(figure.value),
            self.overlay,
        )

    # Where it stands

    def _rows(self, width: int) -> list[Line]:
        return [*self._columns(width), [], *self._table.lines(width), [], *self._foot(width)]

    def _columns(self, width: int) -> Iterator[Line]:
        heads = {_HEIGHT - round(tick / self._most * _HEIGHT): in_unit(tick, self._unit[1]) for tick in self._ticks}
        room = max(_LEAST, width - self.head_columns)
        stacks = {name: list(self._fitted(moments, room)) for name, moments in self.stretches.items()}
        for row in range(_HEIGHT):
            head = heads.get(row, "")
            line = [*right(note(head), self.head_columns - 1), *space(1)]
            if not row:
                line = left(note(self._unit[0]), self.head_columns)
            if self._asking:
                yield [*line, *([Run("?", Role.BLANK)] if row == _HEIGHT - 1 else [])]
                continue
            level = (_HEIGHT - row - 0.5) / _HEIGHT * self._most
            yield [*line, *merged(self._piece(parts, level) for stack in stacks.values() for parts in stack)]
        axis = [*right(note(heads.get(_HEIGHT, "")), self.head_columns - 1), *space(1)]
        for name, stack in stacks.items():
            text = f"{name} "[: len(stack)]
            axis += note(text + palette.RULE * (len(stack) - len(text) - 1) + palette.ARROW * (len(stack) > len(text)))
        yield axis

    def _fitted(self, moments: Sequence[tuple[float, ...]], room: int) -> Iterator[tuple[float, ...]]:
        """The moments in their share of the columns: each several times, or the largest of several."""
        count = sum(map(len, self.stretches.values()))
        if count <= room:
            for parts in moments:
                yield from [parts] * (room // count)
            return
        columns = max(1, len(moments) * room // count)
        for column in range(columns):
            first, stop = (len(moments) * end // columns for end in (column, column + 1))
            yield max(moments[first:stop], key=sum)

    def _piece(self, parts: tuple[float, ...], level: float) -> Run:
        ends = accumulate(parts)
        look = next((look for look, end in zip(self.looks, ends, strict=True) if level < end), None)
        return Run(" ") if look is None else Run(look.fill, look.role)

    def _foot(self, width: int) -> list[Line]:
        legend = [look.in_legend() for look in self.looks]
        notes = () if self._asking else self.notes
        return flow([*legend, *map(note, notes), *marks.legend(self.overlay)], width)
