"""A binomial tree: up it to add, down it to spread, the whole array at every level.

In the first step every second worker sends to the one before it; then every second of those that received, and so
on: ceil(log2 N) steps up to the root, and as many down again, each with the whole array.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from simlib.collectives.layout import Layout, check_count
from simlib.collectives.plan import ADD, COPY, Indices, Moves, moves
from simlib.collectives.start import all_reduce_trace, broadcast_trace, check_root, check_workers, reduce_trace
from simlib.collectives.trace import Trace


def levels(world_size: int) -> list[tuple[Indices, Indices]]:
    """(children, parents) level by level from the leaves, for a tree whose root is rank 0.

    >>> [(children.tolist(), parents.tolist()) for children, parents in levels(5)]
    [([1, 3], [0, 2]), ([2], [0]), ([4], [0])]
    """
    found, distance = [], 1
    while distance < world_size:
        children = np.arange(distance, world_size, 2 * distance)
        found.append((children, children - distance))
        distance *= 2
    return found


def reduce_steps(world_size: int, root: int = 0) -> Iterator[Moves]:
    """Up the tree: children send to their parents, which add."""
    for children, parents in levels(world_size):
        yield moves("reduce", (children + root) % world_size, (parents + root) % world_size, 0, ADD)


def broadcast_steps(world_size: int, root: int = 0) -> Iterator[Moves]:
    """Down the tree: parents send to their children."""
    for children, parents in reversed(levels(world_size)):
        yield moves("broadcast", (parents + root) % world_size, (children + root) % world_size, 0, COPY)


def all_reduce_steps(world_size: int) -> Iterator[Moves]:
    """Up to rank 0, and down again."""
    yield from reduce_steps(world_size)
    yield from broadcast_steps(world_size)


def tree_all_reduce(arrays: Sequence[npt.ArrayLike], op: str = "sum") -> Trace:
    """Every worker ends with the sum (or "mean", or "max") of all arrays, up and down a binomial tree.

    Arguments and errors as in `ring_all_reduce`.

    >>> len(tree_all_reduce([[1], [2], [3], [4], [5]]).steps)
    6
    """
    return all_reduce_trace("tree", arrays, op, all_reduce_steps, lambda length, _: Layout((length,)))


def tree_reduce(arrays: Sequence[npt.ArrayLike], op: str = "sum", root: int = 0) -> Trace:
    """The root ends with the sum (or "mean", or "max") of all arrays, up a binomial tree."""
    chosen = check_root(root, check_count(arrays))
    return reduce_trace("tree", arrays, op, chosen, lambda n: reduce_steps(n, chosen))


def tree_broadcast(array: npt.ArrayLike, workers: int, root: int = 0) -> Trace:
    """Every worker ends with the root's array, down a binomial tree.

    >>> tree_broadcast([7, 8], workers=4, root=2).held(1).ravel().tolist()
    [True, False, True, False]
    """
    count = check_workers(workers)
    chosen = check_root(root, count)
    return broadcast_trace("tree", array, count, chosen, lambda n: broadcast_steps(n, chosen))
