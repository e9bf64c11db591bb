"""The next hint of a question or an exercise, line by line."""

from __future__ import annotations

from tutor.course.model import CourseError
from tutor.plain.paper import Paper
from tutor.progress.store import ProgressError
from tutor.study import Study, Unknown


def say_hint(paper: Paper, study: Study, item: str, what: str, seed: int | None = None) -> None:
    """Says the next hint of `item`, which is called `what` ("question"), or that there is none."""
    try:
        hint = study.hint(item, seed)
    except Unknown:
        paper.say(f"There are no hints for this {what}.")
    except (CourseError, ProgressError) as error:
        paper.say(f"{error}.")
    else:
        paper.together(f"Hint {hint.number} of {hint.of}: {hint.text}")
