"""What collectives cost in closed form: steps, bytes, and seconds under alpha-beta. No NumPy.

A message of b bytes takes alpha + b / bandwidth: `alpha` seconds of latency, `bandwidth` in bytes per second
and direction. `size` is the bytes of the whole array on each worker, `workers` is N.
"""

from __future__ import annotations

from math import ceil, floor, log2, sqrt

from simlib.errors import one_of, positive_number, whole_number

WIRE_OPS = (
    "all_reduce",
    "reduce_scatter",
    "all_gather",
    "all_to_all",
    "broadcast",
    "reduce",
    "scatter",
    "gather",
    "sendrecv",
)


def wire_ratio(op: str, workers: int) -> float:
    """Bytes that cross the busiest link over the bytes of the array: the bus factor of nccl-tests.

    The array is the whole one: for all_gather, reduce_scatter and all_to_all the parts of all workers together.
    Source: NVIDIA nccl-tests, doc/PERFORMANCE.md. Raises BadArgument for an unknown `op`.

    >>> wire_ratio("all_reduce", 4), wire_ratio("all_gather", 4), wire_ratio("broadcast", 4)
    (1.5, 0.75, 1.0)
    """
    n = whole_number("workers", workers)
    match one_of("op", op, WIRE_OPS):
        case "all_reduce":
            return 2 * (n - 1) / n
        case "broadcast" | "reduce" | "sendrecv":
            return 1.0
        case _:
            return (n - 1) / n


def ring_steps(workers: int) -> int:
    """Steps of a ring all-reduce: 2 (N - 1).

    >>> ring_steps(8), ring_steps(64)
    (14, 126)
    """
    return 2 * (whole_number("workers", workers) - 1)


def ring_bytes_sent(size: float, workers: int) -> float:
    """Bytes that each worker sends in a ring all-reduce of `size` bytes: 2 (N - 1) / N of it.

    No all-reduce can send less (Patarasuk and Yuan 2009).

    >>> ring_bytes_sent(24, 3)
    32.0
    """
    return wire_ratio("all_reduce", workers) * positive_number("bytes", size, zero=True)


def ring_all_reduce_time(size: float, workers: int, alpha: float, bandwidth: float) -> float:
    """Seconds of a ring all-reduce: 2 (N - 1) messages of 1/N of the array, one after another.

    >>> round(ring_all_reduce_time(13.476e9, 8, 0, 450e9), 3)
    0.052
    """
    return 2 * ring_all_gather_time(size, workers, alpha, bandwidth)


def ring_all_gather_time(size: float, workers: int, alpha: float, bandwidth: float) -> float:
    """Seconds of a ring all-gather (or reduce-scatter) of `size` bytes in all: N - 1 messages of 1/N of them."""
    n = whole_number("workers", workers)
    return (n - 1) * message_time(positive_number("bytes", size, zero=True) / n, alpha, bandwidth)


def tree_all_reduce_time(size: float, workers: int, alpha: float, bandwidth: float) -> float:
    """Seconds of an all-reduce that climbs a binary tree and comes down again, the whole array at each level.

    2 ceil(log2 N) messages of the whole array: few, but nothing is pipelined.

    >>> round(tree_all_reduce_time(13.476e9, 64, 0, 50e9), 1)
    3.2
    """
    levels = tree_levels(workers)
    return 2 * levels * message_time(size, alpha, bandwidth)


def pipelined_tree_time(size: float, workers: int, alpha: float, bandwidth: float, chunks: int) -> float:
    """Seconds of an all-reduce over two binary trees, each with half of the array, in `chunks` chunks a level.

    2 (ceil(log2 N) + k - 1) messages of 1/k of the array: while one chunk climbs the next follows, and the two trees
    together keep every link busy (Sanders, Speck and Träff 2009). With many chunks it nears 2 size / bandwidth, a
    ring's bandwidth, with the latency of a tree.

    >>> round(pipelined_tree_time(13.476e9, 64, 0, 50e9, chunks=1000), 2)
    0.54
    """
    k = whole_number("chunks", chunks)
    messages = 2 * (tree_levels(workers) + k - 1) if whole_number("workers", workers) > 1 else 0
    return messages * message_time(positive_number("bytes", size, zero=True) / k, alpha, bandwidth)


def best_chunks(size: float, workers: int, alpha: float, bandwidth: float) -> int:
    """How many chunks make `pipelined_tree_time` least: about sqrt((ceil(log2 N) - 1) size / (bandwidth alpha)).

    Raises BadArgument for an alpha of 0, with which more chunks are always better.

    >>> best_chunks(100e6, 64, 10e-6, 50e9)
    32
    """
    latency, rate = positive_number("alpha", alpha), positive_number("bandwidth", bandwidth)
    ideal = sqrt(max(0, tree_levels(workers) - 1) * positive_number("bytes", size, zero=True) / rate / latency)
    around = {max(1, floor(ideal)), max(1, ceil(ideal))}
    return min(around, key=lambda chunks: pipelined_tree_time(size, workers, alpha, bandwidth, chunks))


def chunked_ring_time(size: float, workers: int, alpha: float, bandwidth: float, chunk_bytes: float) -> float:
    """Seconds of ring all-reduces of `chunk_bytes` a message, one after another until `size` bytes are through.

    ceil(size / (N x chunk)) rounds of 2 (N - 1) messages: what a buffer that is smaller than 1/N of the array costs.

    >>> chunked_ring_time(8, 4, alpha=1, bandwidth=1, chunk_bytes=1)
    24.0
    """
    n, chunk = whole_number("workers", workers), positive_number("chunk_bytes", chunk_bytes)
    share = positive_number("bytes", size, zero=True) / n
    rounds = ceil(share / chunk) if share > chunk else 1
    moving = ring_all_reduce_time(size, n, 0, bandwidth)
    return ring_steps(n) * rounds * positive_number("alpha", alpha, zero=True) + moving


def tree_levels(workers: int) -> int:
    """Levels of a binary tree above its leaves: ceil(log2 N).

    >>> tree_levels(1), tree_levels(2), tree_levels(9)
    (0, 1, 4)
    """
    return ceil(log2(whole_number("workers", workers)))


def hierarchical_all_reduce_time(
    size: float,
    nodes: int,
    gpus_per_node: int,
    alpha_in: float,
    bandwidth_in: float,
    alpha_out: float,
    bandwidth_out: float,
) -> float:
    """Seconds of an all-reduce in two levels: reduce-scatter inside each node, all-reduce between nodes, all-gather.

    Each GPU takes its slice, 1 / `gpus_per_node` of the array, to the same slice's GPUs of the other nodes; all rings.

    >>> round(hierarchical_all_reduce_time(100e6, 4, 4, 1e-5, 1e11, 1e-5, 1e11), 6)
    0.001995
    """
    for name, latency in (("alpha_in", alpha_in), ("alpha_out", alpha_out)):
        positive_number(name, latency, zero=True)
    for name, rate in (("bandwidth_in", bandwidth_in), ("bandwidth_out", bandwidth_out)):
        positive_number(name, rate)
    inside = 2 * ring_all_gather_time(size, whole_number("gpus_per_node", gpus_per_node), alpha_in, bandwidth_in)
    return inside + ring_all_reduce_time(size / gpus_per_node, whole_number("nodes", nodes), alpha_out, bandwidth_out)


def all_gather_bytes_sent(payload: float, workers: int) -> float:
    """Bytes that each worker sends when every worker's own `payload` bytes must reach all others: (N - 1) payload.

    Different pieces cannot be added up on the way, so they grow with N, by a ring or directly.

    >>> all_gather_bytes_sent(100, 8)
    700
    """
    return (whole_number("workers", workers) - 1) * payload_size(payload)


def payload_size(payload: float) -> float:
    """`payload`, checked to be a number of bytes."""
    number = positive_number("payload", payload, zero=True)
    return int(number) if number == int(number) else number


def message_time(size: float, alpha: float, bandwidth: float) -> float:
    """Seconds of one message of `size` bytes: alpha + size / bandwidth.

    >>> message_time(16, alpha=1, bandwidth=8)
    3.0
    """
    latency = positive_number("alpha", alpha, zero=True)
    return latency + positive_number("bytes", size, zero=True) / positive_number("bandwidth", bandwidth)
