"""The solution of an exercise, to read."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll

from tutor.app.screens.base import TutorScreen
from tutor.app.widgets.prose import Prose
from tutor.app.widgets.said import Said


class Solution(TutorScreen):
    """One way to write it."""

    CSS_PATH = "help.tcss"
    HELP = "One way to write it. Your own file stays as it is."
    BINDINGS: ClassVar = [
        Binding("escape,q,enter", "close", "back", key_display="Esc", id="solution.close"),
        Binding("down,j", "scroll(1)", "Down", key_display="↑↓", id="solution.down"),
        Binding("up,k", "scroll(-1)", "Up", show=False, id="solution.up"),
        Binding("pagedown", "scroll(15)", "Page down", show=False, id="solution.page_down"),
        Binding("pageup", "scroll(-15)", "Page up", show=False, id="solution.page_up"),
    ]

    def __init__(self, title: str, source: str, why: str) -> None:
        super().__init__()
        self._exercise = title
        self._source = source
        self._why = why

    def names(self) -> tuple[str, str, str]:
        return "Solution", self._exercise, ""

    def compose_body(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            code = Said(measure=200, classes="code")
            code.say(*(Text(line or " ") for line in self._source.rstrip().splitlines()))
            yield code
            if self._why:
                yield Prose(self._why)

    def action_close(self) -> None:
        """Back to the exercise."""
        self.dismiss()

    def action_scroll(self, rows: int) -> None:
        """Moves the text."""
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)
