"""The lesson of published mistakes: each is computed by its wrong rule, asked about, and answered rightly.

What was printed and what is right stand in reference_figures.json, or are worked out by hand here; none comes from
the engine.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simlib import quantities
from tutor.answers import cells
from tutor.answers.judge import judge
from tutor.course import expressions
from tutor.course.model import CHOICE, CHOICES, NUMBER, Course

LESSON = "mistakes"
REFERENCE: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "simlib" / "reference_figures.json").read_text("utf-8")
)
GIB = 2**30


def is_mistake(entry: dict[str, Any]) -> bool:
    return "trap" in entry or entry["kind"] == "trap" or entry["id"].endswith("TRAP") or "wrong_value" in entry


# Each entry of the reference that tells of a mistake in print: the step that shows it, the question about it
CASES: dict[str, tuple[str, str]] = {
    "allreduce-vs-rs-claim-TRAP": ("mistakes-first-look", "mistakes-twice-the-traffic"),
    "zero-comm-volume": ("mistakes-first-look", "mistakes-twice-the-traffic"),
    "gib-80GB-TRAP": ("mistakes-gib", "mistakes-83-gb"),
    "llm-analysis-G-TRAP": ("mistakes-binary-count", "mistakes-params-of-opt"),
    "accelerate-bert-table": ("mistakes-one-digit", "mistakes-bert-size"),
    "ds-zero2-t5-3b-TRAP": ("mistakes-zero2", "mistakes-zero2-estimate"),
    "ec-cookbook-grad-TRAP": ("mistakes-tensor-gradients", "mistakes-gradients-over-tensor"),
    "sb-llama3-70b-min-chips-TRAP": ("mistakes-checkpoints", "mistakes-chips"),
    "calculon-palm-params-TRAP": ("mistakes-palm", "mistakes-palm-rule"),
    "sparse-peak-TRAP": ("mistakes-sparse-peak", "mistakes-peak"),
    "bubble-narayanan-formula": ("mistakes-two-wholes", "mistakes-like-for-like"),
    "interleaved-formula-TRAP": ("mistakes-interleaved", "mistakes-interleaved-share"),
    "zb-h1-uneven-p8-m32": ("mistakes-zero-bubble", "mistakes-zero-bubble-share"),
}

# Mistakes of the same kind that the reference does not have
OTHER_CASES: tuple[tuple[str, str], ...] = (
    ("mistakes-adam", "mistakes-adam-states"),
    ("mistakes-above-peak", "mistakes-causal"),
    ("mistakes-owner", "mistakes-chunk-of-rank-0"),
    ("mistakes-means", "mistakes-atoms"),
    ("mistakes-all-send", "mistakes-who-goes-first"),
)

# The printed figure, as the step's prose shows it: computed there by the wrong rule
PRINTED: dict[str, tuple[str, ...]] = {
    "mistakes-gib": ("83 GB on an 80 GB card",),
    "mistakes-binary-count": ("162.58 G", "7% below"),
    "mistakes-one-digit": ("418.18 MB", "206.59 MB", "103.29 MB", "51.65 MB"),
    "mistakes-adam": ("13.4 GB", "26.8 GB", "54 GB"),
    "mistakes-zero2": ("15.93GB",),
    "mistakes-tensor-gradients": ("6.87 billion", "25.60 GiB"),
    "mistakes-checkpoints": ("20.9 TB", "225 TPUs", "171", "1,752 days"),
    "mistakes-palm": ("428.6", "540.4"),
    "mistakes-sparse-peak": ("1,979", "21%", "24%"),
    "mistakes-above-peak": ("121%",),
    "mistakes-two-wholes": ("12.7%", "7.3%", "1.74 times better"),
    "mistakes-interleaved": ("it printed 6%",),
    "mistakes-zero-bubble": ("3.5% of the time",),
}

# Question, variables of one member, the right value in base units: worked out by hand
FIGURES: list[tuple[str, dict[str, Any], Any]] = [
    ("mistakes-twice-the-traffic", {}, "same"),
    ("mistakes-83-gb", {"used": 83}, 83e9 / (80 * GIB)),  # 77.3 of 80 GiB
    ("mistakes-83-gb", {"used": 85}, 85e9 / (80 * GIB)),
    ("mistakes-params-of-opt", {}, 174_563_917_824),
    ("mistakes-bert-size", {}, 4 * 108_312_320),  # 413.18 times 2**20
    ("mistakes-adam-states", {"billions": 6.7}, 80.4e9),
    ("mistakes-adam-states", {"billions": 13}, 156e9),
    ("mistakes-zero2-estimate", {"gpus": 8}, 2851e6 * (2 + 18 / 8)),  # 11.28 GiB
    ("mistakes-zero2-estimate", {"gpus": 16}, 2851e6 * (2 + 18 / 16)),
    # 2 V h + h s + 8 h L + 2 h + 12 L h^2 parameters, 4 bytes
    ("mistakes-gradients-over-tensor", {"tensor": 2}, 4 * 6_871_326_720 / 2),
    ("mistakes-gradients-over-tensor", {"tensor": 4}, 6_871_326_720),
    ("mistakes-chips", {}, "three-in-two-places"),
    ("mistakes-palm-rule", {}, ["gate", "keys", "vocabulary"]),
    ("mistakes-peak", {"achieved": 420}, 420 / 989),
    ("mistakes-peak", {"achieved": 480}, 480 / 989),
    ("mistakes-causal", {}, "masked"),  # 378 / 312 for 189
    ("mistakes-like-for-like", {"micro_batches": 48}, 103 / 55),  # 7/55 over 7/103
    ("mistakes-like-for-like", {"micro_batches": 24}, 55 / 31),
    ("mistakes-interleaved-share", {"micro_batches": 16, "chunks": 4}, 7 / 71),
    ("mistakes-interleaved-share", {"micro_batches": 32, "chunks": 2}, 7 / 71),
    ("mistakes-zero-bubble-share", {"micro_batches": 32}, 11.9 / 85.5),
    ("mistakes-zero-bubble-share", {"micro_batches": 64}, 11.9 / 159.1),
    ("mistakes-chunk-of-rank-0", {}, 28),  # 1 + 5 + 9 + 13
    ("mistakes-atoms", {"atoms_first": 120}, 0.3),  # (24 + 24) / 160
    ("mistakes-atoms", {"atoms_first": 360}, 0.24),  # (72 + 24) / 400
    ("mistakes-who-goes-first", {}, ["turn-one", "group"]),
]

# The same answers as people type them, for the member that the lesson shows
TYPED: dict[str, tuple[str, ...]] = {
    "mistakes-twice-the-traffic": ("same", "It sends the same"),
    "mistakes-83-gb": ("96.6%", "97%", "0.966", "83e9/(80*2**30)"),
    "mistakes-params-of-opt": ("174.56e9", "174563917824", "174.6 billion", "162.58*2**30"),
    "mistakes-bert-size": ("413.18 MiB", "413.18", "2*206.59", "433.25 MB"),
    "mistakes-adam-states": ("80.4 GB", "80.4", "12*6.7", "74.9 GiB"),
    "mistakes-zero2-estimate": ("11.28 GiB", "11.28", "12.12 GB"),
    "mistakes-gradients-over-tensor": ("12.8 GiB", "12.8", "25.6/2", "13.74 GB"),
    "mistakes-chips": ("three-in-two-places",),
    "mistakes-palm-rule": ("gate, keys, vocabulary", "1 2 3"),
    "mistakes-peak": ("42.5%", "0.4247", "420/989"),
    "mistakes-causal": ("masked",),
    "mistakes-like-for-like": ("1.87", "1.87x", "103/55"),
    "mistakes-interleaved-share": ("7/71", "9.86%", "0.0986"),
    "mistakes-zero-bubble-share": ("13.9%", "11.9/85.5", "0.139"),
    "mistakes-chunk-of-rank-0": ("28", "1+5+9+13"),
    "mistakes-atoms": ("0.3", "48/160", "(120*0.2+40*0.6)/160"),
    "mistakes-who-goes-first": ("turn-one, group", "group turn-one"),
}

# Who believes what was printed hears why it is wrong
MISTAKES: list[tuple[str, str, str]] = [
    ("mistakes-twice-the-traffic", "twice", "stages-1-2-send-more"),
    ("mistakes-83-gb", "83/80", "gib-for-gb"),
    ("mistakes-83-gb", "111.4%", "wrong-direction"),
    ("mistakes-params-of-opt", "162.58e9", "count-in-binary"),
    ("mistakes-params-of-opt", "162.58", "printed-is-right"),
    ("mistakes-bert-size", "418.18", "printed-is-right"),
    ("mistakes-adam-states", "26.8 GB", "copies-for-bytes"),
    ("mistakes-adam-states", "53.6 GB", "no-master-weights"),
    ("mistakes-zero2-estimate", "15.93 GiB", "stage-2-keeps-gradients"),
    ("mistakes-zero2-estimate", "9.957 GiB", "sixteen-whatever-the-gradients"),
    ("mistakes-gradients-over-tensor", "25.6 GiB", "gradients-of-all-layers"),
    ("mistakes-chips", "units", "gib-for-gb"),
    ("mistakes-palm-rule", "keys, vocabulary", "every-mlp-has-two-matrices"),
    ("mistakes-palm-rule", "gate, vocabulary", "every-head-has-its-keys"),
    ("mistakes-palm-rule", "gate, keys", "one-vocabulary-for-all"),
    ("mistakes-peak", "420/1979", "sparse-peak"),
    ("mistakes-peak", "84.9%", "halved-the-dense-peak"),
    ("mistakes-causal", "sparse", "sparse-peak"),
    ("mistakes-causal", "recomputed", "recompute-in-mfu"),
    ("mistakes-like-for-like", "1.745", "bubble-of-the-wrong-whole"),
    ("mistakes-like-for-like", "2", "interleaving-divides-the-share"),
    ("mistakes-like-for-like", "55/103", "wrong-direction"),
    ("mistakes-interleaved-share", "1/17", "chunks-shorten-the-pipeline"),
    ("mistakes-interleaved-share", "7/64", "bubble-of-the-wrong-whole"),
    ("mistakes-interleaved-share", "7/23", "chunks-change-nothing"),
    ("mistakes-zero-bubble-share", "2.6/73.6", "left-over-work-is-idle"),
    ("mistakes-chunk-of-rank-0", "32", "api-leaves-next-slice"),
    ("mistakes-atoms", "0.4", "mean-of-unequal-means"),
    ("mistakes-who-goes-first", "turn-one, group, both-receive", "all-send-first"),
    ("mistakes-who-goes-first", "turn-one, group, small", "small-messages-do-not-wait"),
]


# Cases


def test_every_mistake_of_the_reference_is_a_case() -> None:
    assert {entry["id"] for entry in REFERENCE if is_mistake(entry)} == set(CASES)


@pytest.mark.parametrize("case", CASES)
def test_each_case_is_shown_and_asked_about(case: str, taught_and_asked: Callable[..., None]) -> None:
    taught_and_asked([CASES[case]])


@pytest.mark.parametrize(("step_id", "question_id"), OTHER_CASES)
def test_each_case_of_the_same_kind_is_shown_and_asked_about(
    step_id: str, question_id: str, taught_and_asked: Callable[..., None]
) -> None:
    taught_and_asked([(step_id, question_id)])


@pytest.mark.parametrize("step_id", PRINTED)
def test_the_printed_figure_comes_out_of_the_wrong_rule(step_id: str, says: Callable[..., None]) -> None:
    says(step_id, PRINTED[step_id])


def entry(name: str) -> dict[str, Any]:
    return next(entry for entry in REFERENCE if entry["id"] == name)


def wrong_of(course: Course, question_id: str, belief: str, variables: dict[str, Any]) -> float:
    """What the known wrong answer with this belief comes to."""
    question = course.questions()[question_id]
    match = next(wrong.match for wrong in question.wrong if wrong.misconception == belief)
    value = expressions.evaluate(match, {**question.given, **variables}).value
    assert isinstance(value, (int, float))
    return value


@pytest.mark.parametrize(
    ("case", "belief", "variables", "unit"),
    [
        ("llm-analysis-G-TRAP", "count-in-binary", {}, 1),
        ("accelerate-bert-table", "printed-is-right", {}, 2**20),
        ("ds-zero2-t5-3b-TRAP", "stage-2-keeps-gradients", {"gpus": 8}, GIB),
        ("ec-cookbook-grad-TRAP", "gradients-of-all-layers", {"tensor": 2}, GIB),
        ("sparse-peak-TRAP", "sparse-peak", {"achieved": 420}, 1),
        ("interleaved-formula-TRAP", "chunks-shorten-the-pipeline", {"micro_batches": 16, "chunks": 4}, 1),
        ("zb-h1-uneven-p8-m32", "left-over-work-is-idle", {"micro_batches": 32}, 1),
    ],
)
def test_the_wrong_figure_of_the_reference_is_a_known_wrong_answer(
    course: Course, case: str, belief: str, variables: dict[str, Any], unit: float
) -> None:
    found = wrong_of(course, CASES[case][1], belief, variables)
    assert found / unit == pytest.approx(entry(case)["wrong_value"], rel=0.01)


def test_the_rest_of_the_reference() -> None:
    """Figures that stand in the prose or in the reason, not in a known wrong answer."""
    book = entry("sb-llama3-70b-min-chips-TRAP")
    for kept, bytes_ in ((4, book["expected"]["ckpt_B"]), (3, book["wrong_value"]["ckpt_B"])):
        assert 2 * 8192 * 4e6 * kept * 80 == bytes_
    palm = entry("calculon-palm-params-TRAP")
    rule = {"layers": 118, "hidden": 18432, "heads": 48, "head_dim": 256, "vocab": 51200}
    assert quantities.evaluate("shape.matrix_params", **rule).value == pytest.approx(palm["wrong_value"], rel=1e-3)
    real = rule | {"vocab": 256000, "kv_heads": 1, "gated": True, "ffn": 73728}
    published = palm["expected"]["published"]
    assert quantities.evaluate("shape.matrix_params", **real).value == pytest.approx(published, rel=1e-3)
    sent = [quantities.evaluate("zero.bytes_sent", params=1e9, gpus=8, stage=stage).value for stage in (0, 1, 2, 3)]
    assert [bytes_ / sent[0] for bytes_ in sent] == [
        1,
        1,
        entry("allreduce-vs-rs-claim-TRAP")["expected"]["zero2_over_dp"],
        1.5,
    ]


def test_the_plain_ring_ends_one_chunk_on(course: Course) -> None:
    live = course.live("mistakes-plain-ring")
    assert live is not None
    look = cells.lookup_in(live)
    assert [look({"step": 3, "worker": worker, "chunk": (worker + 1) % 4}) for worker in range(4)] == [32, 36, 40, 28]


def test_more_micro_batches_dilute_the_bubble_of_the_picture(course: Course) -> None:
    live = course.live("mistakes-weights-fill")
    assert live is not None
    shown = cells.scene(live).data()
    assert shown["bubble"] == pytest.approx(1.5 / 11.5)  # (2 - 1) (1 + 1 - 0.5) beside 4 x 2.5


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
def test_who_believes_the_print_is_told_why(course: Course, question_id: str, text: str, belief: str) -> None:
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
    assert kinds == {NUMBER, CHOICE, CHOICES}
