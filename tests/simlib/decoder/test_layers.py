"""Every backward pass against finite differences, in float64; every layer, every parameter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simlib.decoder import Block, Dropout, Embedding, Head
from simlib.decoder import operations as op
from simlib.decoder.attention import attention, attention_backward
from simlib.decoder.layers import bytes_of

Array = np.ndarray[Any, Any]

# A central difference of step e errs by about e^2 (the third derivative) and 1e-16 / e (rounding of the loss)
STEP = 1e-5
CLOSE = {"rtol": 1e-6, "atol": 1e-9}


def slopes(loss: Callable[[], float], array: Array) -> Array:
    """The gradient of `loss` with respect to `array`, by moving one element at a time."""
    found = np.empty_like(array)
    for place in np.ndindex(array.shape):
        was = array[place]
        array[place] = was + STEP
        above = loss()
        array[place] = was - STEP
        below = loss()
        array[place] = was
        found[place] = (above - below) / (2 * STEP)
    return found


def check(function: Callable[[], Array], inputs: list[Array], backward: Callable[[Array], tuple[Array, ...]]) -> None:
    """`backward` against finite differences of a weighted sum of the output."""
    weights = np.random.default_rng(5).normal(size=function().shape)
    for given_array, gradient in zip(inputs, backward(weights), strict=True):
        expected = slopes(lambda: float((function() * weights).sum()), given_array)
        np.testing.assert_allclose(gradient, expected, **CLOSE)


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(3)


def test_linear(random: np.random.Generator) -> None:
    x, w, b = random.normal(size=(2, 3, 4)), random.normal(size=(4, 5)), random.normal(size=5)
    check(lambda: op.linear(x, w, b), [x, w, b], lambda d: op.linear_backward(d, x, w))


def test_gelu(random: np.random.Generator) -> None:
    x = 2 * random.normal(size=(3, 7))
    check(lambda: op.gelu(x), [x], lambda d: (op.gelu_backward(d, x),))


def test_layer_norm(random: np.random.Generator) -> None:
    x, gain, bias = random.normal(size=(2, 3, 5)), random.normal(size=5), random.normal(size=5)

    def backward(d: Array) -> tuple[Array, ...]:
        _, normal, scale = op.layer_norm(x, gain, bias)
        return op.layer_norm_backward(d, normal, scale, gain)

    check(lambda: op.layer_norm(x, gain, bias)[0], [x, gain, bias], backward)


@pytest.mark.parametrize("keep", [True, False])
def test_attention(random: np.random.Generator, keep: bool) -> None:
    qkv = random.normal(size=(2, 4, 3 * 6))
    looked = attention(qkv, 3)[1] if keep else None
    check(lambda: attention(qkv, 3)[0], [qkv], lambda d: (attention_backward(d, qkv, 3, looked),))


def test_nobody_looks_ahead(random: np.random.Generator) -> None:
    qkv = random.normal(size=(1, 6, 12))
    changed = qkv.copy()
    changed[:, 4:] += 1
    before, after = attention(qkv, 2)[0], attention(changed, 2)[0]
    assert np.array_equal(before[:, :4], after[:, :4])
    assert not np.allclose(before[:, 4:], after[:, 4:])


def test_cross_entropy(random: np.random.Generator) -> None:
    logits, targets = random.normal(size=(2, 3, 5)), random.integers(0, 5, size=(2, 3))
    gradient = op.cross_entropy_backward(op.cross_entropy(logits, targets)[1], targets, d_loss=0.7)
    expected = 0.7 * slopes(lambda: op.cross_entropy(logits, targets)[0], logits)
    np.testing.assert_allclose(gradient, expected, **CLOSE)


def test_cross_entropy_of_scores_that_would_overflow() -> None:
    loss, probabilities = op.cross_entropy(np.array([[1e4, 0.0]]), np.array([0]))
    assert loss == 0
    assert probabilities.tolist() == [[1, 0]]


def layer_gradients(
    layer: Any, parameters: dict[str, Array], *inputs: Any, d_output: Any
) -> tuple[Any, dict[str, Array]]:
    _, saved = layer.forward(parameters, *inputs)
    gradients = {name: np.zeros_like(array) for name, array in parameters.items()}
    return layer.backward(parameters, saved, d_output, gradients), gradients


def random_parameters(layer: Any, random: np.random.Generator) -> dict[str, Array]:
    return {name: 0.5 * random.normal(size=shape) for name, shape in layer.layout.slots}


def test_embedding(random: np.random.Generator) -> None:
    layer = Embedding(vocab=5, context=6, hidden=3)
    parameters, tokens = random_parameters(layer, random), np.array([[0, 4, 4, 1], [1, 1, 0, 4]])
    weights = random.normal(size=(2, 4, 3))
    _, gradients = layer_gradients(layer, parameters, tokens, d_output=weights)
    for name, array in parameters.items():
        expected = slopes(lambda: float((layer.forward(parameters, tokens)[0] * weights).sum()), array)
        np.testing.assert_allclose(gradients[name], expected, **CLOSE)


@pytest.mark.parametrize("rate", [None, 0.0, 0.3])
def test_block(random: np.random.Generator, rate: float | None) -> None:
    layer = Block(hidden=4, heads=2, number=1)
    parameters, x = random_parameters(layer, random), random.normal(size=(2, 3, 4))
    weights = random.normal(size=x.shape)
    dropout = None if rate is None else Dropout(rate, seed=2, step=0, windows=(0, 1))
    d_x, gradients = layer_gradients(layer, parameters, x, dropout, d_output=weights)
    for name, array in [*parameters.items(), ("x", x)]:
        expected = slopes(lambda: float((layer.forward(parameters, x, dropout)[0] * weights).sum()), array)
        np.testing.assert_allclose(d_x if name == "x" else gradients[name], expected, **CLOSE)


def test_head(random: np.random.Generator) -> None:
    layer = Head(hidden=4, vocab=5)
    parameters, x = random_parameters(layer, random), random.normal(size=(2, 3, 4))
    targets = random.integers(0, 5, size=(2, 3))
    d_x, gradients = layer_gradients(layer, parameters, x, targets, d_output=1.0)
    for name, array in [*parameters.items(), ("x", x)]:
        expected = slopes(lambda: layer.forward(parameters, x, targets)[0], array)
        np.testing.assert_allclose(d_x if name == "x" else gradients[name], expected, **CLOSE)


@given(st.integers(1, 3), st.integers(1, 5), st.integers(1, 3), st.integers(1, 3), st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_blocks_of_any_shape(windows: int, positions: int, heads: int, size: int, seed: int) -> None:
    """Along one random direction through all parameters and the input at once."""
    random = np.random.default_rng(seed)
    layer = Block(hidden=heads * size, heads=heads, number=0)
    parameters, x = random_parameters(layer, random), random.normal(size=(windows, positions, heads * size))
    weights = random.normal(size=x.shape)
    d_x, gradients = layer_gradients(layer, parameters, x, d_output=weights)
    along = {name: random.normal(size=array.shape) for name, array in parameters.items()}
    along_x = random.normal(size=x.shape)

    def loss(step: float) -> float:
        moved = {name: array + step * along[name] for name, array in parameters.items()}
        return float((layer.forward(moved, x + step * along_x)[0] * weights).sum())

    slope = sum(float((gradients[name] * along[name]).sum()) for name in along) + float((d_x * along_x).sum())
    # Where a row has hardly any variance (one feature: none at all) LayerNorm bends sharply, within a step of 1e-5
    step = 1e-7 if size * heads <= 2 else 1e-6
    assert slope == pytest.approx((loss(step) - loss(-step)) / (2 * step), rel=1e-3, abs=1e-4)


def test_bytes_of_what_is_saved() -> None:
    layer = Head(hidden=4, vocab=5)
    parameters = random_parameters(layer, np.random.default_rng(0))
    _, saved = layer.forward(parameters, np.zeros((2, 3, 4)), np.zeros((2, 3), np.int64))
    # 6 positions: 4 normal values, 1 scale, 5 probabilities, 1 target, of 8 bytes each
    assert bytes_of(saved) == 6 * (4 + 1 + 5 + 1) * 8


def test_one_feature_norms_to_its_bias() -> None:
    y, *_ = op.layer_norm(np.array([[3.0]]), np.array([2.0]), np.array([0.5]))
    assert y.tolist() == [[0.5]]


def test_t2_gelu_of_a_sum_is_not_the_sum_of_gelus() -> None:
    assert round(float(op.gelu(np.array(1.0 + 1.0))), 3) == 1.955
    assert round(2 * float(op.gelu(np.array(1.0))), 3) == 1.682
