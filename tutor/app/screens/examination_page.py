"""The page at the end of an examination: what is firm, what is not, and where to go back to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll

from tutor.app.screens.base import TutorScreen
from tutor.app.theme import Words, words
from tutor.app.widgets.said import Said, Spoken
from tutor.examination.page import NotSaved, save, where
from tutor.examination.result import Judged

if TYPE_CHECKING:
    from tutor.examination.result import Result
    from tutor.examination.room import Examination


class ExaminationPage(TutorScreen):
    """Scrolls; `s` saves it."""

    CSS_PATH = "examination.tcss"
    AUTO_FOCUS = ""
    HELP: ClassVar[str] = """
The page of an examination: what is firm, what is not yet, and then every problem with your answer, the right one,
and the step to go back to: a problem's **number** opens it, 0 that of problem 10, and **Esc** comes back here.
**s** writes the page to a file in your folder, **n** leads to a new examination.
"""
    BINDINGS: ClassVar = [
        Binding("escape,enter", "back", "lessons", key_display="Esc", id="page.back", tooltip="back to the lessons"),
        Binding("s", "save", "save", id="page.save", tooltip="save this page as a file in your folder"),
        Binding("down,j", "scroll(1)", "read on", key_display="↑↓", id="page.down", tooltip="down"),
        Binding(
            "1", "open_step(1)", "its step", key_display="1-0", id="page.step_1", tooltip="the step to go back to, of 1"
        ),
        *(
            Binding(
                str(number % 10),
                f"open_step({number})",
                f"The step to go back to, of {number}",
                show=False,
                id=f"page.step_{number}",
            )
            for number in range(2, 11)
        ),
        Binding("n", "new", "new one", id="page.new", tooltip="a new examination"),
        Binding("up,k", "scroll(-1)", "Up", show=False, id="page.up"),
        Binding("pagedown,space", "scroll(15)", "Page down", show=False, id="page.page_down"),
        Binding("pageup", "scroll(-15)", "Page up", show=False, id="page.page_up"),
        Binding("home,g", "edge(0)", "To the top", show=False, id="page.top"),
        Binding("end,G", "edge(1)", "To the end", show=False, id="page.bottom"),
        Binding("q", "app.quit", "Quit", show=False, id="page.quit"),
    ]

    def __init__(self, room: Examination, result: Result) -> None:
        super().__init__()
        self._room = room
        self._result = result

    def names(self) -> tuple[str, str, str]:
        return "Examination", f"{self._result.score} of {len(self._result.problems)} right", ""

    def compose_body(self) -> ComposeResult:
        style = words(self.app)
        with VerticalScroll(can_focus=False):
            overview = Said(classes="overview")
            overview.say(*_overview(self._result, style))
            yield overview
            for number, problem in enumerate(self._result.problems, start=1):
                said = Said(classes="problem")
                said.say(*_problem(number, problem, style))
                yield said

    def action_save(self) -> None:
        """Writes the page to a new file in the learner's folder."""
        study = self._room.study
        try:
            file = save(self._result, study.exercise_folder, study.permissions)
        except NotSaved as error:
            self.app.say(f"Not saved: {error}")
        except OSError as error:
            self.app.say(f"Not saved: {error.strerror or error}")
        else:
            self.app.say(f"Saved: {file}")

    def action_open_step(self, number: int) -> None:
        """Opens the step to go back to, of the problem with this number; Esc leads back here."""
        from tutor.app.screens.lesson import LessonScreen

        study = self._room.study
        steps = self._result.problems[number - 1].back if number <= len(self._result.problems) else ()
        found = next((found for step in steps if (found := study.course.find_step(step.step))), None)
        if found is not None:
            self.app.push_screen(LessonScreen(study, *found, visit=True))

    def action_new(self) -> None:
        """To the door of a new examination."""
        from tutor.app.screens.examination import ExaminationDoor

        self.app.switch_screen(ExaminationDoor(self._room))

    def action_back(self) -> None:
        """Back to the lessons."""
        self.dismiss()

    def action_scroll(self, rows: int) -> None:
        """Moves the page."""
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)

    def action_edge(self, end: int) -> None:
        """To the beginning or the end."""
        scroll = self.query_one(VerticalScroll)
        scroll.scroll_to(y=scroll.max_scroll_y if end else 0, animate=False)


def _overview(result: Result, style: Words) -> Iterator[Spoken]:
    """What is firm, by lesson."""
    if result.firm:
        yield Text("Firm", style.right)
        yield from (Text(f"  {title}") for title in result.firm)
        yield Text(" ")
    if result.not_yet_firm:
        yield Text("Not yet firm", style.wrong)
        for title, steps in result.not_yet_firm:
            yield Text(f"  {title}")
            yield from (Text(f"    go back to {step.under(title)}: {step.title}", style.quiet) for step in steps)
        yield Text(" ")
    if result.not_asked:
        yield Text.assemble(("Not asked this time  ", style.quiet), ", ".join(result.not_asked))


def _problem(number: int, problem: Judged, style: Words) -> Iterator[Spoken]:
    """One problem with all that is to be said of it."""
    wrong = "Not right" if problem.given else "Not answered"
    verdict = ("Right", style.right) if problem.right else (wrong, style.wrong)
    yield Text.assemble((f"{number}. {problem.title}  ", style.strong), verdict)
    yield problem.question
    if problem.picture:
        yield Text(" ")
        yield from (Text(line or " ", style.quiet) for line in problem.picture.split("\n"))
        yield Text(" ")
    yield from (Text(f"  {place}  {option}") for place, option in enumerate(problem.options, start=1))
    yield Text.assemble(("Your answer: ", style.strong), problem.given or "none")
    if problem.said:
        yield problem.said
    if problem.belief:
        yield Text.assemble(("Behind it may be a belief that does not hold: ", style.quiet), problem.belief)
    if not problem.right:
        yield Text.assemble(("The answer: ", style.strong), problem.answer)
    yield problem.why
    if not problem.right:
        yield from (Text(f"Go back to {where(step)}.", style.focus) for step in problem.back)
