"""Ranks on their servers: a box a server, each GPU with its rank and its place on every axis, groups by letter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from tutor.views import marks, palette
from tutor.views.laid_out import LaidOut
from tutor.views.layout import Line, broken, flow, left, length, note, space, trimmed
from tutor.views.picture import Cell, CellValue, Overlay, Role, Run, cell

_GAP = 1  # columns between GPUs, and between servers
_LINES = palette.JOINTS


@dataclass(frozen=True, eq=False)
class MeshMap(LaidOut):
    """Every GPU of every server; with `groups`, those of one kind lettered in the map and listed below it."""

    axes: tuple[str, ...]  # the slowest changing first
    places: Sequence[Mapping[str, int]]  # of each rank, where it is along each axis
    gpus_per_server: int
    kind: str = ""  # the axis along which the groups lie
    groups: Sequence[tuple[int, ...]] = ()
    notes: tuple[str, ...] = ()
    overlay: Overlay = field(default_factory=lambda: MappingProxyType({}))
    _drawn: dict[int, list[Line]] = field(init=False, repr=False, default_factory=dict)

    def cells(self) -> Mapping[Cell, CellValue]:
        return self._cells

    def marked(self, overlay: Overlay) -> MeshMap:
        return replace(self, overlay=MappingProxyType(dict(overlay)))

    def words(self) -> list[str]:
        said = []
        for number, group in enumerate(self.groups):
            members = (self._spoken(cell(group=number, member=at), rank) for at, rank in enumerate(group))
            said.append(f"{self.kind} group {letters(number)}: ranks {', '.join(members)}")
        # What is new at this step comes first: where the ranks are stays as it was
        ranks = (
            f"server {rank // self.gpus_per_server}: {self._rank_spoken(rank)}" for rank in range(len(self.places))
        )
        return [*said, *self.notes, *ranks] if said else [*ranks, *self.notes]

    # What is shown

    @cached_property
    def _cells(self) -> dict[Cell, CellValue]:
        found: dict[Cell, CellValue] = {
            cell(rank=rank, axis=axis): place[axis] for rank, place in enumerate(self.places) for axis in self.axes
        }
        for number, ranks in enumerate(self.groups):
            found |= {cell(group=number, member=at): rank for at, rank in enumerate(ranks)}
        return found

    @cached_property
    def _asked(self) -> bool:
        """Whether the learner is to find a group, so that neither letters nor other groups may tell."""
        return any(marks.asks(mark) for place, mark in self.overlay.items() if _member(place))

    @cached_property
    def _group_of(self) -> dict[int, int]:
        return {rank: number for number, ranks in enumerate(self.groups) for rank in ranks}

    def _rank_spoken(self, rank: int) -> str:
        where = (f"{axis} {self._spoken(cell(rank=rank, axis=axis), self.places[rank][axis])}" for axis in self.axes)
        return f"rank {rank} is {', '.join(where)}"

    def _spoken(self, place: Cell, value: int) -> str:
        mark = self.overlay.get(place)
        return "hidden" if self._asked and mark is None and _member(place) else marks.spoken(str(value), mark)

    def _cell(self, place: Cell, value: int, columns: int, role: Role) -> Line:
        """A value of the map or the list, under its mark; `columns` is how many a blank takes."""
        mark = self.overlay.get(place)
        if mark is None and self._asked and _member(place):
            return [Run("?", Role.BLANK, place)]
        text, shown = marks.shown(str(value), role, mark, columns)
        return [Run(text, shown, place)]

    def _gpu(self, rank: int) -> tuple[Line, Line]:
        """The two rows of a GPU: its rank and group, and its coordinates."""
        group = self._group_of.get(rank)
        role = Role.PLAIN if group is None or self._asked else palette.of_group(group)
        name: Line = [Run(str(rank), palette.of_rank(rank))]
        if group is not None and not self._asked:
            name += [*space(1), Run(letters(group), role)]
        where: Line = []
        for axis in self.axes:
            value = self.places[rank][axis]
            kind = Role.PLAIN if axis != self.kind else role
            where += [Run(axis[0], Role.QUIET), *self._cell(cell(rank=rank, axis=axis), value, len(str(value)), kind)]
        return name, where

    # Where it stands

    def _all(self, width: int) -> list[Line]:
        if width not in self._drawn:
            rows = [*self._servers(width), *self._listed(width), [], *self._foot(width)]
            self._drawn[width] = [trimmed(row) for row in rows]
        return self._drawn[width]

    def _servers(self, width: int) -> Iterator[Line]:
        gpus = [self._gpu(rank) for rank in range(len(self.places))]
        columns = max(length(row) for rows in gpus for row in rows) + _GAP
        in_server = min(self.gpus_per_server, len(gpus))
        across = _across(in_server, columns, width - 3)
        boxes = [
            list(self._box(gpus[first : first + in_server], first // in_server, across, columns))
            for first in range(0, len(gpus), in_server)
        ]
        beside = max(1, (width + _GAP) // (length(boxes[0][0]) + _GAP))
        for first in range(0, len(boxes), beside):
            row = boxes[first : first + beside]
            for at in range(max(map(len, row))):
                line: Line = []
                for box in row:
                    line += [*(space(_GAP) if line else []), *(box[at] if at < len(box) else [])]
                yield line

    def _box(self, gpus: Sequence[tuple[Line, Line]], server: int, across: int, columns: int) -> Iterator[Line]:
        inner = across * columns + _GAP
        title = f" server {server} "
        yield note(_LINES["rd"] + _LINES["lr"] + title + _LINES["lr"] * (inner - 1 - len(title)) + _LINES["ld"])
        side = Run(_LINES["ud"], Role.QUIET)
        for first in range(0, len(gpus), across):
            for row in range(2):
                line: Line = space(_GAP)
                for gpu in gpus[first : first + across]:
                    line += left(gpu[row], columns)
                yield [side, *left(line, inner), side]
        yield note(_LINES["ru"] + _LINES["lr"] * inner + _LINES["lu"])

    def _listed(self, width: int) -> list[Line]:
        """The groups, one after another, each by its letter and the ranks in it."""
        if not self.groups:
            return []
        items: list[Line] = []
        for number, ranks in enumerate(self.groups):
            item: Line = [Run(letters(number), palette.of_group(number) if not self._asked else Role.HEAD), *space(1)]
            for at, rank in enumerate(ranks):
                digits = len(str(len(self.places) - 1))
                place = cell(group=number, member=at)
                item += [*space(1 if at else 0), *self._cell(place, rank, digits, palette.of_rank(rank))]
            items += broken(item, width) if length(item) > width else [item]
        return flow(items, width)

    def _foot(self, width: int) -> list[Line]:
        rows = [row for text in self.notes for row in broken(note(text), width)]
        return [*rows, *flow(marks.legend(self.overlay), width)]


def letters(number: int) -> str:
    """A group's letters: A to Z, then AA and so on.

    >>> letters(0), letters(25), letters(26), letters(51), letters(52)
    ('A', 'Z', 'AA', 'AZ', 'BA')
    """
    more, last = divmod(number, 26)
    return (letters(more - 1) if more else "") + chr(ord("A") + last)


def _member(place: Cell) -> bool:
    return any(name == "member" for name, _ in place)


def _across(gpus: int, columns: int, room: int) -> int:
    """GPUs beside each other in a box: all, or as many as fit and divide them, so that rows are alike.

    >>> _across(8, 8, 77), _across(8, 8, 37), _across(8, 30, 37), _across(7, 8, 37)
    (8, 4, 1, 1)
    """
    return next((count for count in range(gpus, 0, -1) if gpus % count == 0 and count * columns <= room), 1)
