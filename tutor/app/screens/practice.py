"""Practice: its door, where the learner says how many problems, and the problems one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Input

from tutor.app.practising import Practising
from tutor.app.screens.base import TutorScreen
from tutor.app.screens.one_by_one import OneByOne
from tutor.app.theme import words
from tutor.app.widgets.entry import LineInput
from tutor.app.widgets.practice_problem import PracticePanel
from tutor.app.widgets.question import QuestionPanel
from tutor.app.widgets.said import Said
from tutor.app.widgets.step_view import StepView
from tutor.course.model import CourseError
from tutor.practice.session import COUNT, NothingToPractise, Practice, Session
from tutor.practice.words import NOTHING_LEFT, due_line
from tutor.progress.store import ProgressError

if TYPE_CHECKING:
    from tutor.practice.problem import Problem
    from tutor.study import Study

MOST = 1000
_ABOUT = (
    "Fresh problems of the lessons that you have opened, with numbers of their own: first what you got wrong, then "
    "what is due, then what is new. **Two tries each.** Every answer is kept at once, and you can stop at any time."
)


class Count(LineInput):
    """How many problems; Enter begins."""

    BINDINGS: ClassVar = [
        Binding("enter", "submit", "begin", id="practice.begin", tooltip="begin with so many problems"),
        Binding("up", "screen.more(5)", "more", key_display="↑↓", id="practice.more", tooltip="five problems more"),
        Binding("down", "screen.more(-5)", "Five problems fewer", show=False, id="practice.fewer"),
    ]


class PracticeDoor(TutorScreen):
    """Says what is due, and asks how many problems it shall be."""

    CSS_PATH = "practice.tcss"
    AUTO_FOCUS = "Count"
    HELP: ClassVar[str] = """
Practice as long as you like. Type **how many problems** you want, or turn the number with **up** and **down**;
**Enter** begins. What you know comes back after days, what was wrong comes back soon.
"""
    BINDINGS: ClassVar = [
        Binding("escape", "back", "lessons", id="practice.back", tooltip="back to the lessons"),
    ]

    def __init__(self, study: Study) -> None:
        super().__init__()
        self._study = study
        self._room: Practice | None = None
        self._wanted: int | None = None
        self.count = Count(str(COUNT), select_on_focus=True)
        self._due = Said(classes="due")
        self._complaint = Said(classes="complaint")

    def names(self) -> tuple[str, str, str]:
        return "Practice", "", ""

    def compose_body(self) -> ComposeResult:
        about, label = Said(classes="about"), Said(classes="label")
        about.say(_ABOUT)
        label.say(Text("Problems"))
        with VerticalScroll(can_focus=False):
            yield about
            yield self._due
            with Horizontal(id="count"):
                yield label
                yield self.count
            yield self._complaint

    def on_mount(self) -> None:
        self._due.say(Text("Reading the course…", words(self.app).quiet))
        # Half a second of reading, in which the number can be typed
        self.run_worker(self._read, thread=True)

    def _read(self) -> None:
        try:
            room = Practice(self._study)
            due = room.due()
        except (CourseError, ProgressError) as error:
            self.app.call_from_thread(self._complain, str(error))
            return
        self.app.call_from_thread(self._is_read, room, due)

    def _is_read(self, room: Practice, due: int) -> None:
        self._room = room
        self._due.say(Text(due_line(due), words(self.app).strong))
        # Whoever has gone back meanwhile, or reads the help, has not asked for it any more
        if self._wanted is not None and self.is_current:
            self._begin(self._wanted)

    def _complain(self, line: str) -> None:
        self._complaint.say(Text(line, words(self.app).wrong))

    def action_more(self, by: int) -> None:
        """More problems, or fewer."""
        text = self.count.value.strip()
        now = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else COUNT
        self.count.value = str(max(1, min(MOST, now + by if now > 1 or by < 0 else by)))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value.strip()
        if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= MOST:
            self._complain(f"problems is {text[:20]!r}; accepted: a whole number from 1 to {MOST}")
            return
        self._complain("")
        self._begin(int(text))

    def _begin(self, count: int) -> None:
        if self._room is None:
            self._wanted = count
            return
        try:
            session = self._room.session(count=count)
            problem = session.problem()
        except (NothingToPractise, CourseError, ProgressError) as error:
            self._complain(f"{error}.")
            return
        if problem is None:
            self._complain(NOTHING_LEFT)
            return
        self.app.switch_screen(PracticeScreen(self._study, session, problem))

    def action_back(self) -> None:
        """Back to the lessons."""
        self.dismiss()


class PracticeScreen(OneByOne):
    """One problem at a time; after the last one the page that says what is firm."""

    HELP: ClassVar[str] = """
One problem of a practice session, with **two tries**. **Enter** answers, and goes on once the problem is over.
**F2** gives a hint, **F3** reveals the answer. Pictures stand still. **Esc** ends the session with its page, from
where it can also go on; every answer is kept.
"""
    BINDINGS: ClassVar = [
        Binding("escape", "end", "end", id="practice.end", tooltip="end the session, and see what is firm"),
    ]

    def __init__(self, study: Study, session: Session, problem: Problem) -> None:
        super().__init__()
        self.study = study
        self.session = session
        self._show(problem)

    def _show(self, problem: Problem) -> StepView:
        self.problem, self._number = problem, self.session.number
        asking = Practising(self.study, self.session, problem)
        self.view = StepView(asking.study, problem.step, asking, PracticePanel)
        return self.view

    def names(self) -> tuple[str, str, str]:
        skill = self.problem.skill
        return "Practice", f"{self._number}/{self.session.count} {skill.title}", skill.lesson.title

    def on_mount(self) -> None:
        self.take_focus()

    @on(QuestionPanel.GoOn)
    async def _go_on(self, event: QuestionPanel.GoOn) -> None:
        event.stop()
        try:
            problem = self.session.problem()
        except (CourseError, ProgressError) as error:
            self.app.complain(str(error))
            return
        if problem is None:
            self._end(over=True)
            return
        await self.show_next(self._show(problem))
        self.take_focus()

    @on(QuestionPanel.Spoke)
    def _spoke(self, event: QuestionPanel.Spoke) -> None:
        event.stop()
        # Only then is it known how high the panel is now
        self.call_after_refresh(self._keep_in_sight)

    def _keep_in_sight(self) -> None:
        panel = self.view.asked
        if isinstance(panel, PracticePanel) and panel.has_focus_within:
            fits = panel.outer_size.height <= self.view.size.height
            self.view.keep_in_sight(panel if fits else panel.part_to_see)

    def action_end(self) -> None:
        """To the page of the session, from which it can go on."""
        if self.session.done:
            self._end(over=False)
        else:
            self.dismiss()

    def _end(self, *, over: bool) -> None:
        from tutor.app.screens.practice_page import PracticePage

        page = PracticePage(self.study, self.session, can_go_on=not over)
        if over:
            self.app.switch_screen(page)
        else:
            self.app.push_screen(page)
