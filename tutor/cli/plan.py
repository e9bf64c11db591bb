"""`plan`: which layouts of a model fit a cluster, how fast each is, and why."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tutor.cli.output import RIGHT, BadUsage, colours, say, say_json, unicode_works, width
from tutor.permissions import own_machine
from tutor.study import NotAllowed

if TYPE_CHECKING:
    from simlib.planner import Layout, Plan
    from tutor.own_runs import OwnRuns
    from tutor.views.picture import Picture

# Tokens in a step where nothing else is said: the step of the course's own example
_TOKENS = 2**20
_DAY = 86_400
_DETAILS = 5  # reasons that are told of a layout
_LITTLE = 1e-4  # of a step: less is no reason


def plan(arguments: argparse.Namespace) -> int:
    """Lists the layouts that fit, fastest first, and counts those that do not by their reason."""
    from simlib.planner import plan as search
    from tutor.views.plan_scene import as_json, posed
    from tutor.views.plan_table import SIZES, PlanTable

    for name in ("model", "hardware", "gpus"):
        if getattr(arguments, name) is None:
            raise BadUsage(f"plan needs --{name}; as in plan --model llama-7b --hardware h100 --gpus 64")
    runs = _own_runs(arguments.own)
    model, machine = runs.model(arguments.model), runs.machine(arguments.hardware)
    sequence = _whole("sequence", arguments.sequence)
    batch = _whole("batch", arguments.batch)
    gpus = _whole("gpus", arguments.gpus)
    tokens = _tokens(arguments.tokens)
    top = _whole("top", arguments.top) or 0
    number = _whole("layout", arguments.layout)
    if batch is None:
        batch = max(1, _TOKENS // (sequence or model.shape.sequence))
    pinned: dict[str, Any] = {name: _whole(name, getattr(arguments, name)) for name in SIZES}
    pinned["checkpointing"] = arguments.checkpointing
    pinned = {name: value for name, value in pinned.items() if value is not None}
    with _Progress() as progress:
        made = search(model, machine, gpus or 0, batch, sequence, progress=progress, **pinned)
        best = made if not pinned else search(model, machine, gpus or 0, batch, sequence, progress=progress)

    if arguments.json:
        say_json(
            {
                "layouts": [as_json(layout) | _budget_json(layout, tokens) for layout in made.layouts],
                "rejected": dict(made.rejected),
            }
        )
        return RIGHT
    say(posed(model, machine, made))
    if number is not None:
        if not 1 <= number <= len(made.layouts):
            raise BadUsage(f"--layout is {number}; accepted: a number from 1 to {len(made.layouts)}")
        _one(made.layouts[number - 1], best, tokens)
        return RIGHT
    _draw(PlanTable(made.layouts[:top], len(made.layouts), made.rejected))
    if made.best is not None:
        say()
        _costs(made.best, tokens)
        if pinned and best.best is not None and made.best != best.best:
            _reasons(made.best, best)
    _left_out()
    return RIGHT


def _own_runs(file: str | None) -> OwnRuns:
    from tutor.own_runs import NoRuns, OwnRuns, read

    if file is None:
        return OwnRuns()
    if not own_machine().any_file:
        raise NotAllowed("files of one's own are not read here")
    try:
        return read(Path(file))
    except NoRuns as error:
        raise BadUsage(str(error)) from None


def _one(layout: Layout, best: Plan, tokens: float | None) -> None:
    """One layout: bytes by what they hold, seconds by what they go into, and why it is not the fastest."""
    from tutor.views.layout_bars import LayoutBars
    from tutor.views.plan_scene import described

    _fill(described(layout))
    _draw(LayoutBars(layout))
    say()
    _costs(layout, tokens)
    _reasons(layout, best)
    _left_out()


def _costs(layout: Layout, tokens: float | None) -> None:
    from tutor.units import show

    said = f"{layout.tokens_per_second:,.0f} tokens a second, MFU {show(layout.mfu, '%')}, HFU {show(layout.hfu, '%')}."
    if tokens is not None:
        days = layout.seconds_for(tokens) / _DAY
        hours = layout.gpu_hours_for(tokens)
        said += f" {tokens:.3g} tokens take {days:,.1f} days and {hours:,.0f} GPU-hours, without a pause."
    _fill(said)


def _reasons(layout: Layout, best: Plan) -> None:
    """Why this layout is not the fastest of all, the costliest part first."""
    from simlib.planner import why
    from tutor.views.plan_scene import described, reason_in_words

    if best.best is None or layout == best.best:
        return
    _fill(f"The fastest of all: {described(best.best)}. Beside it, this one:")
    told = [
        reason for reason in why(best, layout) if reason.unit == "B" or reason.extra > _LITTLE * layout.step_seconds
    ]
    for reason in told[:_DETAILS]:
        _fill(f"- {reason_in_words(reason)}")


def _left_out() -> None:
    from simlib.planner import LEFT_OUT

    *most, last = LEFT_OUT
    _fill(f"Left out: {', '.join(most)}, and {last}.")


def _budget_json(layout: Layout, tokens: float | None) -> dict[str, Any]:
    if tokens is None:
        return {}
    return {"days": layout.seconds_for(tokens) / _DAY, "gpu_hours": layout.gpu_hours_for(tokens)}


def _fill(text: str) -> None:
    import textwrap

    say(textwrap.fill(text, width(), subsequent_indent="  " if text.startswith("- ") else ""))


def _draw(picture: Picture) -> None:
    from tutor.views.terminal import text

    say(text(picture, width(), colours=colours(), ascii_only=not unicode_works()))


class _Progress:
    """Says how far the search is, on a terminal, where it takes more than a moment."""

    def __init__(self) -> None:
        self._shown = False

    def __enter__(self) -> Any:
        import time

        began = last = time.monotonic()

        def tell(done: int, of: int) -> None:
            nonlocal last
            now = time.monotonic()
            if now - began > 1 and now - last > 0.2 and sys.stderr.isatty():
                last, self._shown = now, True
                print(f"\r{done:,} of {of:,} layouts; ctrl+c stops", end="", file=sys.stderr, flush=True)

        return tell

    def __exit__(self, *_: object) -> None:
        if self._shown:
            print(f"\r{' ' * 60}\r", end="", file=sys.stderr, flush=True)


def _tokens(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        tokens = float(text) if len(text) < 40 else float("nan")
    except ValueError:
        tokens = float("nan")
    if not 1 <= tokens <= 1e18:
        raise BadUsage(f"--tokens is {text[:40]!r}; accepted: a number from 1 to 1e18, as in 2e12")
    return tokens


def _whole(name: str, text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 12:
        raise BadUsage(f"--{name.replace('_', '-')} is {text[:40]!r}; accepted: a whole number")
    return int(text)
