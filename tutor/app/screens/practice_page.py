"""The page at the end of a practice session: what is firm, what nearly, and the step to go back to."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll

from tutor.app.screens.base import TutorScreen
from tutor.app.theme import Words, words
from tutor.app.widgets.lines import MEASURE, Row, text_rows
from tutor.app.widgets.menu import Entry, Menu
from tutor.app.widgets.said import Said
from tutor.practice.words import NOTHING_LEFT

if TYPE_CHECKING:
    from tutor.practice.session import Practised as Done
    from tutor.practice.session import Session, Summary
    from tutor.study import Study

_FIRM, _NEARLY, _NOT = "✓ firm      ", "~ nearly    ", "× not firm  "


class Practised(Menu):
    """What was practised, the least firm first; the chosen one says what leads on."""

    def __init__(self, summary: Summary) -> None:
        super().__init__(id="practised")
        groups = ((_NOT, summary.not_firm), (_NEARLY, summary.hard), (_FIRM, summary.firm))
        self.done: list[tuple[str, Done]] = [(sign, done) for sign, group in groups for done in group]

    def entries(self, width: int) -> list[Entry]:
        width = min(width, MEASURE + 12)
        return [Entry(str(number), self._rows(number, *each, width)) for number, each in enumerate(self.done)]

    def _rows(self, number: int, sign: str, done: Done, width: int) -> list[Row]:
        style = words(self.app)
        indent = " " * len(sign)
        name = Text.assemble((done.skill.lesson.title, style.quiet), ": ", done.skill.title)
        rows = text_rows(self.app.console, name, width, indent, indent)
        rows[0][0] = Segment(sign, _look(sign, style))
        if done.belief:
            rows += text_rows(self.app.console, Text(done.belief, style.plain), width, indent, indent)
        if number == self.chosen:
            step = done.skill.lesson.steps.index(done.skill.step) + 1
            rows.append([Segment(indent), Segment(f"→ step {step} teaches it", style.quiet)])
        return rows


def _look(sign: str, style: Words) -> Style:
    return {_FIRM: style.right, _NEARLY: style.strong, _NOT: style.wrong}[sign]


class PracticePage(TutorScreen):
    """Enter opens the step of what is chosen; Esc there leads back here."""

    CSS_PATH = "practice.tcss"
    AUTO_FOCUS = "Practised"
    HELP: ClassVar[str] = """
What you have practised, the least firm first. **Firm** is what you knew at once, **nearly** what took a second try
or a hint. **Enter** opens the step that teaches what is marked, and **Esc** comes back here. Tomorrow, or in some
days, it is asked again with other numbers.
"""
    BINDINGS: ClassVar = [
        Binding("escape", "leave", "lessons", id="practised.leave", tooltip="back to the lessons"),
        Binding("p", "go_on", "go on", id="practised.go_on", tooltip="go on practising"),
        Binding("q", "app.quit", "Quit", show=False, id="practised.quit"),
    ]

    def __init__(self, study: Study, session: Session, *, can_go_on: bool) -> None:
        super().__init__()
        self._study = study
        self._session = session
        self._can_go_on = can_go_on  # the session stands below, with its problem as it was left
        self._practised = Practised(session.summary())

    def names(self) -> tuple[str, str, str]:
        count = len(self._session.done)
        return "Practice", f"{count} {'problem' if count == 1 else 'problems'}", ""

    def compose_body(self) -> ComposeResult:
        style = words(self.app)
        summary = self._session.summary()
        counts = ((len(summary.firm), "firm"), (len(summary.hard), "nearly"), (len(summary.not_firm), "not firm yet"))
        overview = Said(classes="overview")
        head = Text(", ".join(f"{count} {what}" for count, what in counts if count) + ".", style.strong)
        nothing_left = self._session.number <= self._session.count and not self._can_go_on
        overview.say(head, NOTHING_LEFT if nothing_left else "")
        with VerticalScroll(can_focus=False):
            yield overview
            yield self._practised

    @on(Menu.Opened)
    def _open(self, event: Menu.Opened) -> None:
        from tutor.app.screens.lesson import LessonScreen

        event.stop()
        skill = self._practised.done[int(event.entry)][1].skill
        self.app.push_screen(LessonScreen(self._study, skill.lesson, skill.step, visit=True))

    def action_go_on(self) -> None:
        """On with the session, or with a new one when it is over."""
        if self._can_go_on:
            self.dismiss()
            return
        from tutor.app.screens.practice import PracticeDoor

        self.app.switch_screen(PracticeDoor(self._study))

    def action_leave(self) -> None:
        """Back to the lessons."""
        from tutor.app.screens.practice import PracticeScreen

        self.dismiss()
        below = self.app.screen
        if isinstance(below, PracticeScreen):
            below.dismiss()
