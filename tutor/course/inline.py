"""Prose with its figures filled in: `{{ring.bytes_sent workers=3 bytes=24 | B}}` becomes `32 B`.

Nothing is expanded inside code, neither in spans between backticks nor in fenced blocks. A backslash
before a digit says that this figure is meant as typed (`an \\80 GB card`); it is taken out, as is one
before double braces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tutor import units
from tutor.course import expressions
from tutor.course.expressions import CellLookup, ExpressionError
from tutor.course.model import CourseError, Place

_FENCED = re.compile(r"^ {0,3}(?P<marks>`{3,}|~{3,})[^\n]*\n(?:.*?^ {0,3}(?P=marks)[`~]*[ \t]*$|.*\Z)", re.M | re.S)
_SPAN = re.compile(r"(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).)*?(?<!`)(?P=ticks)(?!`)", re.S)
_BRACES = re.compile(r"\\\{\{|\{\{(?P<inside>.*?)\}\}|\\(?=\d)", re.S)
_OPEN = "{{"


@dataclass(frozen=True)
class Stretch:
    """A part of a text that is code throughout, or no code at all."""

    text: str
    start: int
    code: bool


def stretches(text: str) -> Iterator[Stretch]:
    """`text` parted into code (fenced blocks, spans between backticks) and the rest, in order."""
    position = 0
    while position < len(text):
        found = min(
            (match for match in (_FENCED.search(text, position), _SPAN.search(text, position)) if match),
            key=lambda match: (match.start(), -match.end()),
            default=None,
        )
        start = found.start() if found else len(text)
        if start > position:
            yield Stretch(text[position:start], position, False)
        if found:
            yield Stretch(found[0], start, True)
        position = found.end() if found else len(text)


def expand(
    text: str, place: Place, variables: Mapping[str, float | str] | None = None, cell: CellLookup | None = None
) -> str:
    """`text` with every {{expression | format}} outside code replaced by its value, shown in that format.

    `place` is where `text` begins. Raises CourseError, at the line in question, for an expression that
    cannot be computed, a format that does not exist, and braces left open.
    """
    if _OPEN not in text and "\\" not in text:
        return text
    parts: list[str] = []
    for stretch in stretches(text):
        if stretch.code:
            parts.append(stretch.text)
            continue
        position = 0
        for match in _BRACES.finditer(stretch.text):
            parts.append(stretch.text[position : match.start()])
            position = match.end()
            if match["inside"] is None:
                parts.append(_OPEN if match[0].endswith(_OPEN) else "")
                continue
            line = place.line + text.count("\n", 0, stretch.start + match.start())
            parts.append(_expanded(match["inside"], Place(place.file, line), variables or {}, cell))
        rest = stretch.text[position:]
        if _OPEN in rest:
            line = place.line + text.count("\n", 0, stretch.start + position + rest.index(_OPEN))
            raise CourseError(Place(place.file, line), "{{ is not closed by }}; write \\{{ where braces are meant")
        parts.append(rest)
    return "".join(parts)


def _expanded(inside: str, place: Place, variables: Mapping[str, float | str], cell: CellLookup | None) -> str:
    expression, bar, form = inside.rpartition("|")
    if not bar:
        expression, form = inside, ""
    form = form.strip()
    if not units.is_format(form):
        raise CourseError(
            place, f"{{{{{inside.strip()}}}}}: {form!r} is no format; accepted: {units.accepted_formats()}"
        )
    try:
        result = expressions.evaluate(expression.strip(), variables, cell)
    except ExpressionError as error:
        raise CourseError(place, f"{{{{{inside.strip()}}}}}: {error}") from None
    if result.value is None:
        raise CourseError(place, f"{{{{{inside.strip()}}}}}: there is nothing in this cell to show")
    return units.show(result.value, form or _own_format(result.unit))


def _own_format(unit: str) -> str:
    """How a quantity in this unit is shown where the text does not say."""
    return unit if units.is_format(unit) else ""
