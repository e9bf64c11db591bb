"""`glossary`, `search`."""

from __future__ import annotations

import argparse
from textwrap import wrap
from typing import Any

from tutor.cli.opening import open_study
from tutor.cli.output import RIGHT, BadUsage, say, say_json, width
from tutor.course.model import CourseError, Term
from tutor.permissions import own_machine
from tutor.search import Search, other_names, place_of, shown_definition
from tutor.study import Study

_MEASURE = 76  # longer lines are hard to read however wide the terminal is

_LONGEST = 300  # characters of a search


def glossary(arguments: argparse.Namespace) -> int:
    """Lists the terms, or says what one means."""
    with open_study(arguments.course, own_machine(), only_reads=True) as study:
        if arguments.term:
            _terms(study)
            term = study.term(" ".join(arguments.term))
            if arguments.json:
                say_json(_term_json(study, term))
            else:
                _say_term(study, term)
            return RIGHT
        terms = sorted(_terms(study), key=lambda term: term.name.casefold())
        if arguments.json:
            say_json({"terms": [_term_json(study, term) for term in terms]})
            return RIGHT
        if not terms:
            say("This course has no glossary.")
        for term in terms:
            say(f"{term.name}{_also(term)}")
            _say_indented(shown_definition(term))
    return RIGHT


def search(arguments: argparse.Namespace) -> int:
    """Finds words anywhere in the course."""
    words = " ".join(arguments.words)
    if len(words) > _LONGEST:
        raise BadUsage(f"{len(words):,} characters are no search; accepted: up to {_LONGEST}")
    with open_study(arguments.course, own_machine(), only_reads=True) as study:
        finder = Search(study.course, _terms(study))
        hits = finder.find(words)
        near = [] if hits else finder.near(words)
    if arguments.json:
        say_json(
            {
                "words": words,
                "hits": [
                    {
                        "kind": hit.kind,
                        "name": hit.name,
                        "text": hit.text,
                        "where": hit.where,
                        "lesson": hit.lesson or None,
                        "step": hit.step or None,
                    }
                    for hit in hits
                ],
                "near": near,
            }
        )
        return RIGHT
    if not hits:
        also = f" Did you mean {' or '.join(near)}?" if near else ""
        say(f"Nothing has {words!r}.{also}")
    for hit in hits:
        say(f"{hit.name} ({hit.kind})")
        if hit.text:
            _say_indented(hit.text)
        if hit.where:
            _say_indented(f"{hit.where} ({hit.step})")
    return RIGHT


def _terms(study: Study) -> tuple[Term, ...]:
    try:
        return study.glossary()
    except CourseError as error:
        raise BadUsage(str(error)) from None


def _also(term: Term) -> str:
    names = other_names(term)
    return f" (also {', '.join(names)})" if names else ""


def _term_json(study: Study, term: Term) -> dict[str, Any]:
    found = study.course.find_step(term.step)
    return {
        "name": term.name,
        "also": list(term.also),
        "definition": shown_definition(term),
        "lesson": found[0].id if found else None,
        "step": found[1].id if found else None,
    }


def _say_term(study: Study, term: Term) -> None:
    say(f"{term.name}{_also(term)}")
    _say_indented(shown_definition(term))
    found = study.course.find_step(term.step)
    if found is not None:
        place = place_of(*found)
        _say_indented(f"Defined in {place}{'' if place.endswith(('?', '!')) else '.'}")


def _say_indented(text: str) -> None:
    for line in wrap(text, min(width(), _MEASURE) - 2, break_long_words=False, break_on_hyphens=False):
        say(f"  {line}")
