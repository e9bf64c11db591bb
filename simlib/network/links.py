"""A link, and closed forms for networks: trees of switches, tori, several ports. No NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simlib.errors import positive_number, whole_number


@dataclass(frozen=True)
class Link:
    """`alpha` seconds of latency for each message, and `bandwidth` in bytes per second and direction."""

    alpha: float
    bandwidth: float

    def __post_init__(self) -> None:
        positive_number("alpha", self.alpha, zero=True)
        positive_number("bandwidth", self.bandwidth)

    def time(self, size: float) -> float:
        """Seconds of one message of `size` bytes.

        >>> Link(alpha=5e-6, bandwidth=50e9).time(100e6)
        0.002005
        """
        return self.alpha + positive_number("size", size, zero=True) / self.bandwidth


def fat_tree_bandwidths(levels: Sequence[tuple[int, float]]) -> list[float]:
    """Bytes per second of an all-gather (or reduce-scatter) on each level of a fat tree; the least is its own.

    A level of d units, each joined upwards at W bytes per second, gathers at d W / (d - 1): a unit needs what the
    others have, (d - 1) / d of the whole. Source: "How to Scale Your Model", chapter on GPUs.

    >>> [round(rate / 1e9) for rate in fat_tree_bandwidths([(8, 450e9), (32, 400e9), (4, 12.8e12)])]
    [514, 413, 17067]
    """
    found = []
    for level, (units, bandwidth) in enumerate(levels):
        d = whole_number(f"units of level {level}", units, 2)
        found.append(d * positive_number(f"bandwidth of level {level}", bandwidth) / (d - 1))
    return found


def torus_all_gather_time(
    size: float, axis: int, bandwidth: float, hop_seconds: float, wraparound: bool = True
) -> float:
    """Seconds of an all-gather of `size` bytes per worker at the end, along one axis of a torus.

    `bandwidth` counts both directions of the axis's links together. A ring of `axis` workers needs axis / 2 hops to
    reach everybody (without `wraparound` axis - 1); whichever takes longer, bytes or hops, decides.
    Source: "How to Scale Your Model", chapter on sharding.

    >>> torus_all_gather_time(256, 4, 90e9, 1e-6)
    2e-06
    """
    hops = whole_number("axis", axis) // 2 if wraparound else whole_number("axis", axis) - 1
    moving = positive_number("size", size, zero=True) / positive_number("bandwidth", bandwidth)
    return max(moving, hops * positive_number("hop_seconds", hop_seconds, zero=True))


def point_to_point_time(size: float, ports: int, bandwidth: float, hops: int, hop_seconds: float) -> float:
    """Seconds until `size` bytes are `hops` hops away, sent over `ports` ports of `bandwidth` each.

    >>> round(point_to_point_time(16777216, 2, 45e9, 6, 1e-6) * 1e6)
    192
    """
    way = whole_number("hops", hops, 0) * positive_number("hop_seconds", hop_seconds, zero=True)
    return way + Link(0, whole_number("ports", ports) * positive_number("bandwidth", bandwidth)).time(size)


# Microseconds that NCCL's tuner assumes before measuring, for its protocols LL, LL128 and Simple
# (src/graph/tuning.cc): once per call, and per step on NVLink or on the network
NCCL_PROTOCOLS = ("LL", "LL128", "Simple")
NCCL_LATENCIES = {
    "base_tree": (6.8, 14.0, 8.4),
    "base_ring": (6.6, 14.0, 8.4),
    "hw_nvlink_tree": (0.6, 1.25, 4.0),
    "hw_nvlink_ring": (0.6, 1.9, 3.4),
    "hw_net_tree": (5.0, 8.5, 14.0),
    "hw_net_ring": (2.7, 4.0, 14.0),
}
