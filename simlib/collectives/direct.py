"""Everyone sends to everyone directly, all at once.

For an all-reduce that is N (N - 1) whole arrays at the same time: one step, and the network is flooded. For pieces
that differ anyway (reduce-scatter, all-gather) it sends no more than a ring does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from simlib.collectives.layout import Layout
from simlib.collectives.plan import ADD, COPY, Indices, Moves, moves
from simlib.collectives.start import all_gather_trace, all_reduce_trace, reduce_scatter_trace
from simlib.collectives.trace import Trace


def everyone_to_everyone(world_size: int) -> tuple[Indices, Indices]:
    """All pairs of different ranks: first each rank and its right neighbour, then the one after that, and so on."""
    distance, source = np.divmod(np.arange(world_size, world_size * world_size), world_size)
    return source, (source + distance) % world_size


def all_reduce_steps(world_size: int) -> Iterator[Moves]:
    """One step: every worker sends its whole array to every other, and each adds what arrives."""
    source, destination = everyone_to_everyone(world_size)
    if world_size > 1:
        yield moves("exchange", source, destination, 0, ADD)


def reduce_scatter_steps(world_size: int) -> Iterator[Moves]:
    """One step: every worker sends chunk j of its array to worker j, which adds it to its own."""
    source, destination = everyone_to_everyone(world_size)
    if world_size > 1:
        yield moves("reduce-scatter", source, destination, destination, ADD)


def all_gather_steps(world_size: int) -> Iterator[Moves]:
    """One step: every worker sends its piece to every other."""
    source, destination = everyone_to_everyone(world_size)
    if world_size > 1:
        yield moves("all-gather", source, destination, source, COPY)


def direct_all_reduce(arrays: Sequence[npt.ArrayLike], op: str = "sum") -> Trace:
    """Every worker ends with the sum (or "mean", or "max") of all arrays, having been sent all of them.

    Arguments and errors as in `ring_all_reduce`.

    >>> direct_all_reduce([[1, 2], [3, 4], [5, 6]]).bytes_sent
    [32, 32, 32]
    """
    return all_reduce_trace("direct", arrays, op, all_reduce_steps, lambda length, _: Layout((length,)))


def direct_reduce_scatter(arrays: Sequence[npt.ArrayLike], op: str = "sum") -> Trace:
    """Rank r ends with slice r of the sum (or "mean", or "max"), as a flat array; slices travel directly."""
    return reduce_scatter_trace("direct", arrays, op, reduce_scatter_steps, owned=lambda rank, _: rank)


def direct_all_gather(pieces: Sequence[npt.ArrayLike]) -> Trace:
    """Every worker ends with all pieces, one after another; pieces travel directly."""
    return all_gather_trace("direct", pieces, all_gather_steps)
