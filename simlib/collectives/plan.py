"""How an algorithm is written down: a short generator of moves, one `Moves` a step.

An algorithm's file says who sends which chunk to whom; it never touches an array's values. The
executor (`simlib.collectives.executor`) carries the moves out, for every algorithm the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.intp]

ADD = "add"  # what arrives is combined with what is there: summed, or the larger of the two kept
COPY = "copy"  # what arrives replaces what is there


@dataclass(frozen=True, eq=False)
class Moves:
    """All transfers of one step, as columns: entry k of each array belongs to transfer k.

    Everything in a step happens at once: what is sent is what the sender held before the step.
    """

    phase: str
    sources: Indices  # rank that sends
    destinations: Indices  # rank that receives
    chunks: Indices  # which chunk of the sender's array
    adds: npt.NDArray[np.bool_]  # True where the transfer adds, False where it copies
    into: Indices  # which chunk of the receiver's array; the same chunk, but for all-to-all


# Called for every replay, so that a plan of two thousand steps need not be kept in memory
Plan = Callable[[], Iterator[Moves]]


def moves(
    phase: str,
    sources: npt.ArrayLike,
    destinations: npt.ArrayLike,
    chunks: npt.ArrayLike,
    action: str | npt.NDArray[np.bool_],
    into: npt.ArrayLike | None = None,
) -> Moves:
    """The moves of one step; single numbers stand for all transfers.

    >>> step = moves("reduce", [1, 3], [0, 2], 0, ADD)
    >>> step.chunks.tolist(), step.adds.tolist()
    ([0, 0], [True, True])
    """
    columns = [sources, destinations, chunks, chunks if into is None else into]
    length = max(np.size(column) for column in columns)
    sent, received, chunk, slot = (
        column if isinstance(column, np.ndarray) and len(column) == length else np.full(length, column, dtype=np.intp)
        for column in columns
    )
    adds = np.full(length, action == ADD) if isinstance(action, str) else action
    return Moves(phase, sent, received, chunk, adds, slot)


def join(*parts: Moves, phase: str | None = None) -> Moves:
    """One step out of several that happen at the same time."""
    return Moves(
        phase or parts[0].phase,
        *(
            np.concatenate([getattr(part, column) for part in parts])
            for column in ("sources", "destinations", "chunks", "adds", "into")
        ),
    )
