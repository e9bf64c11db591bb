"""How every exercise of the course stands, read off the record and the learner's folder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tutor.course.model import CODE, CourseError, Exercise
from tutor.progress.standing import REVEALED, SOLVED, ItemStanding

if TYPE_CHECKING:
    from tutor.course.model import Lesson, Step
    from tutor.progress.store import Event
    from tutor.study import Study

NOT_BEGUN, BEGUN, FAILING = "not begun", "begun", "failing"
SIGNS = {SOLVED: "✓", REVEALED: "▒", FAILING: "×", BEGUN: "~", NOT_BEGUN: "·"}


@dataclass(frozen=True)
class Written:
    """One exercise: where it stands in the course, its file, and how far it is."""

    id: str
    title: str
    lesson: Lesson
    step: Step
    file: Path
    there: bool  # whether the file is
    state: str


def exercises(study: Study) -> list[Written]:
    """The exercises in the order of the course."""
    standings = study.standings()
    found = []
    for lesson in study.course.lessons:
        for step in lesson.steps:
            for name in (id for kind, id in step.heads if kind == CODE):
                file = study.exercise_folder / f"{name}.py"
                there = file.exists()
                standing = standings.get(name, ItemStanding())
                state = standing.state
                if state not in (SOLVED, REVEALED):
                    state = open_state(study.store.events(item=name), there)
                found.append(Written(name, _title(name, step), lesson, step, file, there, state))
    return found


def _title(name: str, step: Step) -> str:
    """Its own, as steps of several lessons may be called alike; its function's name where the step is damaged."""
    try:
        return next(block.title for block in step.blocks if isinstance(block, Exercise) and block.id == name)
    except CourseError:
        return name  # what is wrong is said where it is opened


def open_state(events: Iterable[Event], there: bool) -> str:
    """How an exercise stands that is neither solved nor revealed, by what happened to its file last."""
    state = BEGUN if there else NOT_BEGUN
    for event in events:
        if event.kind == "check":
            state = FAILING
        elif event.kind in ("start", "reset"):
            state = BEGUN
    return state if there or state == FAILING else NOT_BEGUN
