"""The scene of a pipeline schedule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simlib.pipeline import Schedule, schedule
from tutor.views.curtain import Curtain, filling
from tutor.views.figures import number
from tutor.views.limits import MOST_SLOTS
from tutor.views.pipeline_rows import PipelineRows
from tutor.views.scene import Scene
from tutor.views.slot_grid import SlotGrid
from tutor.views.time_rows import TimeRows


class PipelineScene(Scene):
    """A schedule, drawn in slots, or to scale where its times have no slot in common."""

    fills = True

    def __init__(self, timed: Schedule) -> None:
        self.schedule = timed
        slot = timed.slot
        in_slots = slot is not None and timed.makespan / slot <= MOST_SLOTS
        self._picture: PipelineRows = SlotGrid(timed.timeline) if in_slots else TimeRows(timed.timeline)

    def picture(self, step: int) -> PipelineRows:
        return self._picture

    def between(self, step: int) -> list[Curtain]:
        return filling(self._picture, round(self.schedule.makespan / (self.schedule.slot or 1)))

    def caption(self, step: int) -> str:
        timed = self.schedule
        chunks = f", {timed.chunks} model stages on each" if timed.chunks > 1 else ""
        return (
            f"{timed.name}: {_count(timed.stages, 'stage')}{chunks}, {_count(timed.micro_batches, 'micro-batch')}; "
            f"done at time {number(round(timed.makespan, 6))}"
        )

    def data(self) -> dict[str, Any]:
        timed = self.schedule
        return {
            "schedule": timed.name,
            "orders": [[str(step) for step in row] for row in timed.orders],
            "makespan": timed.makespan,
            "span": list(timed.span),
            "idle": list(timed.idle),
            "bubble": timed.bubble,
            "bubble_of_ideal": timed.bubble_of_ideal,
            "peak_activations": list(timed.peak_activations),
            "slot": timed.slot,
            "grid": timed.grid,
        }


def build(given: Mapping[str, Any]) -> PipelineScene:
    """The scene for these parameters. Raises BadArgument."""
    return PipelineScene(schedule(given["schedule"], **{name: given[name] for name in given if name != "schedule"}))


def _count(count: int, thing: str) -> str:
    plural = "" if count == 1 else "es" if thing.endswith("ch") else "s"
    return f"{count:,} {thing}{plural}"
