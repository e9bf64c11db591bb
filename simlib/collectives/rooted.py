"""Scatter and gather: one root and everybody's own piece, sent directly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simlib.collectives.layout import check_count
from simlib.collectives.plan import COPY, Moves, moves
from simlib.collectives.start import check_root, gather_trace, scatter_trace
from simlib.collectives.trace import Trace

if TYPE_CHECKING:
    import numpy.typing as npt


def scatter_steps(world_size: int, root: int) -> Iterator[Moves]:
    """N - 1 steps: the root sends each other worker its piece."""
    for distance in range(1, world_size):
        rank = (root + distance) % world_size
        yield moves("scatter", root, rank, rank, COPY)


def gather_steps(world_size: int, root: int) -> Iterator[Moves]:
    """N - 1 steps: each other worker sends the root its piece."""
    for distance in range(1, world_size):
        rank = (root + distance) % world_size
        yield moves("gather", rank, root, rank, COPY)


def scatter(pieces: Sequence[npt.ArrayLike], root: int = 0) -> Trace:
    """Rank r ends with piece r, as a flat array; the root had them all.

    Pieces may be of unequal length along their first axis. Raises BadArgument for pieces that cannot be joined and
    for a root that is no rank.

    >>> [piece.tolist() for piece in scatter([[1, 2], [3], [4]], root=1).result]
    [[1, 2], [3], [4]]
    """
    chosen = check_root(root, check_count(pieces, "pieces"))
    return scatter_trace("direct", pieces, chosen, lambda n: scatter_steps(n, chosen))


def gather(pieces: Sequence[npt.ArrayLike], root: int = 0) -> Trace:
    """The root ends with all pieces, one after another; rank r had piece r. The others are due nothing.

    >>> gather([[1, 2], [3], [4]], root=1).result[1].tolist()
    [1, 2, 3, 4]
    """
    chosen = check_root(root, check_count(pieces, "pieces"))
    return gather_trace("direct", pieces, chosen, lambda n: gather_steps(n, chosen))
