"""A list of entries of several rows each, with one of them chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding
from textual.message import Message

from tutor.app.theme import words
from tutor.app.widgets.lines import Lines, Row, bring_rows_into_sight, clipped

_MARK, _NO_MARK = "► ", "  "


@dataclass(frozen=True)
class Entry:
    """One entry: its rows (laid out for a width by the owner), and an id."""

    id: str
    rows: Sequence[Row]


class Menu(Lines, can_focus=True):
    """Up and down choose an entry, Enter opens it."""

    BINDINGS: ClassVar = [
        Binding("enter", "open", "open", id="menu.open", tooltip="open what is marked"),
        Binding("down,j", "move(1)", "choose", key_display="↑↓", id="menu.down", tooltip="entry below"),
        Binding("up,k", "move(-1)", "Entry above", show=False, id="menu.up"),
        Binding("home,g", "edge(0)", "First entry", show=False, id="menu.first"),
        Binding("end,G", "edge(-1)", "Last entry", show=False, id="menu.last"),
    ]

    @dataclass
    class Opened(Message):
        """The learner opened an entry."""

        entry: str

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.chosen = 0

    def entries(self, width: int) -> list[Entry]:
        """The entries laid out for this width. Owners override it."""
        raise NotImplementedError

    def rows(self, width: int) -> list[Row]:
        style = words(self.app)
        rows: list[Row] = []
        for number, entry in enumerate(self.entries(width - len(_MARK))):
            for row_number, row in enumerate(entry.rows):
                mark = _MARK if number == self.chosen and not row_number else _NO_MARK
                rows.append(clipped([Segment(mark, style.focus), *row], width))
        return rows

    def action_move(self, by: int) -> None:
        """Chooses the entry below or above."""
        self._choose(self.chosen + by)

    def action_edge(self, entry: int) -> None:
        """Chooses the first or the last entry."""
        self._choose(entry if entry >= 0 else len(self.entries(self.size.width)) - 1)

    def action_open(self) -> None:
        """Opens the chosen entry."""
        entries = self.entries(max(1, self.size.width))
        if entries:
            self.post_message(self.Opened(entries[self.chosen].id))

    def _choose(self, entry: int) -> None:
        self.chosen = max(0, min(entry, len(self.entries(self.size.width)) - 1))
        self.changed()
        self.scroll_chosen()

    def scroll_chosen(self) -> None:
        """Brings the chosen entry into sight."""
        entries = self.entries(self.size.width - len(_MARK))
        top = sum(len(other.rows) for other in entries[: self.chosen])
        bring_rows_into_sight(self, top, len(entries[self.chosen].rows))

    def on_click(self, event: events.Click) -> None:
        """A click opens the entry under it."""
        row = event.y
        for number, entry in enumerate(self.entries(self.size.width - len(_MARK))):
            if row < len(entry.rows):
                self._choose(number)
                self.post_message(self.Opened(entry.id))
                return
            row -= len(entry.rows)
