"""The scene of a stage-3 step: layers gathered before they run and freed after, and the bytes of each moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simlib import fsdp, models, zero
from simlib.fsdp import Moment
from tutor.views import palette
from tutor.views.bar_rows import Look
from tutor.views.byte_columns import ByteColumns
from tutor.views.figure_table import Figure, TableRow
from tutor.views.figures import byte_unit, in_table_bytes
from tutor.views.picture import Role, cell
from tutor.views.scene import Scene

_PARTS = ("shards", "gathered", "gradient", "total")
_LOOKS = (
    Look(Role.OPTIMIZER, palette.OPTIMIZER_FILL, "shards, mostly optimizer states"),
    Look(Role.WEIGHTS, palette.WEIGHTS_FILL, "weights gathered"),
    Look(Role.GRADIENTS, palette.GRADIENTS_FILL, "a layer's whole gradient"),
)


class ShardedMemoryScene(Scene):
    """One step, forward through all layers and backward again."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = given
        self.model = models.find(given["model"])
        self.units = _units(given["model"])
        sizes = list(self.units.values())
        self.moments = fsdp.step_moments(sizes, given["gpus"], given["prefetch"])
        self.shards = zero.bytes_per_gpu(sum(sizes), given["gpus"], 3)

    def picture(self, step: int) -> ByteColumns:
        peaks = [self._peak(backward) for backward in (False, True)]
        rows = [
            TableRow(
                ("backward" if moment.backward else "forward", self._name(moment)),
                tuple(
                    Figure(value, cell(moment="backward" if moment.backward else "forward", part=part))
                    for part, value in zip(_PARTS, (*self._parts(moment), moment.bytes), strict=True)
                ),
            )
            for moment in peaks
        ]

        def say(at: int, said: Sequence[str]) -> str:
            shards, gathered, gradient, total = said
            parts = f"shards {shards}, gathered weights {gathered}, whole gradient {gradient}"
            return f"{rows[at].heads[0]}, most at {rows[at].heads[1]}: {parts}, together {total}"

        names = (f"most ({byte_unit(self.peak.bytes)[0]})", "at", *_PARTS)
        return ByteColumns(
            stretches={
                name: [self._parts(moment) for moment in self.moments if moment.backward == (name == "backward")]
                for name in ("forward", "backward")
            },
            looks=_LOOKS,
            names=names,
            rows=rows,
            say=say,
            notes=("activations not counted",),
        )

    def caption(self, step: int) -> str:
        gpus = f"{self.given['gpus']:,} GPU{'' if self.given['gpus'] == 1 else 's'}"
        peak = self.peak
        kept = zero.bytes_per_gpu(sum(self.units.values()), self.given["gpus"], 2)
        return (
            f"{self.model.name} on {gpus}, stage 3: {in_table_bytes(self.shards)} of shards, "
            f"{in_table_bytes(peak.bytes)} at the peak "
            f"({'backward' if peak.backward else 'forward'}, {self._name(peak)}); "
            f"stage 2 keeps {in_table_bytes(kept)}"
        )

    def data(self) -> dict[str, Any]:
        names = list(self.units)
        return {
            "model": self.given["model"],
            "gpus": self.given["gpus"],
            "prefetch": self.given["prefetch"],
            "shards": self.shards,
            "moments": [
                {
                    "pass": "backward" if moment.backward else "forward",
                    "layer": self._name(moment),
                    "gathered": [names[place] for place in moment.gathered],
                    "bytes": moment.bytes,
                }
                for moment in self.moments
            ],
            "peak": self.peak.bytes,
        }

    @property
    def peak(self) -> Moment:
        """The moment with the most bytes; of several, the first."""
        return max(self.moments, key=lambda moment: moment.bytes)

    def _peak(self, backward: bool) -> Moment:
        return max((of for of in self.moments if of.backward == backward), key=lambda moment: moment.bytes)

    def _name(self, moment: Moment) -> str:
        return list(self.units)[moment.layer]

    def _parts(self, moment: Moment) -> tuple[float, float, float]:
        """Bytes of the shards, of the gathered weights and of a whole gradient."""
        sizes = list(self.units.values())
        gathered = zero.WEIGHT_BYTES * sum(sizes[place] for place in moment.gathered)
        gradient = zero.GRADIENT_BYTES * sizes[moment.layer] if moment.backward else 0
        return moment.bytes - gathered - gradient, gathered, gradient


def _units(model: str) -> dict[str, int]:
    """What is gathered together, with its parameters: the embedding, each layer, the output layer if it has its own.

    >>> sum(_units("llama-7b").values()) == models.find("llama-7b").shape.params
    True
    """
    shape = models.find(model).shape
    outside = shape.params - shape.layers * shape.layer_params
    output = 0 if shape.tied else shape.embedding_params // 2
    units = {"embedding": outside - output}
    units |= {f"layer {place}": shape.layer_params for place in range(shape.layers)}
    return units | ({"output": output} if output else {})


def build(given: Mapping[str, Any]) -> ShardedMemoryScene:
    """The scene for these parameters."""
    return ShardedMemoryScene(given)
