"""Two binary trees at once, each with half of the array, pipelined in chunks: as NCCL builds them.

A worker with two children in a tree has three times the traffic of a leaf. So NCCL takes two trees in which (for an
even number of ranks) nobody has children in both: each carries half of the array, and everybody's link is equally
full. Up the tree chunks are added, down they are copied; while one goes up the next follows.
Source: Sanders, Speck and Träff 2009, "Two-tree algorithms for full bandwidth broadcast, reduction and scan"; the
numbering of the trees is NCCL's (src/graph/trees.cc).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simlib.collectives.layout import Layout
from simlib.collectives.plan import ADD, COPY, Moves, join, moves
from simlib.collectives.start import all_reduce_trace, check_chunks
from simlib.collectives.trace import Trace


@dataclass(frozen=True)
class Tree:
    """A tree over ranks: who is above each (-1 for the root), and its two children (-1 where there is none)."""

    up: tuple[int, ...]
    down: tuple[tuple[int, int], ...]

    @property
    def depths(self) -> list[int]:
        """How far each rank is from the root."""
        found = []
        for rank in range(len(self.up)):
            depth = 0
            while self.up[rank] >= 0:
                rank, depth = self.up[rank], depth + 1
            found.append(depth)
        return found


def binary_tree(world_size: int) -> Tree:
    """The tree in which odd ranks are leaves, and a rank sits as high as it is divisible by two; rank 0 is the root.

    >>> binary_tree(4)
    Tree(up=(-1, 2, 0, 2), down=((-1, 2), (-1, -1), (1, 3), (-1, -1)))
    """
    up = [-1] * world_size
    for rank in range(1, world_size):
        lowest = rank & -rank
        # The middle of the block twice as large; where that is beyond the last rank, the block's start
        middle = (rank ^ lowest) | (lowest << 1)
        up[rank] = middle if middle < world_size else rank ^ lowest
    down = [[-1, -1] for _ in range(world_size)]
    for rank in range(1, world_size):
        down[up[rank]][0 if rank < up[rank] else 1] = rank
    return Tree(tuple(up), tuple((left, right) for left, right in down))


def nccl_trees(world_size: int) -> tuple[Tree, Tree]:
    """NCCL's two trees: the second is the first mirrored (even world size) or shifted by one rank (odd).

    >>> nccl_trees(2)[1]
    Tree(up=(1, -1), down=((-1, -1), (-1, 0)))
    """
    first = binary_tree(world_size)
    if world_size % 2 == 0:
        name = [world_size - 1 - rank for rank in range(world_size)]
    else:
        name = [(rank + 1) % world_size for rank in range(world_size)]
    up, down = [-1] * world_size, [(-1, -1)] * world_size
    for rank in range(world_size):
        up[name[rank]] = name[first.up[rank]] if first.up[rank] >= 0 else -1
        left, right = (name[child] if child >= 0 else -1 for child in first.down[rank])
        down[name[rank]] = (left, right)
    return first, Tree(tuple(up), tuple(down))


def all_reduce_steps(world_size: int, chunks: int) -> Iterator[Moves]:
    """Tree 0 carries chunks 0 to `chunks` - 1, tree 1 the next as many; D is the depth of the trees.

    In step s (from 1) a rank at depth d sends chunk s - 1 - (D - d) up, and one at depth d receives chunk
    s - D - d from above: chunks / tree + 2 D - 1 steps in all.
    """
    trees = [
        (np.array(tree.up), np.array(tree.depths), tree_number)
        for tree_number, tree in enumerate(nccl_trees(world_size))
    ]
    deepest = int(max(trees[0][1].max(), trees[1][1].max()))
    for step in range(1, chunks + 2 * deepest if deepest else 0):
        parts = []
        for up, depth, number in trees:
            below = np.flatnonzero(up >= 0)
            for chunk, rising in ((step - 1 - deepest + depth, True), (step - deepest - depth, False)):
                some = below[(chunk[below] >= 0) & (chunk[below] < chunks)]
                if len(some):
                    which = chunk[some] + number * chunks
                    if rising:
                        parts.append(moves("reduce", some, up[some], which, ADD))
                    else:
                        parts.append(moves("broadcast", up[some], some, which, COPY))
        phases = dict.fromkeys(part.phase for part in parts)
        yield join(*parts, phase=" and ".join(phases))


def double_tree_all_reduce(arrays: Sequence[npt.ArrayLike], op: str = "sum", chunks: int = 4) -> Trace:
    """Every worker ends with the sum (or "mean", or "max") of all arrays, over two trees, `chunks` chunks in each.

    Arguments and errors as in `ring_all_reduce`.

    >>> trace = double_tree_all_reduce([[1, 2], [3, 4], [5, 6], [7, 8]], chunks=1)
    >>> trace.result[2].tolist(), [step.phase for step in trace.steps]
    ([16, 20], ['reduce', 'reduce', 'broadcast', 'broadcast'])
    """
    count = check_chunks(chunks)
    return all_reduce_trace(
        "double-tree",
        arrays,
        op,
        lambda n: all_reduce_steps(n, count),
        lambda length, _: Layout.split(length, 2 * count),
    )
