"""Checks of questions: their answers, and the known wrong ones, for every member."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from tutor import units
from tutor.answers import cells, tables
from tutor.answers.families import members
from tutor.answers.judge import matches_options
from tutor.answers.truth import evaluate, tolerance, truth
from tutor.authoring.problem import Problem
from tutor.authoring.words import MOST_MEMBERS
from tutor.course import expressions
from tutor.course.blocks import WITH_CELLS, WITH_OPTIONS, ids
from tutor.course.expressions import ExpressionError
from tutor.course.model import CHOICE, GRID, TABLE, Course, CourseError, Place, Question, Wrong

LEAST_WRONG = 2


def check_question(course: Course, question: Question) -> Iterator[Problem]:
    """What is wrong with a question besides its words."""
    yield from _what_is_missing(question)
    yield from _misconceptions(course, question)
    yield from _variables(question)
    yield from _unit(question)
    if question.live and course.live(question.live) is None:
        yield Problem(question.at("live"), f"{question.id}: no live picture is called {question.live!r}")
        return
    if question.kind in WITH_OPTIONS:
        yield from _options(question)
        return
    yield from _literals(question)
    check = _cells if question.kind in WITH_CELLS else _numbers
    found: dict[tuple[Place, str], None] = {}
    # The same mistake in many members is told once, with the first member's numbers
    told: set[tuple[Place, str]] = set()
    for seed, variables in members(question, MOST_MEMBERS):
        for place, kind, message in check(course, question, seed):
            if (place, kind) not in told:
                told.add((place, kind))
                found[place, message + _for(variables)] = None
    yield from (Problem(place, message) for place, message in found)


def _for(variables: Mapping[str, float | str]) -> str:
    return f" (for {', '.join(f'{name}={value}' for name, value in variables.items())})" if variables else ""


def _what_is_missing(question: Question) -> Iterator[Problem]:
    if not question.hints and not question.back:
        yield Problem(question.at("hints"), f"{question.id}: no hints")
    if not all(question.hints):
        yield Problem(question.at("hints"), f"{question.id}: an empty hint")
    if not question.why:
        yield Problem(question.at("why"), f"{question.id}: no why: the reason that is told with the answer")
    if len(question.wrong) < LEAST_WRONG:
        message = f"{len(question.wrong)} [[wrong]]; at least {LEAST_WRONG} known wrong answers are asked for"
        yield Problem(question.place, f"{question.id}: {message}")


def _misconceptions(course: Course, question: Question) -> Iterator[Problem]:
    for wrong in question.wrong:
        if wrong.misconception not in course.misconceptions:
            near = get_close_matches(wrong.misconception, course.misconceptions, n=3, cutoff=0.5)
            known = f"near it: {', '.join(near)}" if near else "add it to course.toml"
            yield Problem(wrong.place, f"{question.id}: unknown misconception {wrong.misconception!r}; {known}")


def _variables(question: Question) -> Iterator[Problem]:
    """A number that varies unseen, or that nothing uses."""
    asked = " ".join([question.prompt, *(option.text for option in question.options)])
    shown = " ".join([*re.findall(r"\{\{(.*?)\}\}", asked, re.S), *question.live_with.values()])
    everything = " ".join(
        [shown, question.answer, question.why, question.cells, *question.hints]
        + [f"{wrong.match} {wrong.at} {wrong.say}" for wrong in question.wrong]
    )
    for key, names in (("vary", question.vary), ("given", question.given)):
        for name in names:
            word = re.compile(rf"\b{re.escape(name)}\b")
            if key == "vary" and not word.search(shown):
                message = f"{question.id}: {name!r} varies, but neither prompt nor picture shows it"
                yield Problem(question.at(key), message)
            elif not word.search(everything):
                yield Problem(question.at(key), f"{question.id}: nothing uses {name!r}", warning=True)


def _unit(question: Question) -> Iterator[Problem]:
    found = units.find(question.unit) if question.unit else None
    if found and not units.is_format(question.unit):
        yield Problem(question.at("unit"), f"{question.id}: unit {question.unit!r} is written {found.name}")
    elif question.unit and not found and not re.fullmatch(r"[^\W\d][\w -]*", question.unit):
        message = f"{question.id}: unit {question.unit!r}; accepted: a unit such as GB, s or %, or a noun such as steps"
        yield Problem(question.at("unit"), message)


def _options(question: Question) -> Iterator[Problem]:
    right = ids(question.answer)
    seen: dict[tuple[str, ...], int] = {}
    for number, wrong in enumerate(question.wrong, 1):
        described = tuple(ids(wrong.match))
        if not described:
            yield Problem(wrong.place, f"{question.id}: wrong {number} names no option")
        elif question.kind == CHOICE and len(described) > 1:
            yield Problem(
                wrong.place, f"{question.id}: wrong {number} names {len(described)} options; a choice has one"
            )
        elif matches_options(question, wrong, right):
            yield Problem(wrong.place, f"{question.id}: wrong {number} ({wrong.match}) fits the right answer")
        elif described in seen:
            yield Problem(wrong.place, f"{question.id}: wrong {number} is the same as wrong {seen[described]}")
        seen.setdefault(described, number)


def _literals(question: Question) -> Iterator[Problem]:
    """Answers that are typed in, and expressions that cannot be read."""
    where = [] if question.kind in WITH_CELLS else [(question.at("answer"), "answer", question.answer)]
    where += [(wrong.place, f"wrong {number}", wrong.match) for number, wrong in enumerate(question.wrong, 1)]
    for place, name, text in where:
        try:
            literal = expressions.is_literal(text)
        except ExpressionError as error:
            # In a grid a known wrong answer may be an operation, such as 0F1
            if question.kind != GRID:
                yield Problem(place, f"{question.id}: {name}: {error}")
            continue
        if literal:
            message = f"{question.id}: {name} is typed in ({text}); name a quantity, a cell or a variable"
            yield Problem(place, message)


def _numbers(course: Course, question: Question, seed: int) -> Iterator[tuple[Place, str, str]]:
    """Place, kind and message of each mistake of one member."""
    try:
        right = truth(course, question, seed).value
        unit = evaluate(course, question, question.answer, question.at("answer"), seed).unit
    except CourseError as error:
        yield error.place, "answer", error.message
        return
    if unit and units.measure_of(unit) != units.measure_of(question.unit):
        message = f"{question.id}: the answer is in {units.measure_of(unit)}; the question needs a unit such as {unit}"
        yield question.at("unit" if question.unit else "answer"), "unit", message
    before: list[tuple[int, float]] = []
    for number, wrong in enumerate(question.wrong, 1):
        try:
            value = evaluate(course, question, wrong.match, wrong.place, seed).value
        except CourseError as error:
            yield error.place, "wrong", _of_wrong(question, number, error)
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            yield wrong.place, "wrong", f"{question.id}: wrong {number} comes to {value!r}, which is no number"
            continue
        if _near(question, value, right):
            yield wrong.place, "right", f"{question.id}: wrong {number} comes within tolerance of the right answer"
        for other, its in before:
            if _near(question, value, its):
                message = f"{question.id}: wrong {number} comes within tolerance of wrong {other}"
                yield wrong.place, f"wrong {other}", message
        before.append((number, value))


def _of_wrong(question: Question, number: int, error: CourseError) -> str:
    return f"{question.id}: wrong {number}: {error.message.removeprefix(f'{question.id}: ')}"


def _near(question: Question, value: float, other: float) -> bool:
    """Whether one typed number would be taken for both."""
    allowed = tolerance(question, value) * abs(value) + tolerance(question, other) * abs(other)
    return abs(value - other) <= allowed + 1e-9 * max(abs(value), abs(other))


def _cells(course: Course, question: Question, seed: int) -> Iterator[tuple[Place, str, str]]:
    try:
        rows = cells.rows(course, question, seed)
    except CourseError as error:
        yield error.place, "cells", error.message
        return
    asked = {place: value for row in rows for place, value in row}
    if question.kind == TABLE and not all(isinstance(value, (int, float)) for value in asked.values()):
        yield question.at("cells"), "cells", f"{question.id}: a table asks for numbers, and a cell holds none"
    before: list[tuple[int, str, object]] = []
    for number, wrong in enumerate(question.wrong, 1):
        at = cells.matching(wrong.at, asked, question, seed)
        if len(at) != 1:
            count = f"{len(at)} of the cells" if at else "none of the cells"
            yield wrong.place, "at", f"{question.id}: wrong {number}: {wrong.at!r} names {count} asked for"
            continue
        try:
            value = _wrong_cell(course, question, wrong, seed)
        except CourseError as error:
            yield error.place, "wrong", _of_wrong(question, number, error)
            continue
        if tables.same_cell(value, asked[at[0]], question.tolerance):
            yield wrong.place, "right", f"{question.id}: wrong {number} is what the cell holds"
        for other, its_at, its in before:
            if its_at == wrong.at and its == value:
                yield wrong.place, f"wrong {other}", f"{question.id}: wrong {number} is the same as wrong {other}"
        before.append((number, wrong.at, value))


def _wrong_cell(course: Course, question: Question, wrong: Wrong, seed: int) -> tables.CellTyped:
    if question.kind == GRID:
        typed = cells.wrong_cell_value(course, question, wrong, seed)
        if isinstance(typed, str) and not tables.is_operation(typed):
            accepted = "an operation such as 1F0, or . for an idle slot"
            raise CourseError(
                wrong.place, f"{question.id}: {typed!r} is nothing that a slot holds; accepted: {accepted}"
            )
        return typed
    value = evaluate(course, question, wrong.match, wrong.place, seed).value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise CourseError(wrong.place, f"{question.id}: comes to {value!r}, which is no number")
    return value
