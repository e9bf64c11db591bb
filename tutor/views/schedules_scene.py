"""The scene of several pipeline schedules side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simlib.errors import BadArgument
from simlib.pipeline import Schedule, schedule
from simlib.pipeline.durations import Times
from simlib.pipeline.memory import held_over_time
from simlib.pipeline.sizes import V_SHAPED, checked_sizes
from tutor.views.compared_schedules import ComparedSchedules, compared
from tutor.views.curtain import Curtain, filling
from tutor.views.scene import Scene

NONE = "none"
# Of those that take chunks; zb-h1 is shown with one, as it was published
CHUNKED = ("interleaved", "looped-bfs")


class SchedulesScene(Scene):
    """Schedules for the same stages and micro-batches, on one time axis."""

    fills = True

    def __init__(self, schedules: list[Schedule], memory: bool) -> None:
        self.schedules = schedules
        self._picture = compared(schedules, memory)

    def picture(self, step: int) -> ComparedSchedules:
        return self._picture

    def between(self, step: int) -> list[Curtain]:
        return filling(self._picture, round(max(timed.makespan / (timed.slot or 1) for timed in self.schedules)))

    def caption(self, step: int) -> str:
        first = self.schedules[0]
        names = ", ".join(timed.name for timed in self.schedules)
        return f"{names}: {first.stages:,} ranks, {first.micro_batches:,} micro-batches, one time axis"

    def data(self) -> dict[str, Any]:
        return {
            "schedules": [
                {
                    "schedule": timed.name,
                    "chunks": timed.chunks,
                    "makespan": timed.makespan,
                    "bubble": timed.bubble,
                    "bubble_of_ideal": timed.bubble_of_ideal,
                    "peak_activations": list(timed.peak_activations),
                    "held": [
                        [list(change) for change in zip(held.times, held.counts, strict=True)]
                        for held in held_over_time(timed.timeline)
                    ],
                }
                for timed in self.schedules
            ]
        }


def build(given: Mapping[str, Any]) -> SchedulesScene:
    """The scene for these parameters. Raises BadArgument."""
    names = [given[name] for name in ("first", "second", "third")]
    shown = list(dict.fromkeys(name for name in names if name != NONE))
    if not shown:
        raise BadArgument("first", NONE, "a schedule, here or as second or third")
    return SchedulesScene([_one(name, given) for name in shown], given["memory"] == "yes")


def _one(name: str, given: Mapping[str, Any]) -> Schedule:
    chunks = given["chunks"] if name in CHUNKED else 1
    sizes = checked_sizes(name, given["stages"], given["micro_batches"], chunks)
    times: dict[str, Times] = {kind: given[kind] for kind in ("forward", "backward", "input", "weight")}
    if given["last_stage"] != 1:
        # A rank's time is divided among its chunks; only the model's last stage takes longer or shorter
        count = sizes.stages * sizes.chunks
        times = {kind: _with_last(given[kind] / sizes.chunks, given["last_stage"], count) for kind in times}
    return schedule(name, sizes.stages, sizes.micro_batches, 1 if name in V_SHAPED else chunks, **times)  # type: ignore[arg-type]


def _with_last(time: float, times_as_long: float, count: int) -> list[float]:
    return [*[time] * (count - 1), time * times_as_long]
