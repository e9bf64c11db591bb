"""Quantities of data parallelism and of compressed gradients."""

from __future__ import annotations

from simlib import compression, data_parallel
from simlib.errors import BadArgument, positive_number, whole_number
from simlib.quantities.parameters import WORKERS
from simlib.quantities.registry import NUMBER, NUMBERS, WHOLE, Outcome, Parameter, define, written


@define(
    "ddp.mean_gradient",
    Parameter("gradients", NUMBERS, "each worker's mean over its own samples"),
    Parameter("samples", NUMBERS, "how many samples each worker had; none given: equally many", "samples", ()),
    formula="(gradient x samples + …) / (samples + …)",
    source="Li et al. 2020, PyTorch Distributed, section 2",
)
def _mean_gradient(gradients: list[float], samples: list[float]) -> Outcome:
    """The mean over all samples of the batch, from the workers' own means."""
    value = data_parallel.mean_gradient(gradients, samples or None)
    shares = list(samples) or [1] * len(gradients)
    top = " + ".join(f"{written(g)} x {written(share)}" for g, share in zip(gradients, shares, strict=True))
    bottom = " + ".join(written(share) for share in shares)
    return Outcome(value, worked=f"({top}) / ({bottom}) = {written(value)}")


_SIZES = Parameter("sizes", NUMBERS, "bytes of each gradient, in the order in which they get ready", unit="B")
_FIRST_CAP = Parameter(
    "first_cap", NUMBER, "bytes that close the first bucket", "first_cap", data_parallel.FIRST_BUCKET_BYTES, unit="B"
)
_CAP = Parameter("cap", NUMBER, "bytes that close every other bucket", "cap", data_parallel.BUCKET_BYTES, unit="B")


@define(
    "ddp.buckets",
    _SIZES,
    _FIRST_CAP,
    _CAP,
    formula="a bucket is closed once its bytes reach its cap",
    source="Li et al. 2020, PyTorch Distributed, section 3.2",
)
def _buckets(sizes: list[float], first_cap: float, cap: float) -> Outcome:
    """Which gradients share a bucket, as lists of their indices."""
    filled = data_parallel.buckets(sizes, first_cap, cap)
    parts = [f"{' + '.join(written(sizes[index]) for index in bucket)} B" for bucket in filled]
    return Outcome(filled, worked="; ".join(parts) + f" = {filled}")


@define(
    "ddp.bucket_bytes",
    _SIZES,
    Parameter("bucket", WHOLE, "which bucket, from 0", "bucket"),
    _FIRST_CAP,
    _CAP,
    unit="B",
    formula="the sizes of its gradients, added up; a bucket is closed once its bytes reach its cap",
    source="Li et al. 2020, PyTorch Distributed, section 3.2",
)
def _bucket_bytes(sizes: list[float], bucket: int, first_cap: float, cap: float) -> Outcome:
    """Bytes of one of the buckets."""
    filled = data_parallel.buckets(sizes, first_cap, cap)
    members = filled[whole_number("bucket", bucket, 0, len(filled) - 1)]
    value = sum(sizes[index] for index in members)
    return Outcome(value, worked=f"{' + '.join(written(sizes[index]) for index in members)} = {written(value)}")


@define(
    "ddp.reduced_seconds",
    _SIZES,
    Parameter("gradient_seconds", NUMBER, "seconds of backward pass for each gradient", "gradient_seconds", unit="s"),
    Parameter("seconds_per_byte", NUMBER, "seconds that an all-reduce takes for each byte", "seconds_per_byte"),
    Parameter("latency", NUMBER, "seconds that an all-reduce takes besides", "latency", 0.0, unit="s"),
    _FIRST_CAP,
    _CAP,
    unit="s",
    formula="start + latency + size x seconds_per_byte; a bucket starts when it is ready and the one before is over",
    source="Li et al. 2020, PyTorch Distributed, section 3.2",
)
def _reduced_seconds(
    sizes: list[float],
    gradient_seconds: float,
    seconds_per_byte: float,
    latency: float,
    first_cap: float,
    cap: float,
) -> Outcome:
    """Seconds from the start of the backward pass until the last bucket has been all-reduced."""
    each = [positive_number("gradient_seconds", gradient_seconds, zero=True)] * len(sizes)
    timeline = data_parallel.bucket_timeline(sizes, each, seconds_per_byte, latency, first_cap, cap)
    if not timeline:
        raise BadArgument("sizes", sizes, "the size of at least one gradient")
    last = timeline[-1]
    symbols = {"start": last.start, "size": last.bytes}
    return Outcome(last.end, "start + latency + size x seconds_per_byte", symbols)


_BATCH = Parameter("batch", NUMBER, "samples or tokens of a step, all workers together", "batch")
_CRITICAL = Parameter("critical", NUMBER, "the critical batch size, in the same unit", "critical")
_LARGE_BATCH = "McCandlish et al. 2018, An Empirical Model of Large-Batch Training, section 2"


@define("batch.steps_of_least", _BATCH, _CRITICAL, formula="1 + critical / batch", source=_LARGE_BATCH)
def _steps_of_least(batch: float, critical: float) -> float:
    """How many times the fewest possible steps a training run takes at this batch size."""
    return data_parallel.steps_of_least(batch, critical)


@define("batch.samples_of_least", _BATCH, _CRITICAL, formula="1 + batch / critical", source=_LARGE_BATCH)
def _samples_of_least(batch: float, critical: float) -> float:
    """How many times the fewest possible samples a training run takes at this batch size."""
    return data_parallel.samples_of_least(batch, critical)


@define(
    "compression.wire_ratio",
    Parameter("keep", NUMBER, "the share of values that is sent", "keep"),
    WORKERS,
    Parameter("value_bytes", NUMBER, "bytes of one value sent", "value", unit="B"),
    Parameter("index_bytes", NUMBER, "bytes of its position", "index", unit="B"),
    Parameter("dense_bytes", NUMBER, "bytes of one value of the dense all-reduce", "dense", unit="B"),
    formula="keep x N x (value + index) / (2 x dense)",
    source="Lin et al. 2018, Deep Gradient Compression; ring all-reduce: Patarasuk and Yuan 2009",
)
def _wire_ratio(keep: float, workers: int, value_bytes: float, index_bytes: float, dense_bytes: float) -> float:
    """Bytes of the sparse all-gather over bytes of the dense ring all-reduce."""
    return compression.wire_ratio(keep, workers, value_bytes, index_bytes, dense_bytes)
