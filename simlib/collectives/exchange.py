"""All-to-all: every worker has one chunk for every other, and ends with the chunks that are for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from simlib.collectives.plan import COPY, Indices, Moves, moves
from simlib.collectives.start import all_to_all_trace
from simlib.collectives.trace import Trace


def rounds(world_size: int) -> Iterator[tuple[Indices, Indices]]:
    """Who meets whom, as in a tournament: in each round everybody has one partner, and all pairs meet once.

    N - 1 rounds for an even number of workers; N for an odd one, in each of which one worker sits out.

    >>> [dict(zip(one.tolist(), other.tolist())) for one, other in rounds(4)]
    [{0: 3, 1: 2, 2: 1, 3: 0}, {0: 1, 1: 0, 2: 3, 3: 2}, {0: 2, 1: 3, 2: 0, 3: 1}]
    """
    even = world_size % 2 == 0
    circle = world_size - 1 if even else world_size
    for number in range(circle if world_size > 1 else 0):
        worker = np.arange(world_size)
        partner = np.where(worker < circle, (number - worker) % circle, worker)
        alone = np.flatnonzero(partner == worker)  # with itself: in an even number, two of them, who meet
        if even:
            partner[alone] = alone[::-1]
        met = partner != worker
        yield worker[met], partner[met]


def all_to_all_steps(world_size: int) -> Iterator[Moves]:
    """In each round partners swap: worker i sends chunk j to worker j, who puts it where chunk i was."""
    for worker, partner in rounds(world_size):
        yield moves("all-to-all", worker, partner, partner, COPY, into=worker)


def all_to_all(arrays: Sequence[npt.ArrayLike]) -> Trace:
    """Worker j ends with chunk j of every worker's array, in the order of the workers.

    `arrays` holds one array per worker, all of one shape and dtype, each cut into N chunks as by
    `numpy.array_split`. Where N does not divide them, workers end with flat arrays of unequal length.
    Raises BadArgument for unequal arrays.

    >>> [array.tolist() for array in all_to_all([[1, 2], [3, 4]]).result]
    [[1, 3], [2, 4]]
    """
    return all_to_all_trace("pairwise", arrays, all_to_all_steps)
