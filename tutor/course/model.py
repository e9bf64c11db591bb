"""The course as the rest of the tutor sees it: lessons, their steps, and what a step holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LIVE, ASK, CODE = "live", "ask", "code"  # the blocks of a lesson file
NUMBER, CHOICE, CHOICES, ORDER, TABLE, GRID = "number", "choice", "choices", "order", "table", "grid"


@dataclass(frozen=True)
class Place:
    """Where in a course something stands; lines count from 1."""

    file: Path
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class CourseError(Exception):
    """A course file that cannot be read as one, with its place and what would be accepted."""

    def __init__(self, place: Place, message: str) -> None:
        self.place = place
        self.message = message
        super().__init__(f"{place}: {message}")


@dataclass(frozen=True)
class Prose:
    """Markdown, with quantities between double braces not yet expanded."""

    text: str
    place: Place


@dataclass(frozen=True)
class Live:
    """A live picture: a topic of `tutor.views` and its parameters."""

    id: str
    topic: str
    parameters: Mapping[str, Any]
    place: Place
    step: int = 0  # the step at which it opens


@dataclass(frozen=True)
class Option:
    id: str
    text: str


@dataclass(frozen=True)
class Wrong:
    """A known wrong answer: what it looks like, which belief it comes from, what to say to it."""

    # An expression (number, and one cell of a table or grid); an option's id (choice); for choices ids that were
    # ticked, or with ! left out; for order ids that came in this sequence
    match: str
    misconception: str
    say: str
    place: Place
    at: str = ""  # table and grid: the cell in which `match` is looked for


@dataclass(frozen=True)
class Question:
    """One question. `answer` is an expression, an option id, ids with commas, or empty for table and grid."""

    id: str
    kind: str
    prompt: str
    answer: str
    why: str
    place: Place
    hints: tuple[str, ...] = ()
    wrong: tuple[Wrong, ...] = ()
    options: tuple[Option, ...] = ()
    live: str = ""  # the live picture that `cell …` expressions and `cells` speak of
    live_with: Mapping[str, str] = field(
        default_factory=dict
    )  # parameters of it that this question sets, as expressions
    cells: str = ""  # table and grid: which cells to fill, as a selector: "step=1"; empty for all as it opens
    unit: str = ""
    tolerance: float | None = None  # relative; None is the default of answers
    given: Mapping[str, float | str] = field(default_factory=dict)
    vary: Mapping[str, tuple[float | str, ...]] = field(default_factory=dict)
    in_order: bool = False  # options are shown as written, not shuffled
    back: tuple[str, ...] = ()  # a problem of the examination: the steps that teach it, the first of them first
    lines: Mapping[str, int] = field(default_factory=dict, repr=False, compare=False)  # key -> its line in the file

    def at(self, key: str) -> Place:
        """Where this key of the question stands."""
        return Place(self.place.file, self.lines.get(key, self.place.line))


@dataclass(frozen=True)
class Exercise:
    """A file that the learner writes: `<lesson>/exercises/<id>/` with task.py, solution.py, check.py, mutants."""

    id: str
    title: str
    folder: Path
    prompt: str
    hints: tuple[str, ...]
    why: str
    place: Place


Block = Prose | Live | Question | Exercise


@dataclass(frozen=True)
class Step:
    """One screen of a lesson: prose, at most one live picture, at most one question or exercise."""

    id: str
    title: str
    blocks: tuple[Block, ...]
    place: Place

    @property
    def heads(self) -> tuple[tuple[str, str], ...]:
        """Kind (LIVE, ASK, CODE) and id of the blocks that have one; an unread step knows them without reading."""
        kinds = {Live: LIVE, Question: ASK, Exercise: CODE}
        return tuple((kinds[type(block)], block.id) for block in self.blocks if not isinstance(block, Prose))

    def holds(self, kinds: tuple[str, ...], id: str = "") -> bool:
        """Whether it has a block of one of these kinds, with this id if one is given."""
        return any(kind in kinds and id in ("", name) for kind, name in self.heads)

    @property
    def live(self) -> Live | None:
        return next((block for block in self.blocks if isinstance(block, Live)), None)

    @property
    def question(self) -> Question | None:
        return next((block for block in self.blocks if isinstance(block, Question)), None)

    @property
    def exercise(self) -> Exercise | None:
        return next((block for block in self.blocks if isinstance(block, Exercise)), None)


@dataclass(frozen=True)
class Term:
    """A term of the field. Course files hold them apart from the lessons: `tutor.course.glossary`."""

    name: str
    also: tuple[str, ...]  # other names for it
    text: str  # its definition, with quantities between double braces not yet expanded
    step: str  # the step that defines it
    place: Place


@dataclass(frozen=True)
class Lesson:
    id: str
    title: str
    about: str  # one sentence for the home screen
    minutes: int
    needs: tuple[str, ...]
    steps: tuple[Step, ...]
    folder: Path


@dataclass(frozen=True)
class Course:
    """Every lesson in order, with look-ups by the permanent ids."""

    title: str
    folder: Path
    lessons: tuple[Lesson, ...]
    misconceptions: Mapping[str, str]  # id -> the belief, in a sentence
    examination: Lesson | None = None  # its steps hold a problem each; no lesson, so that nothing reveals an answer

    def lesson(self, lesson_id: str) -> Lesson | None:
        return next((lesson for lesson in self.lessons if lesson.id == lesson_id), None)

    def find_step(self, step_id: str) -> tuple[Lesson, Step] | None:
        return next(((lesson, step) for lesson in self.lessons for step in lesson.steps if step.id == step_id), None)

    def ids(self, *kinds: str) -> list[str]:
        """The ids of all blocks of these kinds, in the order of the course."""
        return [id for lesson in self.lessons for step in lesson.steps for kind, id in step.heads if kind in kinds]

    def questions(self) -> dict[str, Question]:
        asking = (step for lesson in self.lessons for step in lesson.steps if step.holds((ASK,)))
        return {step.question.id: step.question for step in asking if step.question}

    def exercises(self) -> dict[str, Exercise]:
        asking = (step for lesson in self.lessons for step in lesson.steps if step.holds((CODE,)))
        return {step.exercise.id: step.exercise for step in asking if step.exercise}

    def question(self, id: str) -> Question | None:
        found = self._holding((ASK,), id)
        return found[1].question if found else None

    def exercise(self, id: str) -> Exercise | None:
        found = self._holding((CODE,), id)
        return found[1].exercise if found else None

    def live(self, live_id: str) -> Live | None:
        found = self._holding((LIVE,), live_id)
        return found[1].live if found else None

    def step_of(self, id: str) -> tuple[Lesson, Step] | None:
        """The lesson and step that hold the question or exercise `id`."""
        return self._holding((ASK, CODE), id)

    def _holding(self, kinds: tuple[str, ...], id: str) -> tuple[Lesson, Step] | None:
        """The first step with such a block; a picture may be the examination's."""
        everywhere = [*self.lessons, *([self.examination] if self.examination and kinds == (LIVE,) else [])]
        found = ((lesson, step) for lesson in everywhere for step in lesson.steps if step.holds(kinds, id))
        return next(found, None) if id else None
