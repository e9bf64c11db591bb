"""What the planner finds and refuses, why one layout is better than another, and bad input."""

from __future__ import annotations

from typing import Any

import pytest

from simlib import hardware
from simlib.errors import BadArgument
from simlib.planner import PARTS, lay_out, plan, why
from simlib.planner.choices import divisors
from simlib.planner.stages import Split, split_layers
from simlib.transformer import Transformer

SMALL = Transformer(layers=12, hidden=768, heads=12, vocab=50304, sequence=1024, biases=True, norm_parameters=2)


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
