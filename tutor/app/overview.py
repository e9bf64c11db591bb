"""What the record says of a learner: what goes wrong often, what is believed, and on which days there was work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from tutor.course.model import ASK
from tutor.practice import PRACTICE

if TYPE_CHECKING:
    from tutor.course.model import Lesson, Step
    from tutor.practice.session import Practice
    from tutor.progress.store import Event
    from tutor.study import Study

_OF_QUESTION = "question:"  # how the skill of a question is called
MOST_WRONG = 5
_AGAIN = 2  # from how often on a belief is one that came again


@dataclass(frozen=True)
class OftenWrong:
    """A question, and how often it was answered wrongly, fresh numbers in practice included."""

    times: int
    lesson: Lesson
    step: Step


@dataclass(frozen=True)
class Held:
    """A belief in a sentence, how often it was behind a mistake, and how often it was not since."""

    sentence: str
    times: int
    right_since: int


def often_wrong(study: Study) -> list[OftenWrong]:
    """The questions that were answered wrongly most often, the worst first."""
    wrong = Counter(
        event.item.removeprefix(_OF_QUESTION)
        for event in study.store.events()
        if event.kind in ("answer", PRACTICE) and event.detail.get("right") is False and event.detail.get("text")
    )
    places = {
        id: (lesson, step)
        for lesson in study.course.lessons
        for step in lesson.steps
        for kind, id in step.heads
        if kind == ASK
    }
    # Of equally many the one that comes first in the course
    order = list(places)
    found = sorted((id for id in wrong if id in places), key=lambda id: (-wrong[id], order.index(id)))
    return [OftenWrong(wrong[id], *places[id]) for id in found[:MOST_WRONG]]


def met_again(practice: Practice) -> list[Held]:
    """The beliefs that were behind more than one mistake, the most frequent first."""
    said = practice.study.course.misconceptions
    return [
        Held(said[name], belief.times, belief.right_since)
        for name, belief in practice.beliefs.found()
        if belief.times >= _AGAIN and name in said
    ]


def days_of_work(events: Iterable[Event]) -> list[date]:
    """The days on which anything was recorded, oldest first, as the clock on the wall has them."""
    return sorted({datetime.fromtimestamp(max(0.0, min(event.at, 4e9))).date() for event in events})


def strip(days: Sequence[date], today: date, length: int = 28) -> list[bool]:
    """Whether there was work on each of the last days, today last.

    >>> strip([date(2026, 5, 1), date(2026, 5, 3)], date(2026, 5, 3), 4)
    [False, True, False, True]
    """
    worked = set(days)
    return [today - timedelta(days=back) in worked for back in reversed(range(length))]
