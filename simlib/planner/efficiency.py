"""What share of a machine's data sheet its kernels and links reach: the planner's one place for it.

The planner times a matrix product as FLOPs / (arithmetic x peak). Where `memory` is known it also times the kernels
that only move bytes (norms, softmax, GeLU, dropout, residual sums): bytes / (memory x memory bandwidth). The two
together are a curve over the size of the matrices: a product's FLOPs grow with the hidden size squared, the bytes
around it with the hidden size, so the larger the model, the larger the share of peak that a layer reaches. Where
`memory` is None a constant share stands for both.

What is fitted, and on what: `arithmetic` of the A100, one number, on the five rows 1.7B, 7.5B, 18.4B, 39.1B and
529.6B of Narayanan et al. 2021, table 1. The table's other rows, its table 2, and Korthikanti et al. 2022 were not
used; tests/simlib/planner compares them. No NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass

from simlib.errors import BadArgument, positive_number
from simlib.hardware import Hardware
from simlib.network.links import NCCL_LATENCIES, NCCL_PROTOCOLS
from simlib.throughput import MATMUL_EFFICIENCY


@dataclass(frozen=True)
class Efficiency:
    """Shares of what the data sheet prints, from 0 to 1, and seconds of latency for each step of a ring."""

    arithmetic: float  # of peak FLOP/s, in matrix products
    memory: float | None = None  # of memory bandwidth; None: in `arithmetic` already
    link: float = 1.0  # of the fast links' bandwidth, in collectives
    network: float = 1.0  # of the network's bandwidth
    link_latency: float = 0.0
    network_latency: float = 0.0
    source: str = "given"


_SIMPLE = NCCL_PROTOCOLS.index("Simple")  # the protocol of large messages

_LINK_LATENCY = NCCL_LATENCIES["hw_nvlink_ring"][_SIMPLE] * 1e-6
_NETWORK_LATENCY = NCCL_LATENCIES["hw_net_ring"][_SIMPLE] * 1e-6

DEFAULT = Efficiency(MATMUL_EFFICIENCY, source="the machine model of the lessons: 0.473 of peak, messages at full rate")
_NVIDIA = Efficiency(
    MATMUL_EFFICIENCY,
    link_latency=_LINK_LATENCY,
    network_latency=_NETWORK_LATENCY,
    source="the machine model of the lessons (0.473 of peak, messages at full rate) with the latencies of NCCL's tuner",
)

EFFICIENCIES = {
    "a100": Efficiency(
        arithmetic=0.70,
        memory=0.8,
        link=0.77,
        link_latency=_LINK_LATENCY,
        network_latency=_NETWORK_LATENCY,
        source=(
            "arithmetic fitted on five rows of Narayanan et al. 2021, table 1; memory and link assumed (streaming "
            "kernels, and all-reduces of about 230 of 300 GB/s in nccl-tests); latencies of NCCL's tuner"
        ),
    ),
    "tpu-v4": Efficiency(
        arithmetic=0.63,
        source="Google's MLPerf Training 1.1 (open): 63% of peak, recomputation counted, 480B on 2,048 chips",
    ),
}
EFFICIENCIES["a100-40gb"] = EFFICIENCIES["a100"]
EFFICIENCIES.update(dict.fromkeys(("h100", "h200", "b200"), _NVIDIA))


def efficiency_of(hardware: Hardware, given: float | None = None) -> Efficiency:
    """The shares of `hardware`: its own, those of the lessons' machine model, or `given` as the constant share.

    Raises BadArgument for a share that is not above 0 and at most 1.

    >>> from simlib import hardware
    >>> efficiency_of(hardware.find("h100")).arithmetic, efficiency_of(hardware.find("a100"), 0.5).memory
    (0.473, None)
    """
    if given is None:
        return EFFICIENCIES.get(hardware.id, DEFAULT)
    if positive_number("efficiency", given) > 1:
        raise BadArgument("efficiency", given, "a share of peak above 0 and at most 1")
    return Efficiency(float(given))
