"""The class at a glance: who is stuck first, then who is where; what most got wrong; one learner's work."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from rich.cells import set_cell_size
from rich.segment import Segment
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll

from tutor.app.screens.base import TutorScreen
from tutor.app.theme import words
from tutor.app.widgets.lines import Lines, Row
from tutor.app.widgets.menu import Entry, Menu
from tutor.app.widgets.said import Said
from tutor.classroom.folder import NoClass
from tutor.classroom.standing import Board, Standing, ago, board

if TYPE_CHECKING:
    from tutor.classroom.records import Records
    from tutor.course.model import Course

EVERY = 5.0  # seconds from one look at the class to the next
_NAME, _WHERE, _HERE, _SOLVED = 16, 28, 7, 8


class Learners(Menu):
    """A row for each learner."""

    def __init__(self, course: Course) -> None:
        super().__init__(id="learners")
        self._course = course
        self.standings: tuple[Standing, ...] = ()

    def show(self, standings: tuple[Standing, ...]) -> None:
        """Puts these in place of the rows before; the chosen learner stays chosen."""
        name = self.standings[self.chosen].learner if self.standings else ""
        self.standings = standings
        names = [one.learner for one in standings]
        self.chosen = names.index(name) if name in names else 0
        self.changed()

    def entries(self, width: int) -> list[Entry]:
        now = time.time()
        return [Entry(one.learner, [self._row(one, now, width), *self._belief(one, width)]) for one in self.standings]

    def _belief(self, one: Standing, width: int) -> list[Row]:
        """What somebody who is stuck seems to believe."""
        belief = self._course.misconceptions.get(one.stuck_on, "") if one.stuck else ""
        if not belief:
            return []
        return [[Segment(" " * (_NAME + 1)), Segment(set_cell_size(belief, width - _NAME - 1), words(self.app).wrong)]]

    def _row(self, one: Standing, now: float, width: int) -> Row:
        style = words(self.app)
        name = Segment(set_cell_size(one.learner, _NAME), style.strong if one.stuck else style.plain)
        if one.trouble:
            return [name, Segment(set_cell_size(f" {one.trouble}", max(0, width - _NAME)), style.wrong)]
        where = f"{one.lesson}/{one.step.removeprefix(f'{one.lesson}-')}" if one.step else "not begun"
        here = "" if one.here_since is None else ago(now - one.here_since)
        counts = f"{here:>{_HERE}} {f'{one.solved}/{one.of}':>{_SOLVED}}"
        row = [name, Segment(f" {set_cell_size(where, _WHERE)}{counts}", style.plain)]
        if one.stuck:
            row.append(Segment(f"  {one.wrong_here} wrong", style.wrong))
        return row


class BoardScreen(TutorScreen):
    """The whole class, looked at again every few seconds."""

    BINDINGS: ClassVar = [
        Binding("r,f5", "look", "look now", id="class.look", tooltip="look at the class now"),
        Binding("t", "app.colours", "colours", id="class.colours", tooltip="light or dark colours"),
        Binding("q", "app.quit", "quit", id="class.quit"),
    ]
    HELP: ClassVar[str] = """
Your class. Those who have two wrong answers or more where they are come first, with the belief behind the latest one.
The times say how long a learner has been at this step. **Enter** opens what one learner has answered and written.
Below stand the questions that most had wrong, and the beliefs that most have met. What has changed on the disk is read
every five seconds, from copies; nothing of a learner's is written here. **t** turns the colours light, and dark again.
"""

    def __init__(self, records: Records, course: Course) -> None:
        super().__init__()
        self._records, self._course = records, course
        self._learners = Learners(course)
        self._said, self._common = Said(id="said"), Said(id="common", measure=200)
        self._title = ("Class", "", "")

    def names(self) -> tuple[str, str, str]:
        return self._title

    def compose_body(self) -> ComposeResult:
        yield self._said
        with VerticalScroll(can_focus=False):
            yield self._learners
            yield self._common

    def on_mount(self) -> None:
        self._said.say(Text("Reading the class...", words(self.app).quiet))
        self.set_interval(EVERY, self.action_look)
        self.watch(self.app, "theme", self._drawn_anew, init=False)
        self.action_look()

    def _drawn_anew(self) -> None:
        """What is drawn has the colours of the theme before."""
        for lines in self.query(Lines):
            lines.changed()
        self.action_look()

    def action_look(self) -> None:
        """Reads what has changed, beside the screen."""
        self.run_worker(self._look, thread=True, exclusive=True, group="look")

    def _look(self) -> None:
        try:
            self._records.look()
            question = self._records.question
        except (NoClass, OSError) as error:
            self.app.call_from_thread(self._fail, str(error))
            return
        records = self._records
        found = board(self._course, records.records, records.troubles, time.time(), question)
        if self.is_attached:
            self.app.call_from_thread(self.show, found)

    def _fail(self, line: str) -> None:
        self._said.say(Text(line, words(self.app).wrong))

    def show(self, found: Board) -> None:
        """Shows this board."""
        from tutor.app.widgets.rules import TitleRule

        style = words(self.app)
        stuck = sum(one.stuck for one in found.learners)
        count = len(found.learners)
        learners = f"{count} learner{'' if count == 1 else 's'}"
        self._title = ("Class", learners, f"{stuck} stuck")
        self.query_one(TitleRule).show(*self._title)
        head = f"  {'learner':{_NAME}} {'where':{_WHERE}}{'here':>{_HERE}} {'solved':>{_SOLVED}}"
        said = [Text(head, style.quiet, no_wrap=True)]
        if found.question:
            who = f"{found.question_right} right of {found.question_tried} who tried"
            said.insert(0, Text(f"  Question of the day, {found.question}: {who}.", style.plain))
        self._said.say(*said)
        self._learners.show(found.learners)
        common = []
        for title, counted in (("Most had wrong", found.wrong), ("Beliefs met", found.beliefs)):
            if counted:
                common += [Text(" "), Text(title, style.strong)]
                common += [self._counted(item, number) for item, number in counted]
        cautions = [Text(line, style.quiet) for line in self._records.cautions]
        self._common.say(*common, *([Text(" ")] if cautions else []), *cautions)

    def _counted(self, item: str, number: int) -> Text:
        belief = self._course.misconceptions.get(item)
        return Text(f"{number:3}  {belief or item}", words(self.app).plain)

    @on(Menu.Opened)
    def _open(self, event: Menu.Opened) -> None:
        from tutor.app.screens.class_learner import LearnerScreen

        event.stop()
        self.app.push_screen(LearnerScreen(event.entry, self._records))
