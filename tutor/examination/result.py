"""What came of an examination: every problem with its answer, and what is firm."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any, TypeVar

from tutor.course.model import Course


@dataclass(frozen=True)
class Back:
    """A step to go back to."""

    lesson: str
    lesson_title: str
    step: str
    title: str
    number: int  # of the step in its lesson, from 1

    def under(self, lesson_title: str) -> str:
        """Its place in a list under this lesson's title: what is taught elsewhere names its own lesson.

        >>> back = Back("ring", "The ring", "ring-rule", "Which chunk comes next", 4)
        >>> back.under("The ring"), back.under("Published mistakes")
        ('step 4', 'The ring, step 4')
        """
        return (
            f"step {self.number}" if lesson_title == self.lesson_title else f"{self.lesson_title}, step {self.number}"
        )


@dataclass(frozen=True)
class Judged:
    """One problem as it was asked, answered and judged."""

    problem: str
    title: str
    lesson: str
    lesson_title: str
    question: str  # its words with the numbers in, Markdown
    picture: str  # as it was asked about, in signs that any file carries; empty where there was none
    options: tuple[str, ...]
    given: str  # the answer as it was understood; empty where none was given
    right: bool
    said: str  # to a wrong answer: what is known of the mistake
    misconception: str | None
    belief: str  # that misconception in words
    answer: str  # the right one
    why: str
    back: tuple[Back, ...]


_Part = TypeVar("_Part", Back, Judged)


@dataclass(frozen=True)
class Result:
    """A whole examination. It is kept as it was, also when the course changes."""

    course: str  # its title
    seed: int
    ended: float  # seconds since 1970, UTC
    problems: tuple[Judged, ...]
    not_asked: tuple[str, ...]  # titles of lessons that this examination left out

    @property
    def score(self) -> int:
        return sum(problem.right for problem in self.problems)

    @property
    def firm(self) -> list[str]:
        """Titles of the lessons all of whose problems were answered right, in the order of the course."""
        wrong = {problem.lesson for problem in self.problems if not problem.right}
        return _once(problem.lesson_title for problem in self.problems if problem.lesson not in wrong)

    @property
    def not_yet_firm(self) -> list[tuple[str, tuple[Back, ...]]]:
        """The other lessons, each with the steps to go back to."""
        steps: dict[str, dict[Back, None]] = {}
        for problem in self.problems:
            if not problem.right:
                steps.setdefault(problem.lesson_title, {}).update(dict.fromkeys(problem.back))
        return [(title, tuple(back)) for title, back in steps.items()]

    def to_json(self) -> dict[str, Any]:
        """The result as JSON carries it; `from_json` reads it back."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Result:
        """Raises KeyError, TypeError or ValueError for what is no result."""
        found = [
            _sound(
                Judged(
                    **{
                        **one,
                        "options": tuple(one["options"]),
                        "back": tuple(_sound(Back(**step)) for step in one["back"]),
                    }
                )
            )
            for one in data["problems"]
        ]
        return cls(str(data["course"]), int(data["seed"]), float(data["ended"]), tuple(found), tuple(data["not_asked"]))


def _sound(part: _Part) -> _Part:
    """`part`, if its texts are texts and its flags are flags: a record may come from elsewhere. Raises ValueError."""
    kinds = {"str": str, "bool": bool, "int": int}
    for field in fields(part):
        if not isinstance(getattr(part, field.name), kinds.get(str(field.type), object)):
            raise ValueError(f"{field.name} is no {field.type}")
    return part


def way_back(course: Course, steps: Iterable[str]) -> tuple[Back, ...]:
    """The steps to go back to, those that the course still has."""
    found = [at for id in steps if (at := course.find_step(id)) is not None]
    return tuple(
        Back(lesson.id, lesson.title, step.id, step.title, lesson.steps.index(step) + 1) for lesson, step in found
    )


def _once(titles: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(titles))
