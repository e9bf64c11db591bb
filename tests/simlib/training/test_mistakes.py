"""Every mistake: when it shows in the loss, and by how much; and that it does just what it says it does."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from simlib.decoder import Corpus, Decoder, Dropout, Sizes, initial_parameters
from simlib.errors import BadArgument
from simlib.optimizers import AdamW, Sgd
from simlib.training import data_parallel, one_device, sharded, tensor_parallel
from simlib.training.mistakes import MISTAKES, Pair, side_by_side
from simlib.training.settings import Settings

# Of the losses of 30 steps: the first step at which they differ, and at least by how much at some step
SHOWS = {
    "sum-for-mean": (2, 0.1),
    "mean-of-unequal-means": (2, 5e-3),
    "clip-before-average": (2, 0.05),
    "same-seed-for-noise": (1, 1e-3),
    "accumulate-undivided": (2, 0.1),
    "token-mean-of-means": (2, 1e-3),
    "stale-gather": (2, 0.02),
    "local-norm-for-clipping": (2, 0.1),
    "bias-on-every-rank": (2, 5e-3),
    "own-dropout-in-replicated-parts": (1, 5e-4),
    "norm-gradients-need-no-sync": (2, 1e-3),
}


def losses(pairs: list[Pair]) -> tuple[list[float], list[float]]:
    return [pair.right for pair in pairs], [pair.wrong for pair in pairs]


@pytest.mark.parametrize("name", MISTAKES)
def test_each_shows_when_and_by_how_much(text: Corpus, decoder: Decoder, name: str) -> None:
    pairs = list(side_by_side(name, decoder, text, steps=30))
    first, least = SHOWS[name]
    assert next(pair.step for pair in pairs if pair.shows) == first
    assert max(abs(pair.difference) for pair in pairs) > least
    # The right run is the one that every other test compares with one device
    assert pairs[-1].right < pairs[0].right
    assert pairs[0].right == pytest.approx(np.log(text.vocab), abs=0.05)


@pytest.mark.parametrize("name", ["sum-for-mean", "accumulate-undivided"])
def test_four_times_the_gradient_is_four_times_the_rate(text: Corpus, decoder: Decoder, name: str) -> None:
    _, wrong = losses(list(side_by_side(name, decoder, text, 5, Settings(rule=Sgd(0.05)))))
    faster = [step.loss for step in one_device.train(decoder, text, Settings(steps=5, rule=Sgd(0.2)))]
    assert wrong == pytest.approx(faster, rel=1e-12)


def test_adam_hardly_notices_a_sum(text: Corpus, decoder: Decoder) -> None:
    """It divides by the gradient's own size; its epsilon and clipping do not."""
    rule = AdamW(3e-3)
    pairs = list(side_by_side("sum-for-mean", decoder, text, 20, Settings(rule=rule)))
    assert max(abs(pair.difference) for pair in pairs) < 1e-3
    assert pairs[0].norm_wrong == pytest.approx(4 * pairs[0].norm_right)
    assert any(pair.shows for pair in pairs)


def first_gradients(text: Corpus, decoder: Decoder, shares: list[int]) -> tuple[np.ndarray, list[np.ndarray]]:
    weights = initial_parameters(decoder, 0)
    batch = text.batch(decoder.sizes.context, sum(shares), 0)
    return weights, [decoder.loss_and_gradient(weights, part)[1] for part in batch.shares(shares)]


def test_the_naive_mean_counts_small_shares_too_much(text: Corpus, decoder: Decoder) -> None:
    shares = [1, 1, 6]
    weights, gradients = first_gradients(text, decoder, shares)
    chosen = Settings(steps=1, windows=8, rule=Sgd(0.1))
    [wrong] = data_parallel.train(decoder, text, chosen, 3, shares, "mean-of-unequal-means")
    [right] = data_parallel.train(decoder, text, chosen, 3, shares)
    np.testing.assert_allclose(wrong.weights[0], weights - 0.1 * sum(gradients) / 3, rtol=1e-12, atol=1e-15)
    weighed = sum(share * gradient for share, gradient in zip(shares, gradients, strict=True)) / 8
    np.testing.assert_allclose(right.weights[0], weights - 0.1 * weighed, rtol=1e-12, atol=1e-15)
    # With equal shares the two are one
    [plain] = data_parallel.train(decoder, text, chosen, 4, None, "mean-of-unequal-means")
    [same] = data_parallel.train(decoder, text, chosen, 4)
    assert np.array_equal(plain.weights[0], same.weights[0])


def test_a_mean_of_micro_batch_means(text: Corpus, decoder: Decoder) -> None:
    weights, gradients = first_gradients(text, decoder, [3, 3, 2])
    chosen = Settings(steps=1, windows=8, rule=Sgd(0.1))
    [wrong] = one_device.train(decoder, text, chosen, 3, "token-mean-of-means")
    np.testing.assert_allclose(wrong.weights[0], weights - 0.1 * sum(gradients) / 3, rtol=1e-12, atol=1e-15)


def test_clipping_before_the_average(text: Corpus, decoder: Decoder) -> None:
    weights, gradients = first_gradients(text, decoder, [2, 2, 2, 2])
    chosen = Settings(steps=1, windows=8, rule=Sgd(1.0), clip=0.1)
    [wrong] = data_parallel.train(decoder, text, chosen, 4, mistake="clip-before-average")
    clipped = [gradient * 0.1 / np.linalg.norm(gradient) for gradient in gradients]
    np.testing.assert_allclose(weights - wrong.weights[0], sum(clipped) / 4, rtol=1e-9, atol=1e-14)
    [right] = data_parallel.train(decoder, text, chosen, 4)
    assert np.linalg.norm(weights - right.weights[0]) == pytest.approx(0.1)
    assert np.linalg.norm(weights - wrong.weights[0]) < 0.1


def test_dropout_seeded_alike(text: Corpus, decoder: Decoder) -> None:
    chosen = Settings(steps=1, windows=8, dropout=0.3)
    [wrong] = data_parallel.train(decoder, text, chosen, 2, mistake="same-seed-for-noise")
    weights = initial_parameters(decoder, 0)
    masks = Dropout(0.3, 0, 0, (0, 1, 2, 3))  # of the first worker's windows, for both
    parts = text.batch(6, 8, 0).split(2)
    expected = np.mean([decoder.forward(weights, part, masks)[0] for part in parts])
    assert wrong.loss == pytest.approx(float(expected), rel=1e-13)


@pytest.mark.parametrize("stage", [1, 2, 3])
def test_a_stale_gather_is_a_step_late(text: Corpus, decoder: Decoder, stage: int) -> None:
    chosen = Settings(steps=4, windows=8, rule=Sgd(0.3))
    wrong = list(sharded.train(decoder, text, chosen, 4, stage, mistake="stale-gather"))
    # Plain descent with the gradient at the weights of one step before, written out
    weights = [initial_parameters(decoder, 0)] * 2
    for number, step in enumerate(wrong):
        loss, gradient = decoder.loss_and_gradient(weights[number], text.batch(6, 8, number))
        assert step.loss == pytest.approx(loss, rel=1e-12)
        weights.append(weights[-1] - 0.3 * gradient)
        np.testing.assert_allclose(step.weights[0], weights[-1], rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("stage", [1, 2, 3])
def test_local_norms_let_more_through(text: Corpus, decoder: Decoder, stage: int) -> None:
    chosen = Settings(steps=1, windows=8, rule=Sgd(1.0), clip=1e-3)
    weights = initial_parameters(decoder, 0)
    [wrong] = sharded.train(decoder, text, chosen, 4, stage, mistake="local-norm-for-clipping")
    [right] = sharded.train(decoder, text, chosen, 4, stage)
    assert np.linalg.norm(weights - right.weights[0]) == pytest.approx(1e-3, rel=1e-6)
    # Four shards, each as long as the limit
    assert np.linalg.norm(weights - wrong.weights[0]) == pytest.approx(np.sqrt(4) * 1e-3, rel=1e-6)


def test_a_bias_on_every_rank_counts_t_times(text: Corpus) -> None:
    decoder = Decoder(Sizes(text.vocab, context=6, hidden=9, heads=3, layers=2))
    chosen = Settings(steps=3, windows=4, rule=Sgd(1.0))
    wrong = list(tensor_parallel.train(decoder, text, chosen, 3, mistake="bias-on-every-rank"))
    for before, after in pairwise(wrong):
        weights = before.weights[0].copy()
        for name, view in decoder.layout.views(weights).items():
            if name.endswith(("project.bias", "down.bias")):
                view *= 3
        loss = decoder.forward(weights, text.batch(6, 4, after.number - 1))[0]
        assert after.loss == pytest.approx(loss, rel=1e-12)


def test_copies_drift_apart_where_nobody_adds_up(text: Corpus, decoder: Decoder) -> None:
    for name in ("own-dropout-in-replicated-parts", "norm-gradients-need-no-sync"):
        assert not any(pair.copies_agree for pair in side_by_side(name, decoder, text, 3))
    for name in ("sum-for-mean", "bias-on-every-rank", "stale-gather"):
        assert all(pair.copies_agree for pair in side_by_side(name, decoder, text, 3))
    chosen = Settings(steps=1, windows=4, rule=Sgd(1.0))
    [step] = tensor_parallel.train(decoder, text, chosen, 2, True, "norm-gradients-need-no-sync")
    differing = {
        name
        for name, (start, stop) in decoder.layout.bounds.items()
        if not np.array_equal(step.weights[0][start:stop], step.weights[1][start:stop])
    }
    # What is whole on every rank: norms, positions and the biases outside the split matrices
    assert {name.partition("/")[2] for name in differing} == {
        "positions",
        "norm1.gain",
        "norm1.bias",
        "norm2.gain",
        "norm2.bias",
        "project.bias",
        "down.bias",
        "norm.gain",
        "norm.bias",
    }


def test_slices_of_a_sequence_dropped_alike(text: Corpus) -> None:
    decoder = Decoder(Sizes(text.vocab, context=6, hidden=8, heads=2, layers=2))
    chosen = Settings(steps=2, windows=4, dropout=0.3)
    right, wrong = (
        list(tensor_parallel.train(decoder, text, chosen, 2, True, mistake))
        for mistake in (None, "same-seed-for-noise")
    )
    assert abs(right[0].loss - wrong[0].loss) > 1e-5
    alone = list(one_device.train(decoder, text, chosen))
    assert right[0].loss == pytest.approx(alone[0].loss, rel=1e-12)


def test_an_unknown_mistake(text: Corpus, decoder: Decoder) -> None:
    with pytest.raises(BadArgument, match="name is 'typo'; accepted: sum-for-mean, "):
        side_by_side("typo", decoder, text)
