"""`plan`: which layouts of a model fit a cluster, how fast each is, and why."""

from __future__ import annotations

import argparse
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tutor.cli.counting import Counting
from tutor.cli.drawing import Drawing
from tutor.cli.drawing_options import OPTIONS
from tutor.cli.output import RIGHT, BadUsage, say, say_json
from tutor.permissions import own_machine
from tutor.study import NotAllowed
from tutor.units import counted

if TYPE_CHECKING:
    from simlib.planner import Layout, Plan
    from tutor.own_runs import OwnRuns

# Tokens in a step where nothing else is said: the step of the course's own example
_TOKENS = 2**20
_DAY = 86_400
_DETAILS = 5  # reasons that are told of a layout
_LITTLE = 1e-4  # of a step: less is no reason


def plan(arguments: argparse.Namespace) -> int:
    """Lists the layouts that fit, fastest first, and counts those that do not by their reason."""
    from simlib.planner import plan as search
    from tutor.views.plan_scene import as_json, posed
    from tutor.views.plan_table import SIZES

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
    drawing = Drawing({name: "" if value is True else value for name, value in _given(arguments).items()})
    with Counting("layouts") as progress:
        made = search(model, machine, gpus or 0, batch, sequence, progress=progress, **pinned)
        best = made if not pinned else search(model, machine, gpus or 0, batch, sequence, progress=progress)

    if number is not None and not 1 <= number <= len(made.layouts):
        accepted = f"a number from 1 to {len(made.layouts)}" if made.layouts else "none here: no layout fits"
        raise BadUsage(f"--layout is {number}; accepted: {accepted}")
    shown = None if number is None else made.layouts[number - 1]
    if drawing.file is not None:
        _save(drawing, shown, made, top, posed(model, machine, made))
    if arguments.json:
        say_json(
            {
                "layouts": [as_json(layout) | _budget_json(layout, tokens) for layout in made.layouts],
                "rejected": dict(made.rejected),
            }
        )
    elif drawing.file is None:
        page = _Page(drawing, best, tokens)
        page.fill(posed(model, machine, made))
        if shown is not None:
            page.one(shown)
        else:
            page.all(made, top, pinned=bool(pinned))
    return RIGHT


def _given(arguments: argparse.Namespace) -> dict[str, Any]:
    """The drawing options that were given."""
    return {name: value for name in OPTIONS if (value := getattr(arguments, name)) not in (None, False)}


def _save(drawing: Drawing, layout: Layout | None, made: Plan, top: int, posed: str) -> None:
    """Writes the table, or the layout that was asked for, as an SVG."""
    from tutor.views.layout_bars import LayoutBars
    from tutor.views.plan_scene import described
    from tutor.views.plan_table import PlanTable

    if layout is None:
        drawing.save(PlanTable(made.layouts[:top], len(made.layouts), made.rejected), "Layouts that fit", posed)
    else:
        drawing.save(LayoutBars(layout), f"Layout: {described(layout)}", posed)


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


class _Page:
    """What is printed of a plan."""

    def __init__(self, drawing: Drawing, best: Plan, tokens: float | None) -> None:
        self.drawing = drawing
        self.best = best  # of all, without what is pinned
        self.tokens = tokens

    def fill(self, text: str) -> None:
        """A paragraph."""
        hanging = "  " if text.startswith("- ") else ""
        say(textwrap.fill(self.drawing.signs(text), self.drawing.columns, subsequent_indent=hanging))

    def all(self, made: Plan, top: int, *, pinned: bool) -> None:
        """The table, what the fastest costs, and why it is not the fastest of all where choices are pinned."""
        from tutor.views.plan_table import PlanTable

        self.drawing.say(PlanTable(made.layouts[:top], len(made.layouts), made.rejected))
        if made.best is not None:
            say()
            self.costs(made.best)
            if pinned:
                self.reasons(made.best)
        self.left_out()

    def one(self, layout: Layout) -> None:
        """One layout: bytes by what they hold, seconds by what they go into, and why it is not the fastest."""
        from tutor.views.layout_bars import LayoutBars
        from tutor.views.plan_scene import described

        self.fill(described(layout))
        self.drawing.say(LayoutBars(layout))
        say()
        self.costs(layout)
        self.reasons(layout)
        self.left_out()

    def costs(self, layout: Layout) -> None:
        from tutor.units import show

        speed = f"{layout.tokens_per_second:,.0f} tokens a second"
        said = f"{speed}, MFU {show(layout.mfu, '%')}, HFU {show(layout.hfu, '%')}."
        if self.tokens is not None:
            days = layout.seconds_for(self.tokens) / _DAY
            hours = layout.gpu_hours_for(self.tokens)
            said += f" {self.tokens:.3g} tokens take {days:,.1f} days and {hours:,.0f} GPU-hours, without a pause."
        self.fill(said)

    def reasons(self, layout: Layout) -> None:
        """Why this layout is not the fastest of all, the costliest part first."""
        from simlib.planner import why
        from tutor.views.plan_scene import described, reason_in_words

        if self.best.best is None or layout == self.best.best:
            return
        self.fill(f"The fastest of all: {described(self.best.best)}. Beside it, this one:")
        least = _LITTLE * layout.step_seconds
        told = [reason for reason in why(self.best, layout) if reason.unit == "B" or reason.extra > least]
        for reason in told[:_DETAILS]:
            self.fill(f"- {reason_in_words(reason)}")

    def left_out(self) -> None:
        from simlib.planner import LEFT_OUT

        *most, last = LEFT_OUT
        self.fill(f"Left out: {', '.join(most)}, and {last}.")


def _budget_json(layout: Layout, tokens: float | None) -> dict[str, Any]:
    if tokens is None:
        return {}
    return {"days": layout.seconds_for(tokens) / _DAY, "gpu_hours": layout.gpu_hours_for(tokens)}


def _tokens(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        tokens = counted(text) or (float(text) if len(text) < 40 else float("nan"))
    except ValueError:
        tokens = float("nan")
    if not 1 <= tokens <= 1e18:
        raise BadUsage(f"--tokens is {text[:40]!r}; accepted: a number from 1 to 1e18, as in 2e12 or 2T")
    return tokens


def _whole(name: str, text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 12:
        raise BadUsage(f"--{name.replace('_', '-')} is {text[:40]!r}; accepted: a whole number")
    return int(text)
