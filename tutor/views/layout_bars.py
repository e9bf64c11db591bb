"""One layout: where the seconds of its step go, waited for and hidden, and what the bytes of its fullest GPU hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from simlib.planner import PARTS, Layout
from tutor import units
from tutor.views import marks, palette
from tutor.views.figures import in_table_bytes
from tutor.views.laid_out import LaidOut
from tutor.views.layout import Line, broken, columns_of, flow, left, note, right, space, trimmed
from tutor.views.picture import Cell, CellValue, Overlay, Role, Run, cell

STEP, MEMORY = "step", "memory"
_LEAST_BAR = 8  # columns
_OTHER = "other: a layer at work, and what the libraries set aside"
_HIDDEN = ("tensor", "pipeline", "data")
_BYTES = ("weights", "gradients", "optimizer", "activations", "other")
_LOOKS = {
    "compute": (Role.COMPUTE, palette.COMPUTE_FILL),
    "recompute": (Role.COMPUTE, palette.AGAIN),
    "bubble": (Role.IDLE, palette.IDLE),
    "weights": (Role.WEIGHTS, palette.WEIGHTS_FILL),
    "gradients": (Role.GRADIENTS, palette.GRADIENTS_FILL),
    "optimizer": (Role.OPTIMIZER, palette.OPTIMIZER_FILL),
    "activations": (Role.ACTIVATIONS, palette.ACTIVATIONS_FILL),
    "other": (Role.QUIET, palette.RULE),
    **dict.fromkeys(_HIDDEN, (Role.SENT, palette.SENT_LINE)),
}


class _Part(NamedTuple):
    of: str  # STEP or MEMORY
    name: str
    value: float
    hidden: float = 0.0  # seconds beside compute, which cost none

    @property
    def place(self) -> Cell:
        return cell(of=self.of, part=self.name)


@dataclass(frozen=True, eq=False)
class LayoutBars(LaidOut):
    """Two tables with bars: the step's parts on one scale, the memory's on another."""

    layout: Layout
    notes: tuple[str, ...] = ()
    overlay: Overlay = field(default_factory=lambda: MappingProxyType({}))
    _drawn: dict[int, list[Line]] = field(init=False, repr=False, default_factory=dict)

    def cells(self) -> Mapping[Cell, CellValue]:
        return {part.place: part.value for part in (*self._step, *self._memory)}

    def marked(self, overlay: Overlay) -> LayoutBars:
        return replace(self, overlay=MappingProxyType(dict(overlay)))

    def written(self, place: Cell, value: CellValue) -> str:
        if not isinstance(value, (int, float)):
            return super().written(place, value)
        return _seconds(value) if ("of", STEP) in place else _gigabytes(value)

    def words(self) -> list[str]:
        hides = self._asked
        said = []
        for part in self._step:
            beside = f", and {units.show(part.hidden, 's')} hidden beside compute" if part.hidden else ""
            said.append(f"{part.name}: {self._told(part)}{'' if hides else beside}")
        said += [f"{part.name} on the fullest GPU: {self._told(part)}" for part in self._memory]
        return [*said, *self.notes]

    @cached_property
    def _step(self) -> list[_Part]:
        parts = self.layout.parts
        found = []
        for name in PARTS:
            hidden = getattr(parts, f"{name}_hidden") if name in _HIDDEN else 0.0
            found.append(_Part(STEP, name, getattr(parts, name), hidden))
        return [*found, _Part(STEP, "total", self.layout.step_seconds)]

    @cached_property
    def _memory(self) -> list[_Part]:
        found = [_Part(MEMORY, name, getattr(self.layout.memory, name)) for name in _BYTES]
        return [*found, _Part(MEMORY, "total", self.layout.bytes_per_gpu)]

    @property
    def _asked(self) -> bool:
        return any(map(marks.asks, self.overlay.values()))

    def _told(self, part: _Part) -> str:
        mark = self.overlay.get(part.place)
        if mark is None and self._asked:
            return "hidden"
        if part.of == MEMORY:
            return marks.spoken(in_table_bytes(part.value), mark)
        # Below a second more digits than are drawn
        told = f"{_seconds(part.value)} s" if part.value >= 1 else units.show(part.value, "s")
        return marks.spoken(told if part.value else "0", mark)

    def _all(self, width: int) -> list[Line]:
        if width not in self._drawn:
            capacity = f"of {_gigabytes(self.layout.capacity)} GB"
            rows = [
                *self._section(self._step, "a step", "s", "", width),
                [],
                *self._section(self._memory, "fullest GPU", "GB", capacity, width),
                [],
                *self._foot(width),
            ]
            self._drawn[width] = [trimmed(row) for row in rows]
        return self._drawn[width]

    def _section(self, parts: Sequence[_Part], title: str, unit: str, after: str, width: int) -> Iterator[Line]:
        figures = [self._figure(part) for part in parts]
        columns = max(columns_of(figures), len(unit)) + marks.brackets(self.overlay)
        head = max(len("activations"), *(len(part.name) for part in parts)) + 1
        total = parts[-1].value
        yield [*left(note(title), head), *right(note(unit), columns), *space(2), *right(note("share"), 6)]
        longest = max(part.value + part.hidden for part in parts[:-1]) or 1.0
        room = max(_LEAST_BAR, width - head - columns - 10)
        for part, figure in zip(parts, figures, strict=True):
            row = [*left([Run(part.name, Role.HEAD)], head), *right(figure, columns), *space(2)]
            if part.name == "total":
                over = part.of == MEMORY and not self.layout.fits
                asked = Run("") if self._asked else Run(after, Role.OVER if over else Role.QUIET)
                yield [*row, *space(8 if after else 0), asked]
                continue
            share = "?" if self._asked else f"{part.value / total * 100:.1f}%" if part.value else ""
            yield [*row, *right(note(share), 6), *space(2), *([] if self._asked else _bar(part, longest, room))]

    def _figure(self, part: _Part) -> Line:
        mark = self.overlay.get(part.place)
        if mark is None and self._asked:
            return [Run("?", Role.BLANK, part.place)]
        text = self.written(part.place, part.value)
        shown, role = marks.shown(text, Role.PLAIN, mark, len(text))
        return [Run(shown, role, part.place)]

    def _foot(self, width: int) -> list[Line]:
        hidden: list[Line] = []
        if not self._asked and any(part.hidden for part in self._step):
            hidden = [[Run(palette.HIDDEN_LINE * 2, Role.SENT), *note(" hidden beside compute: costs nothing")]]
        notes = [row for text in self.notes for row in broken(note(text), width)]
        return [*flow([*hidden, note(_OTHER), *marks.legend(self.overlay)], width), *notes]


def _bar(part: _Part, longest: float, room: int) -> Line:
    role, fill = _LOOKS[part.name]
    # However little, it is there
    columns = max(1 if part.value else 0, round(part.value / longest * room))
    beside = max(1 if part.hidden else 0, round((part.value + part.hidden) / longest * room) - columns)
    return [Run(fill * columns, role), Run(palette.HIDDEN_LINE * min(beside, room - columns), Role.SENT)]


def _seconds(value: float) -> str:
    return "0" if not value else f"{value:.3f}" if value < 100 else f"{value:.1f}"


def _gigabytes(value: float) -> str:
    return f"{value / 1e9:.4g}" if value >= 1e9 else f"{value / 1e9:.2f}"
