"""The exercises: how each stands, where its file is, and beginning one again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.message import Message

from tutor.app.exercise_states import BEGUN, FAILING, SIGNS, Written, exercises
from tutor.app.learner_file import NotSaved, short, write_text
from tutor.app.screens.base import TutorScreen
from tutor.app.theme import words
from tutor.app.widgets.bar import how_far
from tutor.app.widgets.lines import Row, text_rows
from tutor.app.widgets.menu import Entry, Menu
from tutor.app.widgets.said import Said
from tutor.progress.standing import REVEALED, SOLVED
from tutor.progress.store import ProgressError

if TYPE_CHECKING:
    from tutor.study import Study

_WIDEST = 100
_STATE = 13  # columns of sign and state


class ExerciseList(Menu):
    """A row each; the chosen one says where its file is."""

    class Chosen(Message):
        """Another one is marked."""

    def __init__(self, study: Study) -> None:
        super().__init__(id="exercises")
        self._study = study
        self.written: list[Written] = exercises(study)

    def look_again(self) -> None:
        """Reads record and folder anew."""
        self.written = exercises(self._study)
        self.changed()

    def entries(self, width: int) -> list[Entry]:
        width = min(width, _WIDEST)
        return [
            Entry(each.id, self._rows(each, width, number == self.chosen)) for number, each in enumerate(self.written)
        ]

    def _rows(self, each: Written, width: int, chosen: bool) -> list[Row]:
        style = words(self.app)
        looks: dict[str, Style] = {SOLVED: style.right, FAILING: style.wrong, BEGUN: style.strong}
        head: Row = [
            Segment(f"{SIGNS[each.state]} {each.state}".ljust(_STATE), looks.get(each.state, style.quiet)),
            Segment(each.title, style.strong),
        ]
        lesson = f"  {each.lesson.title}"
        room = width - _STATE - cell_len(each.title)
        if room >= 6:
            head.append(Segment(lesson, style.quiet))
        if not chosen:
            return [head]
        indent = " " * min(_STATE, max(2, width - 36))
        where = f"{short(each.file)}" if each.there else f"{each.file.name}, not there yet"
        return [head, *text_rows(self.app.console, Text(where, style.quiet), width, indent, indent)]

    def _choose(self, entry: int) -> None:
        super()._choose(entry)
        self.post_message(self.Chosen())

    @property
    def at(self) -> Written | None:
        """The chosen one; None in a course without exercises."""
        return self.written[self.chosen] if self.written else None


def _unsaved(file: Path) -> Path:
    """A free name beside the file for what was not saved."""
    return next(name for number in range(1, 10_000) if not (name := file.with_suffix(f".unsaved-{number}.py")).exists())


class Exercises(TutorScreen):
    """Enter opens the step of an exercise, `r` begins its file again."""

    CSS_PATH = "exercises.tcss"
    AUTO_FOCUS = "ExerciseList"
    HELP: ClassVar[str] = """
The exercises of the course. **Failing** is one whose last check was not right, **begun** one that has a file and
was not checked since. **Enter** opens the step of the marked one, and **Esc** there comes back here. **r** begins
its file again: the one you have is kept beside it under a numbered name, and what you have solved stays solved.
"""
    BINDINGS: ClassVar = [
        Binding("escape", "back", "lessons", id="exercises.back", tooltip="back to the lessons"),
        Binding("r", "reset", "begin again", id="exercises.reset", tooltip="begin the marked file again; it is kept"),
        Binding("q", "app.quit", "Quit", show=False, id="exercises.quit"),
    ]

    def __init__(self, study: Study) -> None:
        super().__init__()
        self._study = study
        self._list = ExerciseList(study)
        self._said = Said(id="said")
        self._asked_of = ""  # the exercise whose reset waits for a second press

    def names(self) -> tuple[str, str, str]:
        states = [each.state for each in self._list.written]
        return "Exercises", "", how_far(states.count(SOLVED), states.count(REVEALED), len(states))

    def compose_body(self) -> ComposeResult:
        yield self._said
        with VerticalScroll(can_focus=False):
            yield self._list

    def on_mount(self) -> None:
        if not self._list.written:
            self._said.say("This course has no exercises.")

    def on_screen_resume(self) -> None:
        self._list.look_again()

    @on(ExerciseList.Chosen)
    def _moved(self, event: ExerciseList.Chosen) -> None:
        event.stop()
        self._say()

    @on(Menu.Opened)
    def _open(self, event: Menu.Opened) -> None:
        from tutor.app.screens.lesson import LessonScreen

        event.stop()
        each = self._list.at
        if each is not None:
            self._say()
            self.app.push_screen(LessonScreen(self._study, each.lesson, each.step, visit=True))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only a file that is there can be begun again."""
        return action != "reset" or any(each.there for each in self._list.written)

    def action_reset(self) -> None:
        """Begins the file again, once that is confirmed."""
        each = self._list.at
        if each is None:
            return
        if not each.there:
            self._say(f"{each.file.name} is not there: Enter opens its step, which begins it.")
            return
        if self._asked_of != each.id:
            self._say(f"Begin {each.file.name} again? Your file is kept beside it. r again: yes.")
            self._asked_of = each.id
            return
        try:
            draft = self.app.drafts[each.id]
            done = self._study.reset(each.id)
            kept = [done.backup] if done.backup else []
            if draft:
                # What was typed and not saved is newer than the file: it is kept as well
                kept.append(_unsaved(done.path))
                write_text(kept[-1], draft)
                self.app.drafts.keep(each.id, "")
        except (OSError, ProgressError, NotSaved) as error:
            self._say(f"{each.file.name} is as it was: {error}")
            return
        self._list.look_again()
        self._say(f"{each.file.name} begins again. Kept: {', '.join(file.name for file in kept)}.")

    def _say(self, line: str = "") -> None:
        self._asked_of = ""
        self._said.say(Text(line, words(self.app).strong))

    def action_back(self) -> None:
        """Back to the lessons."""
        self.dismiss()
