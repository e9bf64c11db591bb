"""The lesson on pipelines: every fact taught and asked, every figure, reply and typed form as it should be.

Expected figures are worked out by hand from the papers' formulas and from the reference figures; none comes from the
engine.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lessons
from tutor.answers import cells
from tutor.answers.judge import judge
from tutor.checker.definition import Definition
from tutor.course.model import CHOICE, CHOICES, GRID, NUMBER, ORDER, Course, Exercise, Place

LESSON = "pipeline"
EXERCISES = {"gpipe_order", "one_f_one_b_order", "interleaved_order"}

# What the course has to teach, and where it is taught and asked
FACTS: dict[str, tuple[tuple[str, str], ...]] = {
    # micro-batches through stages
    "P1": (
        ("pipeline-first-look", "pipeline-first-wait"),
        ("pipeline-one-batch", "pipeline-speed-up-of-one"),
        ("pipeline-micro-batches", "pipeline-forward-slots"),
        ("pipeline-idle-cells", "pipeline-count-idle"),
    ),
    # the bubble of the total and of the ideal time
    "P2": (
        ("pipeline-share", "pipeline-share-of-total"),
        ("pipeline-ideal", "pipeline-of-ideal"),
        ("pipeline-how-many", "pipeline-enough-pieces"),
        ("pipeline-larger", "pipeline-micro-batch-of-two"),
        ("pipeline-data-parallel", "pipeline-each-one-s-share"),
        ("pipeline-backward", "pipeline-with-backward"),
    ),
    # 1F1B: the same bubble, min(m, p - stage) in memory
    "P3": (
        ("pipeline-memory", "pipeline-why-1f1b"),
        ("pipeline-one-row", "pipeline-fill-the-row"),
        ("pipeline-held", "pipeline-most-held"),
    ),
    # chunks: a smaller bubble, more messages, more activations
    "P4": (
        ("pipeline-interleaved", "pipeline-chunks-in-order"),
        ("pipeline-interleaved-share", "pipeline-share-with-chunks"),
        ("pipeline-interleaved-costs", "pipeline-memory-with-chunks"),
    ),
    # input and weight gradients apart; both ends
    "P5": (
        ("pipeline-zero-bubble", "pipeline-input-before-weights"),
        ("pipeline-dualpipe", "pipeline-price-of-both-ends"),
    ),
    # the numbers of one device
    "P6": (("pipeline-same-numbers", "pipeline-how-far-apart"),),
}

ROW = [None, "1F0", "1F1", None, None, "1B0", "1B0", "1F2", "1B1", "1B1", None, "1B2", "1B2", None, None]

# Question, variables of one member, the right value in base units: worked out by hand
FIGURES: list[tuple[str, dict[str, Any], Any]] = [
    ("pipeline-first-wait", {}, "waits-for-stage-zero"),
    ("pipeline-speed-up-of-one", {}, 1),
    ("pipeline-forward-slots", {"stages": 4, "micro_batches": 6}, 9),
    ("pipeline-count-idle", {"stages": 4, "micro_batches": 8}, 12),
    ("pipeline-share-of-total", {"stages": 4, "micro_batches": 8}, 3 / 11),
    ("pipeline-share-of-total", {"stages": 4, "micro_batches": 32}, 3 / 35),
    ("pipeline-of-ideal", {"stages": 4, "micro_batches": 8}, 3 / 8),
    ("pipeline-of-ideal", {"stages": 8, "micro_batches": 8}, 7 / 8),
    ("pipeline-enough-pieces", {"stages": 8}, 63),  # 7/70 is a tenth
    ("pipeline-micro-batch-of-two", {"size": 2}, 7 / 39),
    ("pipeline-each-one-s-share", {"data": 8}, 16),  # 256 / 16
    ("pipeline-each-one-s-share", {"data": 4}, 32),
    ("pipeline-with-backward", {}, "stays"),
    ("pipeline-why-1f1b", {}, "memory-only"),
    ("pipeline-fill-the-row", {}, [ROW]),
    ("pipeline-most-held", {"stages": 8, "stage": 3}, 5),
    ("pipeline-most-held", {"stages": 16, "stage": 5}, 11),
    ("pipeline-how-far-apart", {}, "not-at-all"),
    ("pipeline-chunks-in-order", {}, ["a-0", "a-1", "b-0", "b-1", "back-b", "back-a"]),
    ("pipeline-share-with-chunks", {"stages": 4, "micro_batches": 8, "chunks": 2}, 3 / 19),
    ("pipeline-share-with-chunks", {"stages": 8, "micro_batches": 16, "chunks": 4}, 7 / 71),
    ("pipeline-memory-with-chunks", {"stages": 4, "chunks": 2}, 1.375),  # 1 + 3/8
    ("pipeline-memory-with-chunks", {"stages": 8, "chunks": 4}, 1 + 7 / 32),
    ("pipeline-input-before-weights", {}, ["forward-0", "forward-1", "input-1", "input-0", "weights-0"]),
    ("pipeline-price-of-both-ends", {}, "weights"),
    ("pipeline-full-speed", {"stages": 4, "last": 15}, 3),  # 45 / 15
    ("pipeline-full-speed", {"stages": 8, "last": 20}, 4.5),
    ("pipeline-true-of-the-ends", {}, ["last-has-loss", "clip-needs-all"]),
]

# The same answers as people type them, for the member that the lesson shows
TYPED: dict[str, tuple[str, ...]] = {
    "pipeline-first-wait": ("waits-for-stage-zero",),
    "pipeline-speed-up-of-one": ("1", "1x", "4/4"),
    "pipeline-forward-slots": ("9", "9 slots", "6+4-1"),
    "pipeline-count-idle": ("12", "4*3", "12 cells"),
    "pipeline-share-of-total": ("3/11", "27%", "0.273", "27.3 %", "27.3", ".2727"),
    "pipeline-of-ideal": ("3/8", "37.5%", "0.375"),
    "pipeline-enough-pieces": ("63", "9*7", "63 micro-batches"),
    "pipeline-micro-batch-of-two": ("7/39", "17.9%", "18%", "0.179"),
    "pipeline-each-one-s-share": ("16", "256/(2*8)", "256/2/8", "16 micro-batches"),
    "pipeline-with-backward": ("stays",),
    "pipeline-why-1f1b": ("memory-only",),
    "pipeline-fill-the-row": (
        ". 0 1 . . B0 B0 2 B1 B1 . B2 B2 . .",
        ". 1F0 1F1 . . 1B0 1B0 1F2 1B1 1B1 . 1B2 1B2 . .",
        "., f0, f1, ., ., b0, b0, f2, b1, b1, ., b2, b2, ., .",
    ),
    "pipeline-most-held": ("5", "8-3", "5 micro-batches"),
    "pipeline-how-far-apart": ("not-at-all", "Not at all"),
    "pipeline-chunks-in-order": ("a-0, a-1, b-0, b-1, back-b, back-a", "0F0 > 0F1 > 2F0 > 2F1 > 2B0 > 0B0"),
    "pipeline-share-with-chunks": ("3/19", "15.8%", "0.158", "3/(2*8+3)"),
    "pipeline-memory-with-chunks": ("1.375", "11/2/4", "1+3/8", "1.38x"),
    "pipeline-input-before-weights": ("forward-0, forward-1, input-1, input-0, weights-0",),
    "pipeline-price-of-both-ends": ("weights",),
    "pipeline-full-speed": ("3", "45/15", "3x"),
    "pipeline-true-of-the-ends": ("last-has-loss, clip-needs-all", "1 4", "clip-needs-all last-has-loss"),
}

# What the prose of a step has to say, with its figures filled in
PROSE: dict[str, tuple[str, ...]] = {
    "pipeline-first-look": ("The question of this lesson",),
    "pipeline-idle-cells": ("8 cells", "2 of them"),
    "pipeline-share": ("25%", "Huang et al. 2019"),
    "pipeline-ideal": ("Textbooks differ", "Narayanan et al. (2021)"),
    "pipeline-how-many": ("27.3%", "8.57%"),
    "pipeline-data-parallel": ("d pipelines side by side",),
    "pipeline-one-row": ("warm-up", "take turns", "drains"),
    "pipeline-held": ("memory runs out on the *first* one",),
    "pipeline-same-numbers": ("flushed",),
    "pipeline-interleaved": ("Narayanan et al. 2021", "s mod p"),
    "pipeline-interleaved-share": ("(p - 1)/(v m) of the ideal time",),
    "pipeline-interleaved-costs": ("48 messages", "112, each"),  # 2 x 8 x 3 and 2 x 8 x 7
    "pipeline-zero-bubble": ("Qi et al. 2023", "at 14 instead of 18", "14.3% of the total, not 33.3%"),
    "pipeline-dualpipe": ("DeepSeek-AI 2024", "p - 1 - r"),
    "pipeline-uneven": ("8, 8, 7 and 7", "28 layers"),
    "pipeline-ends": ("last* rank has the loss", "all-reduce between first and last rank"),
}

# What learners are known to believe, and the answer that shows it: question, what they would type, the belief
MISTAKES: list[tuple[str, str, str]] = [
    ("pipeline-of-ideal", "27.3%", "bubble-of-the-wrong-whole"),
    ("pipeline-share-of-total", "37.5%", "bubble-of-the-wrong-whole"),
    ("pipeline-share-of-total", "33.3%", "bubble-with-p"),
    ("pipeline-speed-up-of-one", "4", "pipeline-without-micro-batches"),
    ("pipeline-why-1f1b", "bubble-only", "1f1b-shrinks-the-bubble"),
    ("pipeline-most-held", "32", "1f1b-keeps-m"),
    ("pipeline-fill-the-row", ". 0 1 2 . B0 B0 . B1 B1 . B2 B2 . .", "1f1b-keeps-m"),
    ("pipeline-fill-the-row", ". 0 1 . . B0 2 B1 . B2 . . . . .", "backward-as-fast-as-forward"),
    ("pipeline-fill-the-row", "0 1 . B0 B0 2 B1 B1 . B2 B2 . . . .", "stages-start-together"),
    ("pipeline-most-held", "8", "stages-alike-in-memory"),
    ("pipeline-each-one-s-share", "128", "micro-batches-ignore-data-parallel"),
    ("pipeline-micro-batch-of-two", "7/71", "larger-micro-batch-smaller-bubble"),
    ("pipeline-true-of-the-ends", "last-has-loss, clip-needs-all, always-p", "p-in-flight-with-few"),
    ("pipeline-share-with-chunks", "13.6%", "interleaving-divides-the-share"),
    ("pipeline-memory-with-chunks", "1", "interleaving-is-free-memory"),
    ("pipeline-true-of-the-ends", "last-has-loss, clip-needs-all, spread", "layers-rounded-down"),
    ("pipeline-full-speed", "4", "stages-equal-by-layers"),
    ("pipeline-true-of-the-ends", "rank-0-prints, last-has-loss, clip-needs-all", "loss-on-rank-0"),
    ("pipeline-true-of-the-ends", "last-has-loss, clip-needs-all, stays-tied", "tied-embedding-stays-tied"),
]
REPORTED = {
    "bubble-of-the-wrong-whole",
    "bubble-with-p",
    "pipeline-without-micro-batches",
    "1f1b-shrinks-the-bubble",
    "1f1b-keeps-m",
    "stages-alike-in-memory",
    "micro-batches-ignore-data-parallel",
    "larger-micro-batch-smaller-bubble",
    "p-in-flight-with-few",
    "interleaving-divides-the-share",
    "interleaving-is-free-memory",
    "layers-rounded-down",
    "stages-equal-by-layers",
    "loss-on-rank-0",
    "tied-embedding-stays-tied",
}


# Facts


@pytest.mark.parametrize("fact", FACTS)
def test_each_fact_is_taught_and_asked_in_one_step(fact: str, taught_and_asked: Callable[..., None]) -> None:
    taught_and_asked(FACTS[fact])


@pytest.mark.parametrize("step_id", PROSE)
def test_the_prose_has_the_figures(step_id: str, says: Callable[..., None]) -> None:
    says(step_id, PROSE[step_id])


def test_the_grid_of_two_by_three_has_two_idle_cells_of_eight(course: Course) -> None:
    live = course.live("pipeline-two-by-three")
    assert live is not None
    shown = list(cells.scene(live).cells(cells.scene(live).last_step).values())
    assert shown == ["0F0", "0F1", "0F2", None, None, "1F0", "1F1", "1F2"]


def test_gpipe_over_1f1b_as_they_hold_memory(course: Course) -> None:
    """Five micro-batches through three stages: all five on every stage, or 3, 2 and 1; both done at (5 + 2) x 3."""
    live = course.live("pipeline-held-picture")
    assert live is not None
    look = cells.lookup_in(live)
    most = {
        name: [max(look({"held": name, "rank": rank, "slot": slot}) for slot in range(21)) for rank in range(3)]
        for name in ("gpipe", "1f1b")
    }
    assert most == {"gpipe": [5, 5, 5], "1f1b": [3, 2, 1]}
    assert [of["makespan"] for of in cells.scene(live).data()["schedules"]] == [21, 21]


def test_the_small_model_learns_the_same_in_a_pipeline(course: Course) -> None:
    live = course.live("pipeline-and-one-device")
    assert live is not None
    found = cells.scene(live).data()
    assert found["losses"]["one"] == found["losses"]["pipeline"]
    assert len(found["losses"]["one"]) == 4
    assert found["gradients"]["apart"] == [0, 0]
    # Untrained, over 27 letters or so: about as much as guessing among all
    assert 3 < found["loss"]["pipeline"] < 3.6


def test_the_zero_bubble_picture_is_the_published_one(course: Course) -> None:
    """Of 1F1B's idle 2 x (F + B) a rank, ZB-H1 leaves 2 x (F + I - W): 6 and 2 slots on 12 of work."""
    live = course.live("pipeline-zero-bubble-picture")
    assert live is not None
    assert [of["makespan"] for of in cells.scene(live).data()["schedules"]] == [18, 14]


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


def test_every_reported_belief_is_met_here(course: Course) -> None:
    assert {belief for _, _, belief in MISTAKES} >= REPORTED
    assert set(course.misconceptions) >= REPORTED


# Exercises

ORDERS = {
    "gpipe_order": ["gpipe-p2-m2", "gpipe-p4-m4", "gpipe-p4-m8"],
    "one_f_one_b_order": ["1f1b-p1", "1f1b-p2-m2", "1f1b-m-lt-p-p4-m1"],
    "interleaved_order": ["interleaved-p2-v2-m2", "interleaved-p4-v2-m4", "interleaved-p4-v2-m8"],
}
FILE = Path(__file__).parents[1] / "simlib" / "reference_figures.json"


@pytest.mark.parametrize(("exercise", "figure"), [(name, figure) for name, ids in ORDERS.items() for figure in ids])
def test_an_exercise_expects_the_reference_s_order(exercise: str, figure: str) -> None:
    folder = Path(lessons.__file__).parent / LESSON / "exercises" / exercise
    definition = Definition(Exercise(exercise, exercise, folder, "", (), "", Place(folder / "check.py", 1)))
    found = next(row for row in json.loads(FILE.read_text(encoding="utf-8")) if row["id"] == figure)
    given, order = found["inputs"], found["expected"]["order"]
    arguments = {"stages": given["p"], "micro_batches": given["m"]}
    if exercise == "interleaved_order":
        arguments = {"ranks": given["p"], "micro_batches": given["m"], "chunks": given["v"]}
    trial = definition.trials(0)[0].__class__("", arguments, None)
    assert definition.expected(trial) == [order[str(rank)] for rank in range(given["p"])]


# The shape of the lesson


def test_the_lesson_begins_with_a_picture(begins_with_a_picture: Callable[..., None]) -> None:
    begins_with_a_picture(LESSON)


def test_the_lesson_alternates_reading_and_doing(alternates: Callable[..., None]) -> None:
    alternates(LESSON, EXERCISES)


def test_the_lesson_asks_in_many_kinds(course: Course) -> None:
    lesson = course.lesson(LESSON)
    assert lesson is not None
    kinds = {step.question.kind for step in lesson.steps if step.question}
    assert kinds == {NUMBER, CHOICE, CHOICES, ORDER, GRID}
