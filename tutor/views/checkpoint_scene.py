"""The scene of checkpointing: bytes of activations from moment to moment of one step, forward and backward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simlib import activations, checkpointing, models
from simlib.checkpointing import Moment
from simlib.errors import BadArgument
from simlib.quantities.registry import plain
from tutor.views import palette
from tutor.views.bar_rows import Look
from tutor.views.byte_columns import ByteColumns
from tutor.views.figure_table import Figure, TableRow
from tutor.views.figures import byte_unit, in_table_bytes
from tutor.views.picture import Role, cell
from tutor.views.scene import Scene

# What a layer keeps: all that a transformer layer does, or its input alone, as the layers of Chen et al.'s chain
TRANSFORMER, CHAIN = "transformer", "chain"
_PARTS = ("inputs", "kept", "recomputed", "total")
_LOOKS = (
    Look(Role.ACTIVATIONS, palette.CHECKPOINT_FILL, "checkpoints"),
    Look(Role.ACTIVATIONS, palette.WEIGHTS_FILL, "kept by the forward pass"),
    Look(Role.ACTIVATIONS, palette.AGAIN, "recomputed"),
)


class CheckpointScene(Scene):
    """One step, forward through all layers and backward again."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = given
        self.model = models.find(given["model"])
        shape = self.model.shape
        self.layers = given["layers"] or shape.layers
        if given["every"] > self.layers:
            raise BadArgument("every", given["every"], f"at most the {self.layers:,} layers that there are")
        sequence = given["sequence"] or shape.sequence
        sizes = (sequence, given["micro_batch"], shape.hidden, shape.heads, given["tensor"])
        self.input = activations.bytes_per_layer(*sizes, "full")
        self.layer = self.input if given["layer"] == CHAIN else activations.bytes_per_layer(*sizes, "tensor")
        self.moments = checkpointing.step_moments(self.layers, self.layer, self.input, given["every"])

    def picture(self, step: int) -> ByteColumns:
        rows = [
            TableRow(
                (name, self._name(moment)),
                tuple(
                    Figure(value, cell(moment=name, part=part))
                    for part, value in zip(_PARTS, (*self._parts(moment), moment.bytes), strict=True)
                ),
            )
            for name, moment in (("forward", self._most(False)), ("backward", self._most(True)))
        ]

        def say(at: int, said: Sequence[str]) -> str:
            inputs, kept, again, total = said
            parts = f"checkpoints {inputs}, kept by the forward pass {kept}, recomputed {again}"
            return f"{rows[at].heads[0]}, most at {rows[at].heads[1]}: {parts}, together {total}"

        shown = [part for part in range(len(_LOOKS)) if any(self._parts(moment)[part] for moment in self.moments)]
        return ByteColumns(
            stretches={
                name: [tuple(self._parts(moment)[part] for part in shown) for moment in self._of(name == "backward")]
                for name in ("forward", "backward")
            },
            looks=[_LOOKS[part] for part in shown],
            names=(f"most ({byte_unit(self.peak.bytes)[0]})", "at", *_PARTS),
            rows=rows,
            say=say,
            notes=("model states not counted",),
        )

    def caption(self, step: int) -> str:
        every = self.given["every"]
        layers = f"{self.layers:,} layer{'' if self.layers == 1 else 's'}"
        chain = "a chain as wide as " if self.given["layer"] == CHAIN else ""
        what = f"{chain}{self.model.name}, {layers} of {in_table_bytes(self.layer)}"
        if not every:
            return f"{what}, all kept: {in_table_bytes(self.peak.bytes)} at the peak"
        often = "every layer" if every == 1 else f"every {every:,} layers"
        return (
            f"{what}, a checkpoint of {in_table_bytes(self.input)} {often}: {in_table_bytes(self.peak.bytes)} at the "
            f"peak; all kept {in_table_bytes(self.layers * self.layer)}"
        )

    def data(self) -> dict[str, Any]:
        return {
            "model": self.given["model"],
            "layers": self.layers,
            "layer": plain(self.layer),
            "input": plain(self.input),
            "every": self.given["every"],
            "moments": [
                {
                    "pass": moment.running,
                    "layer": moment.layer,
                    "inputs": plain(moment.inputs),
                    "bytes": plain(moment.bytes),
                }
                for moment in self.moments
            ],
            "peak": plain(self.peak.bytes),
        }

    @property
    def peak(self) -> Moment:
        """The moment with the most bytes; of several, the first."""
        return max(self.moments, key=lambda moment: moment.bytes)

    def _of(self, backward: bool) -> list[Moment]:
        return [moment for moment in self.moments if (moment.running != "forward") == backward]

    def _most(self, backward: bool) -> Moment:
        return max(self._of(backward), key=lambda moment: moment.bytes)

    def _name(self, moment: Moment) -> str:
        return f"layer {moment.layer}"

    def _parts(self, moment: Moment) -> tuple[float, float, float]:
        """Bytes of checkpoints, of what the forward pass kept whole, and of what is recomputed."""
        if self.given["every"]:
            return moment.inputs, 0, moment.activations
        return 0, moment.activations, 0


def build(given: Mapping[str, Any]) -> CheckpointScene:
    """The scene for these parameters."""
    return CheckpointScene(given)
