"""The scene of activations: what the layers keep for the backward pass, split and recomputed in the known ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simlib import activations, hardware, models
from simlib.activations import LayerParts
from simlib.quantities.registry import plain
from tutor.views import palette
from tutor.views.bar_rows import BarRow, Look
from tutor.views.byte_bars import Capacity
from tutor.views.figure_table import Figure
from tutor.views.figures import in_bytes, in_table_bytes
from tutor.views.picture import Role, cell
from tutor.views.scene import Scene
from tutor.views.stacked_bars import StackedBars

ALL = "all"
# What a row is called beside the one above it
_NAMES = {
    "none": "none",
    "tensor": "tensor",
    "tensor+sequence": " +sequence",
    "tensor+selective": " +selective",
    "tensor+sequence+selective": " +both",
    "full": "full",
}
_LOOKS = {
    "input": Look(Role.ACTIVATIONS, palette.CHECKPOINT_FILL, "input (with full)"),
    "norms": Look(Role.ACTIVATIONS, palette.OPTIMIZER_FILL, "norms"),
    "attention": Look(Role.ACTIVATIONS, palette.GRADIENTS_FILL, "attention"),
    "scores": Look(Role.ACTIVATIONS, palette.SCORES_FILL, "its scores"),
    "mlp": Look(Role.ACTIVATIONS, palette.MLP_FILL, "MLP"),
}


class ActivationScene(Scene):
    """Bars for all modes, or for one."""

    def __init__(self, given: Mapping[str, Any], capacity: Capacity) -> None:
        self.given = given
        self.capacity = capacity
        self.model = models.find(given["model"])
        self.layers = given["layers"] or self.model.shape.layers
        self.sequence = given["sequence"] or self.model.shape.sequence
        self.modes = activations.MODES if given["mode"] == ALL else (given["mode"],)
        self.held = {mode: self._parts(mode) for mode in self.modes}

    def picture(self, step: int) -> StackedBars:
        shown = [part for part in activations.PARTS if any(getattr(held, part) for held in self.held.values())]
        names = [*("MLP" if part == "mlp" else part for part in shown), "layer", "total"]

        def row(mode: str, held: LayerParts) -> BarRow:
            figures = [Figure(getattr(held, part), cell(mode=mode, part=part)) for part in shown]
            figures += [
                Figure(held.total, cell(mode=mode, part="layer")),
                Figure(held.total * self.layers, cell(mode=mode, part="total")),
            ]
            parts = tuple((getattr(held, part) * self.layers, part) for part in shown)
            name = _NAMES[mode] if len(self.modes) > 1 else mode
            return BarRow((name,), tuple(figures), parts, mode)

        def say(row: BarRow, said: Sequence[str]) -> str:
            told = ", ".join(f"{name} {text}" for name, text in zip(names, said, strict=True))
            return f"{row.spoken}: {told}"

        return StackedBars(
            heads=tuple(names),
            rows=[row(mode, held) for mode, held in self.held.items()],
            looks={part: _LOOKS[part] for part in shown},
            say=say,
            largest=max(held.total for held in self.held.values()),
            capacity=self.capacity,
        )

    def caption(self, step: int) -> str:
        given = self.given
        layers = f"{self.layers:,} layer{'' if self.layers == 1 else 's'}"
        tokens = f"{given['micro_batch']:,} x {self.sequence:,} tokens"
        what = f"{self.model.name}, {layers}, {tokens}, t = {given['tensor']:,}"
        totals = {mode: held.total * self.layers for mode, held in self.held.items()}
        room = in_bytes(self.capacity.bytes)
        if len(totals) == 1:
            [(mode, total)] = totals.items()
            fits = "fit" if total <= self.capacity.bytes else "do not fit"
            how = "" if mode == "none" else f"with {mode} "
            return f"{what}: {how}{in_table_bytes(total)} of activations {fits} {room}"
        count = sum(total <= self.capacity.bytes for total in totals.values())
        return f"{what}: {count} of {len(totals)} ways fit {room}"

    def data(self) -> dict[str, Any]:
        return {
            "model": self.given["model"],
            "sequence": self.sequence,
            "micro_batch": self.given["micro_batch"],
            "tensor": self.given["tensor"],
            "layers": self.layers,
            "modes": [
                {"mode": mode}
                | {
                    name: plain(size)
                    for name, size in (
                        held._asdict() | {"layer": held.total, "total": held.total * self.layers}
                    ).items()
                }
                for mode, held in self.held.items()
            ],
        }

    def _parts(self, mode: str) -> LayerParts:
        shape, given = self.model.shape, self.given
        return activations.parts_per_layer(
            self.sequence, given["micro_batch"], shape.hidden, shape.heads, given["tensor"], mode
        )


def build(given: Mapping[str, Any]) -> ActivationScene:
    """The scene for these parameters."""
    machine = hardware.find(given["hardware"])
    if given["capacity"] is None:
        return ActivationScene(given, Capacity(machine.memory_bytes, machine.id.upper()))
    return ActivationScene(given, Capacity(given["capacity"]))
