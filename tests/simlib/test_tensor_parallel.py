"""A split MLP against the whole one, heads, a split vocabulary, and bad input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlib import data_parallel, tensor_parallel
from simlib.decoder import Decoder, Sizes
from simlib.errors import BadArgument
from simlib.training.tensor_parallel.split import Split


def gelu(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


@given(*(st.integers(1, 6) for _ in range(5)))
def test_a_split_mlp_is_the_whole_one(tokens: int, width: int, hidden: int, outputs: int, gpus: int) -> None:
    random = np.random.default_rng(tokens + 10 * width)
    x, a, b = (random.normal(size=shape) for shape in ((tokens, width), (width, hidden), (hidden, outputs)))
    split = tensor_parallel.split_mlp(x, a, b, gpus)
    np.testing.assert_allclose(split.output, gelu(x @ a) @ b, atol=1e-12)
    np.testing.assert_allclose(np.concatenate(split.hidden, axis=1), gelu(x @ a), atol=1e-12)
    assert len(split.contributions) == gpus
    if (tokens * outputs) % gpus == 0:
        sent = tensor_parallel.elements_sent_per_all_reduce(tokens, 1, outputs, gpus)
        assert split.all_reduce.bytes_sent == [8 * sent] * gpus


@given(*(st.integers(1, 4) for _ in range(5)), st.integers(0, 99))
def test_gradients_of_the_parts_are_those_that_differences_give(
    tokens: int, width: int, hidden: int, outputs: int, gpus: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    x, a, b = (random.normal(size=shape) for shape in ((tokens, width), (width, hidden), (hidden, outputs)))
    d_y = random.normal(size=(tokens, outputs))
    split = tensor_parallel.split_mlp(x, a, b, gpus)
    back = tensor_parallel.split_mlp_backward(split, d_y)
    of_parts = [back.d_inputs, np.concatenate(back.d_first, axis=1), np.concatenate(back.d_second)]
    for which, gradient in enumerate(of_parts):
        matrices = [x, a, b]
        place = tuple(int(random.integers(size)) for size in gradient.shape)
        losses = []
        for step in (1e-5, -1e-5):
            moved = matrices[which].copy()
            moved[place] += step
            x_, a_, b_ = (*matrices[:which], moved, *matrices[which + 1 :])
            losses.append(float(np.sum(d_y * (gelu(x_ @ a_) @ b_))))
        assert gradient[place] == pytest.approx((losses[0] - losses[1]) / 2e-5, rel=1e-4, abs=1e-6)


@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 5), st.integers(0, 99))
def test_sequence_parallelism_gives_each_gpu_its_tokens_for_the_bytes_of_an_all_reduce(
    gpus: int, each: int, hidden: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    # As wide at the end as at the beginning, as a transformer's layers are
    x, a, b = (random.normal(size=shape) for shape in ((gpus * each, 3), (3, hidden), (hidden, 3)))
    split = tensor_parallel.sequence_parallel_mlp(x, a, b, gpus)
    np.testing.assert_allclose(np.concatenate(split.outputs), gelu(x @ a) @ b, atol=1e-12)
    np.testing.assert_array_equal(np.concatenate(split.inputs), x)
    sent = [sum(pair) for pair in zip(split.all_gather.bytes_sent, split.reduce_scatter.bytes_sent, strict=True)]
    assert sent == split.mlp.all_reduce.bytes_sent


@given(st.integers(1, 3), st.integers(1, 6), st.integers(1, 5), st.integers(1, 6), st.integers(0, 99))
def test_rows_first_adds_up_before_the_gelu_and_not_behind(
    tokens: int, width: int, hidden: int, gpus: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    x, a = random.normal(size=(tokens, width)), random.normal(size=(width, hidden))
    wrong = tensor_parallel.rows_first(x, a, gpus)
    np.testing.assert_allclose(np.sum(wrong.partials, axis=0), x @ a, atol=1e-12)
    np.testing.assert_allclose(wrong.right, gelu(x @ a), atol=1e-12)
    np.testing.assert_allclose(wrong.summed, sum(gelu(partial) for partial in wrong.partials), atol=1e-12)
    assert gpus > 1 or np.array_equal(wrong.summed, wrong.right)


@given(st.integers(1, 6), st.integers(1, 4), st.integers(1, 4))
def test_heads_go_whole_and_stay_with_the_keys_that_they_use(gpus: int, pairs: int, group: int) -> None:
    kv_heads = gpus * pairs
    shares = tensor_parallel.heads_on_gpus(kv_heads * group, gpus, kv_heads)
    assert [head for share in shares for head in share.query] == list(range(kv_heads * group))
    for share in shares:
        assert {head // group for head in share.query} == set(share.key_value)
    assert tensor_parallel.largest_split(kv_heads * group, gpus, kv_heads) == gpus


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=8), st.data())
def test_a_split_vocabulary_has_the_loss_of_the_whole_one(logits: list[float], data: st.DataObject) -> None:
    target, tensor = data.draw(st.integers(0, len(logits) - 1)), data.draw(st.integers(1, len(logits)))
    shares = np.exp(logits) / np.exp(logits).sum()
    assert tensor_parallel.cross_entropy(logits, target, tensor) == pytest.approx(-np.log(shares[target]), abs=1e-9)


def test_the_parts_of_a_decoder_s_layer_have_the_parameters_that_are_counted() -> None:
    split = Split(Decoder(Sizes(vocab=10, context=4, hidden=8, heads=4, layers=1)), tensor=2)
    shapes = {name: shape for name, shape in split.layout(0).slots if name.startswith("block 0/")}
    assert sum(int(np.prod(shape)) for shape in shapes.values()) == sum(tensor_parallel.layer_params(8, 2))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(0, 99))
def test_means_of_unequal_shares(samples: list[int], seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=sum(samples))
    parts = np.split(values, np.cumsum(samples)[:-1])
    means = [float(part.mean()) for part in parts]
    assert data_parallel.mean_gradient(means, samples) == pytest.approx(values.mean())
    assert data_parallel.mean_gradient(means) == pytest.approx(np.mean(means))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: tensor_parallel.split_mlp([1], [[1]], [[1]], 1),
            r"the shape of x is \(1,\); accepted: two dimensions",
        ),
        (lambda: tensor_parallel.split_mlp([[1]], [[1], [2]], [[1]], 1), r"the shape of a is \(2, 1\)"),
        (lambda: tensor_parallel.split_mlp([[1]], [[1]], [[1], [2]], 1), r"the shape of b is \(2, 1\)"),
        (lambda: tensor_parallel.split_mlp([[1]], [[1]], [[1]], 0), "gpus is 0"),
        (lambda: tensor_parallel.split_mlp([[1], [2, 3]], [[1]], [[1]], 1), "x is .*; accepted: rows of numbers"),
        (
            lambda: tensor_parallel.split_mlp_backward(tensor_parallel.split_mlp([[1]], [[1]], [[1]], 1), [[1, 2]]),
            r"the shape of d_output is \(1, 2\); accepted: \(1, 1\), that of the output",
        ),
        (lambda: tensor_parallel.sequence_parallel_mlp([[1]], [[1]], [[1]], 2), "a divisor of the 1 tokens"),
        (lambda: tensor_parallel.heads_on_gpus(28, 8), "gpus is 8; accepted: a divisor of the 28 heads"),
        (lambda: tensor_parallel.heads_on_gpus(8, 4, 2), "a divisor of the 2 heads of keys and values"),
        (lambda: tensor_parallel.heads_on_gpus(8, 2, 3), "kv_heads is 3; accepted: a divisor of the 8 heads"),
        (lambda: tensor_parallel.cross_entropy([], 0), "at least one number"),
        (lambda: tensor_parallel.cross_entropy([1, 2], 2), "target is 2; accepted: a whole number from 0 to 1"),
        (lambda: tensor_parallel.cross_entropy([1, 2], 0, 3), "tensor is 3"),
        (lambda: tensor_parallel.gradient_norm([]), "at least one gradient"),
        (lambda: data_parallel.mean_gradient([1, 2], [1]), r"samples is \[1\]; accepted: one number for each of the 2"),
        (lambda: data_parallel.mean_gradient([1, 2], [0, 0]), "accepted: at least one sample"),
        (lambda: data_parallel.mean_gradient([]), "at least one sample"),
        (lambda: data_parallel.steps_of_least(0, 1), "batch is 0"),
        (lambda: data_parallel.samples_of_least(1, -1), "critical is -1"),
    ],
)
def test_bad_input_is_named(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(BadArgument, match=message):
        call()
