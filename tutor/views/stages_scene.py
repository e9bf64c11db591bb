"""The scene of model stages on ranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simlib.errors import BadArgument
from simlib.pipeline.placement import layers_of_stages, rank_of_stage
from tutor.views.limits import MOST_RANKS
from tutor.views.scene import Scene
from tutor.views.stage_map import StageMap


class StagesScene(Scene):
    """The layers of a model, cut into stages and placed on ranks."""

    def __init__(self, layers: int, ranks: int, chunks: int, placement: str) -> None:
        self.layers, self.ranks, self.chunks, self.placement = layers, ranks, chunks, placement
        self.parts = layers_of_stages(layers, ranks * chunks)
        self.on = tuple(rank_of_stage(stage, ranks, chunks, placement) for stage in range(ranks * chunks))
        self._picture = StageMap(self.parts, self.on)

    def picture(self, step: int) -> StageMap:
        return self._picture

    def caption(self, step: int) -> str:
        how = "round the ranks" if self.placement == "looped" else "down the ranks and up again"
        many = f"{self.ranks * self.chunks:,} model stages {how}" if self.chunks > 1 else "one model stage on each"
        return f"{self.layers:,} layers on {self.ranks:,} rank{'' if self.ranks == 1 else 's'}: {many}"

    def data(self) -> dict[str, Any]:
        return {
            "layers": self.layers,
            "ranks": self.ranks,
            "chunks": self.chunks,
            "placement": self.placement,
            "stages": [
                {"stage": stage, "rank": rank, "layers": list(part)}
                for stage, (rank, part) in enumerate(zip(self.on, self.parts, strict=True))
            ],
        }


def build(given: Mapping[str, Any]) -> StagesScene:
    """The scene for these parameters. Raises BadArgument."""
    ranks, chunks, layers = given["stages"], given["chunks"], given["layers"]
    if ranks * chunks > MOST_RANKS:
        raise BadArgument("chunks", chunks, f"at most {MOST_RANKS // ranks} with {ranks:,} ranks")
    if ranks * chunks > layers:
        accepted = f"at least {ranks * chunks:,}: a layer for each of {ranks:,} x {chunks:,} model stages"
        raise BadArgument("layers", layers, accepted)
    return StagesScene(layers, ranks, chunks, given["placement"])
