"""The scene of attention over GPUs: which heads of queries, keys and values each of them has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simlib.tensor_parallel import HeadShare, heads_on_gpus
from tutor.views.layout import note
from tutor.views.picture import Cell, cell
from tutor.views.scene import Scene
from tutor.views.tensor_matrices import Band, Matrices, Matrix, Section

_SLOTS = {"q": "q: queries", "k": "k: keys", "v": "v: values"}
_MOST, _BROKEN = 7, 4  # so many heads in a row; where there are more, rows of so many


class HeadsScene(Scene):
    """Heads by their numbers in the whole model."""

    def __init__(self, heads: int, kv_heads: int, shares: Sequence[HeadShare]) -> None:
        self.heads = heads
        self.kv_heads = kv_heads
        self.shares = shares

    def picture(self, step: int) -> Matrices:
        bands = tuple(
            Band(f"GPU {gpu}", tuple(self._heads(gpu, name) for name in _SLOTS)) for gpu in range(len(self.shares))
        )
        sections = (Section("", bands),)
        group = self.heads // self.kv_heads
        notes = [note("of each head: its columns of Wq, Wk and Wv, and those rows of Wo")]
        if group > 1:
            notes.append(note(f"{group} heads of q use one head of k and v"))
        return Matrices(tuple(_SLOTS.values()), sections, sections, frozenset(range(len(_SLOTS))), tuple(notes))

    def caption(self, step: int) -> str:
        share = self.shares[0]
        own = f"{_count(share.query)} of q, {_count(share.key_value)} of k and v"
        gpus = len(self.shares)
        return f"{_count(range(self.heads))} over {gpus} GPU{'' if gpus == 1 else 's'}: {own} on each, all whole"

    def data(self) -> dict[str, Any]:
        return {
            "part": "attention",
            "gpus": len(self.shares),
            "heads": self.heads,
            "kv_heads": self.kv_heads,
            "per_gpu": [
                {"gpu": gpu, "q": list(share.query), "k": list(share.key_value), "v": list(share.key_value)}
                for gpu, share in enumerate(self.shares)
            ],
        }

    def _heads(self, gpu: int, name: str) -> Matrix:
        share = self.shares[gpu]
        numbers = share.query if name == "q" else share.key_value
        each = len(numbers) if len(numbers) <= _MOST else _BROKEN

        def place(row: int, column: int) -> Cell:
            return cell(gpu=gpu, matrix=name, place=row * each + column)

        rows = [list(numbers[first : first + each]) for first in range(0, len(numbers), each)]
        return Matrix(rows, place, f"heads of {name}")


def build(given: Mapping[str, Any]) -> HeadsScene:
    """The scene for these parameters. Raises BadArgument, for heads that the GPUs do not divide too."""
    heads, kv_heads = given["heads"], given["kv_heads"]
    return HeadsScene(heads, kv_heads or heads, heads_on_gpus(heads, given["gpus"], kv_heads))


def _count(heads: Sequence[int]) -> str:
    return f"{len(heads)} head{'' if len(heads) == 1 else 's'}"
