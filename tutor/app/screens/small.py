"""What a window shows that is too small for the app."""

from __future__ import annotations

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.screen import Screen

from tutor.app.terminal_check import too_small
from tutor.app.widgets.said import Said


class TooSmall(Screen[None]):
    """Stays until the window has grown."""

    def compose(self) -> ComposeResult:
        yield Said()

    def on_mount(self) -> None:
        self.say(self.app.size.width, self.app.size.height)

    def on_resize(self, event: events.Resize) -> None:
        self.say(event.size.width, event.size.height)

    def say(self, columns: int, rows: int) -> None:
        """Says how large the window is, and how large it must be."""
        self.query_one(Said).say(Text(too_small(columns, rows) or ""))
