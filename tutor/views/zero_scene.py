"""The scene of ZeRO's stages: bytes held and sent, from a few knobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simlib import hardware, zero
from tutor.units import show
from tutor.views.byte_bars import ByteBars, Capacity, StageBytes
from tutor.views.figures import in_table_bytes
from tutor.views.scene import Scene


class ZeroScene(Scene):
    """Bars for all stages, or for one."""

    def __init__(self, params: int, gpus: int, stages: Sequence[StageBytes], capacity: Capacity) -> None:
        self.params = params
        self.gpus = gpus
        self.stages = stages
        self.capacity = capacity

    def picture(self, step: int) -> ByteBars:
        return ByteBars(self.stages, self.capacity)

    def caption(self, step: int) -> str:
        gpus = f"{self.gpus:,} GPU{'' if self.gpus == 1 else 's'}"
        text = f"{_billions(self.params)} parameter{'' if self.params == 1 else 's'} on {gpus}"
        room = show(self.capacity.bytes, "B")
        if len(self.stages) == 1:
            held = self.stages[0]
            fits = "fit" if held.total <= self.capacity.bytes else "do not fit"
            return f"{text}, stage {held.stage}: {in_table_bytes(held.total)} of model states {fits} {room}"
        first = next((held.stage for held in self.stages if held.total <= self.capacity.bytes), None)
        return f"{text}: " + (
            f"no stage fits {room}" if first is None else f"stage {first} is the first that fits {room}"
        )

    def data(self) -> dict[str, Any]:
        names = ("stage", "weights", "gradients", "optimizer", "total", "sent")
        return {
            "params": self.params,
            "gpus": self.gpus,
            "stages": [{name: getattr(held, name) for name in names} for held in self.stages],
        }


def build(given: Mapping[str, Any]) -> ZeroScene:
    """The scene for these parameters."""
    params, gpus, per_param = given["params"], given["gpus"], given["optimizer_bytes"]
    stages = zero.STAGES if given["stage"] is None else (given["stage"],)
    machine = hardware.find(given["hardware"])
    if given["capacity"] is None:
        capacity = Capacity(machine.memory_bytes, machine.id.upper())
    else:
        capacity = Capacity(given["capacity"])
    return ZeroScene(params, gpus, [_held(params, gpus, stage, per_param) for stage in stages], capacity)


def _held(params: int, gpus: int, stage: int, optimizer_bytes: float) -> StageBytes:
    states = zero.model_states(params, gpus, stage, optimizer_bytes)
    sent = zero.bytes_sent(params, gpus, stage)
    return StageBytes(stage, states.weights, states.gradients, states.optimizer, states.total, sent)


def _billions(count: int) -> str:
    """A number of parameters as models are named: 7B, 350M, 1T.

    >>> _billions(7_000_000_000), _billions(6_738_000_000), _billions(350_000_000), _billions(42)
    ('7B', '6.738B', '350M', '42')
    """
    for letter, size in (("T", 10**12), ("B", 10**9), ("M", 10**6)):
        if count >= size:
            return f"{count / size:.4g}{letter}"
    return f"{count:,}"
