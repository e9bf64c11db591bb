"""A problem of an examination: answered once, and never said whether it was right."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import on
from textual.binding import Binding
from textual.message import Message
from textual.widget import Widget

from tutor.answers.verdict import NotUnderstood
from tutor.app.examining import Problem
from tutor.app.theme import words
from tutor.app.widgets.answer import Drafted
from tutor.app.widgets.question import QuestionPanel
from tutor.course.model import CourseError
from tutor.progress.store import ProgressError


class ProblemPanel(QuestionPanel, inherit_bindings=False):
    """Enter reads an answer back, Enter again gives it: there is one try."""

    BINDINGS: ClassVar = [
        Binding("f3", "skip", "skip", id="problem.skip", tooltip="leave this problem unanswered, and go on"),
    ]

    class Given(Message):
        """The problem is answered, or left unanswered."""

    class Typing(Message):
        """The answer is being written."""

    _read_back_of = ""
    _skipping = False

    @on(Drafted)
    def _typed(self) -> None:
        self.post_message(self.Typing())

    @property
    def part_to_see(self) -> Widget:
        """What must be in sight where the whole panel cannot be: what was said last, or what is being written."""
        return self._feedback if self._feedback.display else self._answer

    def _give(self, text: str) -> None:
        style = words(self.app)
        self._skipping = False
        try:
            if text == self._read_back_of:
                self._settled(text)
                return
            understood = self._problem.understood(text)
        except NotUnderstood as error:
            self._say(Text(str(error), style.wrong), Text("That does not count as a try.", style.quiet))
            return
        except (CourseError, ProgressError) as error:
            self._say(Text(str(error), style.wrong))
            return
        self._read_back_of = text
        self._say(
            Text.assemble(("Your answer: ", style.strong), understood),
            Text("Enter again gives it, and goes on. There is one try.", style.quiet),
        )
        self._nudged = True  # typed on, and this goes

    def action_skip(self) -> None:
        """Leaves the problem unanswered, once that is confirmed."""
        style = words(self.app)
        self._read_back_of = ""
        if not (self._skipping and self._nudged):
            self._skipping = True
            self._say(Text("Leave it unanswered? It counts as not right. F3 again: yes.", style.strong))
            self._nudged = True  # typed on, and this goes
            return
        try:
            self._settled(None)
        except ProgressError as error:
            self._say(Text(str(error), style.wrong))

    def _settled(self, text: str | None) -> None:
        if not self._problem.give(text):
            self.app.complain("This problem has been answered elsewhere meanwhile.")
        self.app.drafts.drop(self.asking.question.id)
        self.post_message(self.Given())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """One can always skip."""
        return True

    @property
    def _problem(self) -> Problem:
        assert isinstance(self.asking, Problem)
        return self.asking
