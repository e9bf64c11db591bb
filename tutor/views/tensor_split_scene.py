"""The scene of the right split of the MLP's first matrix beside the wrong one: where the GeLU must not be taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simlib.errors import BadArgument
from simlib.tensor_parallel import rows_first, split_mlp
from tutor.views import palette
from tutor.views.layout import note
from tutor.views.picture import Cell, Role, Run, cell
from tutor.views.scene import Scene
from tutor.views.tensor_matrices import Band, Matrices, Matrix, Section, written
from tutor.views.tensor_values import Given, matrices

if TYPE_CHECKING:
    from simlib.collectives.layout import Array

_SLOTS = ("X", "A", "X A", "GeLU")
_MATRICES = ("x", "a", "xa", "gelu")
_TITLES = {"columns": "right: A by columns", "rows": "wrong: A by rows, so X by columns"}
_TOGETHER = {"columns": "together", "rows": "added up"}
_SAYS = (
    "start: the same X and A, split in two ways",
    "each multiplies what it has: columns of X A, or parts of sums",
    "each takes the GeLU of what it has",
    "put together",
)
# Numbers that differ by rounding alone do not differ
_ROUNDING = 1e-9


class WrongSplitScene(Scene):
    """GeLU(X A) with A by columns and with A by rows, and where the two differ."""

    last_step = 3

    def __init__(self, given: Given, gpus: int) -> None:
        self.given = given
        self.gpus = gpus
        most = min(len(given.a), len(given.a[0]))
        if gpus > most:
            raise BadArgument("gpus", gpus, f"at most {most}, one for each row and column of A")
        self.wrong = rows_first(given.x, given.a, gpus)
        empty = [[0.0]] * len(given.a[0])
        self.right = split_mlp(given.x, given.a, empty, gpus)
        self._parts: dict[str, dict[str, Sequence[Array]]] = {
            "columns": {
                "x": [self.right.inputs] * gpus,
                "a": self.right.first,
                "xa": self.right.products,
                "gelu": self.right.hidden,
            },
            "rows": {
                "x": self.wrong.inputs,
                "a": self.wrong.first,
                "xa": self.wrong.partials,
                "gelu": self.wrong.activated,
            },
        }
        self.differs = frozenset(
            (row, column)
            for row, values in enumerate(abs(self.wrong.summed - self.wrong.right).tolist())
            for column, value in enumerate(values)
            if value > _ROUNDING
        )

    def picture(self, step: int) -> Matrices:
        sign = [Run(f"{palette.UNEQUAL}n", Role.DIFFERENCE), *note(" not the GeLU of the sum")]
        notes = [sign] if self.differs else []
        return Matrices(
            slots=_SLOTS,
            sections=self._sections(step),
            room=self._sections(self.last_step),
            new=frozenset({0, 1} if not step else {min(step + 1, 3)}),
            notes=(*notes, note("each GPU: its part of X and of A")),
        )

    def caption(self, step: int) -> str:
        if not step:
            return _SAYS[0]
        said = _SAYS[step]
        if step == self.last_step and self.differs:
            row, column = min(self.differs)
            wrong, right = (written(of[row, column]) for of in (self.wrong.summed, self.wrong.right))
            said = f"{said}: {wrong} is not {right}"
        elif step == self.last_step:
            said = f"{said}: with these numbers nothing differs"
        return f"step {step} of {self.last_step}: {said}"

    def data(self) -> dict[str, Any]:
        return {
            "part": "wrong-split",
            "gpus": self.gpus,
            "x": self.given.x,
            "a": self.given.a,
            "splits": [
                {
                    "split": split,
                    "per_gpu": [
                        {"gpu": gpu, **{name: of[gpu].tolist() for name, of in parts.items()}}
                        for gpu in range(self.gpus)
                    ],
                    "together": self._together(split).tolist(),
                }
                for split, parts in self._parts.items()
            ],
            "differs": [list(place) for place in sorted(self.differs)],
        }

    def values(self, name: str) -> list[list[Any]]:
        found: list[list[Any]] = getattr(self.given, name)
        return found

    def _together(self, split: str) -> Array:
        return self.wrong.right if split == "columns" else self.wrong.summed

    def _sections(self, step: int) -> tuple[Section, ...]:
        there = _MATRICES[: 2 if not step else min(step + 2, 4)]
        sections = []
        for split, parts in self._parts.items():
            bands = []
            for gpu in range(self.gpus):
                found = [self._matrix(split, name, gpu, step) if name in there else None for name in parts]
                bands.append(Band(f"GPU {gpu}", tuple(found)))
            whole = self._whole(split) if step == self.last_step else None
            bands.append(Band(_TOGETHER[split], (None, None, None, whole)))
            sections.append(Section(_TITLES[split], tuple(bands)))
        return tuple(sections)

    def _matrix(self, split: str, name: str, gpu: int, step: int) -> Matrix:
        values = self._parts[split][name][gpu]
        row, column = self._corner(split, name, gpu)

        def place(at: int, along: int) -> Cell:
            return cell(split=split, gpu=gpu, matrix=name, row=row + at, column=column + along)

        new = step in (1, 2) and name == _MATRICES[step + 1]
        role = Role.FORWARD if new else Role.WEIGHTS if name == "a" else Role.PLAIN
        return Matrix(values.tolist(), place, self._called(split, name), role, offset=column)

    def _whole(self, split: str) -> Matrix:
        def place(row: int, column: int) -> Cell:
            return cell(split=split, matrix="together", row=row, column=column)

        differs = self.differs if split == "rows" else frozenset()
        return Matrix(self._together(split).tolist(), place, "GeLU", Role.FINISHED, differs=differs)

    def _corner(self, split: str, name: str, gpu: int) -> tuple[int, int]:
        if split == "columns":
            before = sum(part.shape[1] for part in self.right.first[:gpu])
            return (0, 0) if name == "x" else (0, before)
        before = sum(len(part) for part in self.wrong.first[:gpu])
        return (0, before) if name == "x" else (before, 0) if name == "a" else (0, 0)

    def _called(self, split: str, name: str) -> str:
        if name == "x":
            return "X" if split == "columns" else "its columns of X"
        if name == "a":
            return f"its {split} of A"
        return {"xa": "X A", "gelu": "GeLU"}[name] + ("" if split == "columns" else " of its part of the sums")


def build(given: Mapping[str, Any]) -> WrongSplitScene:
    """The scene for these parameters. Raises BadArgument."""
    return WrongSplitScene(matrices(given, wrong_split=True), given["gpus"])
