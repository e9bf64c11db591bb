"""Rows of figures with a bar behind each: a table that can be read and seen at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from tutor.views import marks
from tutor.views.byte_scale import ByteScale
from tutor.views.figures import byte_unit, in_bytes, in_unit
from tutor.views.layout import Line, columns_of, compose, flow, left, length, note, right, space, trimmed
from tutor.views.picture import Cell, CellValue, Overlay, Picture, Role, Run, Size, cut

_LEAST_BAR = 10  # columns
_GAP = 2


class Look(NamedTuple):
    """How a part of a bar is drawn, and what it is called in the legend."""

    role: Role
    fill: str
    name: str


class Figure(NamedTuple):
    """A figure of a row. One without a cell cannot be asked about; `text` is for figures that are no bytes."""

    value: int | float
    place: Cell | None = None
    text: str = ""


class BarRow(NamedTuple):
    """A row: its heads, its figures, and the parts of its bar, in bytes, by the name of their look."""

    heads: tuple[str, ...]
    figures: tuple[Figure, ...]
    parts: tuple[tuple[float, str], ...]
    spoken: str  # what the row is about, in words


@dataclass(frozen=True, eq=False)
class BarRows(Picture):
    """Rows with bars on one scale. Figures without a text are bytes, in the unit that the largest one asks for."""

    heads: tuple[str, ...]  # of the columns, those of the row heads first
    rows: Sequence[BarRow]
    looks: Mapping[str, Look]
    say: Callable[[BarRow, Sequence[str]], str]  # a row in words, from its figures in words
    notes: tuple[str, ...] = ()
    overlay: Overlay = field(default_factory=lambda: MappingProxyType({}))
    _drawn: dict[int, list[Line]] = field(init=False, repr=False, default_factory=dict)
    head_rows = 1

    @property
    def head_columns(self) -> int:  # type: ignore[override]
        return sum(self._head_widths) + len(self._head_widths)

    def size(self, width: int) -> Size:
        rows = self._all(width)
        return Size(columns_of(rows), len(rows))

    def foot_rows(self, width: int) -> int:
        return 1 + len(self._foot(width))

    def line(self, row: int, width: int, start: int = 0, stop: int | None = None) -> Line:
        rows = self._all(width)
        return cut(rows[row], start, stop) if 0 <= row < len(rows) else []

    def cells(self) -> Mapping[Cell, CellValue]:
        return {figure.place: figure.value for row in self.rows for figure in row.figures if figure.place is not None}

    def marked(self, overlay: Overlay) -> BarRows:
        return replace(self, overlay=MappingProxyType(dict(overlay)))

    def written(self, place: Cell, value: CellValue) -> str:
        if not isinstance(value, (int, float)):
            return super().written(place, value)
        size = self._unit[1]
        return in_unit(value, size) if value >= size / 1000 or value == 0 else in_bytes(value)

    def words(self) -> list[str]:
        return [*(self.say(row, self._spoken(row)) for row in self.rows), *self.notes]

    # What is written

    @cached_property
    def _unit(self) -> tuple[str, int]:
        return byte_unit(
            max((figure.value for row in self.rows for figure in row.figures if not figure.text), default=1)
        )

    def _text(self, figure: Figure) -> str:
        return figure.text or in_unit(figure.value, self._unit[1])

    def _asked(self, row: BarRow) -> bool:
        """Whether the learner is to find a figure of this row, so that the rest of it must not tell."""
        return any(figure.place is not None and marks.asks(self.overlay.get(figure.place)) for figure in row.figures)

    def _mark(self, figure: Figure) -> str:
        return figure.text or in_bytes(figure.value)

    def _spoken(self, row: BarRow) -> list[str]:
        said = []
        for figure in row.figures:
            mark = None if figure.place is None else self.overlay.get(figure.place)
            hidden = self._asked(row) and mark is None
            said.append("hidden" if hidden else marks.spoken(self._mark(figure), mark))
        return said

    # Where it stands

    @cached_property
    def _head_widths(self) -> list[int]:
        count = len(self.rows[0].heads)
        return [max(len(row.heads[at]) for row in self.rows) for at in range(count)]

    def _all(self, width: int) -> list[Line]:
        if width not in self._drawn:
            rows = [self._header(), *self._body(width), [], *self._foot(width)]
            self._drawn[width] = [trimmed(row) for row in rows]
        return self._drawn[width]

    def _header(self) -> Line:
        count = len(self._head_widths)
        row: Line = []
        for name, columns in zip(self.heads, self._head_widths, strict=False):
            row += left(note(name), columns + 1)
        for name, columns in zip(self.heads[count:], self._figure_widths, strict=True):
            row += space(_GAP) + right(note(name), columns)
        return row

    def _body(self, width: int) -> Iterator[Line]:
        scale = ByteScale.of(self._longest, None, max(_LEAST_BAR, width - self._bar_at))
        for row in self.rows:
            line: Line = []
            for text, columns in zip(row.heads, self._head_widths, strict=True):
                line += left([Run(text, Role.HEAD)], columns + 1)
            for at, figure in enumerate(row.figures):
                line += space(_GAP) + right(self._shown(row, figure, at), self._figure_widths[at])
            pieces = [] if self._asked(row) else list(scale.stretches(row.parts))
            bar = [
                (column, Run(self.looks[name].fill * columns, self.looks[name].role))
                for column, columns, name, _ in pieces
            ]
            hidden = [Run("?", Role.BLANK)] if self._asked(row) else []
            yield [*left(line, self._bar_at), *(hidden or compose(bar, scale.columns, 0, None))]
        yield compose(scale.ruler(*byte_unit(self._longest), self._bar_at), width, 0, None)

    @property
    def _longest(self) -> float:
        return max(sum(count for count, _ in row.parts) for row in self.rows)

    @cached_property
    def _bar_at(self) -> int:
        return self.head_columns + sum(columns + _GAP for columns in self._figure_widths) + _GAP

    @cached_property
    def _figure_widths(self) -> list[int]:
        names = self.heads[len(self._head_widths) :]
        extra = marks.brackets(self.overlay)
        widths = []
        for at, name in enumerate(names):
            drawn = [length(self._shown(row, row.figures[at], at)) for row in self.rows]
            texts = [self._text(row.figures[at]) for row in self.rows]
            widest = max(len(text) - len(_fraction(text)) for text in texts) + self._behind[at]
            widths.append(max(len(name), widest + extra, *drawn))
        return widths

    @cached_property
    def _behind(self) -> list[int]:
        """Columns of the longest fraction in each column, so that the points stand below each other."""
        count = len(self.heads) - len(self._head_widths)
        return [max(len(_fraction(self._text(row.figures[at]))) for row in self.rows) for at in range(count)]

    def _shown(self, row: BarRow, figure: Figure, at: int) -> Line:
        text = self._text(figure)
        padding = space(self._behind[at] - len(_fraction(text)))
        mark = None if figure.place is None else self.overlay.get(figure.place)
        if mark is None and self._asked(row):
            return [Run("?", Role.BLANK, figure.place), *padding]
        shown, role = marks.shown(text, Role.PLAIN if figure.place is not None else Role.QUIET, mark, len(text))
        return [Run(shown, role, figure.place), *padding]

    def _foot(self, width: int) -> list[Line]:
        legend = [[Run(look.fill, look.role), *note(f" {look.name}")] for look in self.looks.values() if look.name]
        return flow([*legend, *map(note, self.notes), *marks.legend(self.overlay)], width)


def _fraction(text: str) -> str:
    """The point and what follows it."""
    number = text.rstrip("%x×")
    return text[number.index(".") :] if "." in number else text[len(number) :]
