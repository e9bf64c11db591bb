"""`show`: any picture, with any parameters."""

from __future__ import annotations

import argparse
import json
import math
import textwrap
from pathlib import Path
from typing import Any

from tutor.cli.output import RIGHT, BadUsage, colours, say, say_json, unicode_works, width
from tutor.permissions import own_machine
from tutor.program import program
from tutor.views.scene import Parameter, Scene, Topic

_WIDEST = 1_000


def show(arguments: argparse.Namespace) -> int:
    """Draws a topic, or lists the topics and their options."""
    from tutor.views.topics import TOPICS, topic

    asks_help = any(word in ("-h", "--help") for word in arguments.rest)
    if arguments.topic is None:
        if arguments.rest and not asks_help:
            raise BadUsage(f"{arguments.rest[0]!r} comes before the topic; accepted: show TOPIC {arguments.rest[0]} …")
        if arguments.json:
            say_json({"topics": list(TOPICS)})
            return RIGHT
        for found in TOPICS.values():
            say(f"{found.name:<16} {found.title}")
        say()
        say(f"{program()} show TOPIC --help lists what can be set.")
        return RIGHT
    chosen = topic(arguments.topic)
    if asks_help:
        say(_help(chosen))
        return RIGHT
    given, options = _read(chosen, arguments.rest)
    scene = chosen.scene(given)
    steps = _steps(options.get("steps"), scene)
    if "svg" in options:
        _save_svg(chosen, scene, steps[-1], options["svg"])
    if arguments.json:
        say_json(scene.data())
    elif "svg" not in options:
        _draw(scene, steps, options)
    return RIGHT


def _draw(scene: Scene, steps: list[int], options: dict[str, str]) -> None:
    from tutor.views.terminal import text

    ascii_only = "ascii" in options or not unicode_works()
    columns = _width(options.get("width"))
    for step in steps:
        if step != steps[0]:
            say()
        say(textwrap.fill(scene.caption(step), columns))
        say(text(scene.picture(step), columns, colours=colours(), ascii_only=ascii_only))


def _save_svg(topic: Topic, scene: Scene, step: int, name: str) -> None:
    from tutor.views.svg import svg

    if not own_machine().any_file:
        raise BadUsage("--svg is off here")
    if not name:
        raise BadUsage("--svg needs the name of a file")
    drawing = svg(scene.picture(step), title=topic.title, caption=scene.caption(step))
    try:
        with Path(name).open("x", encoding="utf-8") as file:
            file.write(drawing)
    except FileExistsError:
        raise BadUsage(f"{name} exists and is left as it is; accepted: a new name") from None


def _width(text: str | None) -> int:
    if text is None:
        return width()
    if not text.isascii() or not text.isdigit() or not 20 <= int(text[:9]) <= _WIDEST:
        raise BadUsage(f"--width is {text!r}; accepted: a whole number from 20 to {_WIDEST:,}")
    return int(text)


def _steps(text: str | None, scene: Scene) -> list[int]:
    """The steps to draw: all of them, one (`--steps 2`) or a range with both ends (`--steps 0:3`)."""
    if text is None:
        return list(range(scene.last_step + 1))
    first, colon, last = text.partition(":")
    ends = [first, last] if colon else [first, first]
    if not all(end.isascii() and end.isdigit() and len(end) < 9 for end in ends):
        raise BadUsage(f"--steps is {text!r}; accepted: a step or a range, as in 2 or 0:{scene.last_step}")
    begin, end = int(ends[0]), int(ends[1])
    if not begin <= end <= scene.last_step:
        raise BadUsage(f"--steps is {text!r}; accepted: steps from 0 to {scene.last_step}")
    return list(range(begin, end + 1))


_OPTIONS = {
    "svg": "FILE   write the last step shown as an SVG",
    "width": "N      columns to fill",
    "steps": "A:B    which steps to draw (one, or a range with both ends)",
    "ascii": "       ASCII signs only",
}


def _flag(parameter: Parameter) -> str:
    return "--" + parameter.name.replace("_", "-")


def _help(topic: Topic) -> str:
    lines = [f"show {topic.name}: {topic.title}", ""]
    for parameter in topic.parameters:
        choice = f" ({' | '.join(parameter.choices)})" if parameter.choices else ""
        default = "" if parameter.default is None else f" [{parameter.default}]"
        lines.append(f"  {_flag(parameter):<18} {parameter.help}{choice}{default}")
    lines.append("")
    lines += [f"  --{name:<6} {help}" for name, help in _OPTIONS.items()]
    return "\n".join(lines)


def _read(topic: Topic, words: list[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """The topic's parameters and the drawing options, from `--name value` and `--name=value`."""
    parameters = {_flag(parameter): parameter for parameter in topic.parameters}
    given: dict[str, Any] = {}
    options: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        flag, equals, text = word.partition("=")
        if flag in parameters and parameters[flag].kind == "flag":
            if equals:
                raise BadUsage(f"{flag} takes no value")
            given[parameters[flag].name] = True
        elif flag == "--ascii" and not equals:
            options["ascii"] = ""
        elif flag in parameters or flag[2:] in _OPTIONS:
            if not equals:
                if not rest:
                    raise BadUsage(f"{flag} needs a value")
                text = rest.pop(0)
            if flag in parameters:
                given[parameters[flag].name] = _value(parameters[flag], text)
            else:
                options[flag[2:]] = text
        else:
            known = [*parameters, *(f"--{name}" for name in _OPTIONS), "--json"]
            raise BadUsage(f"{word!r} is no option of show {topic.name}; accepted: {', '.join(known)}")
    return given, options


def _value(parameter: Parameter, text: str) -> Any:
    """The value of a flag as the topic takes it; ranges and choices are checked there."""
    flag = _flag(parameter)
    if parameter.kind == "values":
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise BadUsage(f"{flag} is {text[:60]!r}; accepted: rows of numbers, as in [[1,2,3],[10,20,30]]") from None
    if parameter.kind in ("whole", "number"):
        try:
            return int(text) if text.strip().lstrip("+-").isdigit() and len(text) < 40 else _finite(text)
        except ValueError:
            kind = "a whole number" if parameter.kind == "whole" else "a number"
            raise BadUsage(f"{flag} is {text[:60]!r}; accepted: {kind}") from None
    return text


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number
