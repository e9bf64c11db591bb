"""Recursive halving, then recursive doubling (Rabenseifner's algorithm): few steps and few bytes.

In the first step each worker swaps half of the array with a partner N/2 away and adds; then a quarter with one
N/4 away, and so on: after log2 N steps each has 1/N of the sum. The way back doubles what each holds. It sends as
little as a ring, 2 (N - 1) / N of the array, in 2 log2 N steps; but partners are far apart.
Source: Thakur, Rabenseifner and Gropp 2005, section 4.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from simlib.collectives.layout import Layout
from simlib.collectives.plan import ADD, COPY, Indices, Moves, moves
from simlib.collectives.start import all_reduce_trace
from simlib.collectives.trace import Trace


def largest_power_of_two(number: int) -> int:
    """The largest power of two that is at most `number`."""
    return 1 << (number.bit_length() - 1)


def all_reduce_steps(world_size: int) -> Iterator[Moves]:
    """2 log2 N steps; two more where N is no power of two, in which the workers too many hand over and get back."""
    power = largest_power_of_two(world_size)
    spare = world_size - power
    # Of the first 2 x spare ranks the even ones hand their array to the odd ones and sit out
    resting = np.arange(spare) * 2
    rank = np.concatenate([resting + 1, np.arange(2 * spare, world_size)])  # of each of the others, in order
    every = np.arange(power)
    if spare:
        yield moves("fold", *_pairs(resting, resting + 1, np.tile(every, (spare, 1))), ADD)
    for distance in _distances(power):
        partner = every ^ distance
        yield moves("reduce-scatter", *_pairs(rank[every], rank[partner], _block(partner, distance)), ADD)
    for distance in reversed(_distances(power)):
        partner = every ^ distance
        yield moves("all-gather", *_pairs(rank[every], rank[partner], _block(every, distance)), COPY)
    if spare:
        yield moves("unfold", *_pairs(resting + 1, resting, np.tile(every, (spare, 1))), COPY)


def _distances(power: int) -> list[int]:
    """N/2, N/4, …, 1."""
    return [power >> shift for shift in range(1, power.bit_length())]


def _block(worker: Indices, size: int) -> Indices:
    """The `size` chunks that belong to `worker` and its neighbours in an aligned block: (workers, size)."""
    return (worker & ~(size - 1))[:, None] + np.arange(size)


def _pairs(sources: Indices, destinations: Indices, chunks: Indices) -> tuple[Indices, Indices, Indices]:
    """Columns of transfers: each source sends its row of `chunks`."""
    count = chunks.shape[1]
    return np.repeat(sources, count), np.repeat(destinations, count), chunks.reshape(-1)


def halving_doubling_all_reduce(arrays: Sequence[npt.ArrayLike], op: str = "sum") -> Trace:
    """Every worker ends with the sum (or "mean", or "max") of all arrays, by recursive halving and doubling.

    Arguments and errors as in `ring_all_reduce`.

    >>> trace = halving_doubling_all_reduce([[1, 2, 3, 4]] * 4)
    >>> len(trace.steps), trace.bytes_sent[0], trace.messages_sent[0]
    (4, 48, 4)
    """
    return all_reduce_trace(
        "halving-doubling",
        arrays,
        op,
        all_reduce_steps,
        lambda length, workers: Layout.split(length, largest_power_of_two(workers)),
    )
