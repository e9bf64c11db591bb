"""Top-k compression: nothing is lost, and its bytes are those of the formula."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simlib import quantities
from simlib.decoder import Corpus, Decoder
from simlib.errors import BadArgument
from simlib.optimizers import Sgd
from simlib.training import data_parallel, top_k
from simlib.training.course import Recorder
from simlib.training.settings import Settings, Step


@given(st.integers(1, 5), st.integers(1, 30), st.floats(0.01, 1), st.integers(0, 99))
@settings(deadline=None)
def test_nothing_is_lost(workers: int, length: int, keep: float, seed: int) -> None:
    """What was applied and what is still held adds up to all gradients so far."""
    random = np.random.default_rng(seed)
    residuals = [np.zeros(length) for _ in range(workers)]
    given_sum, applied = np.zeros(length), np.zeros(length)
    for _ in range(5):
        gradients = [random.normal(size=length) for _ in range(workers)]
        given_sum += sum(gradients)
        done = top_k.exchange(Recorder(workers), gradients, residuals, keep)
        residuals = list(done.residuals)
        applied += workers * done.mean
        assert all(len(at) == max(1, int(np.ceil(keep * length - 1e-9))) for at in done.positions)
    np.testing.assert_allclose(applied + sum(residuals), given_sum, atol=1e-12)


def test_the_largest_go_first() -> None:
    assert top_k.largest(np.array([1.0, -5.0, 3.0, -3.0, 3.0]), 0.4).tolist() == [1, 2]
    assert top_k.largest(np.array([0.0, 0.0]), 0.1).tolist() == [0]
    done = top_k.exchange(Recorder(2), [np.array([4.0, 1.0]), np.array([2.0, 6.0])], [np.zeros(2)] * 2, 0.5)
    assert done.mean.tolist() == [2, 3]
    assert [left.tolist() for left in done.residuals] == [[0, 1], [2, 0]]


def test_rounding_stays_in_the_residual() -> None:
    third = np.full(4, 1 / 3, np.float32)
    done = top_k.exchange(Recorder(1), [third], [np.zeros(4, np.float32)], 1, "float16")
    assert done.residuals[0].any()
    np.testing.assert_array_equal(done.mean + done.residuals[0], third)


@pytest.mark.parametrize("workers", [2, 4, 8])
def test_a8_bytes_against_the_dense_ring(workers: int) -> None:
    length, keep = 1600, 1 / 16
    gradients = [np.random.default_rng(rank).normal(size=length).astype(np.float16) for rank in range(workers)]
    zeros = [np.zeros(length, np.float16) for _ in range(workers)]
    sparse, dense = Recorder(workers), Recorder(workers)
    top_k.exchange(sparse, gradients, zeros, keep)
    dense.all_reduce("gradients", gradients)
    payload = 100 * (2 + 4)
    each = quantities.evaluate("all_gather.bytes_sent", payload=payload, workers=workers).value
    assert sparse.course().bytes_sent == [each] * workers
    ratio = quantities.evaluate(
        "compression.wire_ratio", keep=keep, workers=workers, value_bytes=2, index_bytes=4, dense_bytes=2
    ).value
    assert sum(sparse.course().bytes_sent) / sum(dense.course().bytes_sent) == pytest.approx(ratio)


def test_sending_all_is_the_dense_run(text: Corpus, decoder: Decoder) -> None:
    chosen = Settings(steps=4, windows=8)
    dense = list(data_parallel.train(decoder, text, chosen, 4))
    sparse = list(top_k.train(decoder, text, chosen, 4, keep=1))
    np.testing.assert_allclose(sparse[-1].weights[0], dense[-1].weights[0], rtol=1e-9, atol=1e-10)
    unequal = Settings(steps=3, windows=7)
    dense, sparse = (
        list(data_parallel.train(decoder, text, unequal, 3)),
        list(top_k.train(decoder, text, unequal, 3, 1)),
    )
    np.testing.assert_allclose(sparse[-1].weights[0], dense[-1].weights[0], rtol=1e-9, atol=1e-10)


def test_error_feedback_helps(text: Corpus, decoder: Decoder) -> None:
    """One value in two hundred: with what is remembered it learns nearly what the dense run does; without, little."""
    chosen = Settings(steps=200, windows=8, rule=Sgd(0.2))
    kept = text.validation_batch(6)

    def ends(run: Iterator[Step]) -> float:
        return decoder.loss(list(run)[-1].weights[0], kept)

    dense = ends(data_parallel.train(decoder, text, chosen, 4))
    remembered = ends(top_k.train(decoder, text, chosen, 4, 0.005))
    forgotten = ends(top_k.train(decoder, text, chosen, 4, 0.005, error_feedback=False))
    assert dense < remembered < forgotten
    assert remembered - dense < 0.1 * (forgotten - dense)


def test_an_overflow_does_not_poison_what_is_held(text: Corpus, decoder: Decoder) -> None:
    steps = list(
        top_k.train(decoder, text, Settings(steps=8, windows=4, precision="mixed", rule=Sgd(300.0)), 2, keep=0.5)
    )
    # Weights thrown out of range stay there: every later step is skipped too, none is made of what was left
    assert [step.skipped for step in steps] == [False] + [True] * 7
    assert all(np.isfinite(step.weights[0]).all() for step in steps)


@pytest.mark.parametrize("keep", [0, -1, 1.5, float("nan")])
def test_shares_that_are_refused(text: Corpus, decoder: Decoder, keep: float) -> None:
    with pytest.raises(BadArgument, match="keep is"):
        top_k.train(decoder, text, Settings(), 2, keep)


def test_workers_that_are_refused(text: Corpus, decoder: Decoder) -> None:
    with pytest.raises(BadArgument, match="workers is 17"):
        top_k.train(decoder, text, Settings(windows=16), 17, 0.5)
