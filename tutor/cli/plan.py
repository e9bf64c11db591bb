"""`plan`: which layouts of a model fit a cluster, and how fast each is."""

from __future__ import annotations

import argparse
from typing import Any

from tutor.cli.output import RIGHT, BadUsage, say, say_json

_WHOLE = ("data", "tensor", "pipeline", "zero", "micro_batch", "chunks")
# Tokens in a step where nothing else is said: the step of the course's own example
_TOKENS = 2**20


def plan(arguments: argparse.Namespace) -> int:
    """Lists the layouts that fit, fastest first, and counts those that do not by their reason."""
    from simlib import models
    from simlib.planner import Layout
    from simlib.planner import plan as search

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
    pinned: dict[str, Any] = {name: _whole(name, getattr(arguments, name)) for name in _WHOLE}
    pinned["checkpointing"] = arguments.checkpointing
    pinned = {name: value for name, value in pinned.items() if value is not None}
    made = search(arguments.model, arguments.hardware, gpus or 0, batch, sequence, **pinned)

    def row(layout: Layout) -> dict[str, Any]:
        names = (*_WHOLE, "checkpointing", "bytes_per_gpu", "step_seconds", "mfu", "hfu", "bubble")
        return {name: getattr(layout, name) for name in names} | {"limits": list(layout.limits)}

    if arguments.json:
        say_json({"layouts": [row(layout) for layout in made.layouts], "rejected": dict(made.rejected)})
        return RIGHT
    tokens = batch * made.problem.sequence
    say(f"{arguments.model} on {gpus:,} x {arguments.hardware}, {batch:,} sequences ({tokens:,} tokens) a step")
    if made.layouts:
        from tutor.units import show

        say("data tensor pipeline zero micro chunks checkpointing  GB/GPU  s/step    MFU  held back by")
        for layout in made.layouts[:top]:
            say(
                f"{layout.data:>4} {layout.tensor:>6} {layout.pipeline:>8} {layout.zero:>4} {layout.micro_batch:>5} "
                f"{layout.chunks:>6} {layout.checkpointing:<13} {layout.bytes_per_gpu / 1e9:>7.1f} "
                f"{layout.step_seconds:>7.3f} {show(layout.mfu, '.1f %'):>6}  {', '.join(layout.limits)}"
            )
        left = len(made.layouts) - top
        if left > 0:
            say(f"and {left:,} more that fit (--top N)")
    else:
        say("No layout fits.")
    for reason, count in sorted(made.rejected.items(), key=lambda item: -item[1]):
        say(f"{count:>8,} refused: {reason}")
    return RIGHT


def _whole(name: str, text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 12:
        raise BadUsage(f"--{name.replace('_', '-')} is {text[:40]!r}; accepted: a whole number")
    return int(text)
