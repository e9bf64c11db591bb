"""Progress: how far each lesson is, what goes wrong, what is due, and the days of work."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll

from tutor.app.overview import MOST_WRONG, Held, OftenWrong, days_of_work, met_again, often_wrong, strip
from tutor.app.screens.base import TutorScreen
from tutor.app.theme import Words, words
from tutor.app.widgets.bar import bar, how_far, widest
from tutor.app.widgets.lines import Lines, Row
from tutor.app.widgets.said import Said, Spoken
from tutor.course.model import CourseError
from tutor.examination.room import Examination
from tutor.practice.session import Practice
from tutor.practice.words import due_line
from tutor.progress.store import ProgressError

if TYPE_CHECKING:
    from tutor.study import Study

_BAR = 16
_WIDEST = 100
_WORKED, _RESTED = "█", "·"


class Standings(Lines):
    """A row for each lesson, two where the window is narrow."""

    def __init__(self, study: Study) -> None:
        super().__init__()
        self._standings = study.lessons()
        self._far = widest(self._standings)

    @property
    def totals(self) -> tuple[int, int, int]:
        """Solved, revealed, and how much there is, of all lessons."""
        each = [(one.solved, one.revealed, one.total) for one in self._standings]
        solved, revealed, total = (sum(column) for column in zip(*each, strict=True)) if each else (0, 0, 0)
        return solved, revealed, total

    def rows(self, width: int) -> list[Row]:
        style = words(self.app)
        width = min(width, _WIDEST)
        rows: list[Row] = []
        for one in self._standings:
            far = f"  {how_far(one.solved, one.revealed, one.total).ljust(self._far)}"
            right = [*bar(one.solved, one.revealed, one.total, _BAR, style), Segment(far, style.quiet)]
            used = sum(segment.cell_length for segment in right)
            gap = width - used - cell_len(one.lesson.title)
            if gap >= 2:
                rows.append([Segment(one.lesson.title), Segment(" " * gap), *right])
            else:
                rows += [[Segment(set_cell_size(one.lesson.title, width).rstrip())], right]
        return rows


class Progress(TutorScreen):
    """Scrolls; a number opens the step of a question that goes wrong."""

    CSS_PATH = "progress.tcss"
    AUTO_FOCUS = ""
    HELP: ClassVar[str] = """
What the record says of you. A **number** opens the step of the question beside it, and **Esc** there comes back
here. A belief counts as met again when it was behind more than one wrong answer. The record is yours: the command
`progress --export FILE` writes all of it to a file.
"""
    BINDINGS: ClassVar = [
        Binding("escape", "back", "lessons", id="progress.back", tooltip="back to the lessons"),
        Binding("down,j", "scroll(1)", "read on", key_display="↑↓", id="progress.down", tooltip="down"),
        # One for each length of the list: the row of keys names the numbers that there are
        *(
            Binding(
                "1",
                f"open_first({count})",
                "its step",
                key_display="1" if count == 1 else f"1-{count}",
                id=f"progress.first_of_{count}",
                tooltip="its step: 1",
            )
            for count in range(1, MOST_WRONG + 1)
        ),
        *(
            Binding(
                str(number), f"open_step({number})", f"Its step: {number}", show=False, id=f"progress.step_{number}"
            )
            for number in range(1, MOST_WRONG + 1)
        ),
        Binding("up,k", "scroll(-1)", "Up", show=False, id="progress.up"),
        Binding("pagedown,space", "scroll(15)", "Page down", show=False, id="progress.page_down"),
        Binding("pageup", "scroll(-15)", "Page up", show=False, id="progress.page_up"),
        Binding("home,g", "edge(0)", "To the top", show=False, id="progress.top"),
        Binding("end,G", "edge(1)", "To the end", show=False, id="progress.bottom"),
        Binding("q", "app.quit", "Quit", show=False, id="progress.quit"),
    ]

    def __init__(self, study: Study) -> None:
        super().__init__()
        self._study = study
        self._standings = Standings(study)
        self._wrong = often_wrong(study)
        self._listed = Said(classes="part")
        self._practised = Said(classes="part")

    def names(self) -> tuple[str, str, str]:
        return "Progress", "", how_far(*self._standings.totals)

    def compose_body(self) -> ComposeResult:
        style = words(self.app)
        with VerticalScroll(can_focus=False):
            yield self._standings
            for said, part in (
                (Said(classes="part"), _days(self._study, style)),
                (Said(classes="part"), _examined(self._study, style)),
                (self._listed, _often_wrong(self._wrong, style)),
            ):
                said.say(*part)
                yield said
            yield self._practised

    def on_mount(self) -> None:
        style = words(self.app)
        self.watch(self.query_one(VerticalScroll), "scroll_y", self._scrolled, init=False)
        self.call_after_refresh(self._scrolled)
        self._practised.say(Text("Practice", style.strong), Text("reading the course…", style.quiet))
        # Half a second: the questions of the whole course are read
        self.run_worker(self._read, thread=True)

    def _read(self) -> None:
        try:
            room = Practice(self._study)
            part = list(_practised(room.due(), room.memory.count, met_again(room), words(self.app)))
        except (CourseError, ProgressError) as error:
            part = [Text(str(error), words(self.app).wrong)]
        if self.is_attached:
            self.app.call_from_thread(self._practised.say, *part)

    def _scrolled(self) -> None:
        self.call_after_refresh(self.refresh_bindings)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what is listed can be opened, and the numbers are named where they can be seen."""
        if action == "open_first":
            return parameters[0] == len(self._wrong) and self._numbers_in_sight()
        return action != "open_step" or int(str(parameters[0])) <= len(self._wrong)

    def _numbers_in_sight(self) -> bool:
        """Whether the list of questions that go wrong has a row in the window."""
        if not self._wrong or not self.is_mounted:
            return False
        listed, window = self._listed.virtual_region, self.query_one(VerticalScroll)
        top = window.scroll_offset.y
        return listed.bottom > top and listed.bottom - len(self._wrong) < top + window.size.height

    def action_open_first(self, count: int) -> None:
        """Opens the step of the first of so many."""
        self.action_open_step(1)

    def action_open_step(self, number: int) -> None:
        """Opens the step of a question that goes wrong; Esc leads back here."""
        from tutor.app.screens.lesson import LessonScreen

        found = self._wrong[number - 1]
        self.app.push_screen(LessonScreen(self._study, found.lesson, found.step, visit=True))

    def action_scroll(self, rows: int) -> None:
        """Moves the page."""
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)

    def action_edge(self, end: int) -> None:
        """To the beginning or the end."""
        scroll = self.query_one(VerticalScroll)
        scroll.scroll_to(y=scroll.max_scroll_y if end else 0, animate=False)

    def action_back(self) -> None:
        """Back to the lessons."""
        self.dismiss()


def _days(study: Study, style: Words) -> Iterator[Spoken]:
    """How many days of work, and which of the last four weeks."""
    days = days_of_work(study.store.events())
    yield Text("Days of work", style.strong)
    if not days:
        yield Text("none yet", style.quiet)
        return
    today = datetime.fromtimestamp(study.store.now()).date()
    drawn = "".join(_WORKED if worked else _RESTED for worked in strip(days, today))
    yield Text(f"{len(days)}, the first on {days[0].isoformat()}")
    yield Text.assemble(f"{drawn}", ("  four weeks to today", style.quiet))


def _examined(study: Study, style: Words) -> Iterator[Spoken]:
    """How the learner stands with the examination."""
    if study.course.examination is not None:
        yield Text("The final examination", style.strong)
        yield Text(f"{Examination(study).in_words}")


def _often_wrong(found: list[OftenWrong], style: Words) -> Iterator[Spoken]:
    """The questions that were answered wrongly most often."""
    if not found:
        return
    yield Text("Answered wrongly most often", style.strong)
    for number, one in enumerate(found, 1):
        step = one.lesson.steps.index(one.step) + 1
        times = "once" if one.times == 1 else f"{one.times} times"
        yield Text.assemble(
            (f"{number}  ", style.focus),
            f"{one.lesson.title}, step {step}: {one.step.title}",
            (f"  {times}", style.quiet),
        )


def _practised(due: int, known: int, beliefs: list[Held], style: Words) -> Iterator[Spoken]:
    """What is due, and the beliefs that came again."""
    yield Text("Practice", style.strong)
    yield Text(f"{due_line(due)} {known} {'skill' if known == 1 else 'skills'} practised so far.")
    if beliefs:
        yield Text(" ")
        yield Text("Beliefs met again", style.strong)
        for belief in beliefs:
            since = f", right {belief.right_since}× since" if belief.right_since else ", not right since"
            yield Text.assemble(f"{belief.sentence}", (f"  {belief.times}×{since}", style.quiet))
