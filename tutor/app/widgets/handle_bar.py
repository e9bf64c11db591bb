"""The row above a live picture: what can be changed, what it is now, and which of it the arrow keys turn."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style

from tutor.app.theme import words
from tutor.app.widgets.lines import Lines, Row
from tutor.views.live_model import Handle

_GAP = "  "
# A table of values can be long; its beginning is enough to know it by
_LONGEST = 34


class HandleBar(Lines):
    """Handles one after another, on as many rows as they need; the chosen one stands between arrows."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._handles: Sequence[Handle] = ()
        self._chosen = ""
        self._active = False

    def show(self, handles: Sequence[Handle], chosen: str, active: bool) -> None:
        """Shows these handles; `active` says whether the arrow keys are here."""
        self._handles, self._chosen, self._active = handles, chosen, active
        self.changed()

    def rows(self, width: int) -> list[Row]:
        rows: list[Row] = [[]]
        column = 0
        for handle in self._handles:
            item = self._item(handle)
            length = sum(segment.cell_length for segment in item)
            if column and column + len(_GAP) + length > width:
                rows.append([])
                column = 0
            if column:
                rows[-1].append(Segment(_GAP))
                column += len(_GAP)
            rows[-1] += item
            column += length
        return rows

    def _item(self, handle: Handle) -> Row:
        style = words(self.app)
        value = handle.text if len(handle.text) <= _LONGEST else handle.text[: _LONGEST - 1] + "…"
        if handle.name != self._chosen:
            return [Segment(f"{handle.label} ", style.quiet), Segment(value, style.plain)]
        look: Style = style.here if self._active else style.strong
        return [Segment(f"◄ {handle.label} {value} ►" if self._active else f"{handle.label} {value}", look)]
