"""What the linter finds: a place in a course and what is wrong there."""

from __future__ import annotations

from dataclasses import dataclass

from tutor.course.model import CourseError, Place


@dataclass(frozen=True)
class Problem:
    """Something to mend. A warning is no mistake yet: a lesson that is still to be written, say."""

    place: Place
    message: str
    warning: bool = False

    @classmethod
    def of(cls, error: CourseError) -> Problem:
        return cls(error.place, error.message)
