"""The right answer of a question, computed by the engine, and how near to it an answer has to be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from tutor import units
from tutor.answers import cells, tables
from tutor.answers.families import member
from tutor.answers.texts import options_shown
from tutor.course import expressions
from tutor.course.blocks import WITH_CELLS, WITH_OPTIONS, ids
from tutor.course.expressions import ExpressionError
from tutor.course.model import CHOICE, NUMBER, ORDER, Course, CourseError, Place, Question

DEFAULT_TOLERANCE = 0.005
# Whole numbers up to here are counts: 14 steps are not 14.05
_LARGEST_COUNT = 10_000
# A number below 1 is a share where the prompt speaks of one; a gradient of 0.3 is none
_SHARE = re.compile(r"\b(?:share|fraction|percent)", re.IGNORECASE)


@dataclass(frozen=True)
class Answer:
    """The right answer of a question."""

    # In base units (bytes, seconds, a share of 1) for a number; an option's id; a list of ids; a list of rows
    value: Any
    shown: str  # as a person reads it: "38.5 GB"
    worked: str = ""  # the formula with the numbers in, where the engine has one


def truth(course: Course, question: Question, seed: int | None = None) -> Answer:
    """The right answer. Raises CourseError when the course's expression cannot be computed."""
    if question.kind in WITH_CELLS:
        rows = [[value for _, value in row] for row in cells.rows(course, question, seed)]
        return Answer(rows, tables.show_rows(rows))
    if question.kind in WITH_OPTIONS:
        named = ids(question.answer)
        texts = {option.id: option.text for option in options_shown(course, question, seed)}
        shown = (", then " if question.kind == ORDER else "; ").join(texts.get(id, id) for id in named)
        return Answer(named[0] if question.kind == CHOICE else named, shown)
    result = evaluate(course, question, question.answer, question.at("answer"), seed)
    value = result.value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value or abs(value) > 1e300:
        raise CourseError(question.at("answer"), f"{question.answer!r} comes to {value!r}, which is no number")
    return Answer(value, show_value(question, value), result.worked)


def evaluate(
    course: Course, question: Question, text: str, place: Place, seed: int | None = None
) -> expressions.Result:
    """What an expression of this question comes to for one member. Raises CourseError at `place`."""
    try:
        return expressions.evaluate(text, member(question, seed), cells.lookup(course, question, seed))
    except ExpressionError as error:
        raise CourseError(place, f"{question.id}: {error}") from None


def show_value(question: Question, value: float) -> str:
    """A value in base units, in the question's unit: `38.5 GB`, `14 steps`; what the prompt calls a share in % too."""
    if not question.unit and 0 < abs(value) < 1 and _SHARE.search(question.prompt):
        return f"{units.show(value)} ({units.show(value, '%')})"
    if not question.unit or units.is_format(question.unit):
        return units.show(value, question.unit)
    return f"{units.show(value)} {units.one_of(question.unit) if value == 1 else question.unit}"


def tolerance(question: Question, value: Any) -> float:
    """How far from the right `value` an answer may be, relative to it; 0 where only the value itself will do."""
    if question.tolerance is not None:
        return question.tolerance
    counts = units.measure_of(question.unit) in (units.COUNT, units.BYTES)
    if counts and value == int(value) and abs(value) <= _LARGEST_COUNT:
        return 0.0
    return DEFAULT_TOLERANCE


def tolerance_shown(course: Course, question: Question, seed: int | None = None) -> str:
    """How near an answer has to be, as a person reads it; empty where it has to be exact. Raises CourseError."""
    if question.kind != NUMBER:
        return ""
    share = tolerance(question, truth(course, question, seed).value)
    return f"to within {units.show(share, '%')}" if share else ""
