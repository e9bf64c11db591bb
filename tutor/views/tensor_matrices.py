"""Matrices side by side, a band of rows for each GPU, stage by stage from left to right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from tutor.views import heads, marks, palette
from tutor.views.laid_out import LaidOut
from tutor.views.layout import Line, flow, left, note, space, trimmed
from tutor.views.picture import Cell, CellValue, Overlay, Role, Run

_GAPS = (3, 2)  # columns between two matrices, fewer where all fit beside each other then
_LARGEST = 1e6  # from here on with an exponent


@dataclass(frozen=True)
class Matrix:
    """Numbers in rows, which need not be equally long, and what they are in this step."""

    values: Sequence[Sequence[float]]
    place: Callable[[int, int], Cell]  # the cell of a row and column
    name: str  # in words: "A, columns 2 to 3"
    role: Role = Role.PLAIN
    sign: str = ""  # behind each row: sent, done
    offset: int = 0  # the column at which it begins, where parts stand below the whole
    differs: frozenset[tuple[int, int]] = frozenset()  # rows and columns that are not what they should be


# A sign behind rows, in words
_BECAME = {palette.ARROW: ", sent", palette.DONE: ", final"}


def _note_spoken(line: Line) -> str:
    """A note in words; what only says what a sign means is said with the numbers."""
    head, *rest = line
    told = "".join(run.text for run in rest).strip()
    if head.role is Role.DIFFERENCE:
        return f"what differs is {told}"
    return "" if head.role in (Role.SENT, Role.FINISHED) else head.text + told


@dataclass(frozen=True)
class Band:
    """The matrices of one GPU, one for each slot; None where it has none (yet)."""

    head: str
    matrices: tuple[Matrix | None, ...]


@dataclass(frozen=True)
class Section:
    """Bands under one title; without a title they stand alone."""

    title: str
    bands: tuple[Band, ...]


@dataclass(frozen=True, eq=False)
class Matrices(LaidOut):
    """Sections of bands in common slots, as many slots beside each other as the width has room for.

    `room` are all sections of the last step: they say how wide slots are, so that nothing moves between steps.
    """

    slots: tuple[str, ...]
    sections: tuple[Section, ...]
    room: tuple[Section, ...]
    new: frozenset[int]  # the slots that this step fills
    notes: tuple[Line, ...] = ()
    overlay: Overlay = field(default_factory=lambda: MappingProxyType({}))

    @property
    def head_columns(self) -> int:  # type: ignore[override]  # as wide as the longest head
        return self._head + 1

    def cells(self) -> Mapping[Cell, CellValue]:
        return self._cells

    def marked(self, overlay: Overlay) -> Matrices:
        return replace(self, overlay=MappingProxyType(dict(overlay)))

    def written(self, place: Cell, value: CellValue) -> str:
        return written(value) if isinstance(value, (int, float)) else super().written(place, value)

    def words(self) -> list[str]:
        lines = []
        for section in self.sections:
            lines += [f"{section.title}:"] if section.title else []
            for band in section.bands:
                for matrix in band.matrices:
                    if matrix is not None and matrix.values:
                        became = _BECAME.get(matrix.sign.strip(), "")
                        lines.append(f"{band.head}, {matrix.name}: {self._spoken(matrix)}{became}")
        return [*lines, *filter(None, map(_note_spoken, self.notes))]

    # What is written

    @cached_property
    def _cells(self) -> dict[Cell, CellValue]:
        return {
            matrix.place(row, column): float(value)
            for section in self.sections
            for band in section.bands
            for matrix in band.matrices
            if matrix is not None
            for row, values in enumerate(matrix.values)
            for column, value in enumerate(values)
        }

    def _spoken(self, matrix: Matrix) -> str:
        rows = []
        for row, values in enumerate(matrix.values):
            said = []
            for column, value in enumerate(values):
                mark = self.overlay.get(matrix.place(row, column))
                wrong = " (differs)" if (row, column) in matrix.differs and not marks.asks(mark) else ""
                said.append(marks.spoken(written(value), mark) + wrong)
            rows.append(" ".join(said))
        return "; ".join(rows)

    def _shown(self, matrix: Matrix, row: int, column: int) -> tuple[str, Role]:
        text, role = written(matrix.values[row][column]), matrix.role
        mark = self.overlay.get(matrix.place(row, column)) if self.overlay else None
        if (row, column) in matrix.differs and mark is None:
            return palette.UNEQUAL + text, Role.DIFFERENCE
        return marks.shown(text, role, mark, len(text))

    # Where it stands

    def _all(self, width: int) -> list[Line]:
        if width not in self._drawn:
            rows: list[Line] = []
            gap = self._gap(width)
            for group in self._groups(width, gap):
                rows += [[]] if rows else []
                rows.append(self._names(group, gap))
                for section in self.sections:
                    rows += [note(section.title, Role.HEAD)] if section.title else []
                    for band in section.bands:
                        rows += self._band(band, group, gap)
            self._drawn[width] = [*map(trimmed, rows), [], *self._foot(width)]
        return self._drawn[width]

    @cached_property
    def _drawn(self) -> dict[int, list[Line]]:
        return {}

    def _foot(self, width: int) -> list[Line]:
        return flow([*self.notes, *marks.legend(self.overlay)], width)

    def _gap(self, width: int) -> int:
        """Columns between two matrices."""
        taken = self._head + 1 + sum(map(self._slot_columns, self._range))
        return next((gap for gap in _GAPS if taken + gap * (len(self.slots) - 1) <= width), _GAPS[0])

    def _groups(self, width: int, gap: int) -> Iterator[list[int]]:
        """The slots that stand beside each other; one that is too wide stands alone."""
        group: list[int] = []
        taken = self._head + 1
        for slot in range(len(self.slots)):
            needed = self._slot_columns(slot) + (gap if group else 0)
            if group and taken + needed > width:
                yield group
                group, taken, needed = [], self._head + 1, self._slot_columns(slot)
            group.append(slot)
            taken += needed
        yield group

    def _names(self, group: list[int], gap: int) -> Line:
        row = space(self._head + 1)
        for at, slot in enumerate(group):
            name = [Run(self.slots[slot], Role.HEAD if slot in self.new else Role.QUIET)]
            row += space(gap if at else 0) + left(name, self._slot_columns(slot))
        return row

    def _band(self, band: Band, group: list[int], gap: int) -> Iterator[Line]:
        matrices = [band.matrices[slot] for slot in group]
        height = max([1, *(len(matrix.values) for matrix in matrices if matrix is not None)])
        for at in range(height):
            row = left([heads.head(band.head if at == 0 else "")], self._head + 1)
            for place, (slot, matrix) in enumerate(zip(group, matrices, strict=True)):
                drawn = [] if matrix is None or at >= len(matrix.values) else self._row(slot, matrix, at)
                row += space(gap if place else 0) + left(drawn, self._slot_columns(slot))
            yield row

    def _row(self, slot: int, matrix: Matrix, at: int) -> Line:
        """A row of a matrix, points below each other; marked cells end where the column does."""
        row: Line = []
        for column, (before, behind) in enumerate(self._widths[slot]):
            row += space(1 if column else 0)
            index = column - matrix.offset
            if not 0 <= index < len(matrix.values[at]):
                row += space(before + behind)
                continue
            text, role = self._shown(matrix, at, index)
            place = matrix.place(at, index)
            padding = 0 if place in self.overlay else behind - len(_fraction(text))
            row += [*space(before + behind - padding - len(text)), Run(text, role, place), *space(padding)]
        return [*row, Run(matrix.sign, matrix.role)] if matrix.sign else row

    @cached_property
    def _head(self) -> int:
        return max(len(band.head) for section in self.room for band in section.bands)

    def _slot_columns(self, slot: int) -> int:
        widths = self._widths[slot]
        return max(len(self.slots[slot]), sum(map(sum, widths)) + len(widths) - 1 + self._signs[slot])

    @cached_property
    def _signs(self) -> list[int]:
        return [max((len(matrix.sign) for matrix in self._of(slot, self.room)), default=0) for slot in self._range]

    @cached_property
    def _widths(self) -> list[list[tuple[int, int]]]:
        """For each slot and column: how many columns before the point, and from it on."""
        return [self._widths_of(slot) for slot in self._range]

    def _widths_of(self, slot: int) -> list[tuple[int, int]]:
        matrices = [*self._of(slot, self.room), *self._of(slot, self.sections)]
        ends = [matrix.offset + len(values) for matrix in matrices for values in matrix.values]
        widths = [(0, 0)] * max(ends, default=0)
        numbers = [
            (matrix.offset + column, written(value), (row, column) in matrix.differs)
            for matrix in matrices
            for row, values in enumerate(matrix.values)
            for column, value in enumerate(values)
        ]
        for at, text, differs in numbers:
            fraction = len(_fraction(text))
            before, behind = widths[at]
            widths[at] = max(before, len(text) - fraction + differs), max(behind, fraction)
        # Signs need room in the columns of marked cells alone: they do not move
        extra = marks.brackets(self.overlay)
        for matrix in self._of(slot, self.sections) if self.overlay else ():
            for row, values in enumerate(matrix.values):
                for column in range(len(values)):
                    if matrix.place(row, column) in self.overlay:
                        least = max(len(self._shown(matrix, row, column)[0]), len(written(values[column])) + extra)
                        before, behind = widths[matrix.offset + column]
                        widths[matrix.offset + column] = max(before, least - behind), behind
        return widths

    @property
    def _range(self) -> range:
        return range(len(self.slots))

    def _of(self, slot: int, sections: Sequence[Section]) -> Iterator[Matrix]:
        for section in sections:
            for band in section.bands:
                matrix = band.matrices[slot]
                if matrix is not None:
                    yield matrix


def written(value: float) -> str:
    """A number of a matrix: whole numbers whole, others to three places.

    >>> written(2.0), written(0.8411919), written(-0.00007), written(1.5e9), written(-0.0)
    ('2', '0.841', '-7e-05', '1.5e+09', '0')
    """
    if abs(value) >= _LARGEST:
        return f"{value:.4g}"
    if value == int(value):
        return str(int(value))
    return f"{value:.0e}" if abs(value) < 0.0005 else f"{value:.3f}"


def _fraction(text: str) -> str:
    """The point and the digits behind it.

    >>> _fraction("1.955"), _fraction("2"), _fraction("1.5e+09")
    ('.955', '', '')
    """
    _, point, digits = text.partition(".")
    return point + digits if digits.isdigit() else ""
