"""A typed answer judged: right, a known wrong answer, a near miss, or the first difference named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf, log
from typing import Any

from tutor import units
from tutor.answers import cells, choices, tables
from tutor.answers.families import members
from tutor.answers.near_misses import near_miss
from tutor.answers.numbers import Reading, TypedNumber, read_number
from tutor.answers.texts import hints, options_shown, prompt, reason, reply
from tutor.answers.truth import Answer, evaluate, tolerance, tolerance_shown, truth
from tutor.answers.verdict import NotUnderstood, Verdict
from tutor.course.blocks import WITH_CELLS, WITH_OPTIONS, ids
from tutor.course.model import CHOICE, CHOICES, GRID, ORDER, Course, CourseError, Question, Wrong
from tutor.views.picture import Cell

__all__ = [
    "Answer",
    "NotUnderstood",
    "Verdict",
    "hints",
    "judge",
    "options_shown",
    "prompt",
    "reason",
    "tolerance_shown",
    "truth",
]

# A rounded share (27% for 3/11) counts when it has two digits and is this near
_ROUNDED = 0.02


def judge(course: Course, question: Question, text: str, seed: int | None = None) -> Verdict:
    """What is to be said of `text` as an answer to `question` (its member `seed`, where it is a family).

    Raises NotUnderstood, with what would be accepted, for text that is no answer to this kind of
    question, and CourseError where the course's own expressions cannot be computed.
    """
    if question.kind in WITH_CELLS:
        return _judge_cells(course, question, text, seed)
    if question.kind in WITH_OPTIONS:
        return _judge_options(course, question, text, seed)
    return _judge_number(course, question, text, seed)


def _verdict(
    course: Course,
    question: Question,
    seed: int | None,
    value: Any,
    understood: str,
    wrong: tuple[str, str | None] | None,
) -> Verdict:
    """The verdict for an answer; `wrong` is what to say to a wrong one and the misconception behind it."""
    if wrong is None:
        return Verdict(question.id, True, value, understood, reason(course, question, seed))
    say, misconception = wrong
    return Verdict(
        question.id, False, value, understood, say, misconception if misconception in course.misconceptions else None
    )


# Numbers


def _judge_number(course: Course, question: Question, text: str, seed: int | None) -> Verdict:
    right = truth(course, question, seed).value
    typed = read_number(text, question.unit, units.natural(right, question.unit))
    allowed = tolerance(question, right)
    known = [
        (wrong, value) for wrong in question.wrong if (value := wrong_value(course, question, wrong, seed)) is not None
    ]

    def verdict(reading: Reading, wrong: tuple[str, str | None] | None) -> Verdict:
        own = units.find(question.unit) if question.unit else None
        value = reading.value / own.factor if own else reading.value
        return _verdict(course, question, seed, _plain(value), _read_back(question, reading), wrong)

    for rounded in (False, True):
        for reading in typed.readings:
            if _agrees(reading, right, allowed, rounded=rounded):
                return verdict(reading, None)
        for wrong, value in known:
            for reading in typed.readings:
                if _agrees(reading, value, tolerance(question, value), rounded=rounded):
                    return verdict(reading, (reply(course, question, wrong, seed), wrong.misconception))
    for reading in typed.readings:
        if allowed and _rounds_to(reading, right):
            shown = _read_back(question, reading)
            return verdict(reading, (f"{shown} is near, but rounded too far: give one digit more.", None))
    for wrong, value in known:
        for reading in typed.readings:
            if tolerance(question, value) and _rounds_to(reading, value):
                return verdict(reading, (reply(course, question, wrong, seed), wrong.misconception))
    first = _likeliest(typed, right)
    miss = near_miss(typed, right, question.unit)
    if miss:
        return verdict(first, (miss.say, miss.misconception))
    return verdict(first, (_direction(course, question, first, right), None))


def wrong_value(course: Course, question: Question, wrong: Wrong, seed: int | None) -> float | None:
    """The number that a known wrong answer comes to for this member; None where it comes to none."""
    try:
        value = evaluate(course, question, wrong.match, wrong.place, seed).value
    except CourseError:
        return None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _agrees(reading: Reading, value: float, allowed: float, *, rounded: bool) -> bool:
    difference = abs(reading.value - value)
    if difference <= abs(value) * (allowed + 1e-9) or difference <= 1e-12 * max(
        1.0, reading.unit.factor if reading.unit else 1.0
    ):
        return True
    return rounded and bool(allowed) and abs(value) < 1 and _rounds_to(reading, value)


def _rounds_to(reading: Reading, value: float) -> bool:
    """Whether what was typed is `value` in fewer digits, two at least: 3.2 for 3.234."""
    if reading.step is None or reading.digits < 2:
        return False
    difference = abs(reading.value - value)
    return difference <= reading.step * (0.5 + 1e-6) and difference <= abs(value) * _ROUNDED


def _likeliest(typed: TypedNumber, right: float) -> Reading:
    """The reading nearest to the right value, by factor: 40e9 for 38.5 GB was meant in bytes."""

    def apart(reading: Reading) -> float:
        ratio = reading.value / right if right else 0.0
        return abs(log(ratio)) if 0 < ratio < inf else inf

    return min(typed.readings, key=apart)


def _read_back(question: Question, reading: Reading) -> str:
    """What was typed, in the unit in which it was taken; all its digits where it was one number."""
    digits = 10 if reading.step is not None else 6
    unit = reading.unit
    if unit and unit.factor == 1 and unit.name in units.AUTOMATIC and unit.measures != units.SECONDS:
        unit = units.natural(reading.value, unit.name)
    if unit is None:
        noun = question.unit if units.find(question.unit) is None else ""
        return f"{_figure(reading.value, digits)} {units.one_of(noun) if reading.value == 1 else noun}".strip()
    number = _figure(reading.value / unit.factor, digits)
    return f"{number}{unit.name}" if unit.name in ("%", "x") else f"{number} {unit.name}"


def _figure(value: float, digits: int) -> str:
    whole = value == int(value) and abs(value) < 1e15
    return f"{int(value):,}" if whole else f"{value:,.{digits}g}"


def _direction(course: Course, question: Question, reading: Reading, right: float) -> str:
    shown = _read_back(question, reading)
    whole = units.measure_of(question.unit) == units.COUNT and _always_whole(course, question)
    if whole and not question.unit:
        # The number of a chunk or stage, or a cell: neither above nor below says anything
        return f"{shown} is not it."
    if whole and question.unit != "x" and not float(reading.value).is_integer():
        return f"{shown} is not it: this counts something, so the answer is a whole number."
    return f"{shown} is too {'high' if reading.value > right else 'low'}."


def _always_whole(course: Course, question: Question) -> bool:
    """Whether the right answer of every member is a whole number (of the first hundred, spread over the family)."""
    return all(float(truth(course, question, seed).value).is_integer() for seed, _ in members(question, 100))


def _plain(value: float) -> int | float:
    """A whole number without its point."""
    rounded = round(value, 12) if abs(value) < 1e6 else value
    return int(rounded) if abs(rounded) < 1e15 and rounded == int(rounded) else rounded


# Options


def _judge_options(course: Course, question: Question, text: str, seed: int | None) -> Verdict:
    options = options_shown(course, question, seed)
    texts = {option.id: option.text for option in options}
    if question.kind == CHOICE:
        chosen = choices.read_choice(text, options)
        right = chosen == ids(question.answer)[0]
        wrong = None if right else _known_option(course, question, [chosen], seed) or ("That is not it.", None)
        return _verdict(course, question, seed, chosen, texts[chosen], wrong)
    wanted = ids(question.answer)
    if question.kind == CHOICES:
        named = choices.read_choices(text, options)
        right = set(named) == set(wanted)
        generic = _how_many(named, wanted)
    else:
        named = choices.read_order(text, options)
        right = named == wanted
        generic = _first_out_of_order(named, wanted, texts)
    wrong = None if right else _known_option(course, question, named, seed) or (generic, None)
    understood = (", then " if question.kind == ORDER else "; ").join(texts[id] for id in named)
    return _verdict(course, question, seed, named, understood or "none of them", wrong)


def _known_option(course: Course, question: Question, named: list[str], seed: int | None) -> tuple[str, str] | None:
    for wrong in question.wrong:
        if matches_options(question, wrong, named):
            return reply(course, question, wrong, seed), wrong.misconception
    return None


def matches_options(question: Question, wrong: Wrong, named: list[str]) -> bool:
    """Whether `named` options are what this wrong answer describes: see Wrong.match."""
    described = ids(wrong.match)
    if question.kind == CHOICE:
        return named == described
    if question.kind == CHOICES:
        return all((id.removeprefix("!") in named) != id.startswith("!") for id in described)
    places = [named.index(id) if id in named else -1 for id in described]
    return -1 not in places and places == sorted(places)


def _how_many(named: list[str], wanted: list[str]) -> str:
    extra, missing = set(named) - set(wanted), set(wanted) - set(named)
    if extra and missing:
        return "At least one of these does not belong, and at least one is missing."
    return "All of these belong, but not all are there." if missing else "At least one of these does not belong."


def _first_out_of_order(named: list[str], wanted: list[str], texts: Mapping[str, str]) -> str:
    first = next((index for index, id in enumerate(named) if id != wanted[index]), 0)
    right = "The first is right" if first == 1 else f"The first {first} are right"
    before = "The first is" if first == 0 else f"{right}, the next is"
    return f"{before} not: {texts[named[first]]}"


# Tables and grids


def _judge_cells(course: Course, question: Question, text: str, seed: int | None) -> Verdict:
    rows = cells.rows(course, question, seed)
    typed = tables.read_rows(text, [len(row) for row in rows], words=question.kind == GRID)
    understood = tables.show_rows(typed)
    pairs = [
        (place, holds, mine)
        for row, typed_row in zip(rows, typed, strict=True)
        for (place, holds), mine in zip(row, typed_row, strict=True)
    ]
    difference = next(
        ((place, mine) for place, holds, mine in pairs if not tables.same_cell(mine, holds, question.tolerance)), None
    )
    if difference is None:
        return _verdict(course, question, seed, typed, understood, None)
    by_place = {at: value for at, _, value in pairs}
    known = _known_cell(course, question, by_place, seed)
    place, mine = known[0] if known else difference
    where = cells.name(place, by_place, cells.called(course, question, seed))
    say = known[1] if known else f"{where}: {_not(question, mine)}"
    verdict = _verdict(course, question, seed, typed, understood, (say, known[2] if known else None))
    return replace(verdict, difference={**dict(place), "got": mine})


def _not(question: Question, typed: tables.CellTyped) -> str:
    """What is wrong with a cell, without saying what is right."""
    if typed is None:
        return "not idle." if question.kind == GRID else "this cell is empty."
    return f"not {tables.show_cell(typed)}."


def _known_cell(
    course: Course, question: Question, typed: Mapping[Cell, tables.CellTyped], seed: int | None
) -> tuple[tuple[Cell, tables.CellTyped], str, str] | None:
    """The first cell that a known wrong answer is in, with what was typed, the reply and the misconception."""
    for wrong in question.wrong:
        holds = cells.wrong_cell_value(course, question, wrong, seed)
        for place in cells.matching(wrong.at, typed, question, seed):
            if tables.same_cell(typed[place], holds, question.tolerance):
                return (place, typed[place]), reply(course, question, wrong, seed), wrong.misconception
    return None
