"""The planner's layouts as a table, fastest first, and below it how many were refused and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from simlib.planner import Layout
from tutor.views import marks
from tutor.views.figure_table import Figure, FigureTable, TableRow
from tutor.views.laid_out import LaidOut
from tutor.views.layout import Line, broken, flow, note, trimmed
from tutor.views.picture import Cell, CellValue, Overlay, cell

SIZES = ("data", "tensor", "pipeline", "zero", "micro_batch", "chunks")
_NAMES = {"pipeline": "pipe", "zero": "ZeRO", "micro_batch": "micro"}
_LETTERS = {"data": "d", "tensor": "t", "pipeline": "p", "zero": "Z", "micro_batch": "b", "chunks": "v"}
_FULL, _SHORT, _LETTERED = "full", "short", "lettered"


@dataclass(frozen=True, eq=False)
class PlanTable(LaidOut):
    """A row a layout. Where the width asks for it, what holds it back is left out, then sizes have letters."""

    layouts: Sequence[Layout]  # those that are shown, in their order
    fitting: int  # how many fit, shown or not
    rejected: Mapping[str, int]
    overlay: Overlay = field(default_factory=lambda: MappingProxyType({}))
    _drawn: dict[int, list[Line]] = field(init=False, repr=False, default_factory=dict)
    head_rows = 1

    @property
    def head_columns(self) -> int:  # type: ignore[override]
        return self._tables[0].head_columns if self.layouts else 0

    def cells(self) -> Mapping[Cell, CellValue]:
        return self._tables[0].cells() if self.layouts else {}

    def marked(self, overlay: Overlay) -> PlanTable:
        return replace(self, overlay=MappingProxyType(dict(overlay)))

    def written(self, place: Cell, value: CellValue) -> str:
        part = dict(place).get("part")
        if not isinstance(value, (int, float)) or not isinstance(part, str):
            return super().written(place, value)
        return _written(part, value)

    def words(self) -> list[str]:
        said = []
        for number in range(len(self.layouts)):
            names = (*self._sizes, "recompute", "bytes on a GPU", "seconds a step", "MFU", "held back by")
            figures = self._tables[0].spoken(number)
            told = ", ".join(f"{name} {text}" for name, text in zip(names, figures, strict=True))
            said.append(f"layout {number + 1} of {self.fitting}: {told.replace('_', '-')}")
        return [*said, *self._notes]

    # What is written

    @cached_property
    def _sizes(self) -> list[str]:
        """The sizes that have a column: chunks only where some layout has several."""
        several = any(layout.chunks > 1 for layout in self.layouts)
        return [size for size in SIZES if size != "chunks" or several]

    @cached_property
    def _tables(self) -> tuple[FigureTable, ...]:
        """The table from its widest form to its narrowest."""
        return tuple(map(self._table, (_FULL, _SHORT, _LETTERED)))

    def _table(self, form: str) -> FigureTable:
        called = _LETTERS if form == _LETTERED else _NAMES
        names = ["", *(called.get(size, size) for size in self._sizes), "recompute", "GB", "s/step", "MFU", "held by"]
        if form == _LETTERED:
            names[-4:] = ["GB", "s", "MFU"]
            names[names.index("recompute")] = "redo"
        rows = [TableRow((f"{number}",), self._figures(number, layout, form)) for number, layout in self._numbered]
        return FigureTable(
            tuple(names if form != _SHORT else names[:-1]),
            rows,
            lambda figure: figure.text,
            lambda figure: figure.spoken or figure.text,
            self.overlay,
        )

    @property
    def _numbered(self) -> Sequence[tuple[int, Layout]]:
        return list(enumerate(self.layouts, 1))

    def _figures(self, number: int, layout: Layout, form: str) -> tuple[Figure, ...]:
        parts: dict[str, float] = {size: getattr(layout, size) for size in self._sizes}
        sizes = [Figure(value, cell(layout=number, part=part), f"{value}") for part, value in parts.items()]
        held, seconds, mfu = (
            Figure(value, cell(layout=number, part=part), _written(part, value), spoken)
            for part, value, spoken in (
                ("bytes", layout.bytes_per_gpu, f"{_written('bytes', layout.bytes_per_gpu)} GB"),
                ("seconds", layout.step_seconds, f"{_written('seconds', layout.step_seconds)} s"),
                ("mfu", layout.mfu, ""),
            )
        )
        again = layout.checkpointing if form != _LETTERED else layout.checkpointing[:4]
        figures = (*sizes, Figure(0, text=again), held, seconds, mfu)
        limits = Figure(0, text=layout.limits[0], spoken=" and ".join(layout.limits))
        return (*figures, limits) if form == _FULL else figures

    @cached_property
    def _notes(self) -> list[str]:
        fits = "No layout fits." if not self.fitting else f"{self.fitting:,} fit."
        counts = sorted(self.rejected.items(), key=lambda item: -item[1])
        refused = [f"{count:,} refused: {reason}." for reason, count in counts]
        return [fits, *refused]

    # Where it stands

    def _all(self, width: int) -> list[Line]:
        if width not in self._drawn:
            table: list[Line] = [[]]
            if self.layouts:
                form = next((form for form in self._tables if form.columns <= width), self._tables[-1])
                table = [form.header(), *map(form.line, range(len(self.layouts)))]
            self._drawn[width] = [trimmed(row) for row in [*table, [], *self._foot(width)]]
        return self._drawn[width]

    def _foot(self, width: int) -> list[Line]:
        notes = [row for text in self._notes for row in broken(note(text), width)]
        return [*notes, *flow(marks.legend(self.overlay), width)]


def _written(part: str, value: float) -> str:
    match part:
        case "bytes":
            return f"{value / 1e9:.1f}"
        case "seconds":
            return f"{value:.3f}" if value < 10 else f"{value:.2f}"
        case "mfu":
            return f"{value * 100:.1f}%"
        case _:
            return f"{value:.6g}"
