"""The `key=value` arguments of a quantity, as a person types them: workers=8 params=7B bytes=20 MB cap=2**20."""

from __future__ import annotations

import re
from collections.abc import Container
from math import isclose
from typing import TYPE_CHECKING, Any

from tutor.cli.output import BadUsage

if TYPE_CHECKING:
    from simlib.quantities import Parameter, Quantity

# What has to be a number, so that a word there can only be a number with its unit
_NUMERIC = ("whole", "number")
_LIST = "numbers"


def typed_arguments(quantity: Quantity, words: list[str]) -> dict[str, Any]:
    """The arguments in `words`: numbers in the base unit of their parameter (bytes, seconds), words, flags and lists.

    A value may be arithmetic (`2**20`), have a unit where the parameter has one (`20 MB`) or a multiple where it
    counts (`7B`), and be a list of such (`[1, 2]`). What it must be besides, the engine checks. Raises BadUsage.
    """
    known = {parameter.name: parameter for parameter in quantity.parameters}
    given: dict[str, Any] = {}
    for pair in _pairs(words, known):
        key, equals, text = pair.partition("=")
        if not equals or not key or not text:
            raise BadUsage(f"{pair!r} is not an argument; accepted: key=value, as in workers=8")
        if key in given:
            raise BadUsage(f"{key} is given twice")
        given[key] = _value(pair, key, text.strip(), known.get(key))
    return given


def _pairs(words: list[str], names: Container[str]) -> list[str]:
    """The arguments, each whole: in bytes=20 MB a shell parts the number from its unit."""
    pairs: list[str] = []
    for word in words:
        if "=" in word or not pairs or (word in names and not pairs[-1].startswith(f"{word}=")):
            pairs.append(word)
        else:
            pairs[-1] += f" {word}"
    return pairs


def _value(pair: str, key: str, text: str, parameter: Parameter | None) -> Any:
    from tutor.course.expressions import ExpressionError, coordinates

    try:
        value = coordinates(pair.strip(), {})[key]
    except ExpressionError as error:
        if parameter is None or parameter.kind not in (*_NUMERIC, _LIST):
            raise BadUsage(f"{pair!r} cannot be read: {error}") from None
        value = text
    if parameter is not None and parameter.kind in _NUMERIC and isinstance(value, str):
        return _number(value, parameter)
    if parameter is not None and parameter.kind == _LIST:
        items = re.split(r",|(?<=\w)\s+(?=\d)", value.strip(" []()")) if isinstance(value, str) else value
        if isinstance(items, list):
            return [_number(item, parameter) if isinstance(item, str) else item for item in items]
    return value


def _number(text: str, parameter: Parameter) -> int | float:
    """The number that `text` comes to, in the base unit. Raises BadUsage that says what the parameter is."""
    from tutor.answers.numbers import read_number
    from tutor.answers.verdict import NotUnderstood

    try:
        value = read_number(text, parameter.unit).readings[0].value
    except NotUnderstood as error:
        raise BadUsage(f"{parameter.name} ({parameter.help}): {error}") from None
    # 1.1 billion is a whole number, whatever the last bit of the product says
    return round(value) if isclose(value, round(value), rel_tol=1e-12) else value
