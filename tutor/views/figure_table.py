"""A table of figures with heads, their points below each other; some of them may be asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tutor.views import heads, marks
from tutor.views.layout import Line, left, length, note, right, space
from tutor.views.picture import Cell, CellValue, Mark, Overlay, Role, Run

_GAP = 2


class Figure(NamedTuple):
    """A figure of a row. One without a cell cannot be asked about.

    `text` stands where the number would not do, and `spoken` is what it is in words.
    """

    value: int | float
    place: Cell | None = None
    text: str = ""
    spoken: str = ""


class TableRow(NamedTuple):
    """A row: its heads and its figures."""

    heads: tuple[str, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True, eq=False)
class FigureTable:
    """The rows under the names of their columns, those of the heads first."""

    names: tuple[str, ...]
    rows: Sequence[TableRow]
    write: Callable[[Figure], str]  # a figure as the table shows it
    speak: Callable[[Figure], str]  # and with its unit, in words
    overlay: Overlay

    def cells(self) -> Mapping[Cell, CellValue]:
        return {figure.place: figure.value for row in self.rows for figure in row.figures if figure.place is not None}

    def asks(self, at: int) -> bool:
        """Whether the learner is to find a figure of this row, so that the rest of it must not tell."""
        figures = self.rows[at].figures
        return any(figure.place is not None and marks.asks(self.overlay.get(figure.place)) for figure in figures)

    def header(self) -> Line:
        row: Line = []
        for name, columns in zip(self.names, self._head_widths, strict=False):
            row += left(note(name), columns + 1)
        for name, columns in zip(self._figure_names, self._figure_widths, strict=True):
            row += space(_GAP) + right(note(name), columns)
        return row

    def line(self, at: int) -> Line:
        row: Line = []
        for text, columns in zip(self.rows[at].heads, self._head_widths, strict=True):
            row += left(heads.coloured(text, Role.HEAD), columns + 1)
        for column, columns in enumerate(self._figure_widths):
            row += space(_GAP) + right(self._shown(at, column), columns)
        return row

    def lines(self, width: int) -> list[Line]:
        """The table in `width` columns: standing on its side, a row a figure, where it would be wider."""
        if self.columns <= width:
            return [self.header(), *map(self.line, range(len(self.rows)))]
        table: list[Line] = [left(note(name), max(map(len, self.names))) for name in self.names]
        for at, row in enumerate(self.rows):
            behind = max(len(_fraction(self.write(figure))) for figure in row.figures)
            names = [heads.coloured(text, Role.HEAD) for text in row.heads]
            cells = [self._shown(at, column, behind) for column in range(len(row.figures))]
            columns = max(map(length, [*names, *cells])) + marks.brackets(self.overlay)
            for line, drawn in zip(table, [*names, *cells], strict=True):
                line += space(_GAP) + right(drawn, columns)
        return table

    def spoken(self, at: int) -> list[str]:
        """The figures of a row in words."""
        said = []
        for figure in self.rows[at].figures:
            mark = None if figure.place is None else self.overlay.get(figure.place)
            hidden = self.asks(at) and mark is None
            said.append("hidden" if hidden else marks.spoken(self.speak(figure), mark))
        return said

    @property
    def head_columns(self) -> int:
        return sum(self._head_widths) + len(self._head_widths)

    @property
    def columns(self) -> int:
        return self.head_columns + sum(columns + _GAP for columns in self._figure_widths)

    @cached_property
    def _head_widths(self) -> list[int]:
        heads = [self.names, *(row.heads for row in self.rows)]
        return [max(len(names[at]) for names in heads) for at in range(len(self.rows[0].heads))]

    @property
    def _figure_names(self) -> tuple[str, ...]:
        return self.names[len(self._head_widths) :]

    @cached_property
    def _figure_widths(self) -> list[int]:
        extra = marks.brackets(self.overlay)
        widths = []
        for column, name in enumerate(self._figure_names):
            drawn = [length(self._shown(at, column)) for at in range(len(self.rows))]
            texts = [self.write(row.figures[column]) for row in self.rows]
            widest = max(len(text) - len(_fraction(text)) for text in texts) + self._behind[column]
            widths.append(max(len(name), widest + extra, *drawn))
        return widths

    @cached_property
    def _behind(self) -> list[int]:
        """Columns of the longest fraction in each column."""
        columns = range(len(self._figure_names))
        return [max(len(_fraction(self.write(row.figures[column]))) for row in self.rows) for column in columns]

    def _shown(self, at: int, column: int, behind: int | None = None) -> Line:
        figure = self.rows[at].figures[column]
        text = self.write(figure)
        padding = space((self._behind[column] if behind is None else behind) - len(_fraction(text)))
        mark = None if figure.place is None else self.overlay.get(figure.place)
        if mark is None and self.asks(at):
            return [Run("?", Role.BLANK, figure.place), *padding]
        shown, role = marks.shown(text, Role.PLAIN if figure.place is not None else Role.QUIET, mark, len(text))
        return [Run(shown, role, figure.place), *padding]


def parted(table: FigureTable, width: int) -> Iterator[FigureTable]:
    """The table in parts of `width` columns, a figure of each row at least, all with the rows' heads."""
    hidden = dict(table.overlay)
    for at, row in enumerate(table.rows):
        if table.asks(at):
            # A part without the figure that is asked for must not tell it either
            places = [figure.place for figure in row.figures if figure.place is not None]
            hidden |= {place: Mark(Role.BLANK, "?") for place in places if place not in table.overlay}
    heads = len(table.rows[0].heads)
    first, count = 0, len(table.rows[0].figures)

    def part(stop: int) -> FigureTable:
        names = (*table.names[:heads], *table.names[heads + first : heads + stop])
        rows = [TableRow(row.heads, row.figures[first:stop]) for row in table.rows]
        return FigureTable(names, rows, table.write, table.speak, hidden)

    while first < count:
        stop = next((stop for stop in range(count, first, -1) if part(stop).columns <= width), first + 1)
        yield part(stop)
        first = stop


def _fraction(text: str) -> str:
    """The point and what follows it; a unit counts as what follows.

    >>> _fraction("1.25x"), _fraction("3%"), _fraction("303")
    ('.25x', '%', '')
    """
    number = text.rstrip("%x")
    return text[number.index(".") :] if "." in number else text[len(number) :]
