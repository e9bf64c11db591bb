"""What a question says, for one of its members: its words with the figures filled in."""

from __future__ import annotations

from hashlib import blake2b

from tutor.answers import cells
from tutor.answers.families import member
from tutor.course import inline
from tutor.course.blocks import ids
from tutor.course.model import ORDER, Course, Exercise, Option, Place, Prose, Question, Step, Wrong


def prose(course: Course, step: Step, block: Prose) -> str:
    """A stretch of a step's prose; `cell …` is of the step's live picture. Raises CourseError."""
    return inline.expand(block.text, block.place, {}, cells.lookup_in(step.live) if step.live else None)


def exercise_text(exercise: Exercise, text: str) -> str:
    """A text of an exercise: its prompt, a hint, its reason. Raises CourseError."""
    return inline.expand(text, exercise.place)


def prompt(course: Course, question: Question, seed: int | None = None) -> str:
    """The question as it is asked. Raises CourseError."""
    return _expanded(course, question, question.prompt, question.at("prompt"), seed)


def reason(course: Course, question: Question, seed: int | None = None) -> str:
    """Why the right answer is right. Raises CourseError."""
    return _expanded(course, question, question.why, question.at("why"), seed)


def hints(course: Course, question: Question, seed: int | None = None) -> tuple[str, ...]:
    """Its hints, from a nudge to nearly the answer. Raises CourseError."""
    return tuple(_expanded(course, question, hint, question.at("hints"), seed) for hint in question.hints)


def reply(course: Course, question: Question, wrong: Wrong, seed: int | None = None) -> str:
    """What a known wrong answer is answered with. Raises CourseError."""
    return _expanded(course, question, wrong.say, wrong.place, seed)


def options_shown(course: Course, question: Question, seed: int | None = None) -> tuple[Option, ...]:
    """The options in the order in which they are shown and numbered, from 1.

    They are shuffled, for each member in its own way but always in the same, so that the place of the
    right one says nothing; unless the question keeps them `in_order`. Raises CourseError.
    """
    options = [
        Option(option.id, _expanded(course, question, option.text, question.at("options"), seed))
        for option in question.options
    ]
    if question.in_order and question.kind != ORDER:
        return tuple(options)
    shuffled = sorted(options, key=lambda option: blake2b(f"{question.id} {seed or 0} {option.id}".encode()).digest())
    if question.kind == ORDER and [option.id for option in shuffled] == ids(question.answer):
        shuffled.append(shuffled.pop(0))
    return tuple(shuffled)


def _expanded(course: Course, question: Question, text: str, place: Place, seed: int | None) -> str:
    return inline.expand(text, place, member(question, seed), cells.lookup(course, question, seed))
