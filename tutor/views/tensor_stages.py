"""What the ways forward and back through a split MLP have in common: stages that fill one matrix after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from simlib.errors import BadArgument
from tutor.views import palette
from tutor.views.figures import each
from tutor.views.layout import note
from tutor.views.picture import Cell, Role, cell
from tutor.views.scene import Scene
from tutor.views.tensor_matrices import Band, Matrices, Matrix, Section
from tutor.views.tensor_values import Given

if TYPE_CHECKING:
    from simlib.collectives.layout import Array
    from simlib.collectives.trace import Trace

WEIGHTS = ("a", "b")
# Matrices of which a GPU has columns, and those of which it has rows
_BY_COLUMNS = ("a", "xa", "gelu", "dgelu", "dxa")
_BY_ROWS = ("b",)


class Stage(NamedTuple):
    """A step: the matrix that it fills, and what is said of it."""

    matrix: str
    says: str
    phase: str = ""  # the collective, if there is one,
    sent: str = ""  # the matrix whose numbers travel,
    trace: Trace | None = None  # and its messages


class StagedMlpScene(Scene):
    """An MLP on several GPUs, stage by stage. `names` are its matrices from left to right, and what they are called."""

    part: str
    names: Mapping[str, str]
    start: tuple[str, ...]  # the matrices that are there at the start
    opening: str  # what is said of it
    stages: Sequence[Stage]
    parts: Mapping[str, Sequence[Array]]  # every GPU's part of each matrix
    new_role = Role.FORWARD
    by_tokens: tuple[str, ...] = ()  # matrices of which a GPU has its own tokens

    def __init__(self, given: Given, gpus: int) -> None:
        self.given = given
        self.gpus = gpus
        columns = len(given.a[0])
        if gpus > columns:
            raise BadArgument("gpus", gpus, f"at most {columns}, one for each column of A")

    def picture(self, step: int) -> Matrices:
        now = self.stages[step - 1] if step else None
        there = {*self.start, *(stage.matrix for stage in self.stages[:step])}
        filled = {now.matrix} if now else set(self.start)
        return Matrices(
            slots=tuple(self.names.values()),
            sections=self._sections(there, now),
            room=self._room,
            new=frozenset(at for at, name in enumerate(self.names) if name in filled),
            notes=(
                *(() if self.gpus == 1 else (note(f"n{palette.ARROW} sent", Role.SENT),)),
                note(f"n{palette.DONE} final", Role.FINISHED),
                note("each GPU: some columns of A, and the rows of B that belong to them"),
            ),
        )

    def caption(self, step: int) -> str:
        if not step:
            return f"start: {self.opening}"
        stage = self.stages[step - 1]
        if stage.trace is None:
            return f"step {step} of {self.last_step}: {stage.says}; nothing is sent"
        sent = f"each sends {each(stage.trace.bytes_sent)}"
        return f"step {step} of {self.last_step} ({stage.phase}): {stage.says}; {sent}"

    def data(self) -> dict[str, Any]:
        return {
            "part": self.part,
            "gpus": self.gpus,
            "x": self.given.x,
            "a": self.given.a,
            "b": self.given.b,
            "per_gpu": [
                {"gpu": gpu, **{name: self.parts[name][gpu].tolist() for name in self.names}}
                for gpu in range(self.gpus)
            ],
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

    @cached_property
    def _room(self) -> tuple[Section, ...]:
        """The last step, with room for the signs of the others."""
        signed = {self.names_last, *(stage.sent for stage in self.stages)}
        (section,) = self._sections(set(self.names), None)
        bands = [
            replace(
                band,
                matrices=tuple(
                    replace(matrix, sign=" ") if matrix is not None and name in signed else matrix
                    for name, matrix in zip(self.names, band.matrices, strict=True)
                ),
            )
            for band in section.bands
        ]
        return (replace(section, bands=tuple(bands)),)

    @property
    def names_last(self) -> str:
        """The matrix that the last stage fills."""
        return self.stages[-1].matrix

    def _sections(self, there: set[str], now: Stage | None) -> tuple[Section, ...]:
        bands = [
            Band(f"GPU {gpu}", tuple(self._matrix(name, gpu, now) if name in there else None for name in self.names))
            for gpu in range(self.gpus)
        ]
        return (Section("", tuple(bands)),)

    def _matrix(self, name: str, gpu: int, now: Stage | None) -> Matrix:
        values = self.parts[name][gpu]
        first_row, first_column = self._corner(name, gpu)

        def place(row: int, column: int) -> Cell:
            return cell(gpu=gpu, matrix=name, row=first_row + row, column=first_column + column)

        role, sign = Role.WEIGHTS if name in WEIGHTS else Role.PLAIN, ""
        if now is not None and name == now.sent and self.gpus > 1:
            role, sign = Role.SENT, palette.ARROW
        elif now is not None and name == now.matrix:
            last = name == self.names_last
            role = Role.FINISHED if last else Role.RECEIVED if now.trace is not None else self.new_role
            sign = palette.DONE if last else ""
        return Matrix(values.tolist(), place, self._called(name, values, first_row, first_column), role, sign)

    def _corner(self, name: str, gpu: int) -> tuple[int, int]:
        """The row and column of the whole matrix at which a GPU's part begins."""
        if name in self.by_tokens:
            return gpu * len(self.parts[name][0]), 0
        before = sum(part.shape[1] for part in self.parts["a"][:gpu])
        return (before, 0) if name in _BY_ROWS else (0, before) if name in _BY_COLUMNS else (0, 0)

    def _called(self, name: str, values: Array, row: int, column: int) -> str:
        called = {"own": "X", "partial": "partial output", "dpartial": "partial gradient"}.get(name, self.names[name])
        if name in _BY_COLUMNS:
            return f"{called}, {_span('column', column, values.shape[1])}"
        if name in _BY_ROWS:
            return f"{called}, {_span('row', row, values.shape[0])}"
        return f"{called}, {_span('token', row, values.shape[0])}" if name in self.by_tokens else called


def _span(what: str, first: int, count: int) -> str:
    return f"{what} {first}" if count == 1 else f"{what}s {first} to {first + count - 1}"
