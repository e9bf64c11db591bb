"""The first screen: what this is, the lessons and how far they are, and the way back to where one was."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll

from tutor.app.places import PLACES, PRACTICE, Place, screen_of
from tutor.app.screens.base import TutorScreen
from tutor.app.screens.opening import lesson_screen
from tutor.app.theme import words
from tutor.app.widgets.bar import bar, how_far, widest
from tutor.app.widgets.lines import Row, text_rows
from tutor.app.widgets.menu import Entry, Menu
from tutor.app.widgets.said import Said
from tutor.course.model import CourseError
from tutor.examination import BEGUN, ENDED, NOT_BEGUN
from tutor.practice import PRACTICE as PRACTISED
from tutor.progress.store import ProgressError

if TYPE_CHECKING:
    from tutor.course.model import Lesson, Step
    from tutor.study import LessonStanding, Study

CONTINUE = "continue"
EXAMINATION = "final examination"  # no id of a lesson, which has no spaces
_BAR, _SHORTEST_BAR = 16, 8
_WIDEST = 100
_TITLE = max(len(place.title) for place in PLACES)
_CHROME = 6  # rows of the screen that are not the list's: title, greeting, keys


class Lessons(Menu):
    """Continue, and the lessons below it."""

    def __init__(self, study: Study) -> None:
        super().__init__(id="lessons")
        self._study = study
        self._heads: list[int] = []  # rows of each title
        self.due = ""
        self._where: tuple[Lesson, Step] | None = None
        self.look_again()

    def look_again(self) -> None:
        """Reads the record anew. The mark stays where it is, unless the learner was somewhere meanwhile."""
        before = self._where
        self._standings = self._study.lessons()
        self._far = widest(self._standings)
        self._where = where_to_go_on(self._study)
        self._examined = _examined(self._study)
        # What Enter opens first: where the learner was, or the first lesson
        if self._where != before:
            self.chosen = 0
        self.changed()

    def say_due(self, line: str) -> None:
        """Says what is due for practice; without a line, only what practice is."""
        self.due = line.rstrip(".")
        self.changed()

    def scroll_chosen(self) -> None:
        """At the top entry the greeting above it comes back, where there is room for both."""
        if not self.chosen and isinstance(self.parent, VerticalScroll):
            self.parent.scroll_to(y=0, animate=False)
        super().scroll_chosen()

    def entries(self, width: int) -> list[Entry]:
        style = words(self.app)
        width = min(width, _WIDEST)
        entries = []
        if self._where is not None:
            lesson, step = self._where
            number = lesson.steps.index(step) + 1
            place = f"{lesson.title}, step {number} of {len(lesson.steps)}: {step.title}"
            rows = text_rows(self.app.console, Text.assemble(("Continue  ", style.strong), place), width, rest=" " * 10)
            rows[0] = [segment for segment in rows[0] if segment.text]
            entries.append(Entry(CONTINUE, [*rows, []]))
        self._heads.clear()
        lessons = [Entry(standing.lesson.id, self._lesson(standing, width)) for standing in self._standings]
        examination = self._study.course.examination
        if examination is not None:
            # Below the words of the lessons, which begin in one column
            far = [Segment(self._examined.ljust(self._far), style.quiet)]
            lessons.append(Entry(EXAMINATION, self._headed(examination, far, width)))
        places = [Entry(place.id, [self._place(place, width)]) for place in PLACES]
        needed = sum(len(entry.rows) for entry in entries + lessons + places)
        if needed > self.screen.size.height - _CHROME:
            # Not all of it can be seen at once: what a lesson is about, for the chosen one alone
            chosen = self.chosen - len(entries)
            lessons = [
                Entry(entry.id, entry.rows[: -1 if number == chosen else self._heads[number]])
                for number, entry in enumerate(lessons)
            ]
            last = lessons[-1]
            lessons[-1] = Entry(last.id, [*last.rows, *([] if last.rows[-1] == [] else [[]])])
        return entries + lessons + places

    def _place(self, place: Place, width: int) -> Row:
        """Its name, its key, and what is there as far as there is room."""
        style = words(self.app)
        due = f"{self.due}: " if place is PRACTICE and self.due else ""
        about = set_cell_size(place.about, max(0, width - _TITLE - 5 - len(due))).rstrip()
        return [
            Segment(f"{place.title:<{_TITLE}}", style.strong),
            Segment(f"  {place.key}  ", style.focus),
            Segment(due, style.strong),
            Segment(about, style.quiet),
        ]

    def _lesson(self, standing: LessonStanding, width: int) -> list[Row]:
        style = words(self.app)
        far = how_far(standing.solved, standing.revealed, standing.total).ljust(self._far)
        # As many cells for all, so that no lesson's bar goes to a row of its own while others' stay
        titles = max(cell_len(one.lesson.title) + len(_minutes(one.lesson)) for one in self._standings)
        cells = max(_SHORTEST_BAR, min(_BAR, width - titles - self._far - 6))
        drawn = bar(standing.solved, standing.revealed, standing.total, cells, style)
        return self._headed(standing.lesson, [*drawn, Segment(f"  {far}", style.quiet)], width)

    def _headed(self, lesson: Lesson, right: Row, width: int) -> list[Row]:
        """A title with its minutes on the left and how far one is on the right, and below it what it is about."""
        style = words(self.app)
        minutes = _minutes(lesson)
        used = sum(segment.cell_length for segment in right)
        title: Row = [Segment(lesson.title, style.strong), Segment(f"  {minutes}", style.quiet)]
        gap = width - used - sum(segment.cell_length for segment in title)
        first = [[*title, Segment(" " * gap), *right]] if gap >= 2 else [title, right]
        self._heads.append(len(first))
        about = text_rows(self.app.console, Text(lesson.about, style.plain), min(width, 76))
        return [*first, *about, []]


class Home(TutorScreen):
    """The lessons of the course."""

    AUTO_FOCUS = ""  # it would scroll the greeting away
    BINDINGS: ClassVar = [
        Binding("q", "app.quit", "quit", id="home.quit"),
        Binding("x", "sit", "The final examination", show=False, id="home.examination"),
        *(
            Binding(place.key, f"go('{place.id}')", place.title, show=False, id=f"home.{place.title.lower()}")
            for place in PLACES
        ),
    ]
    HELP = """
The lessons of the course, and how far you are in each: a full cell of the bar is something you solved,
a half one is something whose answer you had shown. *Continue* takes you back to the step you were at, and from
the last step of a lesson on to the next lesson. Below the lessons stand the other parts, each with its key.
"""

    def __init__(self, study: Study) -> None:
        super().__init__()
        self._study = study
        self._was_left = False
        self._theme = self.app.theme
        self._counted_after = ""  # the last answer in practice when it was counted what is due

    def compose_body(self) -> ComposeResult:
        style = words(self.app)
        greeting, notices = Said(classes="greeting"), Said(id="notices")
        greeting.say(Text("Move the pictures, predict, write it, have it checked. No GPU needed.", style.quiet))
        notices.say(*(Text(notice, style.wrong) for notice in self._study.store.notices))
        with VerticalScroll(can_focus=False):
            yield greeting
            yield notices
            yield Lessons(self._study)

    def names(self) -> tuple[str, str, str]:
        return "worldsize", self._study.course.title, ""

    def on_mount(self) -> None:
        self.query_one(Lessons).focus(scroll_visible=False)

    def on_screen_suspend(self) -> None:
        self._was_left = True

    def on_screen_resume(self) -> None:
        if self._theme != self.app.theme:
            self._theme = self.app.theme
            self.call_later(self._drawn_anew)
        elif self._was_left:
            lessons = self.query_one(Lessons)
            lessons.look_again()
            self.call_after_refresh(lessons.scroll_chosen)
        # Counted behind the frame: it reads the questions of the whole course
        self.call_after_refresh(self._count_due)

    async def _drawn_anew(self) -> None:
        """What is drawn has the colours of the theme before."""
        due = self.query_one(Lessons).due
        await self.recompose()
        self.query_one(Lessons).say_due(due)
        self.query_one(Lessons).focus(scroll_visible=False)

    def _count_due(self) -> None:
        last = self._study.store.last(PRACTISED)
        if last is not None and last.uid != self._counted_after:
            self._counted_after = last.uid
            self.run_worker(self._count, thread=True, exclusive=True, group="due")

    def _count(self) -> None:
        from tutor.practice.session import Practice
        from tutor.practice.words import due_line

        try:
            due = Practice(self._study).due()
        except (CourseError, ProgressError):
            return  # said where it is opened
        if self.is_attached:
            self.app.call_from_thread(self.query_one(Lessons).say_due, due_line(due) if due else "")

    @on(Menu.Opened)
    def _open(self, event: Menu.Opened) -> None:
        if event.entry == EXAMINATION:
            self.action_sit()
            return
        if any(event.entry == place.id for place in PLACES):
            self.action_go(event.entry)
            return
        where = where_to_go_on(self._study)
        if event.entry == CONTINUE and where is not None:
            lesson, step = where
        else:
            lesson = self._study.lesson(event.entry)
            step = self._study.last_open_step(lesson)
        self.app.push_screen(lesson_screen(self._study, lesson, step))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Not every course has an examination."""
        return action != "sit" or self._study.course.examination is not None

    def action_go(self, place: str) -> None:
        """Opens one of the parts beside the lessons."""
        self.app.push_screen(screen_of(place, self._study))

    def action_sit(self) -> None:
        """The examination that is under way, or the door of a new one."""
        from tutor.app.screens.examination import ExaminationDoor, ExaminationScreen
        from tutor.examination.room import Examination

        room = Examination(self._study)
        sitting = room.sitting()
        self.app.push_screen(ExaminationScreen(room, sitting) if sitting is not None else ExaminationDoor(room))


def _minutes(lesson: Lesson) -> str:
    return f"{lesson.minutes} min"


def _examined(study: Study) -> str:
    """How the learner stands with the examination; before the first one its problems are not read."""
    if study.store.last(BEGUN) is None and study.store.last(ENDED) is None:
        return NOT_BEGUN
    from tutor.examination.room import Examination

    return Examination(study).in_words


def where_to_go_on(study: Study) -> tuple[Lesson, Step] | None:
    """The step where the learner was last; behind a lesson's end the next lesson that is not at its end."""
    where = study.where()
    if study.working_on() is not None or where is None or where[1] is not where[0].steps[-1]:
        return where
    lessons = study.course.lessons
    for lesson in lessons[lessons.index(where[0]) + 1 :]:
        step = study.last_open_step(lesson)
        if step is not lesson.steps[-1] or len(lesson.steps) == 1:
            return lesson, step
    return where
