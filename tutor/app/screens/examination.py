"""The final examination: its door, and its problems one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll

from tutor.app.examining import Problem
from tutor.app.screens.base import TutorScreen
from tutor.app.screens.one_by_one import OneByOne
from tutor.app.widgets.problem import ProblemPanel
from tutor.app.widgets.question import QuestionPanel
from tutor.app.widgets.said import Said
from tutor.app.widgets.step_view import StepView
from tutor.course.model import CourseError
from tutor.examination.room import NoExamination, UnderWay
from tutor.progress.store import ProgressError

if TYPE_CHECKING:
    from textual.message import Message

    from tutor.examination.room import Asked, Examination, Sitting

TITLE = "The final examination"


class ExaminationDoor(TutorScreen):
    """What an examination is, before one begins."""

    CSS_PATH = "examination.tcss"
    AUTO_FOCUS = "VerticalScroll"  # the arrow keys scroll it
    HELP: ClassVar[str] = """
Ten problems over the whole course. Nothing starts before you press **Enter**.
"""
    BINDINGS: ClassVar = [
        Binding("enter", "begin", "begin", id="door.begin", tooltip="begin an examination"),
        Binding("l", "last", "last page", id="door.last", tooltip="the page of your last examination"),
        Binding("escape", "back", "lessons", id="door.back", tooltip="back to the lessons"),
        Binding("q", "app.quit", "Quit", show=False, id="door.quit"),
    ]

    def __init__(self, room: Examination) -> None:
        super().__init__()
        self._room = room

    def names(self) -> tuple[str, str, str]:
        return TITLE, "", ""

    def compose_body(self) -> ComposeResult:
        last = self._room.last()
        said = Said(classes="door")
        said.say(
            "Ten problems over the whole course, with numbers that you have not seen. **One try each, no hints**, "
            "and nothing is told before the end.\n\n"
            "The page at the end says what is firm, what is not, and which step to go back to. You can save it.\n\n"
            "Every answer is kept at once. Leave when you like: it goes on where you were.",
            *([f"\nLast time: **{last.score} of {len(last.problems)}** right."] if last else []),
        )
        with VerticalScroll():
            yield said

    def action_begin(self) -> None:
        """Draws ten problems and shows the first."""
        try:
            sitting = self._room.begin()
        except UnderWay:
            sitting = self._room.sitting() or self._room.begin()  # another window was faster
        except (NoExamination, ProgressError) as error:
            self.app.complain(f"{error}.")
            return
        self.app.switch_screen(ExaminationScreen(self._room, sitting))

    def action_last(self) -> None:
        """The page of the last examination."""
        from tutor.app.screens.examination_page import ExaminationPage

        result = self._room.last()
        if result is not None:
            self.app.switch_screen(ExaminationPage(self._room, result))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is no last page before the first examination."""
        return action != "last" or self._room.last() is not None

    def action_back(self) -> None:
        """Back to the lessons."""
        self.dismiss()


class ExaminationScreen(OneByOne):
    """One problem at a time; an answer leads to the next, the last one to the page."""

    HELP: ClassVar[str] = """
One problem of the examination. **Enter** reads your answer back, and **Enter** again gives it: there is one try,
and whether it was right is said on the page at the end. **F3** leaves a problem unanswered. Pictures stand still.
**Esc** goes back to the lessons: what you have answered is kept, and the examination goes on another time.
"""
    BINDINGS: ClassVar = [
        Binding("escape", "leave", "leave", id="exam.leave", tooltip="back to the lessons; it goes on another time"),
    ]

    def __init__(self, room: Examination, sitting: Sitting) -> None:
        super().__init__()
        self.room = room
        self.sitting = sitting
        self.asked: Asked = sitting.next or sitting.problems[-1]
        self.view = self._view_of(self.asked)

    def _view_of(self, asked: Asked) -> StepView:
        return StepView(self.room.study, asked.step, Problem(self.room, self.sitting, asked), ProblemPanel)

    def names(self) -> tuple[str, str, str]:
        return "Examination", f"{self.asked.number}/{self.asked.of} {self.asked.step.title}", ""

    def on_mount(self) -> None:
        if self.sitting.next is None:
            # It broke off after the last answer, before its page
            self._end()
            return
        self._seen()

    def _seen(self) -> None:
        try:
            self.room.show(self.sitting, self.asked)
        except ProgressError as error:
            self.app.complain(str(error))
        self.take_focus()

    @on(ProblemPanel.Given)
    async def _given(self, event: ProblemPanel.Given) -> None:
        event.stop()
        self.sitting = self.room.again(self.sitting)
        asked = self.sitting.next
        if asked is None:
            self._end()
            return
        self.asked = asked
        await self.show_next(self._view_of(asked))
        self._seen()

    def _end(self) -> None:
        from tutor.app.screens.examination_page import ExaminationPage

        try:
            result = self.room.end(self.sitting)
        except (CourseError, ProgressError) as error:
            self.app.complain(str(error))
            return
        self.app.switch_screen(ExaminationPage(self.room, result))

    @on(QuestionPanel.Spoke)
    @on(ProblemPanel.Typing)
    def _spoke(self, event: Message) -> None:
        event.stop()
        typing = isinstance(event, ProblemPanel.Typing)
        # Only then is it known how high the panel is now
        self.call_after_refresh(self._keep_in_sight, typing)

    def _keep_in_sight(self, typing: bool) -> None:
        panel = self.view.asked
        if not isinstance(panel, ProblemPanel) or not panel.has_focus_within:
            return
        fits = panel.outer_size.height <= self.view.size.height
        said = panel.part_to_see
        self.view.keep_in_sight(panel if fits or not (typing or isinstance(said, Said)) else said)

    def action_leave(self) -> None:
        """Back to the lessons; what is half typed is kept."""
        try:
            self.app.drafts.flush()
        except ProgressError as error:
            self.app.complain(str(error))
        self.dismiss()
