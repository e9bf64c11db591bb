"""A picture on the screen: scrolls with its heads fixed, and redraws only the rows that change."""

from __future__ import annotations

import re
from typing import NamedTuple

from rich.segment import Segment
from textual.geometry import Offset, Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tutor.app.theme import look_of, role_style
from tutor.app.widgets.lines import StyledOnce, strip_of
from tutor.views.picture import Cell, Picture, Run, cut

_DOTS = "…"
_PART_OF_FOOT = 3  # a foot takes at most a third of the window
_WORD_AT_START, _WORD_AT_END = re.compile(r"^[\w.]+"), re.compile(r"[\w.]+$")


class _Window(NamedTuple):
    """What part of a picture is in sight: how many columns and rows from where on, of its layout for a width."""

    width: int
    size: Size
    offset: Offset


class PictureView(StyledOnce, ScrollView, can_focus=False):
    """Shows a picture of `tutor.views` in the width it is given. It is as high as the picture."""

    DEFAULT_CSS = """
    PictureView { height: auto; width: 1fr; max-height: 48; scrollbar-size: 1 1; }
    """
    ALLOW_SELECT = False

    def __init__(self, picture: Picture | None = None, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._picture = picture
        # Rows as they are drawn, of one picture in one window; sizes by width, of one picture
        self._drawn: tuple[Picture | None, _Window | None, dict[int, list[Run]]] = (None, None, {})
        self._window: _Window | None = None  # while a frame is drawn
        self._sized: tuple[Picture | None, dict[int, Size]] = (None, {})

    @property
    def picture(self) -> Picture | None:
        """What is shown now."""
        return self._picture

    def show(self, picture: Picture | None) -> None:
        """Shows another picture: only the rows that differ are drawn, unless its size is another."""
        laid_out = self._layout_width
        before, self._picture = self._picture, picture
        width = self._layout_width
        # A picture that is too high for the window as it is would be laid out beside a scrollbar
        if before is None or picture is None or not self.is_mounted or not width or width != laid_out:
            self._fit()
            self.refresh(layout=True)
            return
        if self._size_of(before, width) != self._size_of(picture, width) or _frame(before, width) != _frame(
            picture, width
        ):
            self._fit()
            self.refresh(layout=True)
            return
        window = self._find_window()
        rows = range(window.size.height)
        # In this order: the rows of the picture before are still kept
        was = [self._runs(before, y, window) for y in rows]
        changed = [y for y in rows if was[y] != self._runs(picture, y, window)]
        if changed:
            columns = self.size.width
            self.refresh(*(Region(0, y, columns, 1) for y in changed))

    def pan(self, columns: int, rows: int) -> None:
        """Moves the part of the picture that is in sight."""
        self.scroll_to(self.scroll_x + columns, self.scroll_y + rows, animate=False)

    def place_of(self, place: Cell) -> Region | None:
        """Where a cell stands in the picture, in its own rows and columns, or None."""
        if self._picture is None:
            return None
        width = self._layout_width or 80
        for row in range(self._picture.size(width).rows):
            column = 0
            for run in self._picture.line(row, width):
                if run.cell == place:
                    return Region(column, row, len(run.text), 1)
                column += len(run.text)
        return None

    def bring_into_sight(self, place: Cell) -> None:
        """Scrolls as little as it takes to see this cell beside the fixed heads."""
        found, picture = self.place_of(place), self._picture
        if found is None or picture is None:
            return
        size = self.scrollable_content_region.size
        left, top = picture.head_columns, picture.head_rows
        foot = self._fixed_foot(picture, self._layout_width, size.height)
        x, y = self.scroll_offset
        x = min(max(x, found.right - size.width), found.x - left)
        y = min(max(y, found.bottom + foot - size.height), found.y - top)
        self.scroll_to(max(0, x), max(0, y), animate=False)

    # Layout

    @property
    def _layout_width(self) -> int:
        """The width that the picture is laid out for."""
        return self._width_in(self.size)

    def _width_in(self, window: Size) -> int:
        """The width for a window of this size: a column less where it needs a scrollbar beside it."""
        width, height = window
        if self._picture is None or not width:
            return width
        columns, rows = self._size_of(self._picture, width)
        return width - 1 if rows + (columns > width) > height else width

    def _extent(self, window: Size) -> Size:
        width = self._width_in(window)
        return self._size_of(self._picture, width) if self._picture is not None and width else Size(0, 0)

    def _size_of(self, picture: Picture, width: int) -> Size:
        if self._sized[0] is not picture:
            self._sized = (picture, {})
        sizes = self._sized[1]
        if width not in sizes:
            sizes[width] = Size(*picture.size(width))
        return sizes[width]

    def _fit(self) -> None:
        self.virtual_size = self._extent(self.size)

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        # Known before the scrollbars are decided on: else they come, and go again a frame later
        extent = self._extent(size - self.styles.gutter.totals)
        if extent != self.virtual_size:
            self.set_reactive(PictureView.virtual_size, extent)
        return super()._size_updated(size, virtual_size, container_size, layout)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return container.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        if self._picture is None:
            return 0
        columns, rows = self._size_of(self._picture, width)
        return rows + (1 if columns > width else 0)  # the scrollbar takes a row

    # Drawing

    def render_lines(self, crop: Region) -> list[Strip]:
        self._window = self._find_window()
        try:
            return super().render_lines(crop)
        finally:
            self._window = None

    def render_line(self, y: int) -> Strip:
        window = self._window or self._find_window()
        width = window.size.width
        base = self.base
        if self._picture is None:
            return Strip.blank(width, base)
        look = look_of(self.app)
        segments = [Segment(run.text, role_style(run.role, look)) for run in self._runs(self._picture, y, window)]
        return strip_of(segments, width, base)

    def _find_window(self) -> _Window:
        return _Window(self._layout_width, self.scrollable_content_region.size, self.scroll_offset)

    def _runs(self, picture: Picture, y: int, window: _Window) -> list[Run]:
        """The runs in screen row `y`, laid out once for the picture and the part of it in the window."""
        if self._drawn[0] is not picture or self._drawn[1] != window:
            self._drawn = (picture, window, {})
        rows = self._drawn[2]
        if y not in rows:
            rows[y] = self._lay_out(picture, y, window)
        return rows[y]

    def _fixed_foot(self, picture: Picture, width: int, height: int) -> int:
        """The rows below that stay in sight; long notes go with the rest, or there would be no room to scroll it in."""
        foot = picture.foot_rows(width)
        return foot if _PART_OF_FOOT * foot <= height else 0

    def _lay_out(self, picture: Picture, y: int, window: _Window) -> list[Run]:
        """Rows and columns of the heads and the foot stay where they are."""
        width, size, (scroll_x, scroll_y) = window
        rows = self._size_of(picture, width).height
        foot = self._fixed_foot(picture, width, size.height)
        if y >= min(size.height, rows) - foot and rows > foot:
            row = rows - (min(size.height, rows) - y)
            return picture.line(row, width, 0, size.width)
        row = y if y < picture.head_rows else y + scroll_y
        if row >= rows:
            return []
        head = min(picture.head_columns, size.width)
        stop = scroll_x + size.width
        if not scroll_x or not head:
            return whole_words(picture, row, width, scroll_x, stop)
        return [*picture.line(row, width, 0, head), *whole_words(picture, row, width, scroll_x + head, stop)]


def whole_words(picture: Picture, row: int, width: int, start: int, stop: int) -> list[Run]:
    """Columns `start` to `stop` of a row; of a number or word that is cut there, dots: `22` is not a 2."""
    first = max(0, start - 1)
    # With a column more at each side, to see whether a word goes on there
    around = picture.line(row, width, first, stop + 1)
    text = "".join(run.text for run in around)
    before, bare, after = text[: start - first], text[start - first : stop - first], text[stop - first :]
    text = bare
    if _WORD_AT_END.search(before):
        text = _WORD_AT_START.sub(lambda word: _DOTS.rjust(len(word[0])), text)
    if _WORD_AT_END.search(after):
        text = _WORD_AT_END.sub(lambda word: _DOTS.ljust(len(word[0])), text)
    runs = cut(around, start - first, stop - first)
    if text == bare:
        return runs
    kept, column = [], 0
    for run in runs:
        kept.append(run._replace(text=text[column : column + len(run.text)]))
        column += len(run.text)
    return kept


def _frame(picture: Picture, width: int) -> tuple[int, int, int]:
    """What stays in place while the picture scrolls."""
    return picture.head_columns, picture.head_rows, picture.foot_rows(width)
