"""DDP's buckets: every gradient in one, in the order in which they get ready, reduced to the same mean."""

from __future__ import annotations

import numpy as np
import pytest

from simlib import quantities
from simlib.decoder import Corpus, Decoder, initial_parameters
from simlib.errors import BadArgument
from simlib.training import bucketed


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
@pytest.mark.parametrize(("first_cap", "cap"), [(1, 1), (256, 1024), (2**20, 25 * 2**20)])
def test_the_mean_whatever_the_caps(text: Corpus, decoder: Decoder, workers: int, first_cap: int, cap: int) -> None:
    weights, batch = initial_parameters(decoder, 0), text.batch(6, 8, 0)
    _, whole = decoder.loss_and_gradient(weights, batch)
    done = bucketed.step(decoder, weights, batch, workers, first_cap, cap)
    for gradient in done.gradients:
        np.testing.assert_allclose(gradient, whole, rtol=1e-10, atol=1e-15)
        assert np.array_equal(gradient, done.gradients[0])
    names = [name for bucket in done.buckets for name in bucket]
    assert names == [name for name, _ in reversed(decoder.layout.slots)]
    total = quantities.evaluate("ring.bytes_sent", bytes=8 * decoder.size, workers=workers).value
    assert sum(done.course.bytes_sent) == pytest.approx(workers * total)
    sizes = {name: 8 * (stop - start) for name, (start, stop) in decoder.layout.bounds.items()}
    grouped = quantities.evaluate(
        "ddp.buckets", sizes=[sizes[name] for name in names], first_cap=first_cap, cap=cap
    ).value
    assert [len(bucket) for bucket in done.buckets] == [len(bucket) for bucket in grouped]  # type: ignore[union-attr, arg-type]


def test_d3_last_layers_first_and_the_first_bucket_small(text: Corpus, decoder: Decoder) -> None:
    done = bucketed.step(decoder, initial_parameters(decoder, 0), text.batch(6, 4, 0), 2, first_cap=8, cap=4096)
    assert done.buckets[0] == ("head/output.weight",)
    assert done.buckets[-1][-1] == "embedding/tokens"


def test_overlap_hides_what_there_is_backward_left_to_hide_behind(text: Corpus, decoder: Decoder) -> None:
    weights, batch = initial_parameters(decoder, 0), text.batch(6, 4, 0)

    def timed(bandwidth: float, cap: float) -> bucketed.BucketedStep:
        return bucketed.step(decoder, weights, batch, 4, cap, cap, bandwidth=bandwidth)

    quick, slow = timed(1e12, 2048), timed(1e5, 2048)
    for done in (quick, slow):
        for earlier, later in zip(done.timeline, done.timeline[1:], strict=False):
            assert later.start >= max(earlier.end, later.ready)
    # A quick link is done with all but the last bucket when the backward pass is
    last = quick.timeline[-1]
    assert quick.exposed_seconds == pytest.approx(last.end - last.start)
    assert slow.exposed_seconds > slow.hidden_seconds > 0
    # One bucket for everything is complete only when backward is over: nothing is hidden
    one = timed(1e5, 1e9)
    assert len(one.buckets) == 1
    assert one.hidden_seconds == pytest.approx(0, abs=1e-12)
    assert one.exposed_seconds > slow.exposed_seconds


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"workers": 5}, "workers is 5; accepted: a whole number from 1 to 4"),
        ({"workers": 2, "cap": 0}, "cap is 0"),
        ({"workers": 2, "bandwidth": 0}, "bandwidth is 0"),
        ({"workers": 2, "flops_per_second": -1}, "flops_per_second is -1"),
        ({"workers": 2, "alpha": -1}, "alpha is -1"),
    ],
)
def test_what_is_refused(text: Corpus, decoder: Decoder, arguments: dict[str, object], named: str) -> None:
    with pytest.raises(BadArgument) as caught:
        bucketed.step(decoder, initial_parameters(decoder, 0), text.batch(6, 4, 0), **arguments)  # type: ignore[arg-type]
    assert str(caught.value).startswith(named)
