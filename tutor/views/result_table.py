"""The rows of numbers that a function should have returned, and where they differ the learner's under them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from tutor.views import heads, marks, palette
from tutor.views.laid_out import LaidOut
from tutor.views.layout import Line, flow, left, note, right, space, trimmed
from tutor.views.picture import Cell, CellValue, Mark, Overlay, Role, Run, cell

_EXPECTED, _YOURS = "expected", "yours"
_GAP = 2


@dataclass(frozen=True)
class ResultRow:
    """A row of an array, and of the learner's. `label` is its place in an array of several rows."""

    part: str
    row: int
    label: str | None
    expected: Sequence[CellValue]
    yours: Sequence[CellValue]
    wrong: Sequence[bool]

    def place(self, column: int) -> Cell:
        return cell(part=self.part, row=self.row, column=column)


@dataclass(frozen=True, eq=False)
class ResultTable(LaidOut):
    """Cells are cell(part=, row=, column=): the expected number, None where there should be none.

    A row that differs takes two lines. Of a wide row, the columns around the marked number are shown.
    """

    rows: Sequence[ResultRow]
    above: tuple[int, int] = (0, 0)  # rows that are left out, and in how many of them something differs
    below: tuple[int, int] = (0, 0)
    overlay: Overlay = field(default_factory=lambda: MappingProxyType({}))
    _laid: dict[int, list[Line]] = field(init=False, repr=False, default_factory=dict)  # by width

    def cells(self) -> Mapping[Cell, CellValue]:
        return {row.place(column): _at(row.expected, column) for row in self.rows for column in range(len(row.wrong))}

    def marked(self, overlay: Overlay) -> ResultTable:
        return replace(self, overlay=MappingProxyType(dict(overlay)))

    def words(self) -> list[str]:
        lines = [] if not self.above[0] else [_left_out(self.above, "above")]
        for row in self.rows:
            name = row.part if row.label is None else f"{row.part}, row {row.label}"
            wanted = " ".join(self._spoken(row, column) for column in range(len(row.wrong)))
            lines.append(f"{name}: {wanted}" + ("" if self._differs(row) else ", all right"))
        return lines + ([] if not self.below[0] else [_left_out(self.below, "below")])

    def _spoken(self, row: ResultRow, column: int) -> str:
        mark = self.overlay.get(row.place(column))
        text = self._text(row, column, row.expected) or "nothing"
        if mark is None and row.wrong[column]:
            mark = Mark(Role.DIFFERENCE, self._own(row, column))
        said = marks.spoken(text, mark)
        return f"({said})" if mark is not None else said

    @property
    def head_rows(self) -> int:  # type: ignore[override]
        return int(self._has_numbers)

    @cached_property
    def head_columns(self) -> int:  # type: ignore[override]
        labels = [self._label(row) for row in self.rows]
        tag = len(_EXPECTED) + _GAP if any(map(self._differs, self.rows)) else 0
        return max(map(len, labels)) + _GAP + tag

    # What a cell shows

    def _text(self, row: ResultRow, column: int, values: Sequence[CellValue]) -> str:
        return marks.one_line(self.written(row.place(column), _at(values, column)))

    def _own(self, row: ResultRow, column: int) -> str:
        """The learner's number, in full where it would read like the expected one."""
        text = self._text(row, column, row.yours)
        value = _at(row.yours, column)
        alike = row.wrong[column] and text == self._text(row, column, row.expected)
        return str(value) if alike and value is not None else text

    def _cut(self, row: ResultRow, values: Sequence[CellValue]) -> list[CellValue]:
        """A row's values as they are drawn, None where there is nothing."""
        drawn = values is row.expected or self._differs(row)
        return [_at(values, column) for column in range(len(row.wrong))] if drawn else []

    def _differs(self, row: ResultRow) -> bool:
        return any(row.wrong) or any(self._is_first(row, column) for column in range(len(row.wrong)))

    def _is_first(self, row: ResultRow, column: int) -> bool:
        mark = self.overlay.get(row.place(column)) if self.overlay else None
        return mark is not None and mark.role is Role.DIFFERENCE

    def _wanted(self, row: ResultRow, column: int) -> Run:
        """The expected number."""
        place = row.place(column)
        text = self._text(row, column, row.expected) or palette.NOT_HELD
        mark = None if self._is_first(row, column) else self.overlay.get(place)
        shown, role = marks.shown(text, Role.PLAIN, mark, len(text))
        return Run(shown, role, place)

    def _given(self, row: ResultRow, column: int) -> Run:
        """The learner's."""
        place = row.place(column)
        text = self._own(row, column) or palette.NOT_HELD
        if self._is_first(row, column):
            given = self.overlay[place].text
            return Run(f"{palette.UNEQUAL}{text if not given else marks.one_line(given)}", Role.DIFFERENCE, place)
        if row.wrong[column]:
            return Run(palette.bracketed(Role.YOURS, text), Role.YOURS, place)
        return Run(text, Role.QUIET, place)

    # Where it stands

    @cached_property
    def _has_numbers(self) -> bool:
        """Whether columns are numbered: not where each row is one number."""
        return any(len(row.wrong) > 1 for row in self.rows)

    def _label(self, row: ResultRow) -> str:
        return row.part if row.label is None else f"  row {row.label}"

    @cached_property
    def _columns(self) -> list[tuple[int, int]]:
        """Of each column, how many signs its numbers have up to the point, and from there on."""
        widths = []
        for column in range(max(len(row.wrong) for row in self.rows)):
            before, behind = len(str(column)), 0
            for row in self.rows:
                if column >= len(row.wrong):
                    continue
                runs = [self._wanted(row, column)]
                runs += [self._given(row, column)] if self._differs(row) else []
                for run in runs:
                    ahead, after = _around_point(run.text)
                    before, behind = max(before, len(ahead)), max(behind, len(after))
            widths.append((before, behind))
        return widths

    def _visible(self, width: int) -> range:
        """The columns that fit beside each other: from the first on, or around the marked one."""
        marked = (c for row in self.rows for c in range(len(row.wrong)) if self._is_first(row, c))
        focus = next(marked, 0)
        first, stop = focus, focus + 1
        room = width - self.head_columns

        def fits(first: int, stop: int) -> bool:
            return sum(sum(columns) + _GAP for columns in self._columns[first:stop]) - _GAP <= room

        while True:
            if first and fits(first - 1, stop):
                first -= 1
            elif stop < len(self._columns) and fits(first, stop + 1):
                stop += 1
            else:
                return range(first, stop)

    def _all(self, width: int) -> list[Line]:
        if width not in self._laid:
            self._laid[width] = [*map(trimmed, self._body(width)), [], *self._foot(width)]
        return self._laid[width]

    def _body(self, width: int) -> Iterator[Line]:
        columns = self._visible(width)
        if self._has_numbers:
            yield self._header(columns)
        if self.above[0]:
            yield note(_left_out(self.above, "above"))
        part = None
        for row in self.rows:
            if row.label is not None and row.part != part:
                yield note(row.part, Role.HEAD)
            part = row.part
            yield from self._row(row, columns)
        if self.below[0]:
            yield note(_left_out(self.below, "below"))

    def _header(self, columns: range) -> Line:
        line = space(self.head_columns)
        for column in columns:
            before, behind = self._columns[column]
            line += [*right(note(str(column)), before), *space(behind + _GAP)]
        return line

    def _row(self, row: ResultRow, columns: range) -> Iterator[Line]:
        lines = [("", self._wanted)]
        if self._differs(row):
            lines = [(_EXPECTED, self._wanted), (_YOURS, self._given)]
        for number, (tag, drawn) in enumerate(lines):
            head = heads.coloured("" if number else self._label(row), Role.HEAD)
            if any(map(self._differs, self.rows)):
                head = [*left(head, self.head_columns - len(_EXPECTED) - _GAP), Run(tag, Role.QUIET)]
            line = left(head, self.head_columns)
            for column in columns:
                before, behind = self._columns[column]
                if column >= len(row.wrong):
                    line += space(before + behind + _GAP)
                    continue
                run = drawn(row, column)
                ahead, after = _around_point(run.text)
                line += [*space(before - len(ahead)), run, *space(behind - len(after) + _GAP)]
            yield line

    def _foot(self, width: int) -> list[Line]:
        """Which columns there are, and what the signs mean."""
        items: list[Line] = []
        first = any(self._is_first(row, column) for row in self.rows for column in range(len(row.wrong)))
        others = any(
            wrong and not self._is_first(row, column) for row in self.rows for column, wrong in enumerate(row.wrong)
        )
        if first:
            items.append([Run(f"{palette.UNEQUAL}a", Role.DIFFERENCE), *note(" the first difference")])
        if others:
            items.append(
                [Run(palette.bracketed(Role.YOURS, "a"), Role.YOURS), *note(" differs too" if first else " differs")]
            )
        values = (value for row in self.rows for value in (*self._cut(row, row.expected), *self._cut(row, row.yours)))
        if None in values:
            items.append(note(f"{palette.NOT_HELD} nothing there", Role.ABSENT))
        columns = self._visible(width)
        if len(columns) < len(self._columns):
            items.append(note(f"columns {columns[0]} to {columns[-1]} of {len(self._columns)}"))
        return flow(items, width)


def _at(values: Sequence[CellValue], column: int) -> CellValue:
    return values[column] if column < len(values) else None


def _around_point(text: str) -> tuple[str, str]:
    """A number up to its point, and the rest, so that points stand under each other.

    >>> _around_point("(12.5)"), _around_point("≠3"), _around_point("(3)")
    (('(12', '.5)'), ('≠3', ''), ('(3', ')'))
    """
    if "." in text:
        at = text.index(".")
        return text[:at], text[at:]
    return (text[:-1], ")") if text.endswith(")") else (text, "")


def _left_out(rows: tuple[int, int], where: str) -> str:
    """How many rows are not shown, and how many of them are wrong."""
    count, wrong = rows
    said = f"{count} more row{'' if count == 1 else 's'} {where}, "
    if not wrong:
        return said + ("right" if count == 1 else "all right")
    return said + ("different" if count == 1 else f"{'all' if wrong == count else wrong} of them different")
