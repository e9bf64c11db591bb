"""One layout against the rest of the engine, and against counts by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from simlib import activations, hardware, models, throughput, zero
from simlib.collectives.costs import hierarchical_all_reduce_time, ring_all_reduce_time
from simlib.pipeline import formulas, schedule
from simlib.planner import Settings, lay_out
from simlib.planner.efficiency import efficiency_of
from simlib.planner.placement import Group, Links
from simlib.planner.stages import Split, kept_sequences
from simlib.planner.work import Work
from simlib.transformer import Transformer, flops_per_step

H100 = hardware.find("h100")


# The machine model of the lessons: one ring over all GPUs
LESSONS = Settings(all_network_cards=False, reserved_bytes=0, efficiency=throughput.MATMUL_EFFICIENCY)


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
