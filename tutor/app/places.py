"""The screens beside the lessons: what they are called, and how each is opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tutor.app.screens.base import TutorScreen
    from tutor.study import Study


@dataclass(frozen=True)
class Place:
    """One of them, with its key on the first screen."""

    id: str  # no id of a lesson, which has no spaces
    key: str
    title: str
    about: str


PRACTICE = Place("to practice", "p", "Practice", "fresh problems of what you have met")
PLACES = (PRACTICE,)


def screen_of(place: str, study: Study) -> TutorScreen:
    """The screen of the place with this id."""
    from tutor.app.screens.practice import PracticeDoor

    return PracticeDoor(study)
