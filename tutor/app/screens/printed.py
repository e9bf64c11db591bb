"""All that a learner's file printed, to read."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll

from tutor.app.screens.solution import Solution
from tutor.app.widgets.said import Said
from tutor.safe_text import visible


class Printed(Solution):
    """The lines, beginning with the last ones."""

    HELP = "What your file printed. A print in every step shows what the program does."

    def __init__(self, exercise: str, output: str) -> None:
        super().__init__(exercise, visible(output, lines=True), "")

    def names(self) -> tuple[str, str, str]:
        lines = len(self._source.rstrip().splitlines())
        return "Printed", self._exercise, f"{lines:,} line{'' if lines == 1 else 's'}"

    def compose_body(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            said = Said(measure=10_000, classes="code")
            said.say(*(Text(line or " ") for line in self._source.rstrip().splitlines()))
            yield said

    def on_mount(self) -> None:
        self.call_after_refresh(self.query_one(VerticalScroll).scroll_end, animate=False)
