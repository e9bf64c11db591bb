"""A widget that draws rows it has laid out itself: one widget and a few bytes a change, however much it shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.containers import ScrollableContainer
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

Row = list[Segment]
# Longer lines are hard to read however wide the terminal is
MEASURE = 76


def text_rows(console: Console, text: Text, width: int, first: str = "", rest: str = "") -> list[Row]:
    """`text` wrapped to `width`, the first row behind `first`, the others behind `rest`."""
    room = max(1, width - max(cell_len(first), cell_len(rest)))
    rows: list[Row] = []
    for line in text.wrap(console, room, overflow="fold") or [Text()]:
        line.rstrip()
        line.end = ""
        # A text without spans renders without its own style
        drawn = Segment.apply_style(line.render(console), console.get_style(line.style))
        rows.append([Segment(rest if rows else first), *drawn])
    return rows


def clipped(row: Row, width: int) -> Row:
    """The row in `width` columns; dots say that there is more of it."""
    if sum(segment.cell_length for segment in row) <= width:
        return row
    kept = list(Segment.adjust_line_length(row, max(0, width - 1)))
    return [*kept[:-1], Segment(f"{kept[-1].text.rstrip()}…", kept[-1].style)] if kept else []


def flow_rows(console: Console, items: Sequence[Text], width: int, gap: str = "   ") -> list[Row]:
    """Short texts one after another, each on one row if it can be."""
    rows: list[Row] = []
    used = width
    for item in items:
        if rows and used + len(gap) + item.cell_len <= width:
            rows[-1] += [Segment(gap), *item.render(console)]
            used += len(gap) + item.cell_len
        else:
            wrapped = text_rows(console, item, width)
            rows += wrapped
            used = sum(segment.cell_length for segment in wrapped[-1])
    return rows


class StyledOnce:
    """A widget whose own style is worked out once for all rows of a frame: it takes a walk through all around it."""

    _base: Style | None = None

    if TYPE_CHECKING:

        @property
        def rich_style(self) -> Style: ...

    @property
    def base(self) -> Style:
        """The style under what the widget draws."""
        return self.rich_style if self._base is None else self._base

    def render_lines(self, crop: Region) -> list[Strip]:
        self._base = self.rich_style
        try:
            strips: list[Strip] = super().render_lines(crop)  # type: ignore[misc]  # the widget's
        finally:
            self._base = None
        return strips


class Lines(StyledOnce, Widget):
    """Base of widgets whose content is rows of segments. Subclasses give `rows`."""

    DEFAULT_CSS = "Lines { height: auto; width: 1fr; }"
    ALLOW_SELECT = False

    def rows(self, width: int) -> list[Row]:
        """The rows at this width, each at most as wide."""
        raise NotImplementedError

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._laid_out: tuple[int, list[Row]] | None = None

    def laid_out(self, width: int) -> list[Row]:
        """The rows at this width, kept until `changed`."""
        if self._laid_out is None or self._laid_out[0] != width:
            self._laid_out = (width, self.rows(width))
        return self._laid_out[1]

    def changed(self) -> None:
        """Draws what is different now: a new layout where the number of rows is, else those rows only."""
        before, self._laid_out = self._laid_out, None
        if before is None or not self.is_mounted:
            self.refresh(layout=True)
            return
        width, old = before
        new = self.laid_out(width)
        if len(old) != len(new):
            self.refresh(layout=True)
            return
        regions = [Region(0, y, width, 1) for y in range(len(new)) if old[y] != new[y]]
        if regions:
            self.refresh(*regions)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return container.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.laid_out(width))

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        rows = self.laid_out(width)
        base = self.base
        if y >= len(rows):
            return Strip.blank(width, base)
        return strip_of(rows[y], width, base)


def strip_of(row: Iterable[Segment], width: int, base: Style) -> Strip:
    """A row as Textual draws it: on the widget's own style, cut or filled to `width`."""
    return Strip(row).apply_style(base).adjust_cell_length(width, base).simplify()


def bring_rows_into_sight(widget: Widget, first: int, count: int) -> None:
    """Scrolls the container around `widget` as little as it takes to see these of its rows."""
    region = Region(0, widget.gutter.top + first, widget.size.width, count)
    node = widget
    while isinstance(parent := node.parent, Widget):
        region = region.translate(node.virtual_region.offset)
        if isinstance(parent, ScrollableContainer):
            parent.scroll_to_region(region, animate=False, force=True)
            return
        node = parent
