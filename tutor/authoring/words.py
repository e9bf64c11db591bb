"""Checks of what a lesson says: figures that are typed in, figures that cannot be computed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from tutor import units
from tutor.answers import texts
from tutor.answers.families import members
from tutor.authoring.problem import Problem
from tutor.course.inline import stretches
from tutor.course.model import Course, CourseError, Exercise, Lesson, Place, Prose, Question, Step

MOST_MEMBERS = 100  # of a family, looked at one by one
# "3 times" and "day 1" are words, and 7B in "LLaMA 7B" is a name: B counts bytes only apart from its number
_NO_FIGURES = ("times", "d", "b", "B")
_UNITS = "|".join(re.escape(unit) for unit in units.spellings() if unit not in _NO_FIGURES)
_TYPED = re.compile(rf"(?<![\\\w.,])(?P<number>\d(?:[\d.,_]*\d)?)(?:\s?(?:{_UNITS})|\sB)(?!\w)")
_EXPANSION = re.compile(r"\{\{.*?\}\}", re.S)
_TWICE = re.compile(r"[\d.,]*\d [KMGTP]?i?B\s+(?:of\s+)?(?:bytes?|[KMGTP]i?B)\b")


def typed_figures(text: str, place: Place) -> Iterator[Problem]:
    """Numbers with a unit that are typed into `text`, which begins at `place`: the engine should give them."""
    for stretch in stretches(text):
        if stretch.code:
            continue
        # What is filled in is no figure typed in; its line ends stay, so that lines can be counted
        plain = _EXPANSION.sub(lambda match: "¤" + "\n" * match[0].count("\n"), stretch.text)
        for match in _TYPED.finditer(plain):
            line = place.line + text.count("\n", 0, stretch.start) + plain.count("\n", 0, match.start("number"))
            found = " ".join(match[0].split())
            yield Problem(
                Place(place.file, line),
                f"{found!r} is typed in; name the quantity in {{{{…}}}}, or write \\{found} where it is no figure of "
                "the subject",
            )


def _unit_twice(shown: str, place: Place) -> Iterator[Problem]:
    match = _TWICE.search(shown)
    if match:
        found = " ".join(match[0].split())
        yield Problem(place, f"{found!r} says the unit twice; write | , after the quantity for the number alone")


def check_lesson_words(lesson: Lesson, lines: dict[str, int]) -> Iterator[Problem]:
    """Title and sentence of the home screen; `lines` are those of the front matter."""
    file = lesson.steps[0].place.file
    for key, text in (("title", lesson.title), ("about", lesson.about)):
        yield from typed_figures(text, Place(file, lines.get(key, 1)))
    for step in lesson.steps:
        yield from typed_figures(step.title, step.place)


def check_prose(course: Course, step: Step, block: Prose) -> Iterator[Problem]:
    """A stretch of prose."""
    yield from typed_figures(block.text, block.place)
    try:
        yield from _unit_twice(texts.prose(course, step, block), block.place)
    except CourseError as error:
        yield Problem.of(error)


def check_exercise_words(exercise: Exercise) -> Iterator[Problem]:
    """What an exercise says."""
    for text in (exercise.title, exercise.prompt, exercise.why, *exercise.hints):
        yield from typed_figures(text, exercise.place)
        try:
            yield from _unit_twice(texts.exercise_text(exercise, text), exercise.place)
        except CourseError as error:
            yield Problem(exercise.place, f"{exercise.id}: {error.message}")
    if not exercise.hints:
        yield Problem(exercise.place, f"{exercise.id}: no hints")
    if not all(hint.strip() for hint in exercise.hints):
        yield Problem(exercise.place, f"{exercise.id}: an empty hint")


def check_question_words(course: Course, question: Question) -> Iterator[Problem]:
    """Everything that a question says, for every member of it."""
    said = [(question.prompt, "prompt"), (question.why, "why"), *((hint, "hints") for hint in question.hints)]
    said += [(option.text, "options") for option in question.options]
    for text, key in said:
        yield from typed_figures(text, question.at(key))
    for wrong in question.wrong:
        yield from typed_figures(wrong.say, wrong.place)
    found: dict[tuple[Place, str], None] = {}
    for seed, _ in members(question, MOST_MEMBERS):
        for problem in _said_by(course, question, seed):
            found[problem.place, problem.message] = None
    yield from (Problem(place, message) for place, message in found)


def _said_by(course: Course, question: Question, seed: int) -> Iterator[Problem]:
    """The member's texts, each filled in on its own: one that cannot be hides no other."""

    def options() -> str:
        return "\n\n".join(option.text for option in texts.options_shown(course, question, seed))

    asking: list[tuple[Place, Callable[[], str]]] = [
        (question.at("prompt"), partial(texts.prompt, course, question, seed)),
        (question.at("why"), partial(texts.reason, course, question, seed)),
        (question.at("hints"), lambda: "\n\n".join(texts.hints(course, question, seed))),
        (question.at("options"), options),
        *((wrong.place, partial(texts.reply, course, question, wrong, seed)) for wrong in question.wrong),
    ]
    for place, text in asking:
        try:
            yield from _unit_twice(text(), place)
        except CourseError as error:
            yield Problem.of(error)
