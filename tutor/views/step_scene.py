"""The scene of one data-parallel step: where each second goes, with communication after or beside the backward pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from simlib import hardware, models, throughput
from simlib.throughput import StepTime
from tutor import units
from tutor.views.figure_table import Figure, TableRow
from tutor.views.picture import cell
from tutor.views.scene import Scene
from tutor.views.time_lanes import Lane, Stretch, TimeLanes

WAITING, OVERLAPPED = "waiting", "overlapped"
_PARTS = ("forward", "recompute", "backward", "sync", "hidden", "exposed", "step")
_LEGEND = {
    "forward": "forward",
    "recompute": "recomputed: in HFU, not in MFU",
    "backward": "backward",
    "sent": "gradients all-reduced",
    "idle": "waiting for them",
}


@dataclass(frozen=True)
class Way:
    """A step done one way; parts in seconds."""

    name: str
    time: StepTime
    forward: float
    recompute: float
    backward: float

    def part(self, name: str) -> float:
        """The seconds of one of the parts."""
        match name:
            case "sync":
                return self.time.sync
            case "hidden":
                return self.time.sync - self.time.exposed
            case "exposed":
                return self.time.exposed
            case "step":
                return self.time.seconds
            case _:
                found: float = getattr(self, name)
                return found

    def share(self, name: str) -> float:
        """The "mfu" or the "hfu"."""
        return self.time.mfu if name == "mfu" else self.time.hfu

    def written(self, name: str) -> str:
        """The same as a percentage."""
        return units.show(self.share(name), "%")


class StepScene(Scene):
    """A step done in one or two ways, on one scale."""

    def __init__(self, given: Mapping[str, Any], ways: Sequence[Way]) -> None:
        self.given = given
        self.ways = ways

    def picture(self, step: int) -> TimeLanes:
        again = self.given["recompute"]
        parts = [name for name in _PARTS if name != "recompute" or again]
        # Without recomputation the two are one
        shares = ["mfu", "hfu"] if again else ["mfu"]
        rows = [
            TableRow(
                (way.name,),
                (
                    *(Figure(way.part(name), cell(way=way.name, part=name)) for name in parts),
                    *(Figure(way.share(name), cell(way=way.name, part=name), way.written(name)) for name in shares),
                ),
            )
            for way in self.ways
        ]

        heads = [name.upper() for name in shares]

        def say(at: int, said: Sequence[str]) -> str:
            told = ", ".join(f"{name} {text}" for name, text in zip([*parts, *heads], said, strict=True))
            return f"{self.ways[at].name}: {told}"

        return TimeLanes(
            lanes=[lane for at, way in enumerate(self.ways) for lane in _lanes(at, way)],
            names=("s", *parts, *heads),
            rows=rows,
            say=say,
            legend=_LEGEND,
        )

    def caption(self, step: int) -> str:
        given = self.given
        gpus = f"{given['gpus']:,} GPU{'' if given['gpus'] == 1 else 's'}"
        model, machine = models.find(given["model"]).name, hardware.find(given["hardware"]).id.upper()
        share = given["bandwidth_factor"]
        slower = "" if share == 1 else f", links at {units.show(share, 'x')}"
        told = " and ".join(f"{units.show(way.time.seconds, 's')} {way.name}" for way in self.ways)
        return f"{model}, {gpus} ({machine}{slower}), {given['tokens']:,} tokens: a step takes {told}"

    def data(self) -> dict[str, Any]:
        names = ("model", "gpus", "hardware", "tokens", "bandwidth_factor", "recompute")
        return {name: self.given[name] for name in names} | {
            "steps": [
                {"overlap": way.name == OVERLAPPED}
                | {"seconds" if name == "step" else name: way.part(name) for name in _PARTS}
                | {"compute": way.time.compute, "mfu": way.time.mfu, "hfu": way.time.hfu}
                for way in self.ways
            ],
        }


def _lanes(at: int, way: Way) -> list[Lane]:
    forward = way.forward
    recomputed = forward + way.recompute
    compute = recomputed + way.backward
    overlapped = way.name == OVERLAPPED
    # Gradients can travel from the moment at which the pass that makes them begins
    sync = forward if overlapped else compute
    stretches = [Stretch(0, forward, "forward", "forward")]
    if way.recompute:
        stretches.append(Stretch(forward, recomputed, "recompute", "recompute"))
    stretches.append(Stretch(recomputed, compute, "backward", "backward"))
    if way.time.exposed:
        stretches.append(Stretch(compute, way.time.seconds, "idle"))
    sent = (Stretch(sync, sync + way.time.sync, "sent"),) if way.time.sync else ()
    return [Lane((way.name, "compute"), tuple(stretches), at), Lane(("", "network"), sent, at)]


def build(given: Mapping[str, Any]) -> StepScene:
    """The scene for these parameters."""
    model, machine, share = models.find(given["model"]), hardware.find(given["hardware"]), given["bandwidth_factor"]
    machine = replace(
        machine,
        link_bandwidth=share * machine.link_bandwidth,
        network_bandwidth=share * machine.network_bandwidth,
    )
    gpus, tokens, recompute = given["gpus"], given["tokens"], given["recompute"]
    base = throughput.compute_seconds(model, gpus, machine, tokens)
    ways = []
    for name, overlap in ((WAITING, False), (OVERLAPPED, True)):
        if given["overlap"] in ("both", "yes" if overlap else "no"):
            time = throughput.step_time(model, gpus, machine, tokens, overlap, recompute)
            forward, backward = (1 - throughput.BACKWARD_SHARE) * base, throughput.BACKWARD_SHARE * base
            ways.append(Way(name, time, forward, time.compute - base, backward))
    return StepScene(given, ways)
