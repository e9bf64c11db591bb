"""The scene of a split MLP: what every GPU has and computes, stage by stage, until partial outputs are added."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from simlib.errors import BadArgument
from simlib.tensor_parallel import sequence_parallel_mlp, split_mlp
from tutor.views import palette
from tutor.views.figures import each
from tutor.views.layout import note
from tutor.views.picture import Cell, Role, cell
from tutor.views.scene import Scene
from tutor.views.tensor_matrices import Band, Matrices, Matrix, Section
from tutor.views.tensor_values import Given, matrices

if TYPE_CHECKING:
    from simlib.collectives.layout import Array
    from simlib.collectives.trace import Trace


class Stage(NamedTuple):
    """A step of the forward pass: the matrix that it fills, from which one, and what is said of it."""

    matrix: str
    phase: str
    says: str
    sent: str = ""  # the matrix whose numbers travel
    trace: Trace | None = None


_NAMES = {"own": "own X", "x": "X", "a": "A", "xa": "X A", "gelu": "GeLU", "b": "B", "partial": "partial", "y": "Y"}
_START = ("own", "a", "b")


class SplitMlpScene(Scene):
    """Y = GeLU(X A) B on several GPUs; with sequence parallelism each has its own tokens of X and Y."""

    def __init__(self, given: Given, gpus: int, sequence_parallel: bool) -> None:
        self.given = given
        self.gpus = gpus
        self.sequence_parallel = sequence_parallel
        columns = len(given.a[0])
        if gpus > columns:
            raise BadArgument("gpus", gpus, f"at most {columns}, one for each column of A")
        if sequence_parallel:
            split = sequence_parallel_mlp(given.x, given.a, given.b, gpus)
            self.mlp = split.mlp
            self._parts = {"own": split.inputs, "y": split.outputs}
            enter = [Stage("x", "all-gather", "each gets the others' tokens", "own", split.all_gather)]
            leave = Stage("y", "reduce-scatter", "each gets sums of its tokens", "partial", split.reduce_scatter)
        else:
            self.mlp = split_mlp(given.x, given.a, given.b, gpus)
            self._parts = {"y": [self.mlp.output] * gpus}
            enter = []
            leave = Stage("y", "all-reduce", "partial outputs are added", "partial", self.mlp.all_reduce)
        self._parts |= {
            "x": [self.mlp.inputs] * gpus,
            "a": self.mlp.first,
            "xa": self.mlp.products,
            "gelu": self.mlp.hidden,
            "b": self.mlp.second,
            "partial": self.mlp.contributions,
        }
        self.stages = (
            *enter,
            Stage("xa", "X A", "each multiplies X by its columns of A"),
            Stage("gelu", "GeLU", "each takes the GeLU of its own columns"),
            Stage("partial", "partial output", "each multiplies by its rows of B"),
            leave,
        )
        self.last_step = len(self.stages)

    def picture(self, step: int) -> Matrices:
        filled = {stage.matrix for stage in self.stages[:step]}
        now = self.stages[step - 1] if step else None
        there = {name for name in self._names if name in filled or name in self._start}
        new = frozenset(
            at for at, name in enumerate(self._names) if (name == now.matrix if now else name in self._start)
        )
        return Matrices(
            slots=tuple(_NAMES[name] for name in self._names),
            sections=self._sections(there, now),
            room=self._room,
            new=new,
            notes=(
                note("each GPU: some columns of A, and the rows of B with the same numbers"),
                *(() if self.gpus == 1 else (note(f"n{palette.ARROW} sent", Role.SENT),)),
                note(f"n{palette.DONE} final", Role.FINISHED),
            ),
        )

    def caption(self, step: int) -> str:
        if not step:
            what = "its tokens of X" if self.sequence_parallel else "X"
            return f"start: each has {what}, some columns of A and those rows of B"
        stage = self.stages[step - 1]
        if stage.trace is None:
            return f"step {step} of {self.last_step}: {stage.says}; nothing is sent"
        sent = f"each sends {each(stage.trace.bytes_sent)}"
        return f"step {step} of {self.last_step} ({stage.phase}): {stage.says}; {sent}"

    def data(self) -> dict[str, Any]:
        return {
            "part": "mlp",
            "gpus": self.gpus,
            "sequence_parallel": self.sequence_parallel,
            "x": self.given.x,
            "a": self.given.a,
            "b": self.given.b,
            "per_gpu": [
                {"gpu": gpu, **{name: self._parts[name][gpu].tolist() for name in self._names}}
                for gpu in range(self.gpus)
            ],
            "output": self.mlp.output.tolist(),
            "collectives": [
                {"step": at, "name": stage.phase, "bytes_sent": stage.trace.bytes_sent}
                for at, stage in enumerate(self.stages, start=1)
                if stage.trace is not None
            ],
        }

    def values(self, name: str) -> list[list[Any]]:
        found: list[list[Any]] = getattr(self.given, name)
        return found

    # The matrices

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(name for name in _NAMES if name != "own" or self.sequence_parallel)

    @property
    def _start(self) -> tuple[str, ...]:
        return _START if self.sequence_parallel else ("x", "a", "b")

    @cached_property
    def _room(self) -> tuple[Section, ...]:
        """The last step, with room for the signs of the others."""
        (section,) = self._sections(set(self._names), None)
        bands = [
            replace(
                band,
                matrices=tuple(
                    matrix if matrix is None or name not in ("own", "partial", "y") else replace(matrix, sign=" ")
                    for name, matrix in zip(self._names, band.matrices, strict=True)
                ),
            )
            for band in section.bands
        ]
        return (replace(section, bands=tuple(bands)),)

    def _sections(self, there: set[str], now: Stage | None) -> tuple[Section, ...]:
        bands = [
            Band(
                f"GPU {gpu}",
                tuple(self._matrix(name, gpu, now) if name in there else None for name in self._names),
            )
            for gpu in range(self.gpus)
        ]
        return (Section("", tuple(bands)),)

    def _matrix(self, name: str, gpu: int, now: Stage | None) -> Matrix:
        values = self._parts[name][gpu]
        first_row, first_column = self._corner(name, gpu)

        def place(row: int, column: int) -> Cell:
            return cell(gpu=gpu, matrix=name, row=first_row + row, column=first_column + column)

        role, sign = Role.WEIGHTS if name in ("a", "b") else Role.PLAIN, ""
        if now is not None and name == now.sent and self.gpus > 1:
            role, sign = Role.SENT, palette.ARROW
        elif now is not None and name == now.matrix:
            role = Role.FINISHED if name == "y" else Role.RECEIVED if now.trace is not None else Role.FORWARD
            sign = palette.DONE if name == "y" else ""
        return Matrix(values.tolist(), place, self._called(name, values, first_row, first_column), role, sign)

    def _corner(self, name: str, gpu: int) -> tuple[int, int]:
        """The row and column of the whole matrix at which a GPU's part begins."""
        if name in ("own", "y") and self.sequence_parallel:
            return gpu * len(self._parts[name][0]), 0
        column = sum(part.shape[1] for part in self.mlp.first[:gpu])
        return (column, 0) if name == "b" else (0, column) if name in ("a", "xa", "gelu") else (0, 0)

    def _called(self, name: str, values: Array, row: int, column: int) -> str:
        if name in ("a", "xa", "gelu"):
            return f"{_NAMES[name]}, {_span('column', column, values.shape[1])}"
        if name == "b":
            return f"B, {_span('row', row, values.shape[0])}"
        tokens = f", {_span('token', row, values.shape[0])}" if name in ("own", "y") and self.sequence_parallel else ""
        return {"own": "X", "partial": "partial output"}.get(name, _NAMES[name]) + tokens


def build(given: Mapping[str, Any]) -> SplitMlpScene:
    """The scene for these parameters. Raises BadArgument."""
    return SplitMlpScene(matrices(given, wrong_split=False), given["gpus"], given["sequence_parallel"])


def _span(what: str, first: int, count: int) -> str:
    return f"{what} {first}" if count == 1 else f"{what}s {first} to {first + count - 1}"
