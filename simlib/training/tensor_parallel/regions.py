"""Where tensor-parallel ranks meet: on the way into a pair of split matrices, and on the way out.

On the way out each rank has a partial output, and they are added. On the way in, backward, each has a partial gradient
of the same input, and they are added too. Everything between two pairs (LayerNorm, dropout, the residual sum) is
either computed by all ranks alike on everything, or, with sequence parallelism, by each on its own positions.

    Whole    in: nothing       out: all-reduce        backward in: all-reduce       out: nothing
    Sliced   in: all-gather    out: reduce-scatter    backward in: reduce-scatter   out: all-gather

An all-reduce is a reduce-scatter and an all-gather, so both send the same bytes. Here the gathered rows are kept for
the backward pass; Megatron-LM keeps its own slice and gathers once more.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from simlib.decoder.layout import Array
from simlib.training.course import Recorder


class Region(Protocol):
    """What lies between the split matrices: how ranks enter them and leave them."""

    def own(self, rank: int, array: Array) -> Array:
        """What a rank has of an array (windows, positions, …) outside the split matrices."""

    def enter(self, what: str, rows: list[Array]) -> list[Array]: ...

    def leave(self, what: str, partials: list[Array]) -> list[Array]: ...

    def enter_backward(self, what: str, partials: list[Array]) -> list[Array]: ...

    def leave_backward(self, what: str, d_rows: list[Array]) -> list[Array]: ...


class Whole:
    """All positions on every rank."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def own(self, rank: int, array: Array) -> Array:
        return array

    def enter(self, what: str, rows: list[Array]) -> list[Array]:
        return rows

    def leave(self, what: str, partials: list[Array]) -> list[Array]:
        return self._recorder.all_reduce(what, partials)

    def enter_backward(self, what: str, partials: list[Array]) -> list[Array]:
        return self._recorder.all_reduce(f"gradient of the input of {what}", partials)

    def leave_backward(self, what: str, d_rows: list[Array]) -> list[Array]:
        return d_rows


class Sliced:
    """Each rank has its own positions: sequence parallelism. The ranks must divide the positions."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def own(self, rank: int, array: Array) -> Array:
        each = array.shape[1] // self._recorder.world_size
        return array[:, rank * each : (rank + 1) * each]

    def enter(self, what: str, rows: list[Array]) -> list[Array]:
        return self._gather(f"input of {what}", rows)

    def leave(self, what: str, partials: list[Array]) -> list[Array]:
        return self._scatter(what, partials)

    def enter_backward(self, what: str, partials: list[Array]) -> list[Array]:
        return self._scatter(f"gradient of the input of {what}", partials)

    def leave_backward(self, what: str, d_rows: list[Array]) -> list[Array]:
        return self._gather(f"gradient of {what}", d_rows)

    def _gather(self, what: str, rows: list[Array]) -> list[Array]:
        # Positions first, so that one rank's are one piece of memory
        pieces = [np.ascontiguousarray(array.swapaxes(0, 1)) for array in rows]
        return [array.swapaxes(0, 1) for array in self._recorder.all_gather(what, pieces)]

    def _scatter(self, what: str, partials: list[Array]) -> list[Array]:
        windows, positions, width = partials[0].shape
        flat = [np.ascontiguousarray(array.swapaxes(0, 1)) for array in partials]
        each = positions // len(partials)
        slices = self._recorder.reduce_scatter(what, flat)
        return [array.reshape(each, windows, width).swapaxes(0, 1) for array in slices]
