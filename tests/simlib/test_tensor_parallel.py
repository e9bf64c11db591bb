"""A split MLP against the whole one, and bad input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlib import data_parallel, tensor_parallel
from simlib.errors import BadArgument


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
