"""What holds of every plan: whole layouts, fewer bytes by stage, faster machines, pinned choices."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simlib import hardware
from simlib.planner import CHECKPOINTING, Layout, lay_out, plan
from simlib.transformer import Transformer

SMALL = Transformer(layers=12, hidden=768, heads=12, vocab=50304, sequence=1024, biases=True, norm_parameters=2)
CLUSTERS = st.tuples(st.sampled_from([1, 2, 6, 8, 12, 16, 24]), st.sampled_from([8, 12, 24]))
MACHINES = st.sampled_from(["h100", "a100", "tpu-v4"])


@given(CLUSTERS, MACHINES)
@settings(max_examples=20, deadline=None)
def test_every_layout_is_whole(cluster: tuple[int, int], machine: str) -> None:
    gpus, batch = cluster
    for layout in plan(SMALL, machine, gpus, batch).layouts:
        assert layout.gpus == layout.data * layout.tensor * layout.pipeline == gpus
        assert layout.data * layout.micro_batch * layout.micro_batches == batch
        assert layout.step_seconds == pytest.approx(layout.parts.total)
        assert layout.tokens_per_second == pytest.approx(batch * 1024 / layout.step_seconds)
        assert 0 < layout.mfu <= layout.hfu < 1
        assert 0 <= layout.bubble < 1
        assert all(getattr(layout.parts, name) >= 0 for name in layout.parts.__slots__)
        assert layout.memory.total <= layout.capacity


@given(CLUSTERS, st.sampled_from(CHECKPOINTING), st.sampled_from([1, 2]), st.sampled_from([1, 2, 4]))
@settings(max_examples=30, deadline=None)
def test_bytes_fall_as_the_zero_stage_rises(
    cluster: tuple[int, int], checkpointing: str, tensor: int, pipeline: int
) -> None:
    gpus, batch = cluster[0] * tensor * pipeline, cluster[0] * cluster[1]
    stages = range(4 if cluster[0] > 1 else 1)
    sizes: list[Layout] = [
        lay_out("llama-7b", "h100", gpus, batch, tensor=tensor, pipeline=pipeline,
                zero=stage, checkpointing=checkpointing)
        for stage in stages
    ]  # fmt: skip
    states = [one.memory.weights + one.memory.gradients + one.memory.optimizer for one in sizes]
    assert all(later < earlier for earlier, later in pairwise(states))
    kept = [one.memory.activations for one in sizes]
    assert len(set(kept)) == 1


@given(
    CLUSTERS,
    MACHINES,
    st.sampled_from(["link_bandwidth", "network_bandwidth", "memory_bandwidth", "peak_flops"]),
    st.floats(1.1, 50),
)
@settings(max_examples=20, deadline=None)
def test_a_faster_machine_is_never_slower(cluster: tuple[int, int], machine: str, what: str, times: float) -> None:
    gpus, batch = cluster
    found = hardware.find(machine)
    faster = replace(found, **{what: getattr(found, what) * times})
    before, after = (_by_choice(plan(SMALL, one, gpus, batch).layouts) for one in (found, faster))
    assert before.keys() == after.keys()
    assert all(after[choice] <= before[choice] * (1 + 1e-12) for choice in before)


PINS: dict[str, list[Any]] = {
    "data": [1, 2, 4],
    "tensor": [1, 2, 4],
    "pipeline": [1, 2, 4],
    "zero": [0, 1, 2, 3],
    "micro_batch": [1, 2],
    "chunks": [1, 2, 3],
    "checkpointing": list(CHECKPOINTING),
    "tensor_inside": [True, False],
}


@given(st.sampled_from([16, 32, 48]), st.data())
@settings(max_examples=30, deadline=None)
def test_pinning_returns_a_subset(gpus: int, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(sorted(PINS)), unique=True, min_size=1, max_size=2))
    pinned = {name: data.draw(st.sampled_from(PINS[name])) for name in names}
    whole = plan(SMALL, "h100", gpus, 24).layouts
    part = plan(SMALL, "h100", gpus, 24, **pinned).layouts
    assert part == tuple(one for one in whole if all(getattr(one, name) == value for name, value in pinned.items()))


@given(st.sampled_from([8, 16]), st.data())
@settings(max_examples=20, deadline=None)
def test_a_layout_laid_out_alone_is_the_one_that_the_plan_has(gpus: int, data: st.DataObject) -> None:
    layout = data.draw(st.sampled_from(plan(SMALL, "a100", gpus, 16).layouts))
    choices = {name: getattr(layout, name) for name in PINS}
    assert lay_out(SMALL, "a100", gpus, 16, **choices) == layout


def _by_choice(layouts: tuple[Layout, ...]) -> dict[tuple[Any, ...], float]:
    return {tuple(getattr(one, name) for name in PINS): one.step_seconds for one in layouts}
