"""Who has which part of which parameter.

The first matrix of a pair is split by columns, so that each rank computes its own columns of the output to the end,
nonlinearity included; the second by the rows that belong to those columns, so that the partial outputs only need to be
added. Attention's columns go by whole heads, the embedding and the output layer by characters of the vocabulary. All
else (LayerNorm, positions, the biases that are added after a sum) is whole on every rank.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simlib.decoder import Decoder, Layout
from simlib.decoder.layers import Views
from simlib.decoder.layout import Array
from simlib.errors import whole_number

# By parameter: the axis that is split, and along what
_SPLIT = {
    "tokens": (0, "vocabulary"),
    "qkv.weight": (1, "qkv"),
    "qkv.bias": (0, "qkv"),
    "project.weight": (0, "heads"),
    "up.weight": (1, "mlp"),
    "up.bias": (0, "mlp"),
    "down.weight": (0, "mlp"),
    "output.weight": (1, "vocabulary"),
}


@dataclass(frozen=True)
class Split:
    """A decoder's parameters over `tensor` ranks. Heads, MLP columns and vocabulary may divide unevenly.

    Raises BadArgument for more ranks than heads or characters.

    >>> from simlib.decoder import Sizes
    >>> split = Split(Decoder(Sizes(vocab=10, context=4, hidden=6, heads=3, layers=1)), tensor=2)
    >>> split.heads(0), split.heads(1), split.vocabulary(1)
    (2, 1, (5, 10))
    """

    decoder: Decoder
    tensor: int

    def __post_init__(self) -> None:
        sizes = self.decoder.sizes
        whole_number("tensor", self.tensor, 1, min(sizes.heads, sizes.vocab))

    def heads(self, rank: int) -> int:
        """How many heads a rank has."""
        return len(np.array_split(np.arange(self.decoder.sizes.heads), self.tensor)[rank])

    def vocabulary(self, rank: int) -> tuple[int, int]:
        """(first, stop) of the characters that a rank has."""
        mine = np.array_split(np.arange(self.decoder.sizes.vocab), self.tensor)[rank]
        return int(mine[0]), int(mine[-1]) + 1

    def place(self, name: str, rank: int) -> tuple[int, Array] | None:
        """Which indices along which axis of parameter `name` a rank has; None where it has all.

        `name` with its layer ("block 0/up.weight") or without.
        """
        kind = _SPLIT.get(name.rpartition("/")[2])
        if kind is None:
            return None
        axis, along = kind
        sizes = self.decoder.sizes
        if along == "mlp":
            return axis, np.array_split(np.arange(4 * sizes.hidden), self.tensor)[rank]
        if along == "vocabulary":
            return axis, np.arange(*self.vocabulary(rank))
        size = sizes.hidden // sizes.heads
        mine = np.array_split(np.arange(sizes.heads), self.tensor)[rank]
        columns = (mine[:, None] * size + np.arange(size)).reshape(-1)
        if along == "heads":
            return axis, columns
        return axis, np.concatenate([columns + third * sizes.hidden for third in range(3)])

    def layout(self, rank: int) -> Layout:
        """The parameters of a rank: the decoder's names, with the shapes of its parts."""
        slots = []
        for name, shape in self.decoder.layout.slots:
            place = self.place(name, rank)
            if place is not None:
                axis, indices = place
                shape = (*shape[:axis], len(indices), *shape[axis + 1 :])
            slots.append((name, shape))
        return Layout(tuple(slots))

    def part(self, whole: Array, rank: int) -> Array:
        """A rank's flat parameters out of the whole model's."""
        parts = {}
        for name, array in self.decoder.layout.views(whole).items():
            place = self.place(name, rank)
            parts[name] = array if place is None else np.take(array, place[1], axis=place[0])
        return self.layout(rank).pack(parts)

    def join(self, parts: list[Array], whole_from: int = 0) -> Array:
        """The whole model's flat parameters out of the ranks'; what is whole on each, from rank `whole_from`."""
        joined = np.empty(self.decoder.size, parts[0].dtype)
        views = self.decoder.layout.views(joined)
        for rank, part in enumerate(parts):
            for name, array in self.layout(rank).views(part).items():
                place = self.place(name, rank)
                if place is None:
                    if rank == whole_from:
                        views[name][...] = array
                elif place[0] == 0:
                    views[name][place[1]] = array
                else:
                    views[name][:, place[1]] = array
        return joined

    def by_layer(self, flat: Array, rank: int) -> list[Views]:
        """A rank's parameters, a dict a layer, as views into `flat`."""
        layers: dict[str, Views] = {layer.name: {} for layer in self.decoder.layers}
        for name, view in self.layout(rank).views(flat).items():
            layer, _, parameter = name.partition("/")
            layers[layer][parameter] = view
        return list(layers.values())
