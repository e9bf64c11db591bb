"""The bytes of model state on one GPU at each ZeRO stage: bars, the card's memory as a line, a table under them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from tutor.views import marks, palette
from tutor.views.byte_scale import ByteScale
from tutor.views.figures import byte_unit, in_bytes, in_table_bytes, in_unit
from tutor.views.layout import Line, columns_of, compose, flow, left, note, right, space, trimmed
from tutor.views.picture import Cell, CellValue, Overlay, Picture, Role, Run, Size, cell, cut

PARTS = ("weights", "gradients", "optimizer")
_COLUMNS = (*PARTS, "total", "sent")
_LOOK = {
    "weights": (Role.WEIGHTS, palette.WEIGHTS_FILL),
    "gradients": (Role.GRADIENTS, palette.GRADIENTS_FILL),
    "optimizer": (Role.OPTIMIZER, palette.OPTIMIZER_FILL),
}
_HEAD = len("stage 0 ")
_GAPS = (4, 3, 2)


@dataclass(frozen=True)
class StageBytes:
    """What one GPU holds at a stage, and what it sends in one step; all in bytes."""

    stage: int
    weights: float
    gradients: float
    optimizer: float
    total: float
    sent: float

    def part(self, name: str) -> int | float:
        """The bytes of "weights", "gradients", "optimizer", "total" or "sent"."""
        found: int | float = getattr(self, name)
        return found


class Capacity(NamedTuple):
    """A card's memory in bytes, and whose it is: "H100", or nothing for a bare number."""

    bytes: float
    name: str = ""

    def __str__(self) -> str:
        return f"{self.name}: {in_bytes(self.bytes)}" if self.name else in_bytes(self.bytes)


class _Column(NamedTuple):
    """A column of the table: its head, a cell for each stage, and how wide it is."""

    head: Line
    cells: list[Line]
    columns: int
    is_text: bool = False


@dataclass(frozen=True, eq=False)
class ByteBars(Picture):
    """Bars and a table, a row a stage.

    Cells are cell(stage=, part=); part is one of weights, gradients, optimizer, total (all on each GPU)
    and sent (by each GPU in a step). Values are bytes.
    """

    stages: Sequence[StageBytes]
    capacity: Capacity | None = None
    overlay: Overlay = field(default_factory=lambda: MappingProxyType({}))
    _drawn: dict[int, list[Line]] = field(init=False, repr=False, default_factory=dict)
    head_columns = _HEAD

    def size(self, width: int) -> Size:
        rows = self._rows(width)
        return Size(columns_of(rows), len(rows))

    def foot_rows(self, width: int) -> int:
        return len(self._foot(width))

    def line(self, row: int, width: int, start: int = 0, stop: int | None = None) -> Line:
        rows = self._rows(width)
        return cut(rows[row], start, stop) if 0 <= row < len(rows) else []

    def cells(self) -> Mapping[Cell, CellValue]:
        return {cell(stage=of.stage, part=part): of.part(part) for of in self.stages for part in _COLUMNS}

    def marked(self, overlay: Overlay) -> ByteBars:
        return replace(self, overlay=MappingProxyType(dict(overlay)))

    def written(self, place: Cell, value: CellValue) -> str:
        if not isinstance(value, (int, float)):
            return super().written(place, value)
        # A figure far below the unit keeps its own: 54 B, not 0.000000054
        return in_unit(value, self._unit[1]) if value >= self._unit[1] / 1000 or value == 0 else in_bytes(value)

    def words(self) -> list[str]:
        lines = []
        for of in self.stages:
            weights, gradients, optimizer, total, sent = (self._spoken(of, part) for part in _COLUMNS)
            fits = "" if self.capacity is None or self._hidden(of) else f", {self._fit(of)}"
            lines.append(
                f"stage {of.stage}: on each GPU weights {weights}, gradients {gradients}, optimizer {optimizer}, "
                f"total {total}{fits}; each sends {sent} a step"
            )
        if self.capacity is not None:
            lines.append(f"memory of the card: {self.capacity}")
        return lines

    # What is written

    @cached_property
    def _unit(self) -> tuple[str, int]:
        return byte_unit(max(of.total for of in self.stages))

    def _text(self, of: StageBytes, part: str) -> str:
        return in_unit(of.part(part), self._unit[1])

    def _spoken(self, of: StageBytes, part: str) -> str:
        mark = self.overlay.get(cell(stage=of.stage, part=part))
        return marks.spoken(in_table_bytes(of.part(part)), mark)

    def _hidden(self, of: StageBytes) -> bool:
        """Whether the learner is to find a figure of this stage, so that its bar must not show it."""
        return any(marks.asks(self.overlay.get(cell(stage=of.stage, part=part))) for part in _COLUMNS)

    def _over(self, of: StageBytes) -> bool:
        return self.capacity is not None and of.total > self.capacity.bytes

    def _fit(self, of: StageBytes) -> str:
        if self.capacity is None:
            return ""
        return f"over by {in_bytes(of.total - self.capacity.bytes)}" if self._over(of) else "fits"

    # Where it stands

    def _rows(self, width: int) -> list[Line]:
        if width not in self._drawn:
            self._drawn[width] = [
                trimmed(row) for row in (*self._bars(width), [], *self._table(width), *self._foot(width))
            ]
        return self._drawn[width]

    def _bars(self, width: int) -> Iterator[Line]:
        scale = ByteScale.of(
            max(of.total for of in self.stages),
            self.capacity.bytes if self.capacity else None,
            max(10, width - _HEAD),
        )
        if self.capacity is not None:
            yield compose(scale.capacity_label(str(self.capacity), _HEAD), width, 0, None)
        for of in self.stages:
            yield compose(sorted(self._bar(of, scale), key=lambda piece: piece[0]), width, 0, None)
        yield compose(scale.ruler(*self._unit, _HEAD), width, 0, None)

    def _bar(self, of: StageBytes, scale: ByteScale) -> Iterator[tuple[int, Run]]:
        yield 0, Run(f"stage {of.stage}", Role.HEAD)
        if self._hidden(of):
            yield _HEAD, Run("?", Role.BLANK)
        else:
            parts = [(of.part(part), part) for part in PARTS]
            for column, columns, part, over in scale.stretches(parts):
                role, fill = _LOOK[part]
                yield _HEAD + column, Run(fill * columns, Role.OVER if over else role)
        if scale.line is not None:
            yield _HEAD + scale.line, Run(palette.CAPACITY, Role.CAPACITY)

    def _table(self, width: int) -> Iterator[Line]:
        gap = self._gap(width)
        columns = self._columns(gap > 1)
        yield self._table_row(Run(self._unit[0], Role.QUIET), [column.head for column in columns], columns, gap)
        for at, of in enumerate(self.stages):
            cells = [column.cells[at] for column in columns]
            yield self._table_row(Run(f"stage {of.stage}", Role.HEAD), cells, columns, gap)

    def _gap(self, width: int) -> int:
        """Blanks between the columns of the table; 1 where there is only room for the short form."""
        columns = self._columns(True)
        spare = width - _HEAD - sum(column.columns for column in columns)
        return next((gap for gap in _GAPS if spare >= gap * len(columns)), 1)

    def _table_row(self, head: Run, cells: Sequence[Line], columns: Sequence[_Column], gap: int) -> Line:
        row = left([head], _HEAD - 1)
        for at, (runs, column) in enumerate(zip(cells, columns, strict=True)):
            row += space(gap if at else 1)
            row += left(runs, column.columns) if column.is_text else right(runs, column.columns)
        return row

    def _columns(self, full: bool) -> list[_Column]:
        columns = [self._figures(part, full) for part in _COLUMNS]
        if self.capacity is not None:
            texts = [self._fit_run(of, full) for of in self.stages]
            head = note(f"of {in_bytes(self.capacity.bytes)}" if full else "")
            columns.insert(-1, _Column(head, texts, columns_of([head, *texts]), is_text=True))
        return columns

    def _figures(self, part: str, full: bool) -> _Column:
        """A column of figures, their points below each other."""
        role, fill = _LOOK.get(part, (Role.QUIET, ""))
        head = [Run(fill, role), *note(f" {part}" if full else "")] if fill else note(part)
        behind = max(len(_fraction(self._text(of, part))) for of in self.stages)
        cells = [[self._shown(of, part), *space(behind - len(_fraction(self._text(of, part))))] for of in self.stages]
        extra = marks.brackets(self.overlay)
        widest = max(len(self._text(of, part)) + behind - len(_fraction(self._text(of, part))) for of in self.stages)
        return _Column(head, cells, max(columns_of([head, *cells]), widest + extra))

    def _fit_run(self, of: StageBytes, full: bool) -> Line:
        if self._hidden(of):
            return []
        sign = "!" if self._over(of) else palette.DONE
        return [Run(f"{sign} {self._fit(of)}" if full else sign, Role.OVER if self._over(of) else Role.QUIET)]

    def _shown(self, of: StageBytes, part: str) -> Run:
        place = cell(stage=of.stage, part=part)
        role = Role.OVER if part == "total" and self._over(of) else Role.PLAIN
        text = self._text(of, part)
        text, role = marks.shown(text, role, self.overlay.get(place), len(text))
        return Run(text, role, place)

    def _foot(self, width: int) -> list[Line]:
        parts = [[Run(fill, role), *note(f" {part}")] for part, (role, fill) in _LOOK.items()]
        legend = [] if self._gap(width) > 1 else parts
        return flow(
            [*legend, note("bytes on each GPU"), note("sent by each GPU in a step"), *marks.legend(self.overlay)], width
        )


def _fraction(text: str) -> str:
    """The point and what follows it."""
    return text[text.index(".") :] if "." in text else ""
