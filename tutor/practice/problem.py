"""One problem to practise, and the skill that it belongs to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from tutor.course.model import Block, Course, Lesson, Live, Place, Question, Step

NOWHERE = Place(Path("practice"), 0)  # what is made up stands in no file


@dataclass(frozen=True)
class Skill:
    """Something that can be practised again and again: a question of the course, a quantity, a kind of picture."""

    id: str  # "question:ring-bytes", "quantity:ring.time", "picture:ring-step"
    lesson: Lesson
    step: Step  # that teaches it

    @property
    def title(self) -> str:
        """What it is called beside others of the same step."""
        kind, _, name = self.id.partition(":")
        return f"{self.step.title} ({name})" if kind == "quantity" else self.step.title


@dataclass(frozen=True)
class Problem:
    """A question with its numbers. It is judged in `course`, which holds its picture where it has one."""

    skill: Skill
    course: Course
    question: Question
    seed: int | None = None

    @property
    def live(self) -> Live | None:
        """The picture that the question is about."""
        return self.course.live(self.question.live) if self.question.live else None

    @property
    def step(self) -> Step:
        """The problem as a step: its picture, if any, and the question."""
        blocks: tuple[Block, ...] = (self.question,) if self.live is None else (self.live, self.question)
        return Step(self.question.id, self.skill.title, blocks, self.question.place)


def made(skill: Skill, course: Course, question: Question, live: Live | None = None) -> Problem:
    """A problem that stands in no lesson, in a course of its own with its picture; beliefs are those of `course`."""
    blocks: tuple[Block, ...] = (question,) if live is None else (live, question)
    step = Step(question.id, skill.title, blocks, question.place)
    lesson = replace(skill.lesson, steps=(step,))
    return Problem(skill, replace(course, lessons=(lesson,), examination=None), question)
