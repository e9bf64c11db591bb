"""Checks of the glossary: terms that lead nowhere or stand twice, and bold words that it does not explain.

In lessons bold is for terms, so that a learner knows what can be looked up; what is stressed stands in italics.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tutor.authoring.problem import Problem
from tutor.authoring.screens import prose_rows
from tutor.authoring.words import typed_figures
from tutor.course.glossary import definition, read_glossary, same_name
from tutor.course.inline import stretches
from tutor.course.model import Course, CourseError, Place, Prose, Step, Term

MOST_ROWS = 5  # of a definition, which is read beside a lesson
_BOLD = re.compile(r"(?<![\\*])\*\*(?=\S)(?P<text>.+?)(?<=\S)\*\*(?!\*)", re.S)
# "**Sources.**" begins a paragraph, it names nothing
_HEADS_A_PARAGRAPH = (".", ":", "?", "!")


def check_glossary(course: Course) -> Iterator[Problem]:
    """What is wrong with glossary.toml, and with the lessons' terms where there is one."""
    try:
        terms = read_glossary(course.folder)
    except CourseError as error:
        yield Problem.of(error)
        return
    yield from _twice(terms)
    for term in terms:
        yield from _term(course, term)
    if terms:
        yield from _bold(course, terms)


def _twice(terms: Sequence[Term]) -> Iterator[Problem]:
    first: dict[str, Term] = {}
    for term in terms:
        for name in (term.name, *term.also):
            other = first.setdefault(same_name(name), term)
            if other is not term:
                message = f"term {term.name!r}: {name!r} names {other.name!r} already, on line {other.place.line}"
                yield Problem(term.place, message)


def _term(course: Course, term: Term) -> Iterator[Problem]:
    if not all(same_name(name) for name in (term.name, *term.also)):
        yield Problem(term.place, f"term {term.name!r}: a name without a letter or digit")
    found = course.find_step(term.step)
    if found is None:
        yield Problem(term.place, f"term {term.name!r}: no step is called {term.step!r}")
    elif not any(same_name(name) in _said(found[1]) for name in (term.name, *term.also)):
        message = f"step {term.step} has it under none of its names ({', '.join((term.name, *term.also))})"
        yield Problem(term.place, f"term {term.name!r}: {message}")
    yield from typed_figures(term.text, term.place)
    try:
        rows = prose_rows(definition(term))
    except CourseError as error:
        yield Problem(error.place, f"term {term.name!r}: {error.message}")
        return
    if rows > MOST_ROWS:
        yield Problem(term.place, f"term {term.name!r}: its definition takes {rows} rows; at most {MOST_ROWS} are read")


def _said(step: Step) -> str:
    """The letters and digits of what a step says and asks, as names are compared."""
    said = [step.title, *(block.text for block in step.blocks if isinstance(block, Prose))]
    if step.question:
        said += [step.question.prompt, *(option.text for option in step.question.options), step.question.why]
    if step.exercise:
        said.append(step.exercise.prompt)
    return "".join(sign for sign in " ".join(said).casefold() if sign.isalnum())


def _bold(course: Course, terms: Sequence[Term]) -> Iterator[Problem]:
    """The first bold appearance, in a lesson, of whatever the glossary does not have."""
    known = {same_name(name) for term in terms for name in (term.name, *term.also)}
    for lesson in course.lessons:
        told = set(known)
        for step in lesson.steps:
            for block in step.blocks:
                if isinstance(block, Prose):
                    for text, place in _bold_words(block):
                        if same_name(text) not in told:
                            told.add(same_name(text))
                            message = f"{text!r} is in bold, but no term of the glossary; add it, or stress it with *…*"
                            yield Problem(place, message)


def _bold_words(block: Prose) -> Iterator[tuple[str, Place]]:
    for stretch in stretches(block.text):
        if stretch.code:
            continue
        for match in _BOLD.finditer(stretch.text):
            text = " ".join(match["text"].split())
            if not text.endswith(_HEADS_A_PARAGRAPH):
                line = block.place.line + block.text.count("\n", 0, stretch.start + match.start())
                yield text, Place(block.place.file, line)
