"""DDP's buckets, carried out: gradients are reduced while the backward pass is still making others.

Gradients get ready last layer first. As soon as those of a bucket are, its all-reduce starts; the backward pass goes on
meanwhile. The first bucket is small, so that communication starts early (Li et al. 2020, section 3.2.3).

An element's additions start from another worker than in one large all-reduce, since it lies in another chunk: the last
bits may differ, by at most N eps of the sum.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from simlib.collectives.costs import ring_bytes_sent, ring_steps
from simlib.collectives.layout import MOST_WORKERS
from simlib.data_parallel import BUCKET_BYTES, FIRST_BUCKET_BYTES, BucketTime, bucket_timeline, buckets
from simlib.decoder import Batch, Decoder
from simlib.decoder.flops import backward_flops
from simlib.decoder.layout import Array
from simlib.errors import positive_number, whole_number
from simlib.training.course import Course, Recorder


@dataclass(frozen=True, eq=False)
class BucketedStep:
    """A backward pass whose gradients were reduced in buckets."""

    gradients: tuple[Array, ...] = field(repr=False)  # the mean, on each worker
    buckets: tuple[tuple[str, ...], ...]  # names of the parameters in each bucket, in the order in which they got ready
    timeline: tuple[BucketTime, ...]  # seconds from the start of the backward pass
    backward_seconds: float
    course: Course = field(repr=False)

    @property
    def exposed_seconds(self) -> float:
        """How long communication goes on after the backward pass is over."""
        return max(0.0, self.timeline[-1].end - self.backward_seconds)

    @property
    def hidden_seconds(self) -> float:
        """Communication that the backward pass hides."""
        return sum(bucket.end - bucket.start for bucket in self.timeline) - self.exposed_seconds


def step(
    decoder: Decoder,
    weights: Array,
    batch: Batch,
    workers: int,
    first_cap: float = FIRST_BUCKET_BYTES,
    cap: float = BUCKET_BYTES,
    flops_per_second: float = 1e9,
    alpha: float = 0.0,
    bandwidth: float = 1e9,
) -> BucketedStep:
    """The mean gradient of a batch over `workers`, reduced bucket by bucket, and when each bucket was on its way.

    Caps in bytes, `alpha` in seconds, `bandwidth` in bytes per second. A layer's backward pass takes its FLOPs over
    `flops_per_second`, shared among its parameters by their size. Raises BadArgument for more workers than windows,
    and for caps, rates and times that are not positive.
    """
    count = whole_number("workers", workers, 1, min(MOST_WORKERS, len(batch)))
    rate, link = positive_number("flops_per_second", flops_per_second), positive_number("bandwidth", bandwidth)
    parts = batch.split(count)
    shares = [len(part) * count / len(batch) for part in parts]
    own = [
        decoder.layout.views(decoder.loss_and_gradient(weights, part, d_loss=share)[1])
        for part, share in zip(parts, shares, strict=True)
    ]
    ready = [name for name, _ in reversed(decoder.layout.slots)]
    sizes = [float(own[0][name].nbytes) for name in ready]
    seconds = _seconds(decoder, parts[0], rate)
    timeline = bucket_timeline(
        sizes,
        [seconds[name] for name in ready],
        seconds_per_byte=ring_bytes_sent(1, count) / link,
        latency=ring_steps(count) * positive_number("alpha", alpha, zero=True),
        first_cap=first_cap,
        cap=cap,
    )
    recorder = Recorder(count)
    reduced: list[dict[str, Array]] = [{} for _ in range(count)]
    members = buckets(sizes, first_cap, cap)
    for number, bucket in enumerate(members):
        names = [ready[place] for place in bucket]
        recorder.note("backward", ", ".join(names))
        packed = [np.concatenate([views[name].reshape(-1) for name in names]) for views in own]
        for into, flat in zip(reduced, recorder.all_reduce(f"bucket {number}", packed, "mean"), strict=True):
            start = 0
            for name in names:
                shape = own[0][name].shape
                into[name] = flat[start : start + own[0][name].size].reshape(shape)
                start += own[0][name].size
    return BucketedStep(
        tuple(decoder.layout.pack(arrays) for arrays in reduced),
        tuple(tuple(ready[place] for place in bucket) for bucket in members),
        tuple(timeline),
        sum(seconds.values()),
        recorder.course(),
    )


def _seconds(decoder: Decoder, part: Batch, rate: float) -> dict[str, float]:
    """How long the backward pass works for each parameter's gradient, by name."""
    found = {}
    for layer in decoder.layers:
        whole = backward_flops(layer, *part.inputs.shape) / rate
        for name, (start, stop) in layer.layout.bounds.items():
            found[f"{layer.name}/{name}"] = whole * (stop - start) / layer.layout.size
    return found
