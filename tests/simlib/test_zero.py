"""ZeRO against the paper's figures, against a count of shards, and against what a ring sends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlib import zero
from simlib.collectives import ring_all_gather, ring_all_reduce, ring_reduce_scatter
from simlib.errors import BadArgument

GB = 1e9


def test_seven_billion_on_eight_gpus() -> None:
    assert [zero.bytes_per_gpu(7e9, 8, stage) / GB for stage in range(4)] == [112, 38.5, 26.25, 14]
    states = zero.model_states(7e9, 8, 2)
    assert (states.weights, states.gradients, states.optimizer) == (14e9, 1.75e9, 10.5e9)


def test_llama_7b_on_sixty_four() -> None:
    found = [zero.bytes_per_gpu(6.738e9, 64, stage) / GB for stage in range(4)]
    assert found == pytest.approx([107.8, 28.2, 14.95, 1.7], abs=0.05)
    assert zero.bytes_sent(6.738e9, 64, 1) / GB == pytest.approx(26.5, abs=0.05)
    assert zero.bytes_sent(6.738e9, 64, 3) / GB == pytest.approx(39.8, abs=0.05)


def test_other_precisions() -> None:
    # FP32 gradients and weights with SGD that keeps nothing: 4 + 4 bytes
    assert zero.model_states(1000, 1, 0, optimizer_bytes=0, weight_bytes=4, gradient_bytes=4).total == 8000
    # 8-bit Adam: FP32 master weights and two bytes of states
    assert zero.bytes_per_gpu(1000, 4, 1, optimizer_bytes=6) == 4000 + 6000 / 4


def test_bytes_per_parameter_of_other_recipes() -> None:
    # 16 of the paper; 18 of Megatron-LM; two states of 8 bits each; FP32 throughout: 4 + 4 + 8; one state; none
    found = {name: recipe.total for name, recipe in zero.RECIPES.items()}
    assert found == {
        "adam": 16,
        "adam-fp32-gradients": 18,
        "adam-8bit": 16 - 8 + 2,
        "adam-fp32": 16,
        "sgd-momentum": 12,
        "sgd": 8,
    }


@given(st.integers(1, 64), st.integers(1, 32), st.integers(0, 3), st.integers(0, 16))
def test_the_gpus_together_hold_each_shard_once(per_gpu: int, gpus: int, stage: int, optimizer_bytes: int) -> None:
    params = per_gpu * gpus
    states = zero.model_states(params, gpus, stage, optimizer_bytes)
    copies = [1 if stage >= first else gpus for first in (3, 2, 1)]
    together = [size * gpus for size in (states.weights, states.gradients, states.optimizer)]
    assert together == [size * params * n for size, n in zip((2, 2, optimizer_bytes), copies, strict=True)]


@given(st.integers(1, 20), st.integers(1, 9))
def test_traffic_is_that_of_the_ring_collectives(per_gpu: int, gpus: int) -> None:
    gradients = [np.ones(per_gpu * gpus, dtype=np.float16)] * gpus
    shard = [np.ones(per_gpu, dtype=np.float16)] * gpus
    reduce_scatter, gather = ring_reduce_scatter(gradients).bytes_sent[0], ring_all_gather(shard).bytes_sent[0]
    assert zero.bytes_sent(per_gpu * gpus, gpus, 0) == ring_all_reduce(gradients).bytes_sent[0]
    assert zero.bytes_sent(per_gpu * gpus, gpus, 1) == reduce_scatter + gather
    assert zero.bytes_sent(per_gpu * gpus, gpus, 2) == reduce_scatter + gather
    assert zero.bytes_sent(per_gpu * gpus, gpus, 3) == reduce_scatter + 2 * gather


def test_the_first_stage_that_fits() -> None:
    assert zero.first_stage_that_fits(7e9, 8, 80e9) == 1
    assert zero.first_stage_that_fits(7e9, 8, 112e9) == 0
    assert zero.first_stage_that_fits(7e9, 8, 38.49e9) == 2
    assert zero.first_stage_that_fits(7e9, 8, 14e9) == 3
    assert zero.first_stage_that_fits(7e9, 8, 13.9e9) is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: zero.model_states(7e9, 8, 4), "stage is 4; accepted: a whole number from 0 to 3"),
        (lambda: zero.model_states(7e9, 8, True), "stage is True"),
        (lambda: zero.model_states(7e9, 0, 1), "gpus is 0"),
        (lambda: zero.model_states(1.5, 1, 1), "params is 1.5"),
        (lambda: zero.model_states(7e9, 8, 1, optimizer_bytes=-1), "optimizer_bytes is -1"),
        (lambda: zero.bytes_sent(7e9, 8, 1, dtype_bytes=0), "dtype_bytes is 0"),
        (lambda: zero.bytes_sent(7e9, 8, -1), "stage is -1"),
        (lambda: zero.first_stage_that_fits(7e9, 8, 0), "capacity is 0"),
        (lambda: zero.recipe("lion"), "recipe is 'lion'; accepted: adam, "),
        (lambda: zero.first_stage_that_fits(float("nan"), 8, 1), "params is nan"),
    ],
)
def test_bad_input_is_named(call: object, message: str) -> None:
    with pytest.raises(BadArgument, match=message):
        call()  # type: ignore[operator]
