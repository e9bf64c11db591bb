"""The picture of a problem as it is asked about: what is to be filled in stays covered."""

from __future__ import annotations

from dataclasses import dataclass

from tutor.answers import cells
from tutor.course.blocks import WITH_CELLS
from tutor.course.model import Course, Question
from tutor.views.picture import Mark, Picture, Role


@dataclass(frozen=True)
class BlankPicture:
    picture: Picture
    caption: str


def blank_picture(course: Course, question: Question, seed: int | None) -> BlankPicture | None:
    """The picture with its caption, or None where the question has none. Raises CourseError."""
    if not question.live:
        return None
    live = cells.live_picture(course, question, seed)
    shown = cells.scene(live)
    step = min(live.step, shown.last_step)
    picture = shown.picture(step)
    if question.kind in WITH_CELLS and cells.step_asked(course, question, seed) <= step:
        asked = [place for row in cells.places(course, question, seed) for place in row]
        picture = picture.marked({place: Mark(Role.BLANK) for place in asked})
    return BlankPicture(picture, shown.caption(step))
