"""The scenes of a split MLP: forward until partial outputs are added, and back until partial gradients are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simlib.tensor_parallel import sequence_parallel_mlp, split_mlp, split_mlp_backward
from tutor.views.picture import Role
from tutor.views.tensor_stages import Stage, StagedMlpScene
from tutor.views.tensor_values import Given, matrices

_FORWARD = {"x": "X", "a": "A", "xa": "X A", "gelu": "GeLU", "b": "B", "partial": "partial", "y": "Y"}
_BACKWARD = {
    "dy": "dY",
    "b": "B",
    "dgelu": "dGeLU",
    "xa": "X A",
    "dxa": "d(X A)",
    "a": "A",
    "dpartial": "partial",
    "dx": "dX",
}


class SplitMlpScene(StagedMlpScene):
    """Y = GeLU(X A) B on several GPUs; with sequence parallelism each has its own tokens of X and Y."""

    part = "mlp"

    def __init__(self, given: Given, gpus: int, sequence_parallel: bool) -> None:
        super().__init__(given, gpus)
        self.sequence_parallel = sequence_parallel
        if sequence_parallel:
            split = sequence_parallel_mlp(given.x, given.a, given.b, gpus)
            mlp, ends = split.mlp, {"own": split.inputs, "y": split.outputs}
            enter = [Stage("x", "each gets the others' tokens", "all-gather", "own", split.all_gather)]
            leave = Stage("y", "each gets sums of its tokens", "reduce-scatter", "partial", split.reduce_scatter)
        else:
            mlp = split_mlp(given.x, given.a, given.b, gpus)
            ends = {"y": [mlp.output] * gpus}
            enter = []
            leave = Stage("y", "partial outputs are added", "all-reduce", "partial", mlp.all_reduce)
        self.parts = {
            "x": [mlp.inputs] * gpus,
            "a": mlp.first,
            "xa": mlp.products,
            "gelu": mlp.hidden,
            "b": mlp.second,
            "partial": mlp.contributions,
            **ends,
        }
        self.names = {"own": "own X", **_FORWARD} if sequence_parallel else _FORWARD
        self.by_tokens = ("own", "y") if sequence_parallel else ()
        self.start = ("own" if sequence_parallel else "x", "a", "b")
        what = "its tokens of X" if sequence_parallel else "X"
        self.opening = f"each has {what}, some columns of A and those rows of B"
        self.stages = (
            *enter,
            Stage("xa", "each multiplies X by its columns of A"),
            Stage("gelu", "each takes the GeLU of its own columns"),
            Stage("partial", "each multiplies by its rows of B"),
            leave,
        )
        self.last_step = len(self.stages)
        self._output = mlp.output.tolist()

    def data(self) -> dict[str, Any]:
        return {**super().data(), "sequence_parallel": self.sequence_parallel, "output": self._output}


class SplitMlpBackwardScene(StagedMlpScene):
    """The way back, from a gradient of 1 for each number of Y."""

    part = "mlp-backward"
    new_role = Role.BACKWARD

    def __init__(self, given: Given, gpus: int) -> None:
        super().__init__(given, gpus)
        mlp = split_mlp(given.x, given.a, given.b, gpus)
        ones = [[1.0] * len(given.b[0]) for _ in given.x]
        back = split_mlp_backward(mlp, ones)
        self.parts = {
            "dy": [back.d_output] * gpus,
            "b": mlp.second,
            "dgelu": back.d_hidden,
            "xa": mlp.products,
            "dxa": back.d_products,
            "a": mlp.first,
            "dpartial": back.contributions,
            "dx": [back.d_inputs] * gpus,
        }
        self.names = _BACKWARD
        self.start = ("dy", "b", "xa", "a")
        self.opening = "each has all of dY, the gradient of Y, and kept its X A"
        self.stages = (
            Stage("dgelu", "each multiplies dY by its rows of B, turned"),
            Stage("dxa", "each multiplies by GeLU's slope at its X A"),
            Stage("dpartial", "each multiplies by its columns of A, turned"),
            Stage("dx", "partial gradients are added", "all-reduce", "dpartial", back.all_reduce),
        )
        self.last_step = len(self.stages)
        self._gradient = back.d_inputs.tolist()

    def data(self) -> dict[str, Any]:
        return {**super().data(), "input_gradient": self._gradient}


def build(given: Mapping[str, Any]) -> SplitMlpScene:
    """The scene of the forward pass. Raises BadArgument."""
    return SplitMlpScene(matrices(given, wrong_split=False), given["gpus"], given["sequence_parallel"])


def build_backward(given: Mapping[str, Any]) -> SplitMlpBackwardScene:
    """The scene of the backward pass. Raises BadArgument."""
    return SplitMlpBackwardScene(matrices(given, wrong_split=False), given["gpus"])
