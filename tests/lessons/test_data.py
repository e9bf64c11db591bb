"""The lesson on data parallelism: every fact taught and asked, every figure, reply and typed form as it should be.

Expected figures are worked out by hand from the papers' formulas; none comes from the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tutor.answers import cells
from tutor.answers.judge import judge
from tutor.course.model import CHOICE, CHOICES, NUMBER, ORDER, Course
from tutor.views.picture import cell
from tutor.views.topics import topic

LESSON = "data"
EXERCISES = {"data_parallel_step", "bucket_gradients"}

# What the course has to teach, and where it is taught and asked
FACTS: dict[str, tuple[tuple[str, str], ...]] = {
    # the same model, parts of the batch, gradients averaged, the same update; accumulation run at once
    "D1": (
        ("data-first-look", "data-what-all-hold"),
        ("data-one-step", "data-gradient-applied"),
        ("data-global-batch", "data-samples-an-update"),
        ("data-divide", "data-loss-divisor"),
    ),
    # means of means; one worker against four
    "D2": (
        ("data-unequal", "data-loss-of-the-step"),
        ("data-tokens", "data-token-mean"),
        ("data-same-model", "data-four-against-one"),
    ),
    # buckets, last layers first, while the backward pass runs
    "D3": (
        ("data-buckets", "data-order-of-sending"),
        ("data-bucket-size", "data-second-bucket"),
        ("data-overlap", "data-slow-buckets"),
    ),
    # compute, and communication left exposed
    "D4": (("data-step-time", "data-one-bucket-step"),),
    # a slow link
    "D5": (("data-slow-link", "data-slow-step"),),
    # larger batches, up to the critical one
    "D6": (("data-rate", "data-linear-rule"), ("data-critical", "data-beyond-critical")),
}

# Seconds of LLaMA 7B on 64 H100 with 2**20 tokens: 6P + 12 L H Q T FLOPs a token, 0.473 of 989 TFLOP/s; and its ring
PARAMS = 6_738_415_616
COMPUTE = 2**20 * (6 * PARAMS + 12 * 32 * 32 * 128 * 4096) / (64 * 0.473 * 989e12)
SYNC = 2 * 63 / 64 * 2 * PARAMS / 50e9

# Question, variables of one member, the right value in base units: worked out by hand
FIGURES: list[tuple[str, dict[str, Any], Any]] = [
    ("data-what-all-hold", {}, "mean"),
    ("data-gradient-applied", {"second": 0.4}, 0.3),
    ("data-gradient-applied", {"second": 0.8}, 0.5),
    ("data-samples-an-update", {"steps": 8, "gpus": 16}, 512),
    ("data-samples-an-update", {"steps": 32, "gpus": 64}, 8192),
    ("data-loss-divisor", {"steps": 4}, 4),
    ("data-loss-of-the-step", {"many": 6}, 2),  # (6 + 10) / 8
    ("data-loss-of-the-step", {"many": 14}, 1.5),  # (14 + 10) / 16
    ("data-token-mean", {"long": 100}, 320 / 110),
    ("data-token-mean", {"long": 40}, 2.8),  # (20 + 120) / 50
    ("data-four-against-one", {}, "last-bits"),
    ("data-inputs-wrong", {}, ["no-sampler", "no-epoch", "one-noise", "short", "scores", "batch-norm"]),
    ("data-true-of-ddp", {}, ["rank-0-saves", "own-states"]),
    ("data-sent-and-clipped", {}, ["no-sync", "clip-mean"]),
    ("data-linear-rule", {"now": 4}, 0.015),
    ("data-linear-rule", {"now": 16}, 0.06),
    ("data-schedule-end", {"gpus": 4}, 250),
    ("data-schedule-end", {"gpus": 8}, 125),
    ("data-beyond-critical", {"times": 4}, 1.6),  # 2 / 1.25
    ("data-beyond-critical", {"times": 16}, 32 / 17),
    ("data-order-of-sending", {}, ["output", "block-1", "block-0", "embedding"]),
    ("data-second-bucket", {"each": 8}, 32 * 2**20),  # 24 is below 25
    ("data-second-bucket", {"each": 12}, 36 * 2**20),
    ("data-second-bucket", {"each": 11}, 33 * 2**20),
    ("data-slow-buckets", {"message": 0.02}, 0.09),  # 10 to 30, to 50, to 70, to 90 ms
    ("data-slow-buckets", {"message": 0.015}, 0.07),
    ("data-one-bucket-step", {"tokens": 1048576}, COMPUTE + SYNC),  # 2.17
    ("data-one-bucket-step", {"tokens": 2097152}, 2 * COMPUTE + SYNC),
    ("data-slow-step", {"slower": 10}, COMPUTE / 3 + 10 * SYNC),
    ("data-slow-step", {"slower": 100}, COMPUTE / 3 + 100 * SYNC),
]

# The same answers as people type them, for the member that the lesson shows
TYPED: dict[str, tuple[str, ...]] = {
    "data-what-all-hold": ("mean", "The mean of the three workers' gradients"),
    "data-gradient-applied": ("0.3", "(0.2+0.4)/2", "3/10", ".3"),
    "data-samples-an-update": ("512", "4*8*16", "512 samples"),
    "data-loss-divisor": ("4", "4.0"),
    "data-loss-of-the-step": ("2", "16/8", "(6*1+2*5)/8"),
    "data-token-mean": ("2.909", "320/110", "2.91"),
    "data-four-against-one": ("last-bits",),
    "data-inputs-wrong": ("no-sampler, no-epoch, one-noise, short, scores, batch-norm", "1 2 4 5 6 7"),
    "data-true-of-ddp": ("rank-0-saves, own-states", "own-states rank-0-saves", "1, 3"),
    "data-sent-and-clipped": ("no-sync, clip-mean", "4 2"),
    "data-linear-rule": ("0.015", "0.03/2", "0.03*128/256", "1.5e-2"),
    "data-schedule-end": ("250", "1000/4", "250 updates"),
    "data-beyond-critical": ("1.6", "1.6x", "2/1.25"),
    "data-order-of-sending": ("output, block-1, block-0, embedding", "output > block-1 > block-0 > embedding"),
    "data-second-bucket": ("32 MiB", "32", "4*8", "33.6 MB", "33554432 B"),
    "data-slow-buckets": ("90 ms", "0.09 s", "10+4*20", "90"),
    "data-one-bucket-step": ("2.17 s", "1.64+0.53", "2.17", "2170 ms"),
    "data-slow-step": ("5.85 s", "5.85", "1.642/3+5.307"),
}

# What the prose of a step has to say, with its figures filled in
PROSE: dict[str, tuple[str, ...]] = {
    "data-first-look": ("The question of this lesson",),
    "data-one-step": ("same update", "Li et al. 2020", "no weight is ever sent"),
    "data-global-batch": ("micro-batches run at once",),
    "data-unequal": ("if all have equally many",),
    "data-same-model": ("16 windows", "rounded differently"),
    "data-bucket-size": ("1 MiB", "25 MiB"),
    "data-step-time": ("1.64 s", "0.531 s", "two thirds"),
    "data-critical": ("McCandlish et al. (2018)", "critical batch size"),
}

# What learners are known to believe, and the answer that shows it: question, what they would type, the belief
MISTAKES: list[tuple[str, str, str]] = [
    ("data-gradient-applied", "0.6", "sum-for-mean"),
    ("data-gradient-applied", "0.15", "averaged-twice"),
    ("data-samples-an-update", "32", "batch-without-gpus"),
    ("data-samples-an-update", "4", "ddp-splits-the-loader-batch"),
    ("data-loss-divisor", "1", "accumulate-undivided"),
    ("data-loss-divisor", "32", "averaged-twice"),
    ("data-loss-divisor", "1/2", "loss-times-world-size"),
    ("data-loss-of-the-step", "3", "mean-of-unequal-means"),
    ("data-loss-of-the-step", "6", "logged-sum"),
    ("data-loss-of-the-step", "1", "rank-0-loss-is-the-loss"),
    ("data-token-mean", "2.5", "token-mean-of-means"),
    ("data-schedule-end", "1000", "schedule-in-optimizer-steps"),
    ("data-sent-and-clipped", "no-sync, clip-mean, clip-each", "clip-each-micro-batch"),
    ("data-inputs-wrong", "no-epoch, one-noise, short, scores, batch-norm", "launching-splits-the-data"),
    ("data-inputs-wrong", "no-sampler, one-noise, short, scores, batch-norm", "set-epoch-forgotten"),
    ("data-inputs-wrong", "no-sampler, no-epoch, short, scores, batch-norm", "same-seed-for-noise"),
    ("data-inputs-wrong", "no-sampler, no-epoch, one-noise, scores, batch-norm", "short-rank-just-stops"),
    ("data-inputs-wrong", "no-sampler, no-epoch, one-noise, short, batch-norm", "sampler-counts-each-once"),
    ("data-inputs-wrong", "no-sampler, no-epoch, one-noise, short, scores", "batch-norm-sees-all"),
    ("data-true-of-ddp", "own-states", "ddp-shards-the-model"),
    ("data-true-of-ddp", "rank-0-saves", "ddp-shards-the-model"),
    ("data-true-of-ddp", "rank-0-saves, own-states, local-saves", "local-rank-0-writes"),
    ("data-sent-and-clipped", "no-sync, clip-mean, by-itself", "one-sync-by-itself"),
    ("data-true-of-ddp", "rank-0-saves, own-states, inner", "module-bypasses-ddp"),
    ("data-true-of-ddp", "rank-0-saves, own-states, unused", "unused-parameter-is-harmless"),
    ("data-sent-and-clipped", "no-sync, clip-mean, clip-early", "clip-before-average"),
    ("data-true-of-ddp", "rank-0-saves, own-states, no-memory", "ddp-adds-no-memory"),
    ("data-true-of-ddp", "rank-0-saves, own-states, device", "global-rank-as-device"),
    ("data-linear-rule", "0.03", "rate-from-batch-per-gpu"),
    ("data-linear-rule", "0.0075", "averaging-shrinks-the-rate"),
    ("data-order-of-sending", "embedding, block-0, block-1, output", "first-layer-first"),
    ("data-second-bucket", "24 MiB", "bucket-stays-below-its-cap"),
    ("data-slow-buckets", "40 ms", "overlap-hides-all"),
    ("data-slow-buckets", "120 ms", "one-big-bucket"),
    ("data-one-bucket-step", "1.64 s", "one-big-bucket"),
    ("data-slow-step", "1.64 s", "overlap-hides-all"),
    ("data-slow-step", "5.31 s", "forward-hides-too"),
    ("data-slow-step", "4.213 s", "computing-takes-no-time"),  # 5.307 less two thirds of 1.642
]


# Facts


@pytest.mark.parametrize("fact", FACTS)
def test_each_fact_is_taught_and_asked_in_one_step(fact: str, taught_and_asked: Callable[..., None]) -> None:
    taught_and_asked(FACTS[fact])


@pytest.mark.parametrize("step_id", PROSE)
def test_the_prose_has_the_figures(step_id: str, says: Callable[..., None]) -> None:
    says(step_id, PROSE[step_id])


def test_the_first_picture_ends_with_the_mean_on_every_worker(course: Course) -> None:
    live = course.live("data-mean-of-three")
    assert live is not None
    look, last = cells.lookup_in(live), cells.scene(live).last_step
    shown = [[look({"step": last, "worker": worker, "chunk": chunk}) for chunk in range(3)] for worker in range(3)]
    assert shown == [[5, 5, 3]] * 3  # 15 / 3, 15 / 3, 9 / 3


def test_the_picture_of_the_overlap_leaves_one_bucket_exposed(course: Course) -> None:
    """A layer every 10 ms, 5 ms for a bucket: 10 to 15, 20 to 25, 30 to 35, 40 to 45."""
    live = course.live("data-overlap-picture")
    assert live is not None
    look = cells.lookup_in(live)
    ends = [look({"bucket": bucket, "part": "end"}) for bucket in range(4)]
    assert ends == pytest.approx([0.015, 0.025, 0.035, 0.045])


@pytest.mark.parametrize(("slower", "seconds"), [(1, COMPUTE), (10, COMPUTE / 3 + 10 * SYNC), (100, 53.61)])
def test_the_picture_of_a_step_agrees_with_the_answers(course: Course, slower: int, seconds: float) -> None:
    live = course.live("data-step-slower")
    assert live is not None
    shown = topic(live.topic).scene({**live.parameters, "bandwidth_factor": 1 / slower}).cells(0)
    assert shown[cell(way="overlapped", part="step")] == pytest.approx(seconds, rel=1e-4)
    if slower == 1:
        assert (round(COMPUTE, 2), round(SYNC, 2), round(COMPUTE + SYNC, 2)) == (1.64, 0.53, 2.17)


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
    alternates(LESSON, EXERCISES)


def test_the_lesson_asks_in_many_kinds(course: Course) -> None:
    lesson = course.lesson(LESSON)
    assert lesson is not None
    kinds = {step.question.kind for step in lesson.steps if step.question}
    assert kinds == {NUMBER, CHOICE, CHOICES, ORDER}
