"""AdamW against the paper's equations written out, shard by shard, and in 16 bits."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simlib import zero
from simlib.errors import BadArgument
from simlib.optimizers import (
    BFLOAT16,
    DOUBLE,
    MIXED,
    SINGLE,
    AdamW,
    Sgd,
    State,
    clipping_factor,
    norm_of,
    precision,
    round_to_bfloat16,
)


def by_the_paper(weights: list[float], gradients: list[list[float]], rule: AdamW) -> list[float]:
    """Algorithm 2 of Loshchilov and Hutter 2019, one number at a time."""
    w, m, v = list(weights), [0.0] * len(weights), [0.0] * len(weights)
    for t, gradient in enumerate(gradients, start=1):
        for i, g in enumerate(gradient):
            m[i] = rule.beta1 * m[i] + (1 - rule.beta1) * g
            v[i] = rule.beta2 * v[i] + (1 - rule.beta2) * g * g
            m_hat, v_hat = m[i] / (1 - rule.beta1**t), v[i] / (1 - rule.beta2**t)
            w[i] -= rule.learning_rate * (m_hat / (v_hat**0.5 + rule.epsilon) + rule.weight_decay * w[i])
    return w


@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 999))
@settings(deadline=None)
def test_adam_by_the_paper(length: int, steps: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    rule = AdamW(learning_rate=0.05, weight_decay=0.1)
    weights, gradients = random.normal(size=length), random.normal(size=(steps, length))
    state = rule.start(weights)
    for gradient in gradients:
        state = rule.apply(state, gradient)
    np.testing.assert_allclose(state.master, by_the_paper(weights.tolist(), gradients.tolist(), rule), rtol=1e-12)
    assert state.step == steps


@given(st.integers(1, 40), st.integers(1, 9), st.sampled_from(["float32", "float64"]), st.integers(0, 999))
@settings(deadline=None)
def test_z6_a_sharded_adam_is_the_whole_one_to_the_last_bit(length: int, workers: int, dtype: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    rule = AdamW()
    whole = rule.start(random.normal(size=length).astype(dtype))
    edges = [len(part) for part in np.array_split(np.arange(length), workers)]
    bounds = np.cumsum([0, *edges])
    shards = [whole.part(int(a), int(b)) for a, b in pairwise(bounds)]
    for _ in range(4):
        gradient = random.normal(size=length).astype(dtype)
        whole = rule.apply(whole, gradient)
        pieces = zip(shards, bounds[:-1], bounds[1:], strict=True)
        shards = [rule.apply(shard, gradient[a:b]) for shard, a, b in pieces]
    for name in ("master", "momentum", "variance"):
        joined = np.concatenate([getattr(shard, name) for shard in shards])
        assert np.array_equal(joined, getattr(whole, name))


def test_w1_bytes_per_parameter() -> None:
    assert MIXED.bytes_per_parameter == zero.bytes_per_gpu(1, 1, 0) == 16
    # FP32 throughout has no second copy of the weights, and comes to as much
    assert SINGLE.bytes_per_parameter == 16
    state = AdamW().start(np.zeros(10, np.float32))
    assert state.averages_bytes + state.master.nbytes == 12 * 10


def test_a_small_update_is_lost_without_a_master_copy() -> None:
    """Why mixed precision keeps FP32 weights: 1 - 1e-4 is 1 in 16 bits."""
    rule = AdamW(learning_rate=1e-4, weight_decay=0)
    state = rule.start(np.ones(1, np.float32))
    lost = np.ones(1, np.float16)
    for _ in range(100):
        state = rule.apply(state, np.ones(1, np.float16))
        lost = lost - np.float16(1e-4)
    assert lost[0] == 1
    assert MIXED.working(state.master)[0] == np.float16(0.99)
    assert BFLOAT16.working(state.master)[0] == np.float32(0.98828125)


def test_what_is_given_is_not_changed() -> None:
    rule, gradient = AdamW(), np.ones(3)
    before = rule.start(np.ones(3))
    rule.apply(before, gradient)
    assert before.master.tolist() == gradient.tolist() == [1, 1, 1]
    assert before.momentum is not None
    assert before.momentum.tolist() == [0, 0, 0]


def test_sgd() -> None:
    after = Sgd(0.5).apply(State(0, np.array([1.0, 2.0])), np.array([2.0, -2.0]))
    assert after.master.tolist() == [0, 3]


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
@settings(deadline=None)
def test_bfloat16_is_the_nearest(value: float) -> None:
    rounded = float(round_to_bfloat16(np.array([value], np.float32))[0])
    if not np.isfinite(rounded):
        assert abs(value) > 3.38e38 * 0.99
        return
    assert float(np.float32(rounded)).hex() == rounded.hex()
    bits = int(np.float32(rounded).view(np.uint32))
    assert bits & 0xFFFF == 0
    for neighbour in (bits - 0x10000, bits + 0x10000):
        if 0 <= neighbour < 2**32:
            other = float(np.uint32(neighbour).view(np.float32))
            if np.isfinite(other):
                assert abs(Fraction(rounded) - Fraction(value)) <= abs(Fraction(other) - Fraction(value))


def test_bfloat16_ties_go_to_the_even() -> None:
    between = np.array([1 + 2**-8, 1 + 3 * 2**-8], np.float32)
    assert round_to_bfloat16(between).tolist() == [1, 1 + 4 * 2**-8]


def test_bfloat16_leaves_what_is_no_number() -> None:
    values = np.array([np.inf, -np.inf, np.nan], np.float32)
    np.testing.assert_array_equal(round_to_bfloat16(values), values)


def test_gradients_out_of_range_become_infinite() -> None:
    assert np.isinf(MIXED.gradient(np.array([1e6], np.float32)))[0]
    assert MIXED.gradient(np.array([1e-9], np.float32))[0] == 0
    assert BFLOAT16.gradient(np.array([1e-9], np.float32))[0] > 0
    assert DOUBLE.gradient(np.array([1e6]))[0] == 1e6


def test_clipping() -> None:
    gradient = np.array([3.0, 4.0], np.float16)
    assert norm_of(gradient) == 5
    assert clipping_factor(5, 2.5) == 0.5
    assert clipping_factor(5) == clipping_factor(0, 1) == 1


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: AdamW(learning_rate=-1), "learning_rate is -1"),
        (lambda: AdamW(beta2=1.0), "beta2 is 1.0; accepted: a number from 0 to below 1"),
        (lambda: AdamW().apply(AdamW().start(np.ones(3)), np.ones(2)), "the shape of the gradient is (2,)"),
        (lambda: Sgd().apply(Sgd().start(np.ones(3)), np.ones(2)), "the shape of the gradient is (2,)"),
        (lambda: Sgd(-1), "learning_rate is -1"),
        (lambda: precision("half"), "precision is 'half'; accepted: mixed, bfloat16, single, double"),
        (lambda: clipping_factor(1, 0), "limit is 0"),
    ],
)
def test_what_is_refused(call: object, named: str) -> None:
    with pytest.raises(BadArgument) as caught:
        call()  # type: ignore[operator]
    assert str(caught.value).startswith(named)
