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
PLAYGROUND = Place("to playground", "v", "Playground", "every picture, with all that can be changed in it")
EXERCISES = Place("to exercises", "e", "Exercises", "how each stands, and where your files are")
SETTINGS = Place("to settings", "s", "Settings", "colours and motion")
PROGRESS = Place("to progress", "r", "Progress", "what is solved, what goes wrong, what is due")
PLACES = (PRACTICE, PLAYGROUND, EXERCISES, PROGRESS, SETTINGS)


def screen_of(place: str, study: Study) -> TutorScreen:
    """The screen of the place with this id."""
    if place == PLAYGROUND.id:
        from tutor.app.screens.playground import Playground

        return Playground()
    if place == EXERCISES.id:
        from tutor.app.screens.exercises import Exercises

        return Exercises(study)
    if place == PROGRESS.id:
        from tutor.app.screens.progress import Progress

        return Progress(study)
    if place == SETTINGS.id:
        from tutor.app.screens.settings import SettingsScreen

        return SettingsScreen()
    from tutor.app.screens.practice import PracticeDoor

    return PracticeDoor(study)
