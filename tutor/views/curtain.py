"""A picture whose columns are times, seen up to one of them: what comes later is still blank."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tutor.views.layout import Line, length
from tutor.views.picture import Cell, CellValue, Overlay, Picture, Size

_MOST_FRAMES = 24
_MOST_ROWS = 40  # that are looked at for the longest


@dataclass(frozen=True, eq=False)
class Curtain(Picture):
    """The first `share` of a picture's columns; heads and foot are all there, and so is its size."""

    whole: Picture
    share: float
    extents: dict[int, int] = field(default_factory=dict)  # by width: of all that have the same picture

    @property
    def head_columns(self) -> int:  # type: ignore[override]
        return self.whole.head_columns

    @property
    def head_rows(self) -> int:  # type: ignore[override]
        return self.whole.head_rows

    def foot_rows(self, width: int) -> int:
        return self.whole.foot_rows(width)

    def size(self, width: int) -> Size:
        return self.whole.size(width)

    def line(self, row: int, width: int, start: int = 0, stop: int | None = None) -> Line:
        if self.head_rows <= row < self.size(width).rows - self.foot_rows(width):
            head = self.head_columns
            seen = head + round((self._extent(width) - head) * self.share)
            stop = seen if stop is None else min(stop, seen)
        return self.whole.line(row, width, start, stop) if stop is None or start < stop else []

    def cells(self) -> Mapping[Cell, CellValue]:
        return self.whole.cells()

    def words(self) -> list[str]:
        return self.whole.words()

    def written(self, place: Cell, value: CellValue) -> str:
        return self.whole.written(place, value)

    def marked(self, overlay: Overlay) -> Curtain:
        return Curtain(self.whole.marked(overlay), self.share)

    def _extent(self, width: int) -> int:
        """Where the longest row ends: the notes below may be longer."""
        if width not in self.extents:
            last = min(_MOST_ROWS, self.size(width).rows - self.foot_rows(width))
            self.extents[width] = max(length(self.whole.line(row, width)) for row in range(self.head_rows, last))
        return self.extents[width]


def filling(picture: Picture, times: int) -> list[Curtain]:
    """The picture filling from left to right in as many times, or in a few, where they are many."""
    frames = min(times, _MOST_FRAMES)
    extents: dict[int, int] = {}
    return [Curtain(picture, at / frames, extents) for at in range(1, frames)]
