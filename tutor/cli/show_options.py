"""The options of `show TOPIC`: its topic's parameters, and how the picture is drawn."""

from __future__ import annotations

import math
import textwrap
from typing import Any

from simlib.errors import BadArgument
from tutor.cli.drawing_options import OPTIONS as DRAWN
from tutor.cli.output import BadUsage, width
from tutor.program import program
from tutor.units import counted
from tutor.views.live_model import read as read_value
from tutor.views.live_model import shown
from tutor.views.scene import Parameter, Topic
from tutor.views.typed_units import in_units, knows

_STEPS = {
    "steps": ("A:B", "which steps to draw: one, or a range with both ends"),
    "animate": ("", "the steps one by one on the whole terminal: arrow keys, space plays, q quits"),
}
OPTIONS = {**_STEPS, **DRAWN, "json": ("", "print one JSON document")}
_LONGEST = 40  # digits of a number that is typed
_INDENT = 24
_METAVARS = {"whole": "N", "number": "X", "choice": "NAME", "values": "ROWS", "flag": ""}


def flag_of(parameter: Parameter) -> str:
    """The flag of a parameter: --micro-batches."""
    return "--" + parameter.name.replace("_", "-")


def help_of(topic: Topic) -> str:
    """All options of a topic, wrapped to the terminal."""
    columns = max(50, min(width(), 100))
    lines = [
        *textwrap.wrap(
            f"usage: {program()} show {topic.name} [--OPTION VALUE ...]", columns, subsequent_indent=" " * 7
        ),
        "",
        *textwrap.wrap(topic.title, columns),
        "",
        "what is shown:",
    ]
    for parameter in topic.parameters:
        help = parameter.help
        if parameter.choices:
            help += f": {', '.join(parameter.choices)}"
        if parameter.default is not None and parameter.kind != "flag":
            help += f" ({shown(parameter, parameter.default)})"
        lines += _entry(flag_of(parameter), _METAVARS[parameter.kind], help, columns)
    lines += ["", "how it is drawn:"]
    for name, (metavar, help) in OPTIONS.items():
        lines += _entry(f"--{name}", metavar, help, columns)
    return "\n".join(lines)


def _entry(flag: str, metavar: str, help: str, columns: int) -> list[str]:
    """An option and what it does, as argparse sets them."""
    head = f"  {flag} {metavar}".rstrip()
    wrapped = textwrap.wrap(
        help, columns, initial_indent=" " * _INDENT, subsequent_indent=" " * _INDENT, break_on_hyphens=False
    )
    if len(head) + 2 > _INDENT:
        return [head, *wrapped]
    return [head.ljust(_INDENT) + wrapped[0].lstrip(), *wrapped[1:]]


def read(topic: Topic, words: list[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """The topic's parameters and the drawing options, from `--name value` and `--name=value`.

    Raises BadUsage for what is no option, and for a value that cannot be read.
    """
    parameters = {flag_of(parameter): parameter for parameter in topic.parameters}
    given: dict[str, Any] = {}
    options: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        flag, equals, text = word.partition("=")
        parameter = parameters.get(flag)
        name = flag[2:] if flag.startswith("--") else ""
        if parameter is None and name not in OPTIONS:
            known = [*parameters, *(f"--{option}" for option in OPTIONS)]
            raise BadUsage(f"{word[:60]!r} is no option of show {topic.name}; accepted: {', '.join(known)}")
        if parameter.kind == "flag" if parameter else not OPTIONS[name][0]:
            if equals:
                raise BadUsage(f"{flag} takes no value")
            if parameter:
                given[parameter.name] = True
            else:
                options[name] = ""
            continue
        if not equals:
            if not rest:
                raise BadUsage(f"{flag} needs a value")
            text = rest.pop(0)
        if parameter:
            given[parameter.name] = _value(parameter, text)
        else:
            options[name] = text
    return given, options


def _value(parameter: Parameter, text: str) -> Any:
    """The value of a flag as the topic takes it; ranges and choices are checked there."""
    flag = flag_of(parameter)
    if parameter.kind == "values":
        try:
            return read_value(parameter, text)
        except BadArgument as error:
            raise BadUsage(f"{flag} is {text[:60]!r}; accepted: {error.accepted}") from None
    if parameter.kind in ("whole", "number"):
        try:
            return _number(parameter, text)
        except ValueError:
            kind = "a whole number, as in 8 or 7B" if parameter.kind == "whole" else "a number"
            unit = f", or with its unit ({shown(parameter, 1000)})" if knows(parameter.unit) else ""
            raise BadUsage(f"{flag} is {text[:60]!r}; accepted: {kind}{unit}") from None
    return text


def _number(parameter: Parameter, text: str) -> int | float:
    """A number as it was typed, or one with its unit: 25 MiB. Raises ValueError."""
    if len(text) > _LONGEST:
        raise ValueError(text)
    if knows(parameter.unit) and (sized := in_units(text, parameter.unit)) is not None:
        return sized
    if parameter.kind == "whole" and not parameter.unit and (count := counted(text)) is not None:
        return round(count)
    if text.strip().lstrip("+-").isdigit():
        return int(text)
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def steps(text: str | None, last: int) -> list[int]:
    """The steps to draw: all of them up to `last`, one (`2`) or a range with both ends (`0:3`). Raises BadUsage."""
    if text is None:
        return list(range(last + 1))
    first, colon, end = text.partition(":")
    ends = [first, end] if colon else [first, first]
    if not all(one.isascii() and one.isdigit() and len(one) < 9 for one in ends):
        raise BadUsage(f"--steps is {text[:60]!r}; accepted: a step or a range, as in 2 or 0:{last}")
    begin, stop = int(ends[0]), int(ends[1])
    if not begin <= stop <= last:
        raise BadUsage(f"--steps is {text[:60]!r}; accepted: steps from 0 to {last}")
    return list(range(begin, stop + 1))
