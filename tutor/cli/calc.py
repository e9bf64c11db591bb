"""`calc`: a quantity with its formula, and the formula with the numbers in."""

from __future__ import annotations

import argparse

from tutor.cli.output import RIGHT, say, say_json
from tutor.cli.quantity_arguments import typed_arguments


def calc(arguments: argparse.Namespace) -> int:
    """Computes one quantity, or lists them all."""
    from simlib import quantities

    if arguments.list or arguments.quantity is None:
        return _list(arguments.json)
    typed = typed_arguments(quantities.quantity(arguments.quantity), arguments.arguments)
    value = quantities.evaluate(arguments.quantity, **typed)
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
