"""The ring: every worker sends one chunk to its right neighbour, again and again.

The array is cut into N chunks, one for each of the N workers. First each chunk travels once around the
ring and collects every worker's numbers (reduce-scatter, N - 1 steps); then the finished chunks travel
once around and everybody keeps a copy (all-gather, N - 1 steps). Per step a worker sends 1/N of the array,
so in all 2 (N - 1) / N of it: the least that any all-reduce can send (Patarasuk and Yuan 2009).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from simlib.collectives.plan import ADD, COPY, Moves, moves
from simlib.collectives.start import all_gather_trace, all_reduce_trace, reduce_scatter_trace
from simlib.collectives.trace import Trace
from simlib.errors import one_of

OWNERSHIPS = ("api", "ring")


def reduce_scatter_steps(world_size: int, first_chunk: int = 0) -> Iterator[Moves]:
    """N - 1 steps. In step s (from 1) worker i sends chunk i - s + 1, which it received in the step before,
    and its right neighbour adds it. Worker i ends with chunk i + 1, complete (all modulo N).

    `first_chunk` renames the chunks: with -1 worker i starts from chunk i - 1 and ends with chunk i.
    """
    worker = np.arange(world_size)
    right = (worker + 1) % world_size
    for step in range(1, world_size):
        yield moves("reduce-scatter", worker, right, (worker + first_chunk - step + 1) % world_size, ADD)


def all_gather_steps(world_size: int, first_chunk: int = 0) -> Iterator[Moves]:
    """N - 1 steps. In step s (from 1) worker i sends chunk i - s + 1, which it received in the step before
    (in the first step: its own), and its right neighbour keeps a copy.

    `first_chunk` renames the chunks: with 1 worker i starts from chunk i + 1, as a reduce-scatter leaves it.
    """
    worker = np.arange(world_size)
    right = (worker + 1) % world_size
    for step in range(1, world_size):
        yield moves("all-gather", worker, right, (worker + first_chunk - step + 1) % world_size, COPY)


def all_reduce_steps(world_size: int) -> Iterator[Moves]:
    """A reduce-scatter, then an all-gather of what it left: 2 (N - 1) steps."""
    yield from reduce_scatter_steps(world_size)
    yield from all_gather_steps(world_size, first_chunk=1)


def ring_all_reduce(arrays: Sequence[npt.ArrayLike], op: str = "sum") -> Trace:
    """Every worker ends with the sum (or "mean", or "max") of all arrays, by the ring.

    `arrays` holds one array per worker (1 to 1024), all of one shape and dtype. Integers stay integers,
    in their own dtype as in the libraries; their mean is a float. An array that N does not divide is cut
    as by `numpy.array_split`. Raises BadArgument for unequal arrays or another `op`.

    >>> trace = ring_all_reduce([[1, 2, 3], [10, 20, 30], [100, 200, 300]])
    >>> trace.state(1)[2].tolist()      # worker 1 sent its second number to worker 2
    [100, 220, 300]
    >>> trace.result[0].tolist(), trace.bytes_sent
    ([111, 222, 333], [32, 32, 32])
    """
    return all_reduce_trace("ring", arrays, op, all_reduce_steps)


def ring_reduce_scatter(arrays: Sequence[npt.ArrayLike], op: str = "sum", ownership: str = "api") -> Trace:
    """Every worker ends with one slice of the sum (or "mean", or "max") of all arrays, as a flat array.

    With `ownership` "api" rank r ends with slice r, as `reduce_scatter` of the libraries gives it. With
    "ring" it ends with chunk (r + 1) mod N: this is the first half of `ring_all_reduce`.
    Raises BadArgument as `ring_all_reduce` does, and for another `ownership`.

    >>> arrays = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]
    >>> [int(piece[0]) for piece in ring_reduce_scatter(arrays).result]
    [28, 32, 36, 40]
    >>> [int(piece[0]) for piece in ring_reduce_scatter(arrays, ownership="ring").result]
    [32, 36, 40, 28]
    """
    shift = 0 if one_of("ownership", ownership, OWNERSHIPS) == "ring" else -1
    return reduce_scatter_trace(
        "ring", arrays, op, lambda n: reduce_scatter_steps(n, first_chunk=shift), owned=lambda r, n: (r + 1 + shift) % n
    )


def ring_all_gather(pieces: Sequence[npt.ArrayLike]) -> Trace:
    """Rank r contributes piece r; every worker ends with all pieces, one after another.

    Pieces are joined along their first axis and may be of unequal length there. A worker holds only its own
    piece at first (`Trace.held`). Raises BadArgument for pieces that cannot be joined.

    >>> trace = ring_all_gather([[1, 2], [3], [4, 5, 6]])
    >>> trace.result[1].tolist(), trace.bytes_sent
    ([1, 2, 3, 4, 5, 6], [40, 24, 32])
    """
    return all_gather_trace("ring", pieces, all_gather_steps)
