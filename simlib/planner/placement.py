"""Where a group's GPUs sit, and how long its collectives take: rings inside a server, and between servers.

Ranks count through the tensor-parallel group first, then the data-parallel one, then the stages: Megatron-LM's order
"tp-dp-pp" (Narayanan et al. 2021, section 3). The other placement that is tried puts the data-parallel group into
the servers and spreads the tensor-parallel group over them. Closed forms; no NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from simlib.hardware import Hardware
from simlib.planner.efficiency import Efficiency


@dataclass(frozen=True, slots=True)
class Group:
    """A group that runs a collective together: its size, and how many of it share a server."""

    size: int
    in_server: int

    @property
    def inside(self) -> bool:
        """Whether all of it is in one server."""
        return self.in_server == self.size


@dataclass(frozen=True, slots=True)
class Placement:
    """The tensor-parallel and the data-parallel groups, and whether all stages share one server."""

    tensor: Group
    data: Group
    stages_together: bool

    @property
    def tensor_inside(self) -> bool:
        """Whether tensor-parallel groups stay inside servers."""
        return self.tensor.inside


def placements(tensor: int, data: int, gpus: int, per_server: int) -> list[Placement]:
    """The placements to try: tensor-parallel groups side by side, and where it differs spread over servers.

    >>> [(place.tensor.in_server, place.data.in_server) for place in placements(8, 6, 3072, 8)]
    [(8, 1), (1, 2)]
    >>> [place.tensor_inside for place in placements(2, 2, 4, 8)]
    [True]
    """
    together = gpus <= per_server
    if together:
        return [Placement(Group(tensor, tensor), Group(data, data), True)]
    inner = _sharing(tensor, per_server)
    side_by_side = Placement(Group(tensor, inner), Group(data, _rest(data, tensor, per_server)), False)
    spread = Placement(Group(tensor, _rest(tensor, data, per_server)), Group(data, _sharing(data, per_server)), False)
    differs = data > 1 and tensor > 1 and side_by_side.tensor.inside and not spread.tensor.inside
    return [side_by_side, spread] if differs else [side_by_side]


class Links:
    """How long collectives and messages take on a machine's links."""

    def __init__(self, hardware: Hardware, efficiency: Efficiency, all_network_cards: bool) -> None:
        self.link = hardware.link_bandwidth * efficiency.link
        self.network = hardware.network_bandwidth * efficiency.network
        self.link_latency = efficiency.link_latency
        self.network_latency = efficiency.network_latency
        self.all_network_cards = all_network_cards

    def ring_rates(self, group: Group) -> tuple[float, float]:
        """(seconds per byte, seconds of latency) of an all-gather or a reduce-scatter in `group`.

        A ring inside a server takes (n - 1) / n of the bytes over the link. Between servers either one ring over all
        (as `simlib.throughput` has it), or first inside each server, then a slice for each network card between them
        (as `simlib.collectives.costs.hierarchical_all_reduce_time`); an all-reduce is twice this.
        """
        size, near = group.size, group.in_server
        if size == 1:
            return 0.0, 0.0
        if group.inside:
            return (size - 1) / size / self.link, (size - 1) * self.link_latency
        if not self.all_network_cards:
            return (size - 1) / size / min(self.network, self.link), (size - 1) * self.network_latency
        servers = size // near
        inside = (near - 1) / near / self.link
        between = (servers - 1) / servers / near / self.network
        latency = (near - 1) * self.link_latency + (servers - 1) * self.network_latency
        return inside + between, latency

    def message_rates(self, together: bool) -> tuple[float, float]:
        """(seconds per byte, seconds of latency) of a message to the next pipeline stage."""
        if together:
            return 1 / self.link, self.link_latency
        return 1 / self.network, self.network_latency


def _sharing(size: int, per_server: int) -> int:
    """How many neighbours of a group of `size` consecutive ranks share a server at least."""
    return gcd(size, per_server)


def _rest(size: int, inner: int, per_server: int) -> int:
    """The same of a group that steps over `inner` consecutive ranks."""
    return gcd(size, per_server // inner) if per_server % inner == 0 else 1
