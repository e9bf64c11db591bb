"""How long a collective takes on a network, and what each link carries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from simlib.collectives.trace import Trace
from simlib.network.topologies import Ranks, Topology

Loads = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Journey:
    """A collective as a network carries it."""

    step_seconds: tuple[float, ...]
    bytes_by_link: dict[str, Loads]  # kind of link -> bytes through each, by the link's number

    @cached_property
    def seconds(self) -> float:
        """Of all steps, one after another."""
        return sum(self.step_seconds)

    @property
    def busiest_link(self) -> tuple[str, int, float]:
        """(kind, number, bytes) of the link that carries most; bytes 0 where nothing was sent."""
        kind = max(self.bytes_by_link, key=lambda name: float(self.bytes_by_link[name].max(initial=0)))
        loads = self.bytes_by_link[kind]
        return (kind, int(loads.argmax()), float(loads.max())) if len(loads) else (kind, 0, 0.0)


def carry(trace: Trace, topology: Topology) -> Journey:
    """How long the steps of `trace` take on `topology`, and the bytes that each link carries.

    Raises BadArgument where the trace's workers do not fit.

    >>> from simlib.collectives import ring_all_reduce
    >>> from simlib.network import Link, Switch
    >>> journey = carry(ring_all_reduce([[1, 2]] * 2), Switch(Link(alpha=1, bandwidth=8)))
    >>> journey.step_seconds, journey.busiest_link
    ((2.0, 2.0), ('out', 0, 16.0))
    """
    topology.check(trace.world_size)
    links = topology.links
    totals = {kind: np.zeros(0) for kind in links}
    seconds = []
    for sources, destinations, sizes in trace.messages():
        loads = {kind: np.zeros(0) for kind in links}
        busy = {kind: np.zeros(0) for kind in links}
        for kind, numbers in topology.hops(sources, destinations):
            crossed = numbers >= 0
            number, size = numbers[crossed], sizes[crossed]
            loads[kind] = _add(loads[kind], _per_link(number, size))
            cost = links[kind].alpha + size / links[kind].bandwidth
            busy[kind] = _add(busy[kind], _per_link(number, cost))
        for kind in links:
            totals[kind] = _add(totals[kind], loads[kind])
        longest_way = float(topology.latency(sources, destinations).max(initial=0.0))
        seconds.append(max(float(times.max(initial=0.0)) for times in busy.values()) + longest_way)
    return Journey(tuple(seconds), totals)


def _per_link(numbers: Ranks, amounts: npt.NDArray[Any]) -> Loads:
    """The amounts summed by the number of the link."""
    return np.bincount(numbers, amounts).astype(np.float64)


def _add(one: Loads, other: Loads) -> Loads:
    """The sum of two lists, the shorter padded with zeros."""
    total = np.zeros(max(len(one), len(other)))
    total[: len(one)] += one
    total[: len(other)] += other
    return total
