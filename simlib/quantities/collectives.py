"""Quantities of collectives: what they send and how long they take."""

from __future__ import annotations

from simlib.collectives import costs
from simlib.errors import whole_number
from simlib.quantities.parameters import ALPHA, BANDWIDTH, BYTES, PAYLOAD, WORKERS
from simlib.quantities.registry import NUMBER, WHOLE, WORD, Outcome, Parameter, define

_RING = "Patarasuk and Yuan 2009, Bandwidth optimal all-reduce algorithms for clusters of workstations"
_ALPHA_BETA = "Thakur, Rabenseifner and Gropp 2005, Optimization of collective communication operations in MPICH"

_WIRE = {"all_reduce": "2 (N - 1) / N", "broadcast": "1", "reduce": "1", "sendrecv": "1"}


@define(
    "collective.wire_ratio",
    Parameter("op", WORD, f"one of {', '.join(costs.WIRE_OPS)}"),
    WORKERS,
    formula="2 (N - 1) / N for all_reduce; 1 for broadcast, reduce and sendrecv; (N - 1) / N for the others",
    source="NVIDIA nccl-tests, doc/PERFORMANCE.md",
)
def _wire_ratio(op: str, workers: int) -> Outcome:
    """Bytes on the busiest link over the bytes of the whole array: nccl-tests' bus factor."""
    return Outcome(costs.wire_ratio(op, workers), _WIRE.get(op, "(N - 1) / N"))


@define("ring.steps", WORKERS, formula="2 (N - 1)", source=_RING)
def _ring_steps(workers: int) -> int:
    """Steps of a ring all-reduce: a reduce-scatter and an all-gather of N - 1 steps each."""
    return costs.ring_steps(workers)


@define("ring.ratio", WORKERS, formula="2 (N - 1) / N", source=_RING)
def _ring_ratio(workers: int) -> float:
    """What each worker sends in a ring all-reduce, over the size of the array."""
    return costs.wire_ratio("all_reduce", workers)


@define("ring.bytes_sent", BYTES, WORKERS, unit="B", formula="2 (N - 1) / N x bytes", source=_RING)
def _ring_bytes_sent(bytes: float, workers: int) -> float:
    """Bytes that each worker sends in a ring all-reduce."""
    return costs.ring_bytes_sent(bytes, workers)


@define(
    "ring.time",
    BYTES,
    WORKERS,
    ALPHA,
    BANDWIDTH,
    unit="s",
    formula="2 (N - 1) x (alpha + bytes / N / bandwidth)",
    source=_ALPHA_BETA,
)
def _ring_time(bytes: float, workers: int, alpha: float, bandwidth: float) -> float:
    """Seconds of a ring all-reduce."""
    return costs.ring_all_reduce_time(bytes, workers, alpha, bandwidth)


@define(
    "ring.chunk_elements",
    Parameter("elements", WHOLE, "elements of the array", "elements"),
    WORKERS,
    Parameter("chunk", WHOLE, "which chunk, from 0", "chunk", 0),
    formula="ceil((elements - chunk) / N)",
    source="numpy.array_split: the first chunks are one longer where N does not divide the array",
)
def _chunk_elements(elements: int, workers: int, chunk: int) -> int:
    """Elements in one chunk of an array that is cut into one chunk per worker."""
    n = whole_number("workers", workers)
    left = whole_number("elements", elements, 0) - whole_number("chunk", chunk, 0, n - 1)
    return max(0, -(-left // n))


@define(
    "ring.final_chunk",
    Parameter("worker", WHOLE, "a worker's rank, from 0", "worker"),
    WORKERS,
    formula="(worker + 1) mod N",
    source=_RING,
)
def _final_chunk(worker: int, workers: int) -> int:
    """The chunk that a worker holds complete when the ring's reduce-scatter is over (ring ownership)."""
    n = whole_number("workers", workers)
    return (whole_number("worker", worker, 0, n - 1) + 1) % n


@define(
    "tree.time",
    BYTES,
    WORKERS,
    ALPHA,
    BANDWIDTH,
    unit="s",
    formula="2 x ceil(log2(N)) x (alpha + bytes / bandwidth)",
    source=_ALPHA_BETA,
)
def _tree_time(bytes: float, workers: int, alpha: float, bandwidth: float) -> float:
    """Seconds of an all-reduce up a binary tree and down again, not pipelined."""
    return costs.tree_all_reduce_time(bytes, workers, alpha, bandwidth)


@define(
    "hierarchical.time",
    BYTES,
    Parameter("nodes", WHOLE, "how many servers", "M"),
    Parameter("gpus_per_node", WHOLE, "GPUs in each server", "G"),
    Parameter("alpha_in", NUMBER, "seconds of latency inside a server", "alpha_in"),
    Parameter("bandwidth_in", NUMBER, "bytes per second inside a server, per GPU and direction", "bandwidth_in"),
    Parameter("alpha_out", NUMBER, "seconds of latency between servers", "alpha_out"),
    Parameter("bandwidth_out", NUMBER, "bytes per second between servers, per GPU and direction", "bandwidth_out"),
    unit="s",
    formula=(
        "2 (G - 1) x (alpha_in + bytes / G / bandwidth_in) + 2 (M - 1) x (alpha_out + bytes / G / M / bandwidth_out)"
    ),
    source=_ALPHA_BETA,
)
def _hierarchical_time(
    bytes: float,
    nodes: int,
    gpus_per_node: int,
    alpha_in: float,
    bandwidth_in: float,
    alpha_out: float,
    bandwidth_out: float,
) -> float:
    """Seconds of an all-reduce in two levels: scattered inside a server, reduced between servers, gathered inside."""
    return costs.hierarchical_all_reduce_time(
        bytes, nodes, gpus_per_node, alpha_in, bandwidth_in, alpha_out, bandwidth_out
    )


@define("all_gather.bytes_sent", PAYLOAD, WORKERS, unit="B", formula="(N - 1) x payload", source=_ALPHA_BETA)
def _all_gather_bytes_sent(payload: float, workers: int) -> float:
    """Bytes that each worker sends when every worker's own payload must reach all others."""
    return costs.all_gather_bytes_sent(payload, workers)
