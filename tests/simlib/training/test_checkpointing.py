"""Checkpointing: the same gradients to the last bit, fewer bytes, counted recomputation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simlib import activations, transformer
from simlib.decoder import Corpus, Decoder, Dropout, Sizes, corpus, initial_parameters
from simlib.errors import BadArgument
from simlib.training.checkpointing import CheckpointedStep, run


@given(st.integers(1, 5), st.data())
@settings(max_examples=20, deadline=None)
def test_gradients_to_the_last_bit(text: Corpus, layers: int, data: st.DataObject) -> None:
    decoder = Decoder(Sizes(text.vocab, context=5, hidden=6, heads=2, layers=layers))
    weights, batch = initial_parameters(decoder, seed=layers), text.batch(5, 3, step=layers)
    rate = data.draw(st.sampled_from([0.0, 0.3]))
    dropout = Dropout(rate, 1, 0, batch.names)
    loss, gradient = decoder.loss_and_gradient(weights, batch, dropout)
    every = data.draw(st.integers(1, layers))
    for mode in ("none", "selective", "full"):
        step = run(decoder, weights, batch, mode, every, dropout)
        assert step.loss == loss
        assert np.array_equal(step.gradient, gradient)


@pytest.fixture(scope="module")
def steps() -> dict[str, CheckpointedStep]:
    text = corpus("the ring passes one chunk at a time, and every worker adds what arrives. " * 12)
    decoder = Decoder(Sizes(text.vocab, context=16, hidden=8, heads=2, layers=9))
    weights, batch = initial_parameters(decoder, 0), text.batch(16, 2, 0)
    kinds = {"none": ("none", 1), "selective": ("selective", 1), "full": ("full", 1), "every 3": ("full", 3)}
    return {name: run(decoder, weights, batch, mode, every) for name, (mode, every) in kinds.items()}


def test_k1_one_more_forward_pass(steps: dict[str, CheckpointedStep]) -> None:
    assert {name: step.layer_forwards for name, step in steps.items()} == {
        "none": 11,
        "selective": 11,
        "full": 20,
        "every 3": 20,
    }
    assert len(steps["full"].course.of_kind("recompute")) == 9


def test_flops_are_those_of_the_published_equation(steps: dict[str, CheckpointedStep]) -> None:
    """Narayanan et al. 2021, equation 3, with its recomputation of all layers and without."""
    vocab = 22
    shape = {"layers": 9, "hidden": 8, "vocab": vocab, "sequence": 16, "batch": 2}
    assert len(set("the ring passes one chunk at a time, and every worker adds what arrives. ")) == vocab
    assert steps["none"].flops == pytest.approx(transformer.flops_per_step(**shape, recompute=False), rel=1e-12)
    assert steps["full"].flops == pytest.approx(transformer.flops_per_step(**shape, recompute=True), rel=1e-12)
    assert steps["every 3"].flops == steps["full"].flops
    assert steps["none"].recomputed_flops == 0
    assert steps["full"].recomputed_flops == steps["full"].flops - steps["none"].flops


def test_selective_recomputes_little(steps: dict[str, CheckpointedStep]) -> None:
    step, plain = steps["selective"], steps["none"]
    # Korthikanti et al. recompute the product with the values too, which is half of it; here it is kept
    products = 9 * 24 * (2 * 16) * 8**2
    assert step.recomputed_flops / products == pytest.approx(activations.recomputation_overhead(16, 8) / 2)
    weights = 9 * 2 * 2 * 16 * 16 * 8  # blocks, windows, heads, positions squared, bytes
    assert plain.peak_bytes - step.peak_bytes == weights


def test_bytes_held(steps: dict[str, CheckpointedStep]) -> None:
    sizes = {name: step.peak_bytes for name, step in steps.items()}
    assert sizes["full"] < sizes["selective"] < sizes["none"]
    for step in steps.values():
        assert step.course.events[-1].held[0].activations == 0


def test_inputs_that_are_kept(text: Corpus) -> None:
    decoder = Decoder(Sizes(text.vocab, context=2, hidden=4, heads=1, layers=16))
    weights, batch = initial_parameters(decoder, 0), text.batch(2, 1, 0)
    bytes_of_input = 2 * 4 * 8
    steps = {every: run(decoder, weights, batch, "full", every) for every in (1, 4, 16)}
    after_forward = {every: step.course.of_kind("forward")[-2].held[0].activations for every, step in steps.items()}
    tokens = 2 * 8  # the embedding's
    assert after_forward == {every: 16 // every * bytes_of_input + tokens for every in (1, 4, 16)}


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"mode": "some"}, "mode is 'some'; accepted: none, selective, full"),
        ({"every": 0}, "every is 0"),
        ({"every": 3}, "every is 3; accepted: a whole number from 1 to 2"),
    ],
)
def test_what_is_refused(text: Corpus, decoder: Decoder, arguments: dict[str, object], named: str) -> None:
    with pytest.raises(BadArgument) as caught:
        run(decoder, initial_parameters(decoder, 0), text.batch(6, 2, 0), **arguments)  # type: ignore[arg-type]
    assert str(caught.value).startswith(named)
