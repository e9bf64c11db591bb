"""The planner against the rest of the engine, against counts by hand, and its properties."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simlib import activations, hardware, models, throughput, zero
from simlib.collectives.costs import hierarchical_all_reduce_time, ring_all_reduce_time
from simlib.errors import BadArgument
from simlib.pipeline import formulas, schedule
from simlib.planner import CHECKPOINTING, PARTS, Layout, Settings, lay_out, plan, why
from simlib.planner.choices import divisors
from simlib.planner.efficiency import efficiency_of
from simlib.planner.placement import Group, Links
from simlib.planner.stages import Split, kept_sequences, split_layers
from simlib.planner.work import Work
from simlib.transformer import Transformer, flops_per_step

H100 = hardware.find("h100")
SMALL = Transformer(layers=12, hidden=768, heads=12, vocab=50304, sequence=1024, biases=True, norm_parameters=2)
# The machine model of the lessons: one ring over all GPUs
LESSONS = Settings(all_network_cards=False, reserved_bytes=0, efficiency=throughput.MATMUL_EFFICIENCY)


# Against the rest of the engine


@pytest.mark.parametrize(("gpus", "overlap"), [(8, True), (64, True), (64, False), (1024, True)])
def test_a_data_parallel_step_is_that_of_the_lessons(gpus: int, overlap: bool) -> None:
    tokens = gpus * 4 * 4096
    layout = lay_out(
        "llama-7b", "h100", gpus, gpus * 4, tensor=1, pipeline=1, micro_batch=4,
        settings=replace(LESSONS, overlap_data=overlap),
    )  # fmt: skip
    step = throughput.step_time(models.find("llama-7b"), gpus, H100, tokens, overlap=overlap)
    # The optimizer's time is what the lessons' step leaves out
    assert layout.step_seconds - layout.parts.optimizer == pytest.approx(step.seconds)
    assert layout.parts.compute == pytest.approx(step.compute)
    assert layout.parts.data == pytest.approx(step.exposed)
    assert layout.parts.data + layout.parts.data_hidden == pytest.approx(step.sync)


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_states_are_those_of_zero(stage: int) -> None:
    layout = lay_out("llama-7b", "h100", 64, 64, tensor=1, pipeline=1, zero=stage, settings=LESSONS)
    states = zero.model_states(models.find("llama-7b").shape.params, 64, stage)
    assert (layout.memory.weights, layout.memory.gradients) == pytest.approx((states.weights, states.gradients))
    assert layout.memory.optimizer == pytest.approx(states.optimizer)


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_a_step_without_accumulation_sends_what_zero_sends(stage: int) -> None:
    settings_ = replace(LESSONS, overlap_data=False)
    layout = lay_out("llama-7b", "h100", 64, 64, tensor=1, pipeline=1, zero=stage, settings=settings_)
    sent = zero.bytes_sent(models.find("llama-7b").shape.params, 64, stage)
    assert layout.parts.data == pytest.approx(sent / H100.network_bandwidth)


@pytest.mark.parametrize("tensor", [1, 2, 8])
@pytest.mark.parametrize(
    ("sequence_parallel", "checkpointing", "mode"),
    [
        (False, "none", "tensor"),
        (True, "none", "tensor+sequence"),
        (False, "selective", "tensor+selective"),
        (True, "selective", "tensor+sequence+selective"),
        (False, "full", "full"),
    ],
)
def test_layers_keep_what_korthikanti_counts(
    tensor: int, sequence_parallel: bool, checkpointing: str, mode: str
) -> None:
    shape = models.find("gpt-175b").shape
    work = Work(shape, H100, 2048, Settings(sequence_parallel=sequence_parallel))
    kept = work.tensor(Group(tensor, tensor)).layer.kept[checkpointing]
    assert kept == pytest.approx(activations.bytes_per_layer(2048, 1, 12288, 96, tensor, mode))


@pytest.mark.parametrize(("stages", "micro_batches", "chunks"), [(4, 8, 1), (4, 2, 1), (4, 8, 2), (8, 16, 4)])
def test_stages_hold_what_the_schedule_holds(stages: int, micro_batches: int, chunks: int) -> None:
    name = "1f1b" if chunks == 1 else "interleaved"
    peaks = schedule(name, stages, micro_batches, chunks).peak_activations
    for stage, peak in enumerate(peaks):
        layers, _ = kept_sequences(Split(stages, 8), stage, chunks, micro_batches)
        assert layers == pytest.approx(8 / chunks * peak)


@pytest.mark.parametrize(("micro_batches", "chunks"), [(8, 1), (2, 1), (8, 2), (16, 3)])
def test_the_bubble_is_that_of_the_formula_where_stages_are_alike(micro_batches: int, chunks: int) -> None:
    # Hardly a vocabulary: the ends compute next to nothing
    shape = Transformer(layers=24, hidden=1024, heads=16, vocab=1, sequence=1024)
    free = replace(H100, network_bandwidth=1e20, link_bandwidth=1e20, memory_bandwidth=1e20)
    layout = lay_out(shape, free, 4, micro_batches, tensor=1, pipeline=4, chunks=chunks, efficiency=0.5)
    assert layout.bubble == pytest.approx(formulas.bubble(4, micro_batches, chunks), rel=1e-3)


def test_work_is_the_flops_of_the_model() -> None:
    layout = lay_out("megatron-1.7b", "h100", 1, 8, tensor=1, pipeline=1, efficiency=0.5)
    done = layout.parts.compute * 0.5 * H100.peak_flops
    assert done == pytest.approx(flops_per_step(24, 2304, 51200, 2048, 8, recompute=False), rel=0.01)
    full = lay_out("megatron-1.7b", "h100", 1, 8, tensor=1, pipeline=1, efficiency=0.5, checkpointing="full")
    assert full.parts.recompute * 0.5 * H100.peak_flops == pytest.approx(
        flops_per_step(24, 2304, 51200, 2048, 8) - flops_per_step(24, 2304, 51200, 2048, 8, recompute=False), rel=0.01
    )
    selective = lay_out("megatron-1.7b", "h100", 1, 8, tensor=1, pipeline=1, checkpointing="selective")
    as_korthikanti = flops_per_step(24, 2304, 51200, 2048, 8, "selective") / flops_per_step(
        24, 2304, 51200, 2048, 8, "none"
    )
    assert selective.hfu / selective.mfu == pytest.approx(as_korthikanti, rel=0.01)


def test_groups_between_servers_take_what_the_collectives_take() -> None:
    links = Links(H100, efficiency_of(H100, 0.473), all_network_cards=True)
    byte, latency = links.ring_rates(Group(32, 4))
    assert 2 * (byte * 1e9 + latency) == pytest.approx(hierarchical_all_reduce_time(1e9, 8, 4, 0, 450e9, 0, 50e9))
    byte, latency = links.ring_rates(Group(8, 8))
    assert 2 * (byte * 1e9 + latency) == pytest.approx(ring_all_reduce_time(1e9, 8, 0, 450e9))


def test_a_tensor_parallel_layer_by_hand() -> None:
    """Two layers, t = 2 on one server of 450 GB/s: 4 all-reduces a layer of s b h x 2 bytes, 2 more at the ends."""
    shape = Transformer(layers=2, hidden=1024, heads=8, vocab=1000, sequence=512)
    layout = lay_out(
        shape,
        "h100",
        2,
        3,
        tensor=2,
        pipeline=1,
        micro_batch=3,
        sequence_parallel=False,
        overlap_tensor=False,
        efficiency=0.5,
    )
    one = 2 * (2 - 1) / 2 * 512 * 3 * 1024 * 2 / 450e9
    assert layout.parts.tensor == pytest.approx((2 * 4 + 2) * one)
    assert layout.parts.tensor_hidden == 0
    assert layout.tensor_inside


def test_a_layer_with_sequence_parallelism_by_hand() -> None:
    """As above: its 4 all-reduces are 8 halves, and 2 more gather the inputs again; 4 of the 10 can be hidden."""
    shape = Transformer(layers=2, hidden=1024, heads=8, vocab=1000, sequence=512)
    waiting, hiding = (
        lay_out(shape, "h100", 2, 3, tensor=2, pipeline=1, micro_batch=3, overlap_tensor=overlap, efficiency=0.01)
        for overlap in (False, True)
    )
    half = (2 - 1) / 2 * 512 * 3 * 1024 * 2 / 450e9
    assert (waiting.parts.tensor, waiting.parts.tensor_hidden) == pytest.approx(((2 * 10 + 4) * half, 0))
    assert (hiding.parts.tensor, hiding.parts.tensor_hidden) == pytest.approx(((2 * 6 + 4) * half, 2 * 4 * half))


def test_messages_between_stages_by_hand() -> None:
    """Two stages of t = 2 on one server: each GPU sends its half, and a half is gathered where there is no sequence
    parallelism; a message forward and one backward for each of 4 micro-batches, and one pair to fill the pipeline."""
    shape = Transformer(layers=4, hidden=1024, heads=8, vocab=1000, sequence=512)
    output = 2 * 512 * 1024
    for sequence_parallel, message in ((True, output / 2 / 450e9), (False, (output / 2 + output / 2) / 450e9)):
        layout = lay_out(
            shape, "h100", 4, 4, tensor=2, pipeline=2, sequence_parallel=sequence_parallel, efficiency=0.01
        )
        assert layout.parts.pipeline == pytest.approx(2 * (4 + 1) * message)
    # With chunks twice as many, all but the filling ones beside the arithmetic
    layout = lay_out(shape, "h100", 4, 4, tensor=2, pipeline=2, chunks=2, efficiency=0.01)
    assert layout.parts.pipeline == pytest.approx(2 * output / 2 / 450e9)
    assert layout.parts.pipeline_hidden == pytest.approx(2 * 4 * 2 * output / 2 / 450e9)


def test_a_tied_embedding_is_summed_between_the_first_and_the_last_stage() -> None:
    sizes: dict[str, Any] = {"tensor": 2, "pipeline": 4, "efficiency": 0.5}
    shape = Transformer(layers=8, hidden=1024, heads=8, vocab=50000, sequence=512)
    assert lay_out(shape, "h100", 8, 8, **sizes).parts.data == pytest.approx(2 * 50000 * 1024 / 2 / 450e9)
    assert lay_out(replace(shape, tied=False), "h100", 8, 8, **sizes).parts.data == 0


@pytest.mark.parametrize(("stage", "passes"), [(0, 2), (1, 2), (2, 4 + 1), (3, 4 * 3)])
def test_sharded_gradients_and_weights_travel_with_every_micro_batch(stage: int, passes: int) -> None:
    """Four micro-batches: stage 2 scatters four times and gathers once, stage 3 gathers twice for each as well."""
    settings_ = replace(LESSONS, overlap_data=False)
    layout = lay_out("llama-7b", "h100", 64, 256, tensor=1, pipeline=1, zero=stage, settings=settings_)
    once = 63 / 64 * 2 * models.find("llama-7b").shape.params / H100.network_bandwidth
    assert layout.parts.data == pytest.approx(passes * once)


def test_a_sharded_layer_at_work_is_whole() -> None:
    layer = models.find("llama-7b").shape.layer_params
    at_work = [
        lay_out("llama-7b", "h100", 64, 64, tensor=1, pipeline=1, zero=stage, settings=LESSONS).memory.other
        for stage in range(4)
    ]
    # Stage 2: its 16-bit gradients; stage 3: its weights and the next layer's too
    assert at_work == pytest.approx([0, 0, 2 * layer, 2 * layer + 2 * 2 * layer])


def test_keys_and_values_are_copied_where_there_are_fewer_than_gpus() -> None:
    shape = Transformer(layers=1, hidden=64, heads=8, vocab=100, sequence=16, kv_heads=2)
    work = Work(shape, H100, 16, Settings())
    # Queries and output 2 h^2, MLP 8 h^2, divided by 8; a key and a value head of 8 columns whole; two norms
    assert work.tensor(Group(8, 8)).layer.params == 10 * 64 * 64 / 8 + 2 * 64 * 8 + 2 * 64


def test_shorter_ends_hold_a_layer_less() -> None:
    split = Split(16, 8, short_ends=True)
    assert kept_sequences(split, 0, 1, 64) == (7 * 16, 16)
    assert kept_sequences(split, 1, 1, 64) == (8 * 15, 15)
    assert kept_sequences(split, 15, 1, 64) == (7, 1)


# What it finds


def test_the_trillion_parameter_model_is_planned_whole() -> None:
    made = plan("megatron-1t", "a100", 3072, 3072)
    assert len(made.layouts) > 1000
    assert made.rejected["too little memory"] > 1000
    best = made.best
    assert best is not None
    assert best.tensor == hardware.find("a100").gpus_per_server
    seconds = [layout.step_seconds for layout in made.layouts]
    assert seconds == sorted(seconds)
    assert all(layout.fits for layout in made.layouts)


def test_sizes_that_do_not_divide_are_counted_by_reason() -> None:
    made = plan(SMALL, "h100", 32, 8, chunks=1, micro_batch=1)
    # Counted again, size by size; 14 is the 12 layers and the two ends that may stand for one each
    refused = dict.fromkeys(made.rejected, 0)
    for tensor in divisors(32):
        for pipeline in divisors(32 // tensor):
            data = 32 // tensor // pipeline
            if 12 % tensor:
                refused["attention heads not divisible by tensor"] += 1
            elif 12 % pipeline and 14 % pipeline:
                refused["layers not divisible by pipeline"] += 1
            elif 8 % data:
                refused["batch not divisible by data"] += 1
    assert made.rejected == refused
    assert sum(refused.values()) < 21


def test_a_model_that_fits_nowhere_is_a_plan_without_layouts() -> None:
    made = plan("megatron-1t", "a100", 8, 8)
    assert made.layouts == ()
    assert made.best is None
    assert made.rejected["too little memory"] > 0


def test_llama_3_is_cut_with_a_layer_fewer_at_both_ends() -> None:
    assert split_layers(126, 16) == Split(16, 8, short_ends=True)
    layout = lay_out("llama-3-405b", "h100", 16384, 2048, tensor=8, pipeline=16, zero=1)
    assert layout.data == 128
    assert split_layers(126, 11) is None


def test_tensor_parallelism_across_servers_is_slower_and_why_says_how_much() -> None:
    made = plan("llama-13b", "h100", 64, 256, efficiency=0.5)
    best = made.best
    assert best is not None
    inside, across = (
        lay_out("llama-13b", "h100", 64, 256, tensor=8, pipeline=1, zero=1, tensor_inside=place, efficiency=0.5)
        for place in (True, False)
    )
    assert across.step_seconds > inside.step_seconds
    reasons = {reason.part: reason for reason in why(made, across)}
    assert reasons["tensor"].cause == "crosses servers"
    # Each of the 8 GPUs in a server of its own: the ring's links are the network's, a ninth as fast
    assert reasons["tensor"].figures["times_as_long"] == pytest.approx(450 / 50)


def test_why_accounts_for_the_whole_difference() -> None:
    made = plan("llama-7b", "h100", 16, 64)
    best = made.best
    assert best is not None
    assert why(made, best) == ()
    slow = made.layouts[-1]
    lost = sum(reason.extra for reason in why(made, slow))
    saved = sum(max(0.0, getattr(best.parts, part) - getattr(slow.parts, part)) for part in PARTS)
    assert lost - saved == pytest.approx(slow.step_seconds - best.step_seconds)


def test_why_names_memory_first() -> None:
    made = plan("llama-70b", "h100", 64, 64)
    whole = lay_out("llama-70b", "h100", 64, 64, tensor=1, pipeline=1)
    reason = why(made, whole)[0]
    assert (whole.fits, whole.limits[0], reason.part, reason.unit) == (False, "memory", "memory", "B")
    assert reason.extra == reason.figures["over"] == whole.bytes_per_gpu - 80e9
    with pytest.raises(BadArgument, match="GPUs"):
        why(made, lay_out("llama-70b", "h100", 8, 64, tensor=1, pipeline=1))


def test_tokens_become_days() -> None:
    layout = lay_out("llama-7b", "h100", 64, 64, tensor=1, pipeline=1)
    seconds = layout.seconds_for(2e12)
    assert seconds == pytest.approx(2e12 / (64 * 4096) * layout.step_seconds)
    assert layout.gpu_hours_for(2e12) == pytest.approx(64 * seconds / 3600)


def test_a_search_shows_its_progress_and_can_be_stopped() -> None:
    seen: list[tuple[int, int]] = []
    plan(SMALL, "h100", 8, 8, progress=lambda done, of: seen.append((done, of)))
    assert [done for done, _ in seen] == list(range(seen[0][1]))

    def stop(done: int, of: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plan(SMALL, "h100", 8, 8, progress=stop)


# Properties

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


# Bad input


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"gpus": 0}, "gpus is 0"),
        ({"gpus": 2.5}, "gpus is 2.5"),
        ({"global_batch": -1}, "global_batch is -1"),
        ({"sequence": 0}, "sequence is 0"),
        ({"model": "gpt-9"}, "model is 'gpt-9'"),
        ({"hardware": "abacus"}, "hardware is 'abacus'"),
        ({"tensor": 3}, "tensor is 3; accepted: a divisor of the 8 GPUs"),
        ({"data": 4, "tensor": 4}, "data x tensor is '4 x 4'"),
        ({"data": 2, "tensor": 1, "pipeline": 2}, "a product that is 8"),
        ({"zero": 4}, "zero is 4"),
        ({"micro_batch": 0}, "micro_batch is 0"),
        ({"chunks": 0}, "chunks is 0"),
        ({"checkpointing": "some"}, "checkpointing is 'some'; accepted: none, selective, full"),
        ({"tensor_inside": "yes"}, "tensor_inside is 'yes'"),
        ({"experts": 8}, "choice is 'experts'"),
        ({"efficiency": 1.5}, "efficiency is 1.5"),
        ({"efficiency": float("nan")}, "efficiency is nan"),
        ({"sequence_parallel": 1}, "sequence_parallel is 1"),
        ({"gradient_bytes": -2}, "gradient_bytes is -2"),
    ],
)
def test_bad_input_is_named(changed: dict[str, Any], words: str) -> None:
    arguments: dict[str, Any] = {"model": "llama-7b", "hardware": "h100", "gpus": 8, "global_batch": 8} | changed
    with pytest.raises(BadArgument) as caught:
        plan(**arguments)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({}, "data is None; accepted: a size"),
        ({"tensor": 1}, "data is None"),
        ({"tensor": 8, "pipeline": 1, "zero": 1}, "zero is 1"),
        ({"tensor": 1, "pipeline": 1, "chunks": 2}, "chunks is 2"),
        ({"tensor": 1, "pipeline": 8, "micro_batch": 3}, "micro_batch is 3"),
        ({"tensor": 8, "pipeline": 1, "tensor_inside": False}, "tensor_inside is False; accepted: True"),
    ],
)
def test_a_layout_that_cannot_be_is_named(choices: dict[str, Any], words: str) -> None:
    with pytest.raises(BadArgument) as caught:
        lay_out("llama-7b", "h100", 8, 8, **choices)
    assert words in str(caught.value)
    with pytest.raises(BadArgument, match="heads not divisible"):
        lay_out(SMALL, "h100", 8, 8, tensor=8, pipeline=1)
