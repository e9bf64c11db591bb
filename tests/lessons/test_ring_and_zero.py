"""The lessons on the ring and on ZeRO: every fact taught and asked, every figure and reply as it should be.

Expected figures are worked out by hand from the papers' formulas; none comes from the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tutor.answers import cells
from tutor.answers.judge import judge
from tutor.course.model import CHOICE, NUMBER, TABLE, Course

# Each lesson, and the exercises in it
LESSONS = {
    "ring": {"ring_all_reduce", "ring_all_reduce_worker", "reduce_scatter_worker"},
    "zero": {"zero_bytes", "sharded_adam_step", "fsdp_forward_worker"},
}

# What the course has to teach, and where it is taught and asked
FACTS: dict[str, tuple[tuple[str, str], ...]] = {
    # all-reduce, reduce-scatter and all-gather, and what each leaves
    "C1": (("ring-first-look", "ring-last-step"), ("ring-collectives", "ring-which-collective")),
    # all-reduce = reduce-scatter, then all-gather
    "C2": (("ring-halfway", "ring-share-final"), ("ring-all-gather", "ring-gather-row")),
    # the library's slice r and the plain ring's chunk r + 1
    "C4": (("ring-ownership", "ring-finished-on-zero"),),
    # the chunks of a ring, step by step
    "R1": (
        ("ring-first-step", "ring-first-row"),
        ("ring-rule", "ring-chunk-to-send"),
        ("ring-count-steps", "ring-how-many-steps"),
    ),
    # 2 (N-1) / N of the array, below 2 for all N
    "R2": (("ring-bytes", "ring-how-many-bytes"), ("ring-least", "ring-more-workers")),
    # what grows is the number of steps
    "R3": (("ring-latency", "ring-latency-ratio"),),
    # NCCL
    "R4": (("ring-nccl", "ring-kernel-name"),),
    # 16 bytes a parameter
    "W1": (("zero-sixteen", "zero-states-alone"),),
    # bytes by stage
    "Z1": (
        ("zero-copies", "zero-plain-per-gpu"),
        ("zero-stage-one", "zero-stage-one-bytes"),
        ("zero-stage-two", "zero-stage-two-bytes"),
        ("zero-stage-three", "zero-stage-three-bytes"),
        ("zero-floor", "zero-least-at-one"),
    ),
    # the first stage that fits
    "Z2": (("zero-fits", "zero-first-that-fits"),),
    # LLaMA 7B on 64
    "Z3": (("zero-llama", "zero-llama-bytes"),),
    # a sharded step, in words and bytes
    "Z4": (
        ("zero-one-step", "zero-two-collectives"),
        ("zero-traffic", "zero-stage-two-sends"),
        ("zero-traffic-three", "zero-stage-three-sends"),
    ),
    # gathered just before, freed just after; the peak of a step
    "Z5": (
        ("zero-gather", "zero-order-of-a-unit"),
        ("zero-peak", "zero-weights-while-running"),
        ("zero-fsdp", "zero-true-of-fsdp"),
    ),
    # a sharded Adam gives the unsharded result
    "Z6": (("zero-same-result", "zero-norm-for-clipping"),),
}

# Question, variables of one member, the right value in base units: worked out by hand
FIGURES: list[tuple[str, dict[str, float], Any]] = [
    ("ring-first-row", {}, [[4, 1, 202], [34, 20, 50], [100, 720, 200]]),
    ("ring-gather-row", {}, [[134, 721, 202], [34, 721, 252], [134, 720, 252]]),
    ("ring-chunk-to-send", {"worker": 1, "workers": 8}, 6),  # 1, 0, 7, 6
    ("ring-chunk-to-send", {"worker": 2, "workers": 16}, 15),  # 2, 1, 0, 15
    ("ring-share-final", {"workers": 4}, 0.25),
    ("ring-share-final", {"workers": 8}, 0.125),
    ("ring-how-many-steps", {"workers": 8}, 14),
    ("ring-how-many-steps", {"workers": 64}, 126),
    ("ring-how-many-bytes", {"workers": 4, "mb": 500}, 750e6),  # 1.5 x 500 MB
    ("ring-how-many-bytes", {"workers": 64, "mb": 80}, 157.5e6),  # 1.96875 x 80 MB
    ("ring-latency-ratio", {"many": 64}, 9),  # 126 / 14
    ("ring-finished-on-zero", {}, 32),  # 2 + 6 + 10 + 14
    ("zero-states-alone", {"billions": 7}, 112e9),
    ("zero-states-alone", {"billions": 13}, 208e9),
    ("zero-plain-per-gpu", {"billions": 7, "gpus": 16}, 112e9),
    ("zero-stage-one-bytes", {"billions": 13, "gpus": 8}, 71.5e9),  # 52 + 156/8
    ("zero-stage-one-bytes", {"billions": 30, "gpus": 16}, 142.5e9),  # 120 + 360/16
    ("zero-stage-two-bytes", {"billions": 13, "gpus": 8}, 48.75e9),  # 26 + 182/8
    ("zero-stage-two-bytes", {"billions": 30, "gpus": 16}, 86.25e9),  # 60 + 420/16
    ("zero-stage-three-bytes", {"billions": 13, "gpus": 8}, 26e9),
    ("zero-stage-three-bytes", {"billions": 30, "gpus": 16}, 30e9),
    ("zero-least-at-one", {"billions": 30}, 120e9),
    ("zero-first-that-fits", {}, 2),  # 110 GB at stage 1, 75 GB at stage 2
    # 6,738,415,616 parameters: 4P + 12P/64, 2P + 14P/64
    ("zero-llama-bytes", {"stage": 1}, 28217115392),
    ("zero-llama-bytes", {"stage": 2}, 14950859648),
    ("zero-norm-for-clipping", {"first": 3, "second": 4}, 5),
    ("zero-norm-for-clipping", {"first": 6, "second": 8}, 10),
    (
        "zero-order-of-a-unit",
        {},
        ["gather", "forward", "free", "gather-again", "backward", "reduce-scatter"],
    ),
    ("zero-weights-while-running", {"gpus": 8}, 2.1875e9),  # 14/8 + 14/32
    ("zero-weights-while-running", {"gpus": 64}, 0.65625e9),
    ("zero-true-of-fsdp", {}, ["own-samples", "hybrid", "stage-2-each"]),
    ("zero-stage-two-sends", {"gpus": 64}, 26.530875e9),
    ("zero-stage-three-sends", {"gpus": 64}, 39.7963125e9),
    ("zero-with-activations", {}, 34e9),  # 14 + 20
    ("ring-last-step", {}, "all-the-sums"),
    ("ring-which-collective", {}, "reduce-scatter"),
    ("ring-more-workers", {}, "hardly-changes"),
    ("ring-kernel-name", {}, "nccl-ring"),
    ("zero-largest-part", {}, "optimizer"),
    ("zero-two-collectives", {}, "scatter-gather"),
]

# The same answers as people type them, for the member that the lesson shows
TYPED: dict[str, tuple[str, ...]] = {
    "ring-last-step": ("all-the-sums", "Every worker holds the sums of all three columns"),
    "ring-which-collective": ("reduce-scatter", "Reduce-Scatter", "reduce scatter"),
    "ring-first-row": (
        "4 1 202; 34 20 50; 100 720 200",
        "4 1 202\n34 20 50\n100 720 200",
        "[[4, 1, 202], [34, 20, 50], [100, 720, 200]]",
        "4,1,202; 34,20,50; 100,720,200",
        "4 1 2+200; 4+30 20 50; 100 720 200",
    ),
    "ring-chunk-to-send": ("6", " 6.0", "1-4+1+8", "-2+8"),
    "ring-share-final": ("1/4", "25%", "0.25", "25 %", "25"),
    "ring-gather-row": ("134 721 202; 34 721 252; 134 720 252",),
    "ring-how-many-steps": ("14", "14 steps", "2*(8-1)", "2*7"),
    "ring-how-many-bytes": ("750 MB", "0.75 GB", "750e6", "750,000,000", "1.5*500 MB", "715.26 MiB", "750"),
    "ring-more-workers": ("hardly-changes",),
    "ring-latency-ratio": ("9", "9x", "126/14", "9 times"),
    "ring-finished-on-zero": ("32", "2+6+10+14"),
    "ring-kernel-name": ("nccl-ring",),
    "zero-largest-part": ("optimizer", "the optimizer's states"),
    "zero-states-alone": ("112 GB", "112", "112e9", "16*7e9", "104.3 GiB", "112,000 MB", "0.112 TB", "112 gb"),
    "zero-plain-per-gpu": ("208 GB", "208", "208e9", "16*13"),
    "zero-stage-one-bytes": ("71.5", "71.5 GB", "71.5e9", "4*13+12*13/8", "66.6 GiB", "71,500 MB"),
    "zero-stage-two-bytes": ("48.75 GB", "48.8", "48.75e9", "2*13+14*13/8", "45.4 GiB", "48,750 MB"),
    "zero-stage-three-bytes": ("26 GB", "16*13/8", "26e9", "24.2 GiB"),
    "zero-least-at-one": ("120 GB", "4*30", "120e9"),
    "zero-first-that-fits": ("2", "2.0"),
    "zero-two-collectives": ("scatter-gather",),
    "zero-llama-bytes": ("14.95 GB", "15.0", "2*6.738+14*6.738/64", "13.92 GiB"),
    "zero-norm-for-clipping": ("5", "sqrt(3*3+4*4)", "5.0"),
    "zero-order-of-a-unit": ("gather, forward, free, gather-again, backward, reduce-scatter",),
    "zero-weights-while-running": ("2.19 GB", "14/8+14/32", "2.1875e9", "2.04 GiB"),
    "zero-true-of-fsdp": ("own-samples, hybrid, stage-2-each", "1 2 5"),
    "zero-stage-two-sends": ("26.5 GB", "26.5", "26.53e9", "2*63/64*13.476", "24.7 GiB"),
    "zero-stage-three-sends": ("39.8 GB", "39.8", "3*63/64*2*6.738", "37.06 GiB"),
    "zero-with-activations": ("34 GB", "14+20", "34e9"),
}

# The ring of three, as its live pictures must show it after each step
RING_OF_THREE = [
    [[1, 2, 3], [10, 20, 30], [100, 200, 300]],
    [[1, 2, 303], [11, 20, 30], [100, 220, 300]],
    [[1, 222, 303], [11, 20, 333], [111, 220, 300]],
    [[111, 222, 303], [11, 222, 333], [111, 220, 333]],
    [[111, 222, 333], [111, 222, 333], [111, 222, 333]],
]

# What the prose of a step has to say, with its figures filled in
PROSE: dict[str, tuple[str, ...]] = {
    "ring-halfway": ("all-reduce = reduce-scatter, then all-gather",),
    "ring-least": ("1.5", "1.97", "Patarasuk and Yuan (2009)"),
    "ring-ownership": ("Textbooks differ",),
    "ring-nccl": ("NCCL",),
    "zero-sixteen": ("2 B", "12 B", "Rajbhandari et al. 2020"),
    "zero-floor": ("112 GB, 38.5 GB, 26.25 GB and 14 GB",),
    "zero-fits": ("80 GB", "112 GB", "stage 1"),
    "zero-llama": ("107.8 GB", "1.7 GB"),
    "zero-gather": ("all-gathered", "freed"),
    "zero-same-result": ("to the last bit",),
    "zero-traffic": ("26.5 GB",),
}


# Facts


@pytest.mark.parametrize("fact", FACTS)
def test_each_fact_is_taught_and_asked_in_one_step(fact: str, taught_and_asked: Callable[..., None]) -> None:
    taught_and_asked(FACTS[fact])


@pytest.mark.parametrize("step_id", PROSE)
def test_the_prose_has_the_figures(step_id: str, says: Callable[..., None]) -> None:
    says(step_id, PROSE[step_id])


def test_the_ring_of_three_is_the_table_of_the_papers_algorithm(course: Course) -> None:
    live = course.live("ring-of-three")
    assert live is not None
    look = cells.lookup_in(live)
    assert cells.scene(live).last_step == len(RING_OF_THREE) - 1
    for step, table in enumerate(RING_OF_THREE):
        shown = [[look({"step": step, "worker": row, "chunk": chunk}) for chunk in range(3)] for row in range(3)]
        assert shown == table


def test_the_bars_of_seven_billion_on_eight(course: Course) -> None:
    live = course.live("zero-all-four")
    assert live is not None
    look = cells.lookup_in(live)
    assert [look({"stage": stage, "part": "total"}) for stage in range(4)] == [112e9, 38.5e9, 26.25e9, 14e9]


def test_the_bytes_along_a_step_of_llama(course: Course) -> None:
    """Shards of 16P/64; one of 32 blocks, 202,383,360 weights, and the one ahead, 2 bytes each, or its gradient too."""
    live = course.live("zero-along-a-step")
    assert live is not None
    look = cells.lookup_in(live)
    shards, block = 16 * 6738415616 / 64, 2 * (4 * 4096**2 + 3 * 4096 * 11008 + 2 * 4096)
    assert look({"moment": "forward", "part": "total"}) == pytest.approx(shards + 2 * block)
    assert look({"moment": "backward", "part": "total"}) == pytest.approx(shards + 3 * block)


def test_the_sharded_step_shows_who_updates_what(course: Course) -> None:
    """The means of 2, 4 and 4, 0 are 3 and 2; worker 0 keeps the first alone, worker 1 the second."""
    live = course.live("zero-sharded-step")
    assert live is not None
    look = cells.lookup_in(live)
    shown = [[look({"step": 2, "worker": worker, "chunk": chunk}) for chunk in range(2)] for worker in range(2)]
    assert shown == [[3, None], [None, 2]]


# Figures and typed answers


@pytest.mark.parametrize(("question_id", "variables", "value"), FIGURES)
def test_the_right_answer_is_the_one_worked_out_by_hand(
    question_id: str, variables: dict[str, float], value: Any, comes_to: Callable[..., None]
) -> None:
    comes_to(question_id, variables, value)


def test_every_question_has_a_figure_and_typed_forms(asked_in: Callable[..., set[str]]) -> None:
    assert {question_id for question_id, _, _ in FIGURES} == asked_in(LESSONS)
    assert set(TYPED) == asked_in(LESSONS)


@pytest.mark.parametrize(("question_id", "text"), [(name, text) for name, forms in TYPED.items() for text in forms])
def test_right_answers_are_right_in_every_form(question_id: str, text: str, takes: Callable[..., None]) -> None:
    takes(question_id, text)


# The shape of a lesson


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_begins_with_a_picture(name: str, begins_with_a_picture: Callable[..., None]) -> None:
    begins_with_a_picture(name)


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_alternates_reading_and_doing(name: str, alternates: Callable[..., None]) -> None:
    alternates(name, LESSONS[name])


def test_the_ring_asks_in_every_kind(course: Course) -> None:
    lesson = course.lesson("ring")
    assert lesson is not None
    assert {NUMBER, CHOICE, TABLE} <= {step.question.kind for step in lesson.steps if step.question}


# What a learner types who believes something else, worked out by hand: question, text, the belief
BELIEFS = [
    ("zero-stage-one-bytes", "48.75 GB", "stage-1-divides-gradients"),  # 2 P + 14 P / N
    ("zero-stage-one-bytes", "52 GB", "sharded-means-gone"),  # 4 P
    ("zero-stage-one-bytes", "65 GB", "no-master-weights"),  # 4 P + 8 P / N
    ("zero-stage-two-bytes", "71.5 GB", "stage-2-keeps-gradients"),
    ("zero-stage-two-bytes", "42.25 GB", "no-master-weights"),  # 2 P + 10 P / N
    ("zero-stage-two-bytes", "185.25 GB", "stage-shards-one-part"),  # 14 P + 2 P / N
    ("zero-stage-three-bytes", "19.5 GB", "no-master-weights"),  # 12 P / N
    ("zero-llama-bytes", "28.2 GB", "stage-2-keeps-gradients"),
    ("zero-llama-bytes", "13.48 GB", "sharded-means-gone"),  # 2 P
    ("zero-norm-for-clipping", "25", "lengths-add"),
    ("zero-norm-for-clipping", "4", "local-norm-for-clipping"),
]


@pytest.mark.parametrize(("question_id", "text", "belief"), BELIEFS)
def test_what_shows_a_belief_gets_the_reply_to_it(course: Course, question_id: str, text: str, belief: str) -> None:
    verdict = judge(course, course.questions()[question_id], text)
    assert (verdict.right, verdict.misconception) == (False, belief)
