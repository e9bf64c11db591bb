"""A chain: the array goes from worker to worker in chunks, so that all links work at the same time.

With many chunks each link carries the array once and the time nears that of one message, however many workers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from simlib.collectives.layout import check_count
from simlib.collectives.plan import ADD, COPY, Moves, moves
from simlib.collectives.start import broadcast_trace, check_chunks, check_root, check_workers, reduce_trace
from simlib.collectives.trace import Trace


def broadcast_steps(world_size: int, root: int, chunks: int) -> Iterator[Moves]:
    """In step s (from 1) the worker d places after the root sends chunk s - 1 - d to the next."""
    for step in range(1, chunks + world_size - 1):
        place = np.arange(world_size - 1)
        place = place[(step - 1 - place >= 0) & (step - 1 - place < chunks)]
        sender = (root + place) % world_size
        yield moves("broadcast", sender, (sender + 1) % world_size, step - 1 - place, COPY)


def reduce_steps(world_size: int, root: int, chunks: int) -> Iterator[Moves]:
    """The same towards the root: the worker d places before the last sends chunk s - 1 - d, and the next adds it."""
    first = root + 1
    for step in range(1, chunks + world_size - 1):
        place = np.arange(world_size - 1)
        place = place[(step - 1 - place >= 0) & (step - 1 - place < chunks)]
        sender = (first + place) % world_size
        yield moves("reduce", sender, (sender + 1) % world_size, step - 1 - place, ADD)


def chain_broadcast(array: npt.ArrayLike, workers: int, root: int = 0, chunks: int | None = None) -> Trace:
    """Every worker ends with the root's array, which passes along the chain in `chunks` chunks (default: N).

    >>> chain_broadcast([1, 2, 3, 4], workers=4).busiest_link_bytes
    32
    """
    count = check_workers(workers)
    chosen, pieces = check_root(root, count), count if chunks is None else check_chunks(chunks)
    return broadcast_trace("chain", array, count, chosen, lambda n: broadcast_steps(n, chosen, pieces), pieces)


def chain_reduce(arrays: Sequence[npt.ArrayLike], op: str = "sum", root: int = 0, chunks: int | None = None) -> Trace:
    """The root ends with the sum (or "mean", or "max") of all arrays, added up along the chain that ends at it."""
    count = check_count(arrays)
    chosen = check_root(root, count)
    pieces = count if chunks is None else check_chunks(chunks)
    return reduce_trace("chain", arrays, op, chosen, lambda n: reduce_steps(n, chosen, pieces), pieces)
