"""Topologies: who is joined to whom, and which links a message crosses. Each direction of a link is one of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simlib.errors import BadArgument, positive_number, whole_number
from simlib.network.links import Link

if TYPE_CHECKING:
    from simlib.hardware import Hardware

Ranks = npt.NDArray[np.intp]


class Topology(ABC):
    """Who is joined to whom. Subclasses name their kinds of links and route messages over them."""

    @property
    @abstractmethod
    def links(self) -> dict[str, Link]:
        """Each kind of link by name."""

    @abstractmethod
    def hops(self, sources: Ranks, destinations: Ranks) -> Iterator[tuple[str, Ranks]]:
        """The links that messages cross, a hop at a time: (kind, number of the link; -1 where none is crossed)."""

    def latency(self, sources: Ranks, destinations: Ranks) -> npt.NDArray[np.float64]:
        """Seconds on the way besides those of links."""
        return np.zeros(len(sources))

    def check(self, workers: int) -> None:  # noqa: B027 - most topologies take any number
        """Raises BadArgument where so many workers do not fit."""


@dataclass(frozen=True)
class Switch(Topology):
    """Every worker has one link to one switch, which never blocks."""

    link: Link

    @property
    def links(self) -> dict[str, Link]:
        return {"out": self.link, "in": self.link}

    def hops(self, sources: Ranks, destinations: Ranks) -> Iterator[tuple[str, Ranks]]:
        yield "out", sources
        yield "in", destinations


@dataclass(frozen=True)
class Servers(Topology):
    """Servers of `gpus_per_server` GPUs: fast links inside, a network card per GPU between.

    Rank r is in place `placement[r]`, counted through one server after another (by default r itself).
    """

    gpus_per_server: int
    inside: Link
    between: Link
    placement: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        whole_number("gpus_per_server", self.gpus_per_server)
        if self.placement is not None and sorted(self.placement) != list(range(len(self.placement))):
            raise BadArgument("placement", self.placement, "every place from 0 once")

    @classmethod
    def of(cls, hardware: Hardware, alpha_inside: float = 0, alpha_between: float = 0) -> Servers:
        """Servers of a published machine."""
        inside, between = hardware.link_bandwidth, hardware.network_bandwidth
        return cls(hardware.gpus_per_server, Link(alpha_inside, inside), Link(alpha_between, between))

    @property
    def links(self) -> dict[str, Link]:
        return {
            "inside out": self.inside,
            "inside in": self.inside,
            "between out": self.between,
            "between in": self.between,
        }

    def hops(self, sources: Ranks, destinations: Ranks) -> Iterator[tuple[str, Ranks]]:
        sender, receiver = self._place(sources), self._place(destinations)
        together = sender // self.gpus_per_server == receiver // self.gpus_per_server
        yield "inside out", np.where(together, sender, -1)
        yield "inside in", np.where(together, receiver, -1)
        yield "between out", np.where(together, -1, sender)
        yield "between in", np.where(together, -1, receiver)

    def check(self, workers: int) -> None:
        if self.placement is not None and len(self.placement) != workers:
            raise BadArgument("placement", self.placement, f"a place for each of the {workers} workers")

    def _place(self, ranks: Ranks) -> Ranks:
        return ranks if self.placement is None else np.array(self.placement)[ranks]


@dataclass(frozen=True)
class Torus(Topology):
    """A grid of `shape` in which every worker is joined to its neighbours, along one axis after another.

    Ranks count through the last axis first. With `wraparound` the ends of an axis are joined and messages go the
    shorter way round. Each hop adds `hop_seconds`.
    """

    shape: tuple[int, ...]
    link: Link
    hop_seconds: float = 0.0
    wraparound: bool = True

    def __post_init__(self) -> None:
        for axis, size in enumerate(self.shape):
            whole_number(f"shape[{axis}]", size)
        positive_number("hop_seconds", self.hop_seconds, zero=True)

    @property
    def links(self) -> dict[str, Link]:
        return {f"axis {axis} {way}": self.link for axis in range(len(self.shape)) for way in ("up", "down")}

    def hops(self, sources: Ranks, destinations: Ranks) -> Iterator[tuple[str, Ranks]]:
        here = np.array(np.unravel_index(sources, self.shape))
        for axis, (size, distance) in enumerate(zip(self.shape, self._distances(sources, destinations), strict=True)):
            for way, step in (("up", 1), ("down", -1)):
                left = np.maximum(distance * step, 0)
                while left.any():
                    yield f"axis {axis} {way}", np.where(left > 0, np.ravel_multi_index(tuple(here), self.shape), -1)
                    here[axis] = np.where(left > 0, (here[axis] + step) % size, here[axis])
                    left = np.maximum(left - 1, 0)

    def latency(self, sources: Ranks, destinations: Ranks) -> npt.NDArray[np.float64]:
        hops = np.abs(self._distances(sources, destinations)).sum(axis=0)
        return np.asarray(hops * self.hop_seconds, dtype=np.float64)

    def check(self, workers: int) -> None:
        if prod(self.shape) != workers:
            raise BadArgument("shape", self.shape, f"{workers} workers in all")

    def _distances(self, sources: Ranks, destinations: Ranks) -> Ranks:
        """(axes, messages): how far to go along each axis, negative downwards."""
        start, end = (np.array(np.unravel_index(ranks, self.shape)) for ranks in (sources, destinations))
        away = end - start
        if self.wraparound:
            size = np.array(self.shape)[:, None]
            up = away % size
            away = np.where(up <= size // 2, up, up - size)
        return away


@dataclass(frozen=True)
class FatTree(Topology):
    """Switches above switches: `fanouts[0]` workers under each lowest switch, `fanouts[1]` of those under each next.

    `level_links[k]` joins a unit of level k (0: a worker) to the switch above it. A message climbs as far as it must.
    """

    fanouts: tuple[int, ...]
    level_links: tuple[Link, ...]

    def __post_init__(self) -> None:
        for level, fanout in enumerate(self.fanouts):
            whole_number(f"fanouts[{level}]", fanout)
        if len(self.level_links) != len(self.fanouts):
            raise BadArgument(
                "level_links", len(self.level_links), f"a link for each of the {len(self.fanouts)} levels"
            )

    @property
    def links(self) -> dict[str, Link]:
        return {f"level {level} {way}": link for level, link in enumerate(self.level_links) for way in ("up", "down")}

    def hops(self, sources: Ranks, destinations: Ranks) -> Iterator[tuple[str, Ranks]]:
        size = 1
        for level, fanout in enumerate(self.fanouts):
            sender, receiver = sources // size, destinations // size
            apart = sender != receiver
            yield f"level {level} up", np.where(apart, sender, -1)
            yield f"level {level} down", np.where(apart, receiver, -1)
            size *= fanout

    def check(self, workers: int) -> None:
        if prod(self.fanouts) < workers:
            raise BadArgument("fanouts", self.fanouts, f"room for {workers} workers")
