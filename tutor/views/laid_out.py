"""Pictures that lay all their rows out at once for a width, and hand out parts of them."""

from __future__ import annotations

from abc import abstractmethod

from tutor.views.layout import Line, columns_of
from tutor.views.picture import Picture, Size, cut


class LaidOut(Picture):
    """A picture that is small enough to be laid out whole. What stands under it follows a blank row."""

    def size(self, width: int) -> Size:
        rows = self._all(width)
        return Size(columns_of(rows), len(rows))

    def foot_rows(self, width: int) -> int:
        return 1 + len(self._foot(width))

    def line(self, row: int, width: int, start: int = 0, stop: int | None = None) -> Line:
        rows = self._all(width)
        return cut(rows[row], start, stop) if 0 <= row < len(rows) else []

    @abstractmethod
    def _all(self, width: int) -> list[Line]:
        """Every row of the layout for this width."""

    @abstractmethod
    def _foot(self, width: int) -> list[Line]:
        """The rows that stand under the picture."""
