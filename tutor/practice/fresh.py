"""A question of the course with other numbers: another member of its family, one beyond its lists, or other values."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tutor.answers.families import count_members
from tutor.answers.truth import evaluate, tolerance, truth
from tutor.course.model import NUMBER, TABLE, Course, CourseError, Live, Question
from tutor.practice.problem import Problem, Skill, made

_TRIES = 30
_LARGEST_VALUE = 30  # of the numbers that workers hold in a picture


def can_be_fresh(course: Course, question: Question) -> bool:
    """Whether there is more than one form of this question."""
    return count_members(question) > 1 or _values(course, question) is not None


def fresh(skill: Skill, course: Course, question: Question, draw: random.Random) -> Problem:
    """The question with numbers that `draw` gives, such that no known wrong answer is right by accident."""
    for _ in range(_TRIES):
        problem = _drawn(skill, course, question, draw)
        if tells_apart(problem):
            return problem
    seed = draw.randrange(count_members(question)) if count_members(question) > 1 else None
    return Problem(skill, course, question, seed)


def tells_apart(problem: Problem) -> bool:
    """Whether every known wrong answer can be computed, and differs from the right one and from every other."""
    course, question, seed = problem.course, problem.question, problem.seed
    try:
        right = truth(course, question, seed).value
        if question.kind != NUMBER:
            return True
        values = [evaluate(course, question, wrong.match, wrong.place, seed).value for wrong in question.wrong]
    except CourseError:
        return False
    if any(isinstance(value, bool) or not isinstance(value, (int, float)) for value in values):
        return False
    near = max(tolerance(question, right), 0.01)
    others = [value for value in values if _near(value, right, near)]
    return not others and math.isfinite(right)


def _near(one: float, other: float, share: float) -> bool:
    return abs(one - other) <= share * max(abs(one), abs(other)) or one == other


def _drawn(skill: Skill, course: Course, question: Question, draw: random.Random) -> Problem:
    live = _values(course, question)
    if live is not None:
        rows = live.parameters["values"]
        other = {**live.parameters, "values": [[draw.randint(1, _LARGEST_VALUE) for _ in row] for row in rows]}
        return made(skill, course, question, replace(live, parameters=other))
    if question.kind != NUMBER or question.live_with or draw.random() < 0.4:
        # What is right may hang on the listed numbers; and they are good numbers
        return Problem(skill, course, question, draw.randrange(count_members(question)))
    chosen = {name: (_beyond(values, draw),) for name, values in question.vary.items()}
    other_question = replace(question, vary=chosen)
    seen = course.step_of(question.id)
    if seen is None or question.live:
        return Problem(skill, course, other_question, 0)
    return made(skill, course, other_question)


def _beyond(values: Sequence[float | str], draw: random.Random) -> float | str:
    """A value like these: of the list, or between its ends in steps that the list suggests."""
    numbers = [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
    if len(numbers) < len(values) or len(numbers) < 2:
        return draw.choice(list(values))
    least, most = min(numbers), max(numbers)
    if all(isinstance(value, int) and value > 0 for value in numbers):
        whole = [int(value) for value in numbers]
        if all(value & (value - 1) == 0 for value in whole):
            return int(2 ** draw.randint(int(least).bit_length() - 1, int(most).bit_length() - 1))
        step = math.gcd(*whole)
        return draw.randrange(int(least), int(most) + 1, step)
    return draw.choice(numbers)


def _values(course: Course, question: Question) -> Live | None:
    """The picture with numbers typed out that a table is to be filled in from; None where there is none."""
    if question.kind != TABLE or not question.live or question.vary:
        return None
    live = course.live(question.live)
    rows: Any = live.parameters.get("values") if live is not None else None
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        return None
    return live
