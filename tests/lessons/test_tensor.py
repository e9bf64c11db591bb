"""The lesson on tensor parallelism: every fact taught and asked, every figure, reply and typed form as it should be.

Expected figures are worked out by hand from the papers' formulas; none comes from the engine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from tutor.answers import cells
from tutor.answers.judge import judge
from tutor.course.model import CHOICE, CHOICES, NUMBER, TABLE, Course

LESSON = "tensor"
EXERCISES = {"tensor_parallel_mlp", "tensor_parallel_attention"}

# What the course has to teach, and where it is taught and asked
FACTS: dict[str, tuple[tuple[str, str], ...]] = {
    # A by columns, B by rows, one all-reduce
    "T1": (
        ("tensor-first-look", "tensor-where-they-meet"),
        ("tensor-by-hand", "tensor-partial-outputs"),
        ("tensor-meetings", "tensor-mlp-collectives"),
        ("tensor-bias", "tensor-bias-once"),
    ),
    # rows first
    "T2": (("tensor-wrong-way", "tensor-gelu-of-a-sum"),),
    # heads; collectives inside every layer, so inside a server
    "T3": (
        ("tensor-heads", "tensor-largest-split"),
        ("tensor-backward-out", "tensor-gradient-behind"),
        ("tensor-backward-in", "tensor-gradient-in-front"),
        ("tensor-count", "tensor-all-reduces-a-step"),
        ("tensor-bytes", "tensor-bytes-in-one"),
        ("tensor-servers", "tensor-two-servers"),
    ),
    # sequence parallelism
    "T4": (
        ("tensor-activations", "tensor-activation-bytes"),
        ("tensor-sequence", "tensor-sequence-bytes"),
        ("tensor-sequence-facts", "tensor-true-of-sequence"),
    ),
}


def gelu(x: float) -> float:
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


# An 80-layer model's output for 4,096 tokens, in bytes; a layer of hidden size 4096 and 2,048 tokens
OUTPUT = 4096 * 8192 * 2
SBH = 2048 * 4096

# Question, variables of one member, the right value in base units: worked out by hand
FIGURES: list[tuple[str, dict[str, Any], Any]] = [
    ("tensor-where-they-meet", {}, "at-the-end"),
    ("tensor-gelu-of-a-sum", {"first": 0.25}, gelu(1.25)),
    ("tensor-gelu-of-a-sum", {"first": 0.5}, gelu(1.5)),
    ("tensor-mlp-collectives", {"layers": 32}, 32),
    ("tensor-bias-once", {"gpus": 4, "bias": 100}, 130),
    ("tensor-bias-once", {"gpus": 2, "bias": 40}, 70),
    ("tensor-largest-split", {"heads": 28}, 7),
    ("tensor-largest-split", {"heads": 12}, 6),
    ("tensor-largest-split", {"heads": 20}, 5),
    ("tensor-gradient-behind", {"gpus": 8, "gradient": 0.5}, 0.5),
    ("tensor-gradient-behind", {"gpus": 4, "gradient": 0.3}, 0.3),
    ("tensor-gradient-in-front", {"first": 0.2}, 0.5),
    ("tensor-gradient-in-front", {"first": 0.6}, 0.9),
    ("tensor-all-reduces-a-step", {"micro_batches": 8}, 4 * 32 * 8),
    ("tensor-bytes-in-one", {"gpus": 4}, 1.5 * OUTPUT),
    ("tensor-bytes-in-one", {"gpus": 8}, 1.75 * OUTPUT),
    ("tensor-two-servers", {"sequence": 4096}, 4 * 80 * 2 * 15 / 16 * OUTPUT / 50e9),
    ("tensor-two-servers", {"sequence": 8192}, 4 * 80 * 2 * 15 / 16 * 2 * OUTPUT / 50e9),
    ("tensor-same-on-all", {}, ["samples", "norm", "bias", "stream-mask"]),
    ("tensor-clip-norm", {"whole": 12}, 13),
    ("tensor-clip-norm", {"whole": 2}, math.sqrt(29)),
    ("tensor-different-samples", {"tensor": 4}, 4),
    ("tensor-different-samples", {"tensor": 2}, 8),
    ("tensor-vocabulary-loss", {"right": 0}, math.log(4)),
    ("tensor-vocabulary-loss", {"right": 2}, math.log(math.exp(2) + 3) - 2),
    ("tensor-activation-bytes", {"gpus": 8}, SBH * (10 + 3 + 5 * 32 * 2048 / 4096 / 8)),
    ("tensor-activation-bytes", {"gpus": 4}, SBH * (10 + 6 + 5 * 32 * 2048 / 4096 / 4)),
    ("tensor-sequence-bytes", {"gpus": 8}, 1.75 * OUTPUT),
    ("tensor-true-of-sequence", {}, ["all-tokens", "sum-norms", "own-masks"]),
]

# The same answers as people type them, for the member that the lesson shows
TYPED: dict[str, tuple[str, ...]] = {
    "tensor-where-they-meet": ("at-the-end",),
    "tensor-partial-outputs": ("3.637 0.841; 0.841 2.796", "3.637 .841\n.841 2.796", "1.955+2*0.841 0.841 0.841 2.8"),
    "tensor-gelu-of-a-sum": ("1.400", "1.39957"),
    "tensor-mlp-collectives": ("32", "32 collectives", "1*32"),
    "tensor-bias-once": ("130", "30+100"),
    "tensor-largest-split": ("7", "7 GPUs", "28/4"),
    "tensor-gradient-behind": ("0.5", "1/2"),
    "tensor-gradient-in-front": ("0.5", "0.2+0.3"),
    "tensor-all-reduces-a-step": ("1024", "4*32*8", "1,024"),
    "tensor-bytes-in-one": ("101 MB", "100.66", "96 MiB", "1.5*67.1"),
    "tensor-two-servers": ("0.805 s", "805 ms", "0.805"),
    "tensor-same-on-all": ("samples, norm, bias, stream-mask", "1 2 3 4"),
    "tensor-clip-norm": ("13", "sqrt(9+16+144)"),
    "tensor-different-samples": ("4", "8/4*2", "4 samples"),
    "tensor-vocabulary-loss": ("1.386", "1.39", "log(4)", "ln(4)", "log(exp(0) + 3)"),
    "tensor-activation-bytes": ("193 MB", "184 MiB", "192.9"),
    "tensor-sequence-bytes": ("117.4 MB", "117.44", "112 MiB"),
    "tensor-true-of-sequence": ("all-tokens, sum-norms, own-masks", "1, 2, 3"),
}

# What the prose of a step has to say, with its figures filled in
PROSE: dict[str, tuple[str, ...]] = {
    "tensor-first-look": ("The question of this lesson", "Y = GeLU(X A) B"),
    "tensor-by-hand": ("Shoeybi et al. 2019", "column-parallel", "row-parallel"),
    "tensor-count": ("all-reduce     nothing", "needs 4 all-reduces", "there are 6"),
    "tensor-servers": ("450 GB/s", "50 GB/s", "83.5 ms"),
    "tensor-alike": ("two streams of random numbers",),
    "tensor-activations": ("Korthikanti et al. 2022", "10 + 24 / t"),
    "tensor-sequence": ("Korthikanti et al. 2022", "reduce-scatter"),
}

# What learners are known to believe, and the answer that shows it: question, what they would type, the belief
MISTAKES: list[tuple[str, str, str]] = [
    ("tensor-where-they-meet", "before-b", "gather-between-the-matrices"),
    ("tensor-mlp-collectives", "64", "gather-between-the-matrices"),
    ("tensor-gelu-of-a-sum", "1.187", "rows-first"),
    ("tensor-bias-once", "230", "bias-on-every-rank"),
    ("tensor-largest-split", "8", "any-t-divides-heads"),
    ("tensor-gradient-behind", "2", "all-reduce-transposes-to-all-reduce"),
    ("tensor-gradient-in-front", "0.2", "no-backward-all-reduce"),
    ("tensor-all-reduces-a-step", "512", "two-all-reduces-a-layer"),
    ("tensor-bytes-in-one", "33.6 MB", "tensor-traffic-falls-with-t"),
    ("tensor-two-servers", "0.0895 s", "tensor-across-servers"),
    ("tensor-two-servers", "83.5 ms", "tensor-across-servers"),
    ("tensor-same-on-all", "samples, bias, stream-mask", "norm-weights-split"),
    ("tensor-same-on-all", "samples, norm, bias", "own-dropout-in-replicated-parts"),
    ("tensor-same-on-all", "norm, bias, stream-mask", "sampler-over-the-world"),
    ("tensor-clip-norm", "17.69", "replicated-counted-t-times"),
    ("tensor-clip-norm", "5", "replicated-left-out"),
    ("tensor-different-samples", "16", "sampler-over-the-world"),
    ("tensor-vocabulary-loss", "0.693", "softmax-of-own-vocabulary"),
    ("tensor-activation-bytes", "119.5 MB", "tensor-divides-all-activations"),
    ("tensor-sequence-bytes", "234.9 MB", "sequence-parallel-doubles-traffic"),
    ("tensor-true-of-sequence", "all-tokens, own-masks", "norm-gradients-need-no-sync"),
    ("tensor-true-of-sequence", "sum-norms, own-masks", "sequence-parallel-splits-attention"),
    ("tensor-true-of-sequence", "all-tokens, sum-norms, own-masks, twice", "sequence-parallel-doubles-traffic"),
    ("tensor-partial-outputs", "4.478 0.841; 0.841 2.796", "partial-outputs-are-whole"),
    ("tensor-partial-outputs", "4 0.841; 0.841 2.796", "no-gelu-between"),
    ("tensor-partial-outputs", "3.637 0.841; 0.841 1.955", "every-gpu-takes-the-first-rows"),
]


# Facts


@pytest.mark.parametrize("fact", FACTS)
def test_each_fact_is_taught_and_asked_in_one_step(fact: str, taught_and_asked: Callable[..., None]) -> None:
    taught_and_asked(FACTS[fact])


@pytest.mark.parametrize("step_id", PROSE)
def test_the_prose_has_the_figures(step_id: str, says: Callable[..., None]) -> None:
    says(step_id, PROSE[step_id])


def test_the_first_picture_is_the_worked_example(course: Course) -> None:
    live = course.live("tensor-two-gpus")
    assert live is not None
    look, last = cells.lookup_in(live), cells.scene(live).last_step

    def found(step: int, name: str, gpu: int) -> list[Any]:
        return [look({"step": step, "gpu": gpu, "matrix": name, "row": 0, "column": at}) for at in range(2)]

    assert found(3, "partial", 0) == pytest.approx([gelu(1), gelu(2)])
    assert found(3, "partial", 1) == pytest.approx([gelu(1), gelu(1)])
    for gpu in range(2):
        whole = found(last, "y", gpu)
        assert whole == pytest.approx([1.682, 2.796], abs=0.0005)


def test_the_wrong_split_is_wrong_by_what_is_asked(course: Course) -> None:
    live = course.live("tensor-split-wrong")
    assert live is not None
    look = cells.lookup_in(live)
    right, wrong = (
        look({"step": 3, "split": split, "matrix": "together", "row": 0, "column": 0}) for split in ("columns", "rows")
    )
    assert (right, wrong) == (pytest.approx(gelu(2)), pytest.approx(2 * gelu(1)))


def test_the_table_asks_for_both_partial_outputs(course: Course) -> None:
    asked = cells.rows(course, course.questions()["tensor-partial-outputs"])
    shown = [[value for _, value in row] for row in asked]
    # X = (2, 1): X A = (2, 1, 1, 2)
    assert shown[0] == pytest.approx([gelu(2) + 2 * gelu(1), gelu(1)])
    assert shown[1] == pytest.approx([gelu(1), gelu(1) + gelu(2)])


# Figures and typed answers


@pytest.mark.parametrize(("question_id", "variables", "value"), FIGURES)
def test_the_right_answer_is_the_one_worked_out_by_hand(
    question_id: str, variables: dict[str, Any], value: Any, comes_to: Callable[..., None]
) -> None:
    comes_to(question_id, variables, value)


def test_every_question_has_a_figure_and_typed_forms(asked_in: Callable[..., set[str]]) -> None:
    tables = {"tensor-partial-outputs"}
    assert {question_id for question_id, _, _ in FIGURES} | tables == asked_in([LESSON])
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
    alternates(LESSON, EXERCISES)


def test_the_lesson_asks_in_many_kinds(course: Course) -> None:
    lesson = course.lesson(LESSON)
    assert lesson is not None
    kinds = {step.question.kind for step in lesson.steps if step.question}
    assert kinds == {NUMBER, CHOICE, CHOICES, TABLE}
