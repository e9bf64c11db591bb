"""The lesson on the libraries: each is taught and asked about; every figure, reply and typed form as it should be.

Expected figures are worked out by hand from what the libraries document; none comes from the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tutor.answers import cells
from tutor.answers.judge import judge
from tutor.course.model import CHOICE, CHOICES, NUMBER, ORDER, Course
from tutor.views.picture import cell

LESSON = "libraries"

# What the course has to teach of each library, and where it is taught and asked
FACTS: dict[str, tuple[tuple[str, str], ...]] = {
    "NCCL": (
        ("libraries-nccl", "libraries-recvcount"),
        ("libraries-busbw", "libraries-busbw-of-line"),
        ("libraries-busbw-to-seconds", "libraries-seconds-of-gradients"),
    ),
    "PyTorch DDP": (("libraries-ddp", "libraries-ddp-batch"),),
    "PyTorch FSDP": (
        ("libraries-first-look", "libraries-full-shard"),
        ("libraries-fsdp-strategies", "libraries-strategies-by-memory"),
        ("libraries-fully-shard", "libraries-no-reshard-weights"),
    ),
    "DeepSpeed": (
        ("libraries-deepspeed-batch", "libraries-train-batch-size"),
        ("libraries-deepspeed-bytes", "libraries-deepspeed-states"),
        ("libraries-offload", "libraries-offload-true"),
    ),
    "Megatron-LM and Megatron-Core": (
        ("libraries-megatron-data", "libraries-megatron-data-size"),
        ("libraries-megatron-micro-batches", "libraries-megatron-m"),
        ("libraries-megatron-interleaved", "libraries-megatron-bubble"),
        ("libraries-distributed-optimizer", "libraries-distributed-optimizer-bytes"),
    ),
    "torchtitan": (("libraries-torchtitan", "libraries-titan-tokens"),),
    "nanotron": (("libraries-nanotron", "libraries-nanotron-bubble"),),
    # the same thing under all of these names
    "names": (("libraries-same-thing", "libraries-names-of-stage-2"),),
}

GRADIENTS = 2 * 6_738_415_616  # LLaMA 7B, bf16
STAGE_2 = ["deepspeed-2", "grad-op", "no-reshard", "optim-grads", "never"]

# Question, variables of one member, the right value in base units: worked out by hand
FIGURES: list[tuple[str, dict[str, Any], Any]] = [
    ("libraries-full-shard", {}, "stage-3"),
    ("libraries-recvcount", {"gpus": 8, "millions": 5}, 160e6),  # 8 slices of 5 million fp32 numbers
    ("libraries-recvcount", {"gpus": 16, "millions": 20}, 1.28e9),
    ("libraries-busbw-of-line", {}, 2**30 / 5113e-6 * 1.75),
    ("libraries-seconds-of-gradients", {"gpus": 16, "rate": 40}, 1.875 * GRADIENTS / 40e9),
    ("libraries-seconds-of-gradients", {"gpus": 64, "rate": 25}, 1.96875 * GRADIENTS / 25e9),
    ("libraries-ddp-batch", {}, 256),  # 4 samples, 2 backward passes, 32 processes
    ("libraries-strategies-by-memory", {}, ["none", "grad-op", "hybrid", "full"]),  # 112, 15.75, 14, 1.75 GB
    ("libraries-no-reshard-weights", {"billions": 13}, 26e9),
    ("libraries-no-reshard-weights", {"billions": 8}, 16e9),
    ("libraries-train-batch-size", {}, 512),
    ("libraries-deepspeed-states", {"stage": 2}, 2 * 13e9 + 14 * 13e9 / 16),
    ("libraries-deepspeed-states", {"stage": 1}, 4 * 13e9 + 12 * 13e9 / 16),
    ("libraries-offload-true", {}, ["weights-stay", "gradients-travel", "same-update"]),
    ("libraries-megatron-data-size", {}, 4),  # 64 / 16
    ("libraries-megatron-m", {}, 8),  # 64 / (4 x 2)
    ("libraries-megatron-bubble", {}, 3 / 19),  # 8 layers a rank in chunks of 4: v = 2
    ("libraries-distributed-optimizer-bytes", {"gpus": 64}, 9 * 70e9 / 16),  # 6 + 12/4 bytes
    ("libraries-distributed-optimizer-bytes", {"gpus": 128}, 7.5 * 70e9 / 16),  # 6 + 12/8
    ("libraries-titan-tokens", {"gpus": 128}, 524_288),  # 8 ranks of 8 sequences of 8192
    ("libraries-titan-tokens", {"gpus": 256}, 1_048_576),
    ("libraries-nanotron-bubble", {}, 3 / 35),
    ("libraries-names-of-stage-2", {}, STAGE_2),
]

# The same answers as people type them, for the member that the lesson shows
TYPED: dict[str, tuple[str, ...]] = {
    "libraries-full-shard": ("stage-3", "4", "Stage 3"),
    "libraries-recvcount": ("160 MB", "8*5e6*4 B", "160e6 B", "0.16 GB"),
    "libraries-busbw-of-line": ("367.5 GB/s", "367.5", "210*1.75", "0.3675 TB/s"),
    "libraries-seconds-of-gradients": ("0.632 s", "632 ms", "1.875*13.476832/40"),
    "libraries-ddp-batch": ("256", "4*2*32", "256 samples"),
    "libraries-strategies-by-memory": ("none, grad-op, hybrid, full", "none > grad-op > hybrid > full"),
    "libraries-no-reshard-weights": ("26 GB", "26", "24.2 GiB", "2*13"),
    "libraries-train-batch-size": ("512", "4*8*16"),
    "libraries-deepspeed-states": ("37.375 GB", "37.4", "26+14*13/16", "34.8 GiB"),
    "libraries-offload-true": ("weights-stay, gradients-travel, same-update",),
    "libraries-megatron-data-size": ("4", "64/16", "64/(4*4)"),
    "libraries-megatron-m": ("8", "64/(4*2)", "8 micro-batches"),
    "libraries-megatron-bubble": ("3/19", "15.8%", "0.158"),
    "libraries-distributed-optimizer-bytes": ("39.375 GB", "39.4", "9*70/16", "36.7 GiB"),
    "libraries-titan-tokens": ("524288", "524,288", "8*8*8192", "2**19"),
    "libraries-nanotron-bubble": ("3/35", "8.57%", "8.6 %", "0.0857"),
    "libraries-names-of-stage-2": (", ".join(STAGE_2),),
}

# What the prose of a step has to say, with its figures filled in
PROSE: dict[str, tuple[str, ...]] = {
    "libraries-first-look": ("The question of this lesson", "ShardingStrategy.FULL_SHARD"),
    "libraries-nccl": ("ncclReduceScatter", "NCCL_ALGO=Ring", "recvcount"),
    "libraries-busbw": ("all_reduce_perf", "algbw", "busbw"),
    "libraries-ddp": ("bucket_cap_mb", "no_sync", "torchrun"),
    "libraries-fsdp-strategies": ("NO_SHARD", "SHARD_GRAD_OP", "FULL_SHARD", "HYBRID_SHARD", "16 bytes a parameter"),
    "libraries-fully-shard": ("fully_shard", "reshard_after_forward=False", "set_requires_gradient_sync(False)"),
    "libraries-deepspeed-batch": ("train_micro_batch_size_per_gpu", "gradient_accumulation_steps"),
    "libraries-offload": ("offload_optimizer", "offload_param", "CPUOffloadPolicy"),
    "libraries-megatron-data": ("--tensor-model-parallel-size", "--pipeline-model-parallel-size", "Megatron-Core"),
    "libraries-megatron-interleaved": ("--num-layers-per-virtual-pipeline-stage",),
    "libraries-distributed-optimizer": ("--use-distributed-optimizer", "optim_grads_params"),
    "libraries-torchtitan": ("Liang et al. 2024", "data_parallel_shard_degree = -1"),
    "libraries-nanotron": ("Ultrascale Playbook", "batch_accumulation_per_replica", "zero_stage: 1"),
}

# What learners are known to believe, and the answer that shows it: question, what they would type, the belief
MISTAKES: list[tuple[str, str, str]] = [
    ("libraries-recvcount", "20 MB", "all-gather-input-is-total"),
    ("libraries-recvcount", "40 MB", "elements-for-bytes"),
    ("libraries-busbw-of-line", "210 GB/s", "bus-bandwidth-is-size-over-time"),
    ("libraries-busbw-of-line", "183.75 GB/s", "one-phase-only"),
    ("libraries-seconds-of-gradients", "0.337 s", "bus-bandwidth-is-size-over-time"),
    ("libraries-seconds-of-gradients", "0.674 s", "n-for-n-minus-1"),
    ("libraries-ddp-batch", "8", "batch-without-gpus"),
    ("libraries-ddp-batch", "64", "node-is-the-world"),
    ("libraries-ddp-batch", "128", "accumulation-forgotten"),
    ("libraries-strategies-by-memory", "none, grad-op, full, hybrid", "hybrid-shard-over-the-world"),
    ("libraries-strategies-by-memory", "grad-op, none, hybrid, full", "nothing-divided"),
    ("libraries-strategies-by-memory", "none, hybrid, full, grad-op", "no-reshard-still-sharded"),
    ("libraries-no-reshard-weights", "0.40625 GB", "no-reshard-still-sharded"),
    ("libraries-no-reshard-weights", "52 GB", "gathered-in-full-precision"),
    ("libraries-train-batch-size", "32", "batch-without-gpus"),
    ("libraries-deepspeed-states", "13 GB", "stage-1-divides-all"),
    ("libraries-deepspeed-states", "61.75 GB", "stage-shards-one-part"),
    ("libraries-offload-true", "weights-stay, same-update", "offload-needs-no-traffic"),
    ("libraries-offload-true", "weights-stay, gradients-travel, same-update, more-gpus", "offload-takes-the-weights"),
    ("libraries-megatron-data-size", "64", "data-parallel-is-the-world"),
    ("libraries-megatron-data-size", "56", "world-is-the-sum"),
    ("libraries-megatron-m", "32", "micro-batches-ignore-data-parallel"),
    ("libraries-megatron-bubble", "3/35", "layers-per-chunk-for-chunks"),
    ("libraries-megatron-bubble", "3/11", "chunks-change-nothing"),
    ("libraries-megatron-bubble", "3/22", "interleaving-divides-the-share"),
    ("libraries-megatron-bubble", "3/16", "bubble-of-the-wrong-whole"),
    ("libraries-distributed-optimizer-bytes", "30.625 GB", "sixteen-whatever-the-gradients"),
    ("libraries-distributed-optimizer-bytes", "19.6875 GB", "states-over-the-world"),
    ("libraries-titan-tokens", "8388608", "tokens-times-world"),
    ("libraries-nanotron-bubble", "3/11", "accumulation-shared-by-copies"),
    ("libraries-names-of-stage-2", ", ".join([*STAGE_2, "nanotron-1"]), "stage-1-divides-gradients"),
]


# Facts


@pytest.mark.parametrize("library", FACTS)
def test_each_library_is_taught_and_asked_about(library: str, taught_and_asked: Callable[..., None]) -> None:
    taught_and_asked(FACTS[library])


@pytest.mark.parametrize("step_id", PROSE)
def test_the_prose_has_the_names_and_figures(step_id: str, says: Callable[..., None]) -> None:
    says(step_id, PROSE[step_id])


def test_the_pipeline_shown_is_that_of_the_command_line(course: Course) -> None:
    live = course.live("libraries-megatron-pipeline")
    assert live is not None
    shown = cells.scene(live).data()
    assert len(shown["orders"]) == 4
    assert shown["bubble"] == pytest.approx(3 / 11)


def test_the_last_bar_is_the_one_sharded_in_full(course: Course) -> None:
    live = course.live("libraries-four-bars")
    assert live is not None
    shown = cells.scene(live).cells(0)
    assert shown[cell(stage=3, part="total")] == pytest.approx(16 * 7e9 / 16)


# Figures and typed answers


@pytest.mark.parametrize(("question_id", "variables", "value"), FIGURES)
def test_the_right_answer_is_the_one_worked_out_by_hand(
    question_id: str, variables: dict[str, Any], value: Any, comes_to: Callable[..., None]
) -> None:
    comes_to(question_id, variables, value)


def test_every_question_has_a_figure_and_typed_forms(asked_in: Callable[..., set[str]]) -> None:
    assert {question_id for question_id, _, _ in FIGURES} == asked_in([LESSON])
    assert set(TYPED) == asked_in([LESSON])


@pytest.mark.parametrize(("question_id", "text"), [(name, text) for name, forms in TYPED.items() for text in forms])
def test_right_answers_are_right_in_every_form(question_id: str, text: str, takes: Callable[..., None]) -> None:
    takes(question_id, text)


@pytest.mark.parametrize(("question_id", "text", "belief"), MISTAKES)
def test_a_known_belief_is_told_as_what_it_is(course: Course, question_id: str, text: str, belief: str) -> None:
    verdict = judge(course, course.questions()[question_id], text)
    assert not verdict.right
    assert verdict.misconception == belief


# The shape of the lesson


def test_the_lesson_begins_with_a_picture(begins_with_a_picture: Callable[..., None]) -> None:
    begins_with_a_picture(LESSON)


def test_the_lesson_alternates_reading_and_doing(alternates: Callable[..., None]) -> None:
    alternates(LESSON, set())


def test_the_lesson_asks_in_many_kinds(course: Course) -> None:
    lesson = course.lesson(LESSON)
    assert lesson is not None
    kinds = {step.question.kind for step in lesson.steps if step.question}
    assert kinds == {NUMBER, CHOICE, CHOICES, ORDER}
