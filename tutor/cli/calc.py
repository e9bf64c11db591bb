"""`calc`: a quantity with its formula, and the formula with the numbers in."""

from __future__ import annotations

import argparse
from typing import Any

from tutor.cli.output import RIGHT, BadUsage, say, say_json


def calc(arguments: argparse.Namespace) -> int:
    """Computes one quantity, or lists them all."""
    from simlib import quantities

    if arguments.list or arguments.quantity is None:
        return _list(arguments.json)
    # Arguments are checked by the engine: text goes through as it was typed
    value = quantities.evaluate(arguments.quantity, **_typed(arguments.arguments))
    if arguments.json:
        say_json(
            {
                "name": value.name,
                "arguments": dict(value.arguments),
                "value": value.value,
                "unit": value.unit,
                "formula": value.formula,
                "worked": value.worked,
            }
        )
        return RIGHT
    from tutor.units import show

    # Lists of lists would lose their brackets as prose
    shown = str(value.value) if isinstance(value.value, list) else show(value.value, value.unit)
    say(f"{value.name} = {shown or 'none'}")
    say(f"  {value.worked}")
    return RIGHT


def _typed(pairs: list[str]) -> dict[str, Any]:
    """`key=value` arguments; a value may be arithmetic (`7e9`, `2**20`), a word or a list (`[1,2]`)."""
    from tutor.course.expressions import ExpressionError, coordinates

    given: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key or not text:
            raise BadUsage(f"{pair!r} is not an argument; accepted: key=value, as in workers=8")
        if key in given:
            raise BadUsage(f"{key} is given twice")
        try:
            given |= coordinates(pair.strip(), {})
        except ExpressionError as error:
            raise BadUsage(f"{pair!r} cannot be read: {error}") from None
    return given


def _list(as_json: bool) -> int:
    from simlib import quantities

    found = [quantities.quantity(name) for name in quantities.names()]
    if as_json:
        say_json(
            {
                "quantities": [
                    {
                        "name": quantity.name,
                        "arguments": [
                            {"name": parameter.name, "default": parameter.default, "required": parameter.required}
                            for parameter in quantity.parameters
                        ],
                        "unit": quantity.unit,
                        "formula": quantity.formula,
                        "source": quantity.source,
                    }
                    for quantity in found
                ]
            }
        )
        return RIGHT
    for quantity in found:
        words = [
            parameter.name if parameter.required else f"[{parameter.name}={parameter.default}]"
            for parameter in quantity.parameters
        ]
        say(f"{quantity.name} {' '.join(words)}")
    return RIGHT
