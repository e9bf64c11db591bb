"""`plan`: which layouts of a model fit a cluster, and how fast each is."""

from __future__ import annotations

import argparse
from typing import Any

from tutor.cli.output import RIGHT, BadUsage, colours, say, say_json, unicode_works, width

# Tokens in a step where nothing else is said: the step of the course's own example
_TOKENS = 2**20


def plan(arguments: argparse.Namespace) -> int:
    """Lists the layouts that fit, fastest first, and counts those that do not by their reason."""
    from simlib import models
    from simlib.planner import plan as search
    from tutor.views.plan_scene import as_json, posed
    from tutor.views.plan_table import SIZES, PlanTable
    from tutor.views.terminal import text

    for name in ("model", "hardware", "gpus"):
        if getattr(arguments, name) is None:
            raise BadUsage(f"plan needs --{name}; as in plan --model llama-7b --hardware h100 --gpus 64")
    sequence = _whole("sequence", arguments.sequence)
    batch = _whole("batch", arguments.batch)
    gpus = _whole("gpus", arguments.gpus)
    top = _whole("top", arguments.top) or 0
    if batch is None:
        own = sequence or models.find(arguments.model).shape.sequence
        batch = max(1, _TOKENS // own)
    pinned: dict[str, Any] = {name: _whole(name, getattr(arguments, name)) for name in SIZES}
    pinned["checkpointing"] = arguments.checkpointing
    pinned = {name: value for name, value in pinned.items() if value is not None}
    made = search(arguments.model, arguments.hardware, gpus or 0, batch, sequence, **pinned)

    if arguments.json:
        say_json({"layouts": [as_json(layout) for layout in made.layouts], "rejected": dict(made.rejected)})
        return RIGHT
    say(posed(arguments.model, arguments.hardware, made))
    table = PlanTable(made.layouts[:top], len(made.layouts), made.rejected)
    say(text(table, width(), colours=colours(), ascii_only=not unicode_works()))
    return RIGHT


def _whole(name: str, text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 12:
        raise BadUsage(f"--{name.replace('_', '-')} is {text[:40]!r}; accepted: a whole number")
    return int(text)
