"""Data parallelism and gradient accumulation against one device."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simlib import quantities, zero
from simlib.decoder import Corpus, Decoder, initial_parameters
from simlib.errors import BadArgument
from simlib.optimizers import AdamW, Sgd
from simlib.training import data_parallel, one_device, pipeline, sharded, tensor_parallel, top_k
from simlib.training.course import Recorder
from simlib.training.demonstration import one_against_many
from simlib.training.settings import Settings

# A step in float64 is rounded by some 1e-16 of the weights; AdamW can carry a gradient's last bits into the first
# digits only where a gradient is as small as its own rounding, and there its epsilon of 1e-8 holds the step back
CLOSE = {"rtol": 1e-9, "atol": 1e-10}


@given(st.integers(1, 6), st.data())
@settings(max_examples=20, deadline=None)
def test_gradient_of_any_shares_is_that_of_the_whole(
    text: Corpus, decoder: Decoder, workers: int, data: st.DataObject
) -> None:
    shares = data.draw(st.lists(st.integers(1, 4), min_size=workers, max_size=workers))
    weights = initial_parameters(decoder, seed=data.draw(st.integers(0, 9)))
    batch = text.batch(6, sum(shares), step=data.draw(st.integers(0, 9)))
    _, whole = decoder.loss_and_gradient(weights, batch)
    gradients = [decoder.loss_and_gradient(weights, part)[1] for part in batch.shares(shares)]
    recorder = Recorder(workers)
    reduced = data_parallel.average(recorder, gradients, shares)
    # N parts, each rounded in every addition on its way: N eps of the sum of their sizes
    bound = (workers + 4) * 4 * np.finfo(float).eps * max(np.abs(gradient).max() for gradient in gradients)
    assert np.abs(reduced[0] - whole).max() <= 10 * bound
    assert all(np.array_equal(copy, reduced[0]) for copy in reduced)
    sent = recorder.course().bytes_sent
    each = quantities.evaluate("ring.bytes_sent", bytes=8 * decoder.size, workers=workers).value
    assert sum(sent) == pytest.approx(workers * each, rel=1e-12)


def test_d1_gradients_of_02_and_04_give_03() -> None:
    reduced = data_parallel.average(Recorder(2), [np.array([0.2]), np.array([0.4])])
    assert [array[0] for array in reduced] == [pytest.approx(0.3, rel=1e-15)] * 2


@pytest.mark.parametrize(("workers", "shares"), [(1, None), (2, None), (3, None), (8, None), (3, [1, 2, 5])])
@pytest.mark.parametrize("rate", [0.0, 0.2])
def test_runs_end_alike(text: Corpus, decoder: Decoder, workers: int, shares: list[int] | None, rate: float) -> None:
    chosen = Settings(steps=4, windows=8, clip=0.5, dropout=rate)
    alone = list(one_device.train(decoder, text, chosen))
    together = list(data_parallel.train(decoder, text, chosen, workers, shares))
    for one, many in zip(alone, together, strict=True):
        assert many.loss == pytest.approx(one.loss, rel=1e-12)
        assert many.norm == pytest.approx(one.norm, rel=1e-12)
        np.testing.assert_allclose(many.weights[0], one.weights[0], **CLOSE)
        assert all(np.array_equal(copy, many.weights[0]) for copy in many.weights)
        assert len(many.weights) == workers
    if workers == 1:
        assert np.array_equal(alone[-1].weights[0], together[-1].weights[0])


def test_the_loss_falls(text: Corpus, decoder: Decoder) -> None:
    chosen = Settings(steps=60, windows=8, rule=AdamW(learning_rate=1e-2))
    losses = [step.loss for step in data_parallel.train(decoder, text, chosen, workers=2)]
    assert losses[-1] < 0.75 * losses[0]


@pytest.mark.parametrize("micro_batches", [1, 2, 3, 7, 8])
def test_accumulation_is_the_whole_batch(text: Corpus, decoder: Decoder, micro_batches: int) -> None:
    chosen = Settings(steps=4, windows=8, dropout=0.1)
    whole = list(one_device.train(decoder, text, chosen))[-1]
    parts = list(one_device.train(decoder, text, chosen, micro_batches))[-1]
    assert parts.loss == pytest.approx(whole.loss, rel=1e-12)
    np.testing.assert_allclose(parts.weights[0], whole.weights[0], **CLOSE)
    assert len(parts.course.of_kind("passes")) == micro_batches


def test_data_parallelism_is_accumulation_at_once(text: Corpus, decoder: Decoder) -> None:
    """The same parts, the same sums but for their order: two parts can only be added in one order."""
    chosen = Settings(steps=3, windows=8)
    at_once = list(data_parallel.train(decoder, text, chosen, workers=2))
    one_by_one = list(one_device.train(decoder, text, chosen, micro_batches=2))
    for many, one in zip(at_once, one_by_one, strict=True):
        assert np.array_equal(many.weights[0], one.weights[0])


def test_mixed_precision_held_and_sent_bytes(text: Corpus, decoder: Decoder) -> None:
    chosen = Settings(steps=2, windows=8, precision="mixed")
    steps = list(data_parallel.train(decoder, text, chosen, workers=4))
    for step in steps:
        assert not step.skipped
        assert {event.held[0].total for event in step.course.events} == {zero.bytes_per_gpu(decoder.size, 4, 0)}
        assert sum(step.course.bytes_sent) == 4 * zero.bytes_sent(decoder.size, 4, 0)
    full = list(data_parallel.train(decoder, text, Settings(steps=2, windows=8), workers=4))
    # Adam's first steps are all as long as the rate, so that a sign that 16 bits change shows; the loss hardly moves
    assert steps[-1].loss == pytest.approx(full[-1].loss, rel=2e-3)


def test_overflow_in_16_bits_skips_the_step(text: Corpus, decoder: Decoder) -> None:
    """A rate that throws the weights so far out that a gradient no longer fits into 16 bits."""
    chosen = Settings(steps=6, windows=4, precision="mixed", rule=Sgd(learning_rate=3000.0))
    steps = list(one_device.train(decoder, text, chosen))
    assert any(step.skipped for step in steps)
    first = next(place for place, step in enumerate(steps) if step.skipped)
    assert np.array_equal(steps[first].weights[0], steps[first - 1].weights[0])


def test_course_demonstration(prose: str) -> None:
    """D2: one worker with 16 windows and four with 4 end at the same validation loss to six decimals."""
    course = list(one_against_many(prose, steps=60, every=20))
    assert [progress.step for progress in course] == list(range(1, 61))
    last = course[-1]
    assert last.validation_one is not None
    assert last.validation_many is not None
    assert f"{last.validation_one:.6f}" == f"{last.validation_many:.6f}"
    assert last.furthest > 0  # the last bits do differ
    assert all(progress.agree for progress in course)
    first = course[0]
    assert first.validation_one is not None
    assert last.validation_one < first.validation_one - 0.5
    assert [p.step for p in course if p.validation_one is not None] == [1, 20, 40, 60]


def test_unequal_shards(prose: str) -> None:
    """With shares of 1, 1, 1 and 13 the weighted mean is right, and the plain one is not."""
    shares = [1, 1, 1, 13]
    right = list(one_against_many(prose, steps=25, shares=shares))[-1]
    wrong = list(one_against_many(prose, steps=25, shares=shares, mistake="mean-of-unequal-means"))[-1]
    assert right.validation_one is not None
    assert right.validation_many is not None
    assert wrong.validation_many is not None
    assert f"{right.validation_one:.6f}" == f"{right.validation_many:.6f}"
    assert wrong.validation_one == right.validation_one
    assert abs(wrong.validation_many - right.validation_one) > 1e-3


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"workers": 0}, "workers is 0; accepted: a whole number from 1 to 8"),
        ({"workers": 9}, "workers is 9"),
        ({"workers": 2, "shares": [8]}, "shares is [8]; accepted: one number of windows for each of the 2 workers"),
        ({"workers": 2, "shares": [1, 2]}, "shares is [1, 2]; accepted: whole numbers that add up to the 8 windows"),
        ({"workers": 2, "shares": [0, 8]}, "a share is 0"),
        ({"mistake": "none"}, "mistake is 'none'; accepted: sum-for-mean, "),
    ],
)
def test_what_is_refused(text: Corpus, decoder: Decoder, arguments: dict[str, object], named: str) -> None:
    with pytest.raises(BadArgument) as caught:
        data_parallel.train(decoder, text, Settings(steps=1, windows=8), **arguments)  # type: ignore[arg-type]
    assert str(caught.value).startswith(named)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"steps": 0}, "steps is 0"),
        ({"windows": 0}, "windows is 0"),
        ({"clip": 0}, "clip is 0"),
        ({"precision": "fp8"}, "precision is 'fp8'"),
        ({"dropout": 1.5}, "rate is 1.5"),
        ({"rule": "adam"}, "rule is 'adam'; accepted: an AdamW or an Sgd"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_settings_that_are_refused(arguments: dict[str, object], named: str) -> None:
    with pytest.raises(BadArgument) as caught:
        Settings(**arguments)  # type: ignore[arg-type]
    assert str(caught.value).startswith(named)


def test_micro_batches_that_are_refused(text: Corpus, decoder: Decoder) -> None:
    with pytest.raises(BadArgument, match="micro_batches is 9; accepted: a whole number from 1 to 8"):
        one_device.train(decoder, text, Settings(windows=8), micro_batches=9)
    with pytest.raises(BadArgument, match="mistake is 'x'"):
        one_device.train(decoder, text, Settings(windows=8), mistake="x")


def test_a_run_that_blows_up_says_so_in_its_numbers_alone(text: Corpus, decoder: Decoder) -> None:
    """No warning, no traceback: losses grow, become infinite or no number, and nothing else happens."""
    wild = Settings(steps=8, windows=4, precision="single", rule=Sgd(1e18))
    for run in (
        one_device.train(decoder, text, wild),
        data_parallel.train(decoder, text, wild, 2),
        sharded.train(decoder, text, wild, 2, 3),
        tensor_parallel.train(decoder, text, wild, 2),
        pipeline.train(decoder, text, wild, 2, 2),
        top_k.train(decoder, text, wild, 2, 0.5),
    ):
        losses = [step.loss for step in run]
        assert not losses[-1] < 100


def test_workers_that_differ_are_updated_each_for_itself() -> None:
    chosen = Settings(rule=Sgd(1.0))
    state = chosen.rule.start(np.zeros(2))
    after, _, _ = data_parallel._updated(chosen, [state, state], [np.ones(2), np.full(2, 2.0)])
    assert [each.master.tolist() for each in after] == [[-1, -1], [-2, -2]]
