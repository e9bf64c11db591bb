"""The lessons on activations and on utilisation: every fact taught and asked, figures, replies and typed forms.

Expected figures are worked out by hand from the papers' formulas; none comes from the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tutor.answers import cells
from tutor.answers.judge import judge
from tutor.course.model import CHOICE, CHOICES, NUMBER, ORDER, Course

LESSONS = ("activations", "mfu")
EXERCISES = {"activations": {"checkpointed_backward"}, "mfu": set()}

# What the course has to teach, and where it is taught and asked
FACTS: dict[str, tuple[tuple[str, str], ...]] = {
    # some activations stored, the rest recomputed, for about one more forward pass
    "K1": (
        ("activations-full", "activations-full-peak"),
        ("activations-time", "activations-recompute-time"),
        ("activations-every", "activations-best-every"),
        ("activations-transformer", "activations-gpt-every"),
    ),
    # bytes of a layer: whole, tensor-parallel, sequence-parallel, selective, full
    "K2": (
        ("activations-mlp", "activations-mlp-bytes"),
        ("activations-attention", "activations-score-bytes"),
        ("activations-layer", "activations-layer-bytes"),
        ("activations-long", "activations-without-scores"),
        ("activations-tensor", "activations-tensor-bytes"),
        ("activations-sequence", "activations-sequence-saves"),
        ("activations-selective", "activations-selective-bytes"),
        ("activations-pipeline", "activations-first-stage"),
    ),
    # model FLOPs a token over the peak; recomputation counts in HFU alone
    "M1": (
        ("mfu-token", "mfu-flops-a-token"),
        ("mfu-counts", "mfu-what-counts"),
        ("mfu-share", "mfu-of-a-step"),
        ("mfu-hfu", "mfu-with-recompute"),
    ),
    # the machine model's ceiling
    "M2": (("mfu-ceiling", "mfu-shortest-step"),),
    # published runs
    "M3": (
        ("mfu-palm", "mfu-of-palm"),
        ("mfu-megatron", "mfu-of-megatron"),
        ("mfu-published", "mfu-best-first"),
    ),
}

UNIT = 2048 * 12288  # s b h of GPT-3 with one sequence
SMALL = 2048 * 4096
# LLaMA 7B on H100s: 6P + 12 L H Q T FLOPs a token, 0.473 of 989 TFLOP/s, and the ring of its gradients
PARAMS = 6_738_415_616
TOKEN = 6 * PARAMS + 12 * 32 * 32 * 128 * 4096
COMPUTE = 2**20 * TOKEN / (64 * 0.473 * 989e12)
SYNC = 2 * 63 / 64 * 2 * PARAMS / 50e9
PALM_TOKEN = 6 * 540e9 + 12 * 118 * 48 * 256 * 2048
PALM = 238.3e3 * PALM_TOKEN / (6144 * 275e12)
RUN = 6 * 70e9 * 15e12 / (8960 * 459e12 * 0.4)

# Question, variables of one member, the right value in base units: worked out by hand
FIGURES: list[tuple[str, dict[str, Any], Any]] = [
    ("activations-when-most", {}, "end-of-forward"),
    ("activations-what-stays", {}, ["product-input", "gelu-input", "mask", "softmax-output"]),
    ("activations-mlp-bytes", {"h": 4096}, 19 * SMALL),
    ("activations-mlp-bytes", {"h": 12288}, 19 * UNIT),
    ("activations-score-bytes", {"s": 2048}, 5 * 32 * 2048**2),
    ("activations-score-bytes", {"s": 8192}, 5 * 32 * 8192**2),
    ("activations-layer-bytes", {"b": 1}, 114 * SMALL),  # 5 x 32 x 2048 / 4096 = 80
    ("activations-layer-bytes", {"b": 4}, 456 * SMALL),
    ("activations-without-scores", {"s": 2048}, 114 / 34),
    ("activations-without-scores", {"s": 8192}, 354 / 34),
    ("activations-tensor-bytes", {"t": 8}, 23 * UNIT),  # 10 + 3 + 10
    ("activations-tensor-bytes", {"t": 4}, 36 * UNIT),  # 10 + 6 + 20
    ("activations-sequence-saves", {"t": 4}, 96 * 7.5 * UNIT),
    ("activations-sequence-saves", {"t": 2}, 96 * 5 * UNIT),
    ("activations-selective-bytes", {"b": 4}, 9.5625 * 2**30),  # the paper's figure 1
    ("activations-selective-bytes", {"b": 2}, 9.5625 * 2**29),
    ("activations-full-peak", {"b": 1}, (31 * 2 + 114) * SMALL),
    ("activations-full-peak", {"b": 8}, 8 * (31 * 2 + 114) * SMALL),
    ("activations-recompute-time", {"seconds": 6}, 8),
    ("activations-recompute-time", {"seconds": 1.5}, 2),
    ("activations-best-every", {"layers": 100}, 10),
    ("activations-best-every", {"layers": 36}, 6),
    ("activations-gpt-every", {}, "one"),
    ("activations-first-stage", {"p": 8, "b": 1}, 96 * 4.25 * UNIT),
    ("activations-first-stage", {"p": 16, "b": 1}, 96 * 4.25 * UNIT),
    ("activations-first-stage", {"p": 16, "b": 2}, 2 * 96 * 4.25 * UNIT),
    ("activations-largest", {}, 40),  # 60e9 / (1.476e9)
    ("mfu-what-it-says", {}, "of-the-peak"),
    ("mfu-flops-a-token", {"T": 4096}, TOKEN),
    ("mfu-flops-a-token", {"T": 32768}, 6 * PARAMS + 12 * 32 * 4096 * 32768),
    ("mfu-what-counts", {}, ["forward", "weight-gradients", "input-gradients", "masked"]),
    ("mfu-of-a-step", {"tokens": 2**20}, 2**20 * TOKEN / ((COMPUTE + SYNC) * 64 * 989e12)),
    ("mfu-of-a-step", {"tokens": 2**19}, 2**19 * TOKEN / ((COMPUTE / 2 + SYNC) * 64 * 989e12)),
    ("mfu-samples-a-second", {"samples": 2}, 8192 * TOKEN),
    ("mfu-samples-a-second", {"samples": 1.5}, 6144 * TOKEN),
    ("mfu-tokens-a-step", {"gpus": 64, "t": 8}, 8 * 24 * 4096),
    ("mfu-tokens-a-step", {"gpus": 128, "t": 4}, 32 * 24 * 4096),
    ("mfu-dense-peak", {"achieved": 360}, 360 / 989),
    ("mfu-dense-peak", {"achieved": 445}, 445 / 989),
    ("mfu-smi-says-all", {"achieved": 100}, 100 / 989),
    ("mfu-smi-says-all", {"achieved": 250}, 250 / 989),
    ("mfu-shortest-step", {"gpus": 32}, 2 * COMPUTE),
    ("mfu-shortest-step", {"gpus": 128}, COMPUTE / 2),
    ("mfu-with-recompute", {}, "mfu-falls"),
    ("mfu-of-megatron", {}, 0.39),  # 0.52 x 6 / 8
    ("mfu-of-palm", {}, PALM),
    ("mfu-best-first", {}, ["palm", "llama-8k", "llama-16k", "megatron"]),
    ("mfu-days", {"chips": 8960}, RUN),
    ("mfu-days", {"chips": 4480}, 2 * RUN),
    ("mfu-strong-efficiency", {"many": 20}, 0.75),
    ("mfu-strong-efficiency", {"many": 18}, 60 / 18 / 4),
    ("mfu-weak-speed-up", {"gpus": 8, "many": 280}, 50 / 7),
    ("mfu-weak-speed-up", {"gpus": 16, "many": 310}, 16 * 250 / 310),
    ("mfu-steps-needed", {"k": 8}, 1125),
    ("mfu-steps-needed", {"k": 4}, 1250),
]

# The same answers as people type them, for the member that the lesson shows
TYPED: dict[str, tuple[str, ...]] = {
    "activations-when-most": ("end-of-forward",),
    "activations-what-stays": ("mask, product-input, gelu-input, softmax-output", "1 3 4 6"),
    "activations-mlp-bytes": ("159.4 MB", "19*2048*4096", "152 MiB", "159383552"),
    "activations-score-bytes": ("671 MB", "5*32*2048*2048", "0.671 GB", "640 MiB"),
    "activations-layer-bytes": ("956.3 MB", "0.956 GB", "114*2048*4096", "912 MiB"),
    "activations-without-scores": ("3.35", "114/34", "3.35x", "(34+80)/34"),
    "activations-tensor-bytes": ("579 MB", "23*2048*12288", "0.579 GB", "552 MiB"),
    "activations-sequence-saves": ("18.1 GB", "96*7.5*2048*12288", "18119 MB", "16.875 GiB"),
    "activations-selective-bytes": ("10.27 GB", "9.5625 GiB", "10.27"),
    "activations-full-peak": ("1.476 GB", "1476 MB", "(31*2+114)*2048*4096", "1.375 GiB"),
    "activations-recompute-time": ("8 s", "8", "6*4/3", "6+2"),
    "activations-best-every": ("10", "10 layers", "100**0.5"),
    "activations-gpt-every": ("one", "1"),
    "activations-first-stage": ("10.27 GB", "96*4.25*2048*12288", "9.5625 GiB"),
    "activations-largest": ("40", "40 sequences"),
    "mfu-what-it-says": ("of-the-peak",),
    "mfu-flops-a-token": ("91.97 GFLOP", "92", "9.197e10 FLOP", "6*6.738+12*32*32*128*32768/1e9"),
    "mfu-what-counts": ("forward, masked, weight-gradients, input-gradients",),
    "mfu-of-a-step": ("35.7%", "0.357", "0.36", "35.7"),
    "mfu-samples-a-second": ("384 TFLOP/s", "384", "2*4096*46.87e9 FLOP/s"),
    "mfu-tokens-a-step": ("786432", "786,432 tokens", "8*6*4*4096"),
    "mfu-dense-peak": ("36.4%", "0.364", "360/989", "36.4"),
    "mfu-smi-says-all": ("10.1%", "0.101", "100/989"),
    "mfu-shortest-step": ("3.28 s", "3.28", "1.553/0.473", "3283 ms"),
    "mfu-with-recompute": ("mfu-falls",),
    "mfu-of-megatron": ("39%", "0.39", "0.52*6/8", "52*3/4%"),
    "mfu-of-palm": ("46.2%", "0.462", "46.1 %"),
    "mfu-best-first": ("palm, llama-8k, llama-16k, megatron",),
    "mfu-days": ("44.3 days", "44.3", "44 days", "3829657 s", "1064 h"),
    "mfu-strong-efficiency": ("75%", "0.75", "60/20/4", "3/4"),
    "mfu-weak-speed-up": ("7.14", "7.1", "7.14x", "(250*16/280)/(250*2/250)"),
    "mfu-steps-needed": ("1125", "1,125 steps", "1000*(1+1/8)"),
}

# What the prose of a step has to say, with its figures filled in
PROSE: dict[str, tuple[str, ...]] = {
    "activations-first-look": ("The question of this lesson",),
    "activations-layer": ("2.87 GB",),
    "activations-long": ("Dao et al. 2022",),
    "activations-selective": ("2.8%",),
    "activations-full": ("Chen et al. 2016",),
    "activations-transformer": ("GPT-3 57 times",),
    "mfu-first-look": ("The question of this lesson",),
    "mfu-counts": ("Chowdhery et al. 2022",),
    "mfu-share": ("47.3%",),
    "mfu-ceiling": ("47.3%",),
    "mfu-megatron": ("3,072", "312 TFLOP/s", "502 PFLOP/s", "52.4%"),
    "mfu-palm": ("6,144",),
    "mfu-published": ("16,384", "41%", "43%", "38%", "52%", "46.2%"),
}

# What learners are known to believe, and the answer that shows it: question, what they would type, the belief
MISTAKES: list[tuple[str, str, str]] = [
    ("activations-what-stays", "mask, product-input, gelu-input, softmax-output, terms", "every-array-is-kept"),
    ("activations-layer-bytes", "1912.6 MB", "activation-formula-times-dtype"),
    ("activations-layer-bytes", "285 MB", "scores-forgotten"),
    ("activations-tensor-bytes", "358.6 MB", "tensor-divides-all-activations"),
    ("activations-full-peak", "956.3 MB", "checkpointing-removes-activations"),
    ("activations-full-peak", "0.53687 GB", "recomputed-takes-no-room"),
    ("activations-full-peak", "1.4932 GB", "own-input-counted-twice"),
    ("activations-recompute-time", "12 s", "checkpointing-doubles-time"),
    ("activations-recompute-time", "9 s", "backward-costs-a-forward"),
    ("activations-best-every", "1", "more-checkpoints-less-memory"),
    ("activations-gpt-every", "ten", "square-root-for-every-model"),
    ("activations-first-stage", "1.283 GB", "pipeline-divides-activations"),
    ("activations-first-stage", "41.07 GB", "1f1b-keeps-m"),
    ("activations-largest", "111", "recomputed-takes-no-room"),
    ("mfu-what-it-says", "of-the-time", "busy-is-efficient"),
    ("mfu-flops-a-token", "40.43 GFLOP", "attention-left-out"),
    ("mfu-flops-a-token", "66.2 GFLOP", "causal-half-of-attention"),
    ("mfu-flops-a-token", "57.6 GFLOP", "forward-only"),
    ("mfu-flops-a-token", "51.54 GFLOP", "part-to-part"),
    ("mfu-of-a-step", "22.87", "all-tokens-one-gpu"),
    ("mfu-of-a-step", "47.3%", "waiting-does-not-count"),
    ("mfu-of-a-step", "64.3%", "unused-for-used"),
    ("mfu-what-counts", "forward, masked, weight-gradients, input-gradients, again", "recompute-in-mfu"),
    ("mfu-samples-a-second", "0.09374 TFLOP/s", "samples-for-tokens"),
    ("mfu-tokens-a-step", "6291456", "tokens-times-world"),
    ("mfu-tokens-a-step", "98304", "counted-one-copy"),
    ("mfu-tokens-a-step", "131072", "batch-without-accumulation"),
    ("mfu-dense-peak", "18.2%", "sparse-peak"),
    ("mfu-smi-says-all", "100%", "busy-is-efficient"),
    ("mfu-shortest-step", "1.553 s", "time-at-peak"),
    ("mfu-with-recompute", "both-rise", "recompute-in-mfu"),
    ("mfu-of-megatron", "52%", "recompute-in-mfu"),
    ("mfu-of-palm", "45.7%", "attention-left-out"),
    ("mfu-best-first", "megatron, palm, llama-8k, llama-16k", "recompute-in-mfu"),
    ("mfu-best-first", "palm, megatron, llama-8k, llama-16k", "recompute-in-mfu"),
    ("mfu-best-first", "palm, llama-8k, megatron, llama-16k", "recompute-in-mfu"),
    ("mfu-days", "17.7 days", "time-at-peak"),
    ("mfu-days", "14.8 days", "forward-only"),
    ("mfu-strong-efficiency", "3", "speed-up-as-efficiency"),
    ("mfu-strong-efficiency", "25%", "unused-for-used"),
    ("mfu-weak-speed-up", "0.893", "fixed-steps-fixed-speed"),
    ("mfu-weak-speed-up", "1.12", "wrong-direction"),
    ("mfu-steps-needed", "250", "batch-times-k-steps-over-k"),
]


# Facts


@pytest.mark.parametrize("fact", FACTS)
def test_each_fact_is_taught_and_asked_in_one_step(fact: str, taught_and_asked: Callable[..., None]) -> None:
    taught_and_asked(FACTS[fact])


@pytest.mark.parametrize("step_id", PROSE)
def test_the_prose_has_the_figures(step_id: str, says: Callable[..., None]) -> None:
    says(step_id, PROSE[step_id])


def test_the_pictures_agree_with_the_answers(course: Course) -> None:
    """A mountain of 36 layers, a layer of GPT-3, and a step that is waited for by nobody."""

    def look(live_id: str, **place: Any) -> Any:
        live = course.live(live_id)
        assert live is not None
        return cells.lookup_in(live)(place)

    assert look("activations-mountain", moment="forward", part="total") == 36 * 114 * SMALL
    assert look("activations-checkpoints", moment="backward", part="total") == (35 * 2 + 114) * SMALL
    assert look("activations-one-layer", mode="none", part="layer") == 114 * UNIT
    assert look("activations-all-ways", mode="tensor", part="total") == 96 * 23 * UNIT
    assert look("activations-chain", moment="forward", part="inputs") == 16 * 2 * UNIT
    assert look("mfu-overlapped", way="overlapped", part="mfu") == pytest.approx(0.473)
    assert look("mfu-peak-picture", way="waiting", part="waiting") == pytest.approx(SYNC / (COMPUTE + SYNC))
    assert look("mfu-recomputed", way="overlapped", part="mfu") == pytest.approx(0.473)
    live = course.live("mfu-recomputed")
    assert live is not None
    again = cells.lookup_in(replace(live, parameters={**live.parameters, "recompute": True}))
    assert again({"way": "overlapped", "part": "mfu"}) == pytest.approx(0.473 * 3 / 4)
    assert again({"way": "overlapped", "part": "hfu"}) == pytest.approx(0.473)


# Figures and typed answers


@pytest.mark.parametrize(("question_id", "variables", "value"), FIGURES)
def test_the_right_answer_is_the_one_worked_out_by_hand(
    question_id: str, variables: dict[str, Any], value: Any, comes_to: Callable[..., None]
) -> None:
    comes_to(question_id, variables, value)


def test_every_question_has_a_figure_and_typed_forms(asked_in: Callable[..., set[str]]) -> None:
    assert {question_id for question_id, _, _ in FIGURES} == asked_in(LESSONS)
    assert set(TYPED) == asked_in(LESSONS)


@pytest.mark.parametrize(("question_id", "text"), [(name, text) for name, forms in TYPED.items() for text in forms])
def test_right_answers_are_right_in_every_form(question_id: str, text: str, takes: Callable[..., None]) -> None:
    takes(question_id, text)


@pytest.mark.parametrize(("question_id", "text", "belief"), MISTAKES)
def test_a_known_belief_is_told_as_what_it_is(course: Course, question_id: str, text: str, belief: str) -> None:
    verdict = judge(course, course.questions()[question_id], text)
    assert not verdict.right
    assert verdict.misconception == belief


def test_palm_and_megatron_come_to_what_is_printed() -> None:
    assert pytest.approx(0.462, abs=0.001) == PALM
    assert pytest.approx(0.52, abs=0.005) == 502e15 / 3072 / 312e12


# The shape of the lessons


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_begins_with_a_picture(lesson: str, begins_with_a_picture: Callable[..., None]) -> None:
    begins_with_a_picture(lesson)


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_alternates_reading_and_doing(lesson: str, alternates: Callable[..., None]) -> None:
    alternates(lesson, EXERCISES[lesson])


def test_the_lessons_ask_in_many_kinds(course: Course) -> None:
    lessons = [course.lesson(name) for name in LESSONS]
    kinds = {step.question.kind for lesson in lessons if lesson for step in lesson.steps if step.question}
    assert kinds == {NUMBER, CHOICE, CHOICES, ORDER}
