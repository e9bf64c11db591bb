"""What happens when, side by side: a lane for each thing that works, time to the right, its figures in a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tutor import units
from tutor.views import heads, marks, palette
from tutor.views.figure_table import FigureTable, TableRow
from tutor.views.figures import in_unit
from tutor.views.layout import Line, compose, flow, left, note
from tutor.views.picture import Cell, CellValue, Role, Run
from tutor.views.tabled import Tabled

_LEAST_LANE = 20  # columns
_TICK_ROOM = 8  # columns from one number of the ruler to the next, at least
_UNITS = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6))

# What goes on in a stretch: its role, its sign, what fills it, and its end
_KINDS = {
    "forward": (Role.FORWARD, " ", palette.FORWARD_GOES_ON, ""),
    "recompute": (Role.FORWARD, " ", palette.AGAIN, ""),
    "backward": (Role.BACKWARD, palette.BACKWARD, palette.BACKWARD_GOES_ON, ""),
    "sent": (Role.SENT, "", palette.SENT_LINE, palette.ARROW),
    "idle": (Role.IDLE, "", palette.IDLE, ""),
}


class Stretch(NamedTuple):
    """Something that goes on from `start` to `end`, in seconds."""

    start: float
    end: float
    kind: str  # "forward", "recompute", "backward", "sent" or "idle"
    name: str = ""


class Lane(NamedTuple):
    """One thing that works, under the names of its row; `of` is the table's row that tells of it, None for all."""

    heads: tuple[str, ...]
    stretches: tuple[Stretch, ...]
    of: int | None = None


@dataclass(frozen=True, eq=False)
class TimeLanes(Tabled):
    """Lanes on one scale and a table of figures: seconds, unless they have a text of their own."""

    lanes: Sequence[Lane]
    names: tuple[str, ...]  # of the table's columns, those of the heads first
    rows: Sequence[TableRow]
    say: Callable[[int, Sequence[str]], str]  # a row of the table in words, from its figures in words
    legend: Mapping[str, str]  # what the kinds of stretches are called
    notes: tuple[str, ...] = ()
    bytes_unit: int = 1  # of the figures that are bytes

    @property
    def head_columns(self) -> int:  # type: ignore[override]
        return sum(self._head_widths) + len(self._head_widths)

    def written(self, place: Cell, value: CellValue) -> str:
        if not isinstance(value, (int, float)):
            return super().written(place, value)
        figure = next((figure for row in self.rows for figure in row.figures if figure.place == place), None)
        if figure is not None and figure.text:
            return units.show(value, "%") if figure.text.endswith("%") else in_unit(value, self.bytes_unit)
        return self._seconds(value)

    def words(self) -> list[str]:
        return [*(self.say(at, self._table.spoken(at)) for at in range(len(self.rows))), *self.notes]

    # What is written

    @cached_property
    def _total(self) -> float:
        return max(stretch.end for lane in self.lanes for stretch in lane.stretches)

    @cached_property
    def _unit(self) -> tuple[str, float]:
        return next((unit for unit in _UNITS if self._total >= unit[1] / 10), _UNITS[-1])

    def _seconds(self, value: float) -> str:
        return f"{value / self._unit[1]:.3g}" if value < 1000 * self._unit[1] else f"{value / self._unit[1]:.0f}"

    @cached_property
    def _table(self) -> FigureTable:
        return FigureTable(
            self.names,
            self.rows,
            lambda figure: figure.text or self._seconds(figure.value),
            lambda figure: figure.spoken or figure.text or (units.show(figure.value, "s") if figure.value else "0 s"),
            self.overlay,
        )

    # Where it stands

    @cached_property
    def _head_widths(self) -> list[int]:
        return [max(len(lane.heads[at]) for lane in self.lanes) for at in range(len(self.lanes[0].heads))]

    def _rows(self, width: int) -> list[Line]:
        table = self._table.lines(width)
        return [self._ruler(width), *map(self._lane(width), self.lanes), [], *table, [], *self._foot(width)]

    def _columns(self, width: int) -> int:
        return max(_LEAST_LANE, width - self.head_columns)

    def _column(self, seconds: float, width: int) -> int:
        return round(seconds / self._total * self._columns(width)) if self._total else 0

    def _lane(self, width: int) -> Callable[[Lane], Line]:
        def drawn(lane: Lane) -> Line:
            row: Line = []
            for name, columns in zip(lane.heads, self._head_widths, strict=True):
                row += left([heads.head(name)], columns + 1)
            if any(self._table.asks(at) for at in (range(len(self.rows)) if lane.of is None else [lane.of])):
                return [*row, Run("?", Role.BLANK)]
            return [*row, *compose(self._pieces(lane, width), self._columns(width), 0, None)]

        return drawn

    def _pieces(self, lane: Lane, width: int) -> Iterator[tuple[int, Run]]:
        at = 0
        for stretch in lane.stretches:
            first = max(at, self._column(stretch.start, width))
            # However short, it is there
            end = max(first + (stretch.end > stretch.start), self._column(stretch.end, width))
            if end > first:
                role, *_ = _KINDS[stretch.kind]
                yield first, Run(_text(stretch, end - first), role)
            at = max(at, end)

    def _ruler(self, width: int) -> Line:
        name, size = self._unit
        step = _tick(self._total / size * _TICK_ROOM / self._columns(width))
        pieces = []
        tick = 0
        while tick * step * size <= self._total:
            text = f"{tick * step:.6g}"
            at = self.head_columns + self._column(tick * step * size, width)
            if at + len(text) > self.head_columns + self._columns(width):
                break
            pieces.append((at, Run(text, Role.QUIET)))
            tick += 1
        return [
            *left(note(name), self.head_columns),
            *compose(pieces, self.head_columns + self._columns(width), self.head_columns, None),
        ]

    def _foot(self, width: int) -> list[Line]:
        items = [
            [Run(_text(Stretch(0, 1, kind), 2 if kind != "idle" else 1), _KINDS[kind][0]), *note(f" {name}")]
            for kind, name in self.legend.items()
            if any(stretch.kind == kind for lane in self.lanes for stretch in lane.stretches)
        ]
        return flow([*items, *map(note, () if self._asking else self.notes), *marks.legend(self.overlay)], width)


def _text(stretch: Stretch, columns: int) -> str:
    """A stretch in so many columns: its sign, its name where there is room, and a line that goes on to its end."""
    _, sign, fill, end = _KINDS[stretch.kind]
    name = f"{sign}{stretch.name}"
    text = name if len(name) + len(end) <= columns else sign
    return (text.ljust(columns - len(end), fill) + end)[-columns:] if end else text.ljust(columns, fill)[:columns]


def _tick(least: float) -> float:
    """1, 2 or 5 times a power of ten, `least` or more.

    >>> _tick(0.13), _tick(3), _tick(1)
    (0.2, 5.0, 1.0)
    """
    power = 1.0
    while power > least:
        power /= 10
    while power * 10 <= least:
        power *= 10
    return next(power * times for times in (1, 2, 5, 10) if power * times >= least)
