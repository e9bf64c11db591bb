"""Quantities of collectives: what they send and how long they take."""

from __future__ import annotations

from simlib.collectives import costs
from simlib.errors import one_of, positive_number, whole_number
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


@define("tree.steps", WORKERS, formula="2 x ceil(log2(N))", source=_ALPHA_BETA)
def _tree_steps(workers: int) -> int:
    """Steps of an all-reduce up a binary tree and down again."""
    return 2 * costs.tree_levels(workers)


@define(
    "tree.pipelined_time",
    BYTES,
    WORKERS,
    ALPHA,
    BANDWIDTH,
    Parameter("chunks", WHOLE, "chunks that follow one another through the trees", "k"),
    unit="s",
    formula="2 x (ceil(log2(N)) + k - 1) x (alpha + bytes / k / bandwidth)",
    source="Sanders, Speck and Träff 2009, Two-tree algorithms for full bandwidth broadcast, reduction and scan",
)
def _pipelined_time(bytes: float, workers: int, alpha: float, bandwidth: float, chunks: int) -> Outcome:
    """Seconds of an all-reduce over two binary trees, each with half of the array, pipelined in chunks."""
    seconds = costs.pipelined_tree_time(bytes, workers, alpha, bandwidth, chunks)
    return Outcome(seconds, "" if workers > 1 else "0")


@define(
    "ring.chunked_time",
    BYTES,
    WORKERS,
    ALPHA,
    BANDWIDTH,
    Parameter("chunk_bytes", NUMBER, "bytes that a message holds at most", "chunk", unit="B"),
    unit="s",
    formula="2 (N - 1) x (max(1, ceil(bytes / N / chunk)) x alpha + bytes / N / bandwidth)",
    source=_ALPHA_BETA,
)
def _chunked_time(bytes: float, workers: int, alpha: float, bandwidth: float, chunk_bytes: float) -> float:
    """Seconds of ring all-reduces whose messages are limited by a buffer, one after another."""
    return costs.chunked_ring_time(bytes, workers, alpha, bandwidth, chunk_bytes)


@define(
    "message.time",
    Parameter("bytes", NUMBER, "bytes of the message", "bytes", unit="B"),
    ALPHA,
    BANDWIDTH,
    unit="s",
    formula="alpha + bytes / bandwidth",
    source=_ALPHA_BETA,
)
def _message_time(bytes: float, alpha: float, bandwidth: float) -> float:
    """Seconds of one message."""
    return costs.message_time(bytes, alpha, bandwidth)


_BUSIEST = {
    "ring": "2 (N - 1) / N x bytes",
    "naive": "(N - 1) x bytes",
    "direct": "(N - 1) x bytes",
}


@define(
    "all_reduce.busiest_link_bytes",
    Parameter("algorithm", WORD, f"one of {', '.join(_BUSIEST)}"),
    BYTES,
    WORKERS,
    unit="B",
    formula="ring: 2 (N - 1) / N x bytes; naive (one root) and direct (everyone to everyone): (N - 1) x bytes",
    source=_RING,
)
def _busiest_link_bytes(algorithm: str, bytes: float, workers: int) -> Outcome:
    """Bytes through the busiest worker's link, in one direction."""
    formula = _BUSIEST[one_of("algorithm", algorithm, tuple(_BUSIEST))]
    if algorithm == "ring":
        return Outcome(costs.ring_bytes_sent(bytes, workers), formula)
    return Outcome((whole_number("workers", workers) - 1) * positive_number("bytes", bytes, zero=True), formula)


@define(
    "hierarchical.time",
    BYTES,
    Parameter("nodes", WHOLE, "how many servers", "M"),
    Parameter("gpus_per_node", WHOLE, "GPUs in each server", "G"),
    Parameter("alpha_in", NUMBER, "seconds of latency inside a server", "alpha_in", unit="s"),
    Parameter(
        "bandwidth_in", NUMBER, "bytes per second inside a server, per GPU and direction", "bandwidth_in", unit="B/s"
    ),
    Parameter("alpha_out", NUMBER, "seconds of latency between servers", "alpha_out", unit="s"),
    Parameter(
        "bandwidth_out", NUMBER, "bytes per second between servers, per GPU and direction", "bandwidth_out", unit="B/s"
    ),
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


@define(
    "all_gather.time",
    PAYLOAD,
    WORKERS,
    ALPHA,
    BANDWIDTH,
    unit="s",
    formula="(N - 1) x (alpha + payload / bandwidth)",
    source=_ALPHA_BETA,
)
def _all_gather_time(payload: float, workers: int, alpha: float, bandwidth: float) -> float:
    """Seconds of a ring all-gather of every worker's own payload."""
    return costs.ring_all_gather_time(costs.payload_size(payload) * workers, workers, alpha, bandwidth)


@define("all_gather.bytes_sent", PAYLOAD, WORKERS, unit="B", formula="(N - 1) x payload", source=_ALPHA_BETA)
def _all_gather_bytes_sent(payload: float, workers: int) -> float:
    """Bytes that each worker sends when every worker's own payload must reach all others."""
    return costs.all_gather_bytes_sent(payload, workers)
