"""Everything through one root: the others send to it, it adds, and sends the sum back to each.

Two sentences of code, and the root's link carries N - 1 whole arrays in each direction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simlib.collectives.layout import Layout, check_count
from simlib.collectives.plan import ADD, COPY, Moves, moves
from simlib.collectives.start import all_reduce_trace, broadcast_trace, check_root, check_workers, reduce_trace
from simlib.collectives.trace import Trace

if TYPE_CHECKING:
    import numpy.typing as npt


def reduce_steps(world_size: int, root: int = 0) -> Iterator[Moves]:
    """N - 1 steps: one after another, every other worker sends its whole array to the root."""
    for distance in range(1, world_size):
        yield moves("reduce", (root + distance) % world_size, root, 0, ADD)


def broadcast_steps(world_size: int, root: int = 0) -> Iterator[Moves]:
    """N - 1 steps: the root sends its whole array to one worker after another."""
    for distance in range(1, world_size):
        yield moves("broadcast", root, (root + distance) % world_size, 0, COPY)


def naive_all_reduce(arrays: Sequence[npt.ArrayLike], op: str = "sum", root: int = 0) -> Trace:
    """Every worker ends with the sum (or "mean", or "max") of all arrays, by way of one root.

    Arguments and errors as in `ring_all_reduce`; `root` is a rank.

    >>> naive_all_reduce([[1, 2], [3, 4], [5, 6]]).busiest_link_bytes      # ring_all_reduce: 24
    32
    """
    chosen = check_root(root, check_count(arrays))

    def steps(world_size: int) -> Iterator[Moves]:
        yield from reduce_steps(world_size, chosen)
        yield from broadcast_steps(world_size, chosen)

    return all_reduce_trace("naive", arrays, op, steps, lambda length, _: Layout((length,)))


def naive_reduce(arrays: Sequence[npt.ArrayLike], op: str = "sum", root: int = 0) -> Trace:
    """The root ends with the sum (or "mean", or "max") of all arrays; every other worker sends to it directly."""
    chosen = check_root(root, check_count(arrays))
    return reduce_trace("naive", arrays, op, chosen, lambda n: reduce_steps(n, chosen))


def naive_broadcast(array: npt.ArrayLike, workers: int, root: int = 0) -> Trace:
    """Every worker ends with the root's array; the root sends it to each directly."""
    count = check_workers(workers)
    chosen = check_root(root, count)
    return broadcast_trace("naive", array, count, chosen, lambda n: broadcast_steps(n, chosen))
