"""Data parallelism: which gradients travel together, and when.

Source: Li et al. 2020, "PyTorch Distributed: Experiences on Accelerating Data Parallel Training", section 3.2.
`simlib.training.data_parallel` and `simlib.training.bucketed` carry it out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simlib.errors import BadArgument, positive_number

FIRST_BUCKET_BYTES = 2**20
BUCKET_BYTES = 25 * 2**20


def buckets(
    sizes: Sequence[float], first_cap: float = FIRST_BUCKET_BYTES, cap: float = BUCKET_BYTES
) -> list[list[int]]:
    """Which gradients share a bucket: lists of indices into `sizes` (bytes, in the order in which they get ready).

    A bucket is closed once its bytes reach the cap, so it may exceed it; the first has a cap of its own, small so
    that communication starts early. Gradients get ready last layer first. Raises BadArgument for sizes and caps
    that are not positive.

    >>> buckets([10 * 2**20] * 5)
    [[0], [1, 2, 3], [4]]
    """
    caps = positive_number("first_cap", first_cap), positive_number("cap", cap)
    if isinstance(sizes, (str, bytes)) or not hasattr(sizes, "__len__"):
        raise BadArgument("sizes", sizes, "a list of sizes in bytes")
    filled: list[list[int]] = []
    room = 0.0
    for index, size in enumerate(sizes):
        if room <= 0:
            room = caps[0] if not filled else caps[1]
            filled.append([])
        filled[-1].append(index)
        room -= positive_number(f"sizes[{index}]", size, zero=True)
    return filled


def mean_gradient(gradients: Sequence[float], samples: Sequence[float] | None = None) -> float:
    """The mean over all samples, from each worker's mean and how many samples it had (all equally many by default).

    With unequal shares the plain mean of the workers' means is another number.
    Raises BadArgument for lists of unequal length and for no samples at all.

    >>> round(mean_gradient([0.2, 0.4]), 3), round(mean_gradient([0.2, 0.4], samples=[3, 1]), 3)
    (0.3, 0.25)
    """
    shares = [1.0] * len(gradients) if samples is None else list(samples)
    if len(shares) != len(gradients):
        raise BadArgument("samples", samples, f"one number for each of the {len(gradients)} gradients")
    weights = [positive_number(f"samples[{place}]", share, zero=True) for place, share in enumerate(shares)]
    if not sum(weights):
        raise BadArgument("samples", samples, "at least one sample in all")
    return sum(gradient * weight for gradient, weight in zip(gradients, weights, strict=True)) / sum(weights)


def steps_of_least(batch: float, critical: float) -> float:
    """How many times the fewest possible steps a training run takes at this batch size: 1 + critical / batch.

    `critical` is the critical batch size, in the unit of `batch`; below it steps fall as the batch grows, far above it
    they hardly do. Source: McCandlish et al. 2018, "An Empirical Model of Large-Batch Training", section 2.
    Raises BadArgument for sizes that are not positive.

    >>> steps_of_least(1000, 1000), steps_of_least(4000, 1000)
    (2.0, 1.25)
    """
    return 1 + positive_number("critical", critical) / positive_number("batch", batch)


def samples_of_least(batch: float, critical: float) -> float:
    """How many times the fewest possible samples a training run takes at this batch size: 1 + batch / critical.

    >>> samples_of_least(1000, 1000), samples_of_least(4000, 1000)
    (2.0, 5.0)
    """
    return 1 + positive_number("batch", batch) / positive_number("critical", critical)


@dataclass(frozen=True)
class BucketTime:
    """When a bucket is ready, and from when to when its all-reduce runs (seconds from the backward pass's start)."""

    members: tuple[int, ...]
    bytes: float
    ready: float
    start: float
    end: float


def bucket_timeline(
    sizes: Sequence[float],
    backward_seconds: Sequence[float],
    seconds_per_byte: float,
    latency: float = 0.0,
    first_cap: float = FIRST_BUCKET_BYTES,
    cap: float = BUCKET_BYTES,
) -> list[BucketTime]:
    """When each bucket's all-reduce runs, one after another, while the backward pass goes on.

    `backward_seconds[k]` is the time that gradient k takes to compute; an all-reduce of b bytes takes `latency` +
    b x `seconds_per_byte`. Raises BadArgument for lists of unequal length.

    >>> [round(bucket.end, 3) for bucket in bucket_timeline([1, 1, 1], [1, 1, 1], 2, first_cap=1, cap=1)]
    [3.0, 5.0, 7.0]
    """
    if len(backward_seconds) != len(sizes):
        raise BadArgument("backward_seconds", backward_seconds, f"one time for each of the {len(sizes)} sizes")
    timeline: list[BucketTime] = []
    clock = free = 0.0
    for members in buckets(sizes, first_cap, cap):
        clock += sum(
            positive_number(f"backward_seconds[{index}]", backward_seconds[index], zero=True) for index in members
        )
        size = sum(sizes[index] for index in members)
        start = max(clock, free)
        free = (
            start
            + positive_number("latency", latency, zero=True)
            + size * positive_number("seconds_per_byte", seconds_per_byte, zero=True)
        )
        timeline.append(BucketTime(tuple(members), size, clock, start, free))
    return timeline
