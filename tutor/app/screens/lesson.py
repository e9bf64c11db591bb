"""A lesson, one step at a time."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container
from textual.message import Message

from tutor.app.screens.base import TutorScreen
from tutor.app.widgets.bar import how_far
from tutor.app.widgets.exercise import ExercisePanel
from tutor.app.widgets.live_view import LiveView
from tutor.app.widgets.question import QuestionPanel
from tutor.app.widgets.rules import TitleRule
from tutor.app.widgets.step_view import StepView
from tutor.progress.store import ProgressError

if TYPE_CHECKING:
    from tutor.course.model import Lesson, Step
    from tutor.study import Study


class LessonScreen(TutorScreen):
    """Enter goes from the picture to the question, and from an answered question to the next step."""

    CSS_PATH = "lesson.tcss"
    AUTO_FOCUS = ""
    HELP: ClassVar[str] = """
One step of a lesson. The keys go to the part with a bar at its left; **Tab** leads from the picture to the
question or exercise, and back. On the picture the arrow keys move it: **left** and **right** change what is marked
above it, **up** and **down** mark something else. In a question with options **up**, **down** or the option's
**number** chooses one, in a table the arrow keys go from cell to cell. **Enter** goes on to the question, answers
it, and goes on to the next step. Words in **bold** are explained: **/** or **F4** looks them up. Nothing moves on
by itself, and nothing that you have typed gets lost.
"""
    BINDINGS: ClassVar = [
        Binding("enter", "go_on", "go on", id="lesson.go_on", tooltip="read on"),
        Binding("escape", "home", "lessons", id="lesson.home", tooltip="back to the lessons"),
        Binding("escape", "back", "back", id="lesson.back", tooltip="back to where you looked it up"),
        Binding("f2", "help_out('hint')", "hint", show=False, id="lesson.hint", tooltip="the next hint"),
        Binding("f3", "help_out('reveal')", "Reveal the answer", show=False, id="lesson.reveal"),
        Binding("tab", "app.focus_next", "From the picture to the question, and back", show=False, id="lesson.tab"),
        Binding("n,f8,ctrl+right", "step(1)", "next step", show=False, id="lesson.next"),
        Binding("p,f7,ctrl+left", "step(-1)", "step before", show=False, id="lesson.previous"),
        Binding("j,down", "scroll(1)", "Text down", show=False, id="lesson.down"),
        Binding("k,up", "scroll(-1)", "Text up", show=False, id="lesson.up"),
        Binding("pagedown", "page(1)", "Text a page down", show=False, id="lesson.page_down"),
        Binding("pageup", "page(-1)", "Text a page up", show=False, id="lesson.page_up"),
        Binding("home,g", "edge(0)", "To the top of the text", show=False, id="lesson.top"),
        Binding("end,G", "edge(1)", "To the end of the text", show=False, id="lesson.bottom"),
        Binding("q", "app.quit", "Quit", show=False, id="lesson.quit"),
    ]

    def __init__(self, study: Study, lesson: Lesson, step: Step, *, visit: bool = False) -> None:
        super().__init__()
        self._before_visit = ""  # how what is asked stood when one left to look something up
        self.is_visit = visit  # opened to look something up: Esc leads back, and one is still where one was
        self.study = study
        self.lesson = lesson
        self.step = step
        # Not looked up by a query each time: queries keep what they have found, also when it has gone
        self.view = StepView(study, step)

    def names(self) -> tuple[str, str, str]:
        number = self.lesson.steps.index(self.step) + 1
        standing = next(each for each in self.study.lessons() if each.lesson.id == self.lesson.id)
        far = how_far(standing.solved, standing.revealed, standing.total)
        return self.lesson.title, f"{number}/{len(self.lesson.steps)} {self.step.title}", far

    def compose_body(self) -> ComposeResult:
        with Container(id="step"):
            yield self.view

    def on_mount(self) -> None:
        self.view.take_focus()

    def on_screen_resume(self) -> None:
        if not self.is_visit:
            self._remember()
        if self._before_visit not in ("", self._state()):
            # What was answered on a visit is shown as answered
            self._before_visit = ""
            self.call_later(self.go_to, self.lesson, self.step)

    def _remember(self) -> None:
        try:
            self.study.open_step(self.lesson, self.step)
        except ProgressError as error:
            self.app.complain(str(error))

    # Going on

    @on(LiveView.GoOn)
    async def _from_picture(self, event: LiveView.GoOn) -> None:
        event.stop()
        live = self.view.live
        if live is not None and self.view.show(live):
            return
        if not self.view.focus_task():
            await self.action_step(1)

    @on(LiveView.Moved)
    def _picture_moved(self, event: LiveView.Moved) -> None:
        event.stop()
        self.view.keep_in_sight(self.view.live)

    @on(QuestionPanel.GoOn)
    @on(ExercisePanel.GoOn)
    async def _from_task(self, event: Message) -> None:
        event.stop()
        await self.action_step(1)

    @on(QuestionPanel.Settled)
    @on(ExercisePanel.Settled)
    def _settled(self, event: Message) -> None:
        event.stop()
        self._before_visit = ""
        self.query_one(TitleRule).show(*self.names())

    @on(QuestionPanel.Spoke)
    @on(ExercisePanel.Spoke)
    def _spoke(self, event: Message) -> None:
        event.stop()
        asked = self.view.asked
        if asked is not None and asked.has_focus_within:
            self.view.keep_in_sight(asked.in_sight if isinstance(asked, ExercisePanel) else asked)

    async def action_help_out(self, what: str) -> None:
        """A hint or the answer of what is asked, also while the keys are on the picture."""
        asked = self.view.asked
        if asked is not None:
            self.view.focus_task()
            await self.app.run_action(what, asked)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What is asked has keys of its own for hints and answers, once it has the focus."""
        if action in ("home", "back"):
            return (action == "back") == self.is_visit
        if action != "help_out":
            return True
        asked = self.view.asked
        if asked is None or asked.has_focus_within or asked.has_focus:
            return False
        return bool(asked.check_action(str(parameters[0]), ()))

    async def action_go_on(self) -> None:
        """Reads on where there is nothing to do but read: a page, then the next step."""
        if self.view.max_scroll_y > self.view.scroll_offset.y:
            self.action_page(1)
        else:
            await self.action_step(1)

    async def action_step(self, by: int) -> None:
        """The step after this one, or before; past the last one, the lessons."""
        at = self.lesson.steps.index(self.step) + by
        if at < 0:
            return
        if at >= len(self.lesson.steps):
            self.action_home()
            return
        await self.go_to(self.lesson, self.lesson.steps[at])
        # Behind the frame: a home folder may be far away
        self.call_after_refresh(self._remember)

    async def go_to(self, lesson: Lesson, step: Step) -> None:
        """Shows another step."""
        self.app.move_on()
        self._keep()
        self.lesson, self.step = lesson, step
        self.query_one(TitleRule).show(*self.names())
        with self.app.batch_update():
            # What goes need not be seen to lose the keys
            self.focused = None
            place = self.query_one("#step")
            await place.remove_children()
            self.view = StepView(self.study, self.step)
            await place.mount(self.view)
            self.view.take_focus()
        # The step before is a circle of widgets: it goes now, behind the frame, and not when there are many
        self.call_after_refresh(gc.collect)

    def visit(self, lesson: Lesson, step: Step) -> None:
        """Shows the step that something is defined in, over this one unless this is such a look too."""
        if step is self.step:
            return
        if self.is_visit:
            self.call_later(self.go_to, lesson, step)
            return
        self._before_visit = self._state()
        self.app.push_screen(LessonScreen(self.study, lesson, step, visit=True))

    def _state(self) -> str:
        """How what is asked here stands; nothing where nothing is."""
        asked = self.step.question or self.step.exercise
        return self.study.standing(asked.id).state if asked else ""

    def action_back(self) -> None:
        """Back to where one looked something up."""
        self.action_home()

    def action_home(self) -> None:
        """Back to the lessons; what is half typed is kept."""
        self._keep()
        self.dismiss()

    def _keep(self) -> None:
        try:
            self.app.drafts.flush()
        except ProgressError as error:
            self.app.complain(str(error))

    # Reading

    def action_scroll(self, rows: int) -> None:
        """Moves the text by a row."""
        self.view.keep_in_sight(None)
        self.view.scroll_relative(y=rows, animate=False)

    def action_page(self, pages: int) -> None:
        """Moves the text by nearly a page."""
        self.view.keep_in_sight(None)
        self.view.scroll_relative(y=pages * max(1, self.view.size.height - 2), animate=False)

    def action_edge(self, end: int) -> None:
        """To the beginning or the end of the text."""
        self.view.keep_in_sight(None)
        self.view.scroll_to(y=self.view.max_scroll_y if end else 0, animate=False)
