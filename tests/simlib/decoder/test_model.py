"""The whole decoder: its gradient, its text, its dropout, and what it refuses."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from simlib import transformer
from simlib.decoder import Corpus, Decoder, Dropout, Sizes, corpus, initial_parameters
from simlib.errors import BadArgument

TEXT = "the ring passes one chunk at a time, and every worker adds what arrives. " * 12


@pytest.fixture(scope="module")
def text() -> Corpus:
    return corpus(TEXT)


@pytest.fixture(scope="module")
def decoder(text: Corpus) -> Decoder:
    return Decoder(Sizes(text.vocab, context=6, hidden=8, heads=2, layers=2))


@pytest.mark.parametrize("rate", [0.0, 0.2])
def test_gradient_of_the_whole(text: Corpus, decoder: Decoder, rate: float) -> None:
    weights = initial_parameters(decoder, seed=1) + np.random.default_rng(0).normal(0, 0.1, decoder.size)
    batch = text.batch(context=6, windows=3, step=0)
    dropout = Dropout(rate, seed=1, step=0, windows=batch.names)
    _, gradient = decoder.loss_and_gradient(weights, batch, dropout)
    chosen = np.random.default_rng(1).choice(decoder.size, 150, replace=False)
    for place in chosen:
        moved = []
        for step in (1e-5, -1e-5):
            elsewhere = weights.copy()
            elsewhere[place] += step
            moved.append(decoder.forward(elsewhere, batch, dropout)[0])
        assert gradient[place] == pytest.approx((moved[0] - moved[1]) / 2e-5, rel=1e-5, abs=1e-9)


def test_untrained_it_knows_nothing(text: Corpus, decoder: Decoder) -> None:
    loss = decoder.loss(initial_parameters(decoder, seed=0), text.validation_batch(6))
    assert loss == pytest.approx(log(text.vocab), abs=0.02)


def test_loss_does_not_depend_on_how_many_at_once(text: Corpus, decoder: Decoder) -> None:
    weights, batch = initial_parameters(decoder, seed=0), text.validation_batch(6)
    assert len(batch) == 14
    assert decoder.loss(weights, batch, at_once=5) == pytest.approx(decoder.loss(weights, batch, at_once=14), rel=1e-14)


def test_size_is_that_of_a_gpt() -> None:
    """Narayanan et al. 2021, equation 2, counts a GPT's blocks and tables; here one more table and norm."""
    sizes = Sizes(vocab=50, context=32, hidden=24, heads=4, layers=3)
    ours, gpt = Decoder(sizes).size, transformer.params(layers=3, hidden=24, vocab=50, sequence=32)
    assert ours == gpt + 50 * 24 + 2 * 24


def test_float32_stays_float32(text: Corpus, decoder: Decoder) -> None:
    weights = initial_parameters(decoder, seed=0, dtype=np.float32)
    _, saved = decoder.forward(weights, text.batch(6, 2, 0))
    assert decoder.backward(weights, saved).dtype == np.float32
    kinds = {array.dtype for kept in saved for array in kept.values()}
    assert kinds == {np.dtype("float32"), np.dtype("int64")}


def test_windows_and_their_next_characters(text: Corpus) -> None:
    batch = text.batch(context=6, windows=5, step=3)
    for inputs, targets in zip(batch.inputs, batch.targets, strict=True):
        word = "".join(text.characters[token] for token in [*inputs, targets[-1]])
        assert word in TEXT
        assert np.array_equal(inputs[1:], targets[:-1])
    again = text.batch(context=6, windows=5, step=3)
    assert np.array_equal(batch.inputs, again.inputs)
    assert not np.array_equal(batch.inputs, text.batch(6, 5, 4).inputs)


def test_parts_of_a_batch(text: Corpus) -> None:
    batch = text.batch(6, 7, 0)
    assert [part.names for part in batch.split(3)] == [(0, 1, 2), (3, 4), (5, 6)]
    assert [part.names for part in batch.shares([1, 6])] == [(0,), (1, 2, 3, 4, 5, 6)]


def test_a_window_has_its_mask_wherever_it_is_computed() -> None:
    whole = Dropout(0.5, 1, 2, (0, 1, 2, 3)).mask(0, (3, 4), np.dtype("float64"))
    part = Dropout(0.5, 1, 2, (2, 3)).mask(0, (3, 4), np.dtype("float64"))
    assert np.array_equal(whole[2:], part)
    assert not np.array_equal(part, Dropout(0.5, 1, 2, (0, 1)).mask(0, (3, 4), np.dtype("float64")))
    assert not np.array_equal(part, Dropout(0.5, 1, 2, (2, 3)).mask(1, (3, 4), np.dtype("float64")))


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: Sizes(0, 8, 8, 2, 1), "vocab is 0"),
        (lambda: Sizes(9, 8, 10, 4, 1), "hidden is 10; accepted: a multiple of the 4 heads"),
        (lambda: corpus("short"), "text is 'short'"),
        (lambda: corpus(TEXT, 1.0), "validation_share is 1.0"),
        (lambda: corpus(TEXT).encode("Z"), "text is 'Z'"),
        (lambda: corpus(TEXT).batch(100_000, 1, 0), "context is 100000"),
        (lambda: corpus(TEXT).batch(6, 4, 0).split(5), "parts is 5; accepted: a whole number from 1 to 4"),
        (lambda: corpus(TEXT).batch(6, 4, 0).shares([1, 2]), "shares is [1, 2]"),
        (lambda: Dropout(1.0, 0, 0, (0,)), "rate is 1.0"),
    ],
)
def test_what_is_refused(call: object, named: str) -> None:
    with pytest.raises(BadArgument) as caught:
        call()  # type: ignore[operator]
    assert str(caught.value).startswith(named)


def test_a_wrong_array_or_window_is_named(text: Corpus, decoder: Decoder) -> None:
    with pytest.raises(BadArgument, match="the shape of the parameters"):
        decoder.forward(np.zeros(3), text.batch(6, 2, 0))
    with pytest.raises(BadArgument, match="the length of a window is 7"):
        decoder.forward(initial_parameters(decoder, 0), text.batch(7, 2, 0))
