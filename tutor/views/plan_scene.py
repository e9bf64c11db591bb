"""The scenes of the planner: its table with each layout behind it, and one layout that is looked at alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simlib import hardware, models
from simlib.hardware import Hardware
from simlib.models import Model
from simlib.planner import CAUSES, Layout, Plan, Reason, lay_out, plan, why
from tutor import units
from tutor.views.layout_bars import LayoutBars
from tutor.views.picture import Picture
from tutor.views.plan_table import SIZES, PlanTable
from tutor.views.scene import Scene

_PINNED = (*SIZES, "checkpointing")


class PlanScene(Scene):
    """Step 0 is the table; the steps after it show its layouts one by one."""

    def __init__(self, given: Mapping[str, Any], made: Plan) -> None:
        self.given = given
        self.made = made
        self.shown = made.layouts[: given["rows"]]
        self.last_step = len(self.shown)

    def picture(self, step: int) -> Picture:
        if step:
            return LayoutBars(self.shown[step - 1])
        return PlanTable(self.shown, len(self.made.layouts), self.made.rejected)

    def caption(self, step: int) -> str:
        if step:
            return f"layout {step} of {len(self.made.layouts):,}: {described(self.shown[step - 1])}"
        return posed(self.given["model"], self.given["hardware"], self.made)

    def data(self) -> dict[str, Any]:
        names = ("model", "hardware", "gpus")
        return {name: self.given[name] for name in names} | {
            "batch": self.made.problem.global_batch,
            "layouts": [as_json(layout) for layout in self.shown],
            "fitting": len(self.made.layouts),
            "rejected": dict(self.made.rejected),
        }


class LayoutScene(Scene):
    """One layout, whether it fits or not, beside the fastest that fits."""

    def __init__(self, given: Mapping[str, Any], layout: Layout, made: Plan) -> None:
        self.given = given
        self.layout = layout
        self.made = made

    def picture(self, step: int) -> LayoutBars:
        best = self.made.best
        if best is None:
            return LayoutBars(self.layout, ("No layout of this model fits these GPUs.",))
        said = [reason_in_words(reason) for reason in why(self.made, self.layout)[:2]]
        return LayoutBars(self.layout, (*said, f"The fastest that fits: {described(best)}."))

    def caption(self, step: int) -> str:
        return f"{described(self.layout)}{'' if self.layout.fits else ': does not fit'}"

    def data(self) -> dict[str, Any]:
        best = self.made.best
        return {name: self.given[name] for name in ("model", "hardware", "gpus")} | {
            "batch": self.made.problem.global_batch,
            "layout": as_json(self.layout) | {"fits": self.layout.fits},
            "best": None if best is None else as_json(best),
        }


def build_plan(given: Mapping[str, Any]) -> PlanScene:
    """The planner's table for these parameters. Raises BadArgument."""
    pinned = {name: given[name] for name in _PINNED if given[name] is not None}
    made = plan(given["model"], given["hardware"], given["gpus"], given["batch"], given["sequence"], **pinned)
    return PlanScene(given, made)


def build_layout(given: Mapping[str, Any]) -> LayoutScene:
    """One layout for these parameters. Raises BadArgument."""
    sizes = {name: given[name] for name in _PINNED if name != "data"}
    posed = (given["model"], given["hardware"], given["gpus"], given["batch"], given["sequence"])
    return LayoutScene(given, lay_out(*posed, **sizes), plan(*posed, chunks=given["chunks"]))


def posed(model: str | Model, machine: str | Hardware, made: Plan) -> str:
    """What is planned, in a line."""
    problem = made.problem
    name = (models.find(model) if isinstance(model, str) else model).name
    of = hardware.find(machine) if isinstance(machine, str) else machine
    gpus = f"{problem.gpus:,} {of.id.upper()}{'' if problem.gpus == 1 else 's'}"
    batch = f"{problem.global_batch:,} sequence{'' if problem.global_batch == 1 else 's'} a step"
    return f"{name} on {gpus}, {batch}: {len(made.layouts):,} layouts fit"


def described(layout: Layout) -> str:
    """A layout in a line."""
    sizes = f"data {layout.data} x tensor {layout.tensor} x pipeline {layout.pipeline}, ZeRO {layout.zero}"
    chunks = f", {layout.chunks} chunks a rank" if layout.chunks > 1 else ""
    spread = "" if layout.tensor_inside else ", tensor over servers"
    batches = f"{layout.micro_batches} micro-batch{'' if layout.micro_batches == 1 else 'es'} of {layout.micro_batch}"
    figures = f"{layout.bytes_per_gpu / 1e9:.1f} GB, {units.show(layout.step_seconds, 's')}"
    return (
        f"{sizes}, {batches}{chunks}, recompute {layout.checkpointing}{spread}: "
        f"{figures}, MFU {units.show(layout.mfu, '%')}"
    )


def as_json(layout: Layout) -> dict[str, Any]:
    """A layout as plan's JSON has it."""
    names = (*_PINNED, "bytes_per_gpu", "step_seconds", "mfu", "hfu", "bubble")
    return {name: getattr(layout, name) for name in names} | {"limits": list(layout.limits)}


def reason_in_words(reason: Reason) -> str:
    """Why the layout is behind, in a line."""
    form = "s" if reason.unit == "s" else "B"
    here, best = (units.show(cost, form) if cost else "none" for cost in (reason.cost, reason.best_cost))
    if reason.part == "memory":
        return f"Too full by {units.show(reason.figures['over'], 'B')}: it needs {here} of {best}."
    longer = reason.figures.get("times_as_long")
    times = f", where an all-reduce takes {units.show(longer, 'x')} the time" if longer else ""
    return f"{reason.part.capitalize()}: {here}, in the fastest {best}; {CAUSES[reason.cause]}{times}."


__all__ = ["LayoutScene", "PlanScene", "as_json", "build_layout", "build_plan", "described", "posed"]
