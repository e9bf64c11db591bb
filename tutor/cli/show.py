"""`show`: any picture, with any parameters."""

from __future__ import annotations

import argparse
import textwrap

from tutor.cli.drawing import Drawing
from tutor.cli.output import RIGHT, BadUsage, say, say_json, width
from tutor.program import program

_NAMES = 17  # columns of the topics' names


def show(arguments: argparse.Namespace) -> int:
    """Draws a topic, or lists the topics; `show TOPIC --help` lists a topic's options."""
    from tutor.cli.show_options import help_of, read, steps
    from tutor.views.topics import topic

    asks_help = any(word in ("-h", "--help") for word in arguments.rest)
    if arguments.topic is None:
        if arguments.rest and not asks_help:
            first = arguments.rest[0][:60]
            raise BadUsage(f"{first!r} comes before the topic; accepted: show TOPIC {first} …")
        return _list(arguments.json)
    chosen = topic(arguments.topic)
    if asks_help:
        say(help_of(chosen))
        return RIGHT
    given, options = read(chosen, arguments.rest)
    drawing = Drawing(options)
    scene = chosen.scene(given)
    drawn = steps(options.get("steps"), scene.last_step)
    if "animate" in options:
        if arguments.json or drawing.file is not None:
            raise BadUsage(f"--animate goes with a terminal alone, not with {'--json' if arguments.json else '--svg'}")
        from tutor.cli.demonstration import demonstrate

        return demonstrate(chosen.title, scene, drawn, drawing, "width" in options)
    if drawing.file is not None:
        drawing.save(scene.picture(drawn[-1]), chosen.title, scene.caption(drawn[-1]))
    if arguments.json:
        say_json(scene.data())
    elif drawing.file is None:
        for step in drawn:
            if step != drawn[0]:
                say()
            drawing.say(scene.picture(step), scene.caption(step))
    return RIGHT


def _list(as_json: bool) -> int:
    from tutor.views.topics import TOPICS

    if as_json:
        say_json({"topics": list(TOPICS)})
        return RIGHT
    columns = max(50, min(width(), 100))
    for found in TOPICS.values():
        say(
            textwrap.fill(found.title, columns, initial_indent=found.name.ljust(_NAMES), subsequent_indent=" " * _NAMES)
        )
    say()
    say(f"{program()} show TOPIC --help lists what can be set.")
    return RIGHT
