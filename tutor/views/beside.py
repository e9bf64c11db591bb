"""Two pictures of the same kind: beside each other where there is room, else one under the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tutor.views.laid_out import LaidOut
from tutor.views.layout import Line, columns_of, left, note
from tutor.views.picture import Cell, CellValue, Overlay, Picture, Role

_GAP = 4


@dataclass(frozen=True, eq=False)
class Beside(LaidOut):
    """Each picture under its title. The cells are the second one's."""

    first: Picture
    second: Picture
    titles: tuple[str, str]
    _laid: dict[int, list[Line]] = field(init=False, repr=False, default_factory=dict)  # by width

    def fits(self, width: int) -> bool:
        """Whether they stand beside each other in so many columns."""
        half = (width - _GAP) // 2
        return max(self.first.size(half).columns, self.second.size(half).columns) <= half

    def cells(self) -> Mapping[Cell, CellValue]:
        return self.second.cells()

    def marked(self, overlay: Overlay) -> Beside:
        return replace(self, second=self.second.marked(overlay))

    def words(self) -> list[str]:
        pairs = zip(self.titles, (self.first, self.second), strict=True)
        return [line for title, picture in pairs for line in (f"{title}:", *picture.words())]

    def foot_rows(self, width: int) -> int:
        return 0

    def _foot(self, width: int) -> list[Line]:
        return []

    def _all(self, width: int) -> list[Line]:
        if width not in self._laid:
            self._laid[width] = self._beside(width) if self.fits(width) else self._stacked(width)
        return self._laid[width]

    def _beside(self, width: int) -> list[Line]:
        half = (width - _GAP) // 2
        one, other = self._rows(self.first, 0, half), self._rows(self.second, 1, half)
        stop = columns_of(one) + _GAP
        count = max(len(one), len(other))
        return [
            [*left(row, stop), *beside] for row, beside in zip(_filled(one, count), _filled(other, count), strict=True)
        ]

    def _stacked(self, width: int) -> list[Line]:
        return [*self._rows(self.first, 0, width), [], *self._rows(self.second, 1, width)]

    def _rows(self, picture: Picture, at: int, width: int) -> list[Line]:
        rows = range(picture.size(width).rows)
        return [note(self.titles[at], Role.HEAD), *(picture.line(row, width) for row in rows)]


def _filled(rows: list[Line], count: int) -> list[Line]:
    return rows + [[] for _ in range(count - len(rows))]
