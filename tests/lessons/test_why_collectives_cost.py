"""The lessons on why to split, on the collectives and on their cost: every fact taught and asked, every figure right.

Expected figures are worked out by hand from the papers' formulas; none comes from the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tutor.answers import cells
from tutor.answers.judge import judge
from tutor.course.model import CHOICE, CHOICES, NUMBER, ORDER, TABLE, Course
from tutor.views.picture import cell
from tutor.views.topics import topic

# Each lesson, and the exercises in it
LESSONS: dict[str, set[str]] = {"why": set(), "collectives": set(), "cost": {"top_k_all_gather_worker"}}

# What the course has to teach, and where it is taught and asked
FACTS: dict[str, tuple[tuple[str, str], ...]] = {
    # 16 bytes a parameter
    "W1": (
        ("why-largest-model", "why-how-large"),
        ("why-smaller", "why-eight-bit"),
        ("why-estimate", "why-cards-to-hold"),
    ),
    # 6 FLOPs a parameter and token
    "W2": (
        ("why-flops", "why-total-flops"),
        ("why-seconds", "why-years"),
        ("why-how-many", "why-gpus-for-a-month"),
    ),
    # batch, model states, matrices, depth; all on a few collectives
    "W3": (
        ("why-two-walls", "why-copies"),
        ("why-four-ways", "why-what-helps-memory"),
        ("why-which-split", "why-name-the-split"),
        ("why-talk", "why-first-sum"),
    ),
    # what each collective leaves where
    "C1": (
        ("collectives-first-look", "collectives-what-all-gather-leaves"),
        ("collectives-slice", "collectives-slice-of-rank"),
        ("collectives-roots", "collectives-pick-one"),
        ("collectives-all-to-all", "collectives-swap-all"),
    ),
    # all-reduce = reduce-scatter, then all-gather
    "C2": (("collectives-two-ways", "collectives-make-all-reduce"),),
    # one root, or everyone to everyone, against a ring
    "C3": (
        ("collectives-root-bytes", "collectives-through-the-root"),
        ("collectives-worse", "collectives-naive-over-ring"),
        ("collectives-flood", "collectives-flood-total"),
        ("collectives-order", "collectives-least-first"),
    ),
    # the library gives rank r slice r
    "C4": (("collectives-slice", "collectives-slice-of-rank"),),
    # alpha + b / bandwidth
    "A1": (("cost-message", "cost-one-message"),),
    # NVLink inside, one card each between
    "A2": (("cost-machine", "cost-card"),),
    # the payload of LLaMA 7B
    "A3": (("cost-payload", "cost-gradient-bytes"),),
    # payload and wire
    "A4": (("cost-wire", "cost-payload-from-wire"),),
    # the ring's time
    "A5": (("cost-ring-seconds", "cost-all-reduce-seconds"), ("cost-small", "cost-small-ring")),
    # trees: naive, pipelined, and where they win
    "A6": (("cost-tree", "cost-tree-seconds"), ("cost-small-tree", "cost-tree-wins")),
    # different pieces cannot be added on the way
    "A7": (("cost-pieces", "cost-gather-bytes"), ("cost-total", "cost-gathered-total")),
    # sparse gradients
    "A8": (("cost-sparse", "cost-sparse-ratio"), ("cost-break-even", "cost-from-which-n")),
}

# Question, variables of one member, the right value in base units: worked out by hand
FIGURES: list[tuple[str, dict[str, Any], Any]] = [
    ("why-largest-that-fits", {}, "three"),  # 48 GB; 7 billion take 112
    ("why-how-large", {"card": "b200"}, 11.25e9),  # 180 / 16
    ("why-how-large", {"card": "h200"}, 8.8125e9),  # 141 / 16
    ("why-how-large", {"card": "a100-40gb"}, 2.5e9),
    ("why-eight-bit", {"billions": 7}, 70e9),  # 2 + 2 + 4 + 1 + 1
    ("why-eight-bit", {"billions": 13}, 130e9),
    ("why-lost-updates", {}, 1),  # 0.0006 is less than half of 1/256
    ("why-total-flops", {"billions": 7, "trillions": 2}, 84e21),
    ("why-total-flops", {"billions": 13, "trillions": 15}, 1.17e24),
    ("why-years", {"billions": 7, "trillions": 2}, 84e21 / 395.6e12),  # 2,457.6 days
    ("why-gpus-for-a-month", {"billions": 7, "days": 30}, 82),  # 81.9
    ("why-gpus-for-a-month", {"billions": 70, "days": 60}, 410),  # 409.6
    ("why-copies", {}, "time"),
    ("why-what-helps-memory", {}, ["sharding", "tensor", "pipeline"]),
    ("why-name-the-split", {}, "tensor"),
    ("why-first-sum", {}, [[6, 16], [6, 16]]),
    ("why-cards-to-hold", {"billions": 175}, 35),  # 2,800 / 80
    ("why-cards-to-hold", {"billions": 70}, 14),  # 1,120 / 80
    ("why-cards-to-hold", {"billions": 405}, 81),  # 6,480 / 80
    ("collectives-what-all-gather-leaves", {}, "side-by-side"),
    ("collectives-who-waits", {"ranks": 4}, 3),
    ("collectives-who-waits", {"ranks": 64}, 63),
    ("collectives-slice-of-rank", {"rank": 2}, 36),  # 3 + 7 + 11 + 15
    ("collectives-slice-of-rank", {"rank": 1}, 32),  # 2 + 6 + 10 + 14
    ("collectives-pick-one", {}, "scatter"),
    ("collectives-swap-all", {}, [[1, 10, 100], [2, 20, 200], [3, 30, 300]]),
    ("collectives-make-all-reduce", {}, ["reduce-scatter-all-gather", "reduce-broadcast"]),
    ("collectives-padded", {"long": 900}, 3600),
    ("collectives-padded", {"long": 500}, 2000),
    ("collectives-through-the-root", {"ranks": 64, "mb": 500}, 31.5e9),
    ("collectives-through-the-root", {"ranks": 8, "mb": 100}, 700e6),
    ("collectives-naive-over-ring", {"ranks": 64}, 32),  # 63 over 1.96875
    ("collectives-naive-over-ring", {"ranks": 16}, 8),
    ("collectives-flood-total", {"ranks": 64, "mb": 500}, 2016e9),  # 4,032 arrays
    ("collectives-flood-total", {"ranks": 8, "mb": 100}, 5.6e9),
    ("collectives-least-first", {}, ["reduce-scatter", "copy", "ring", "root"]),  # 63/64, 1, 63/32, 63
    ("collectives-which-hang", {}, ["rank-0-only", "other-order", "skips", "all-send"]),
    ("collectives-who-leaves", {"found": 3, "ranks": 8}, 3),
    ("collectives-who-leaves", {"found": 2, "ranks": 4}, 2),
    ("collectives-new-groups", {"ranks": 16, "size": 8}, 2),
    ("collectives-new-groups", {"ranks": 64, "size": 4}, 16),
    ("collectives-gradient-share", {"ranks": 8}, 1 / 8),
    ("cost-what-shrinks", {}, "more-smaller"),
    ("cost-one-message", {"kb": 1000}, 30e-6),  # 10 + 20
    ("cost-one-message", {"kb": 250}, 15e-6),
    ("cost-card", {"gb": 10}, 0.2),
    ("cost-card", {"gb": 25}, 0.5),
    ("cost-gradient-bytes", {"model": "llama-7b"}, 13_476_831_232),
    ("cost-gradient-bytes", {"model": "llama-13b"}, 26_031_728_640),
    ("cost-payload-from-wire", {"gpus": 8, "gb": 21}, 12e9),  # 21 / 1.75
    ("cost-payload-from-wire", {"gpus": 16, "gb": 42}, 22.4e9),  # 42 / 1.875
    ("cost-all-reduce-seconds", {"gpus": 64}, 26.530875 / 50),
    ("cost-all-reduce-seconds", {"gpus": 16}, 25.2675 / 50),
    ("cost-small-ring", {"gpus": 8}, 140e-6 + 1.75e6 / 450e9),  # 143.9 us
    ("cost-small-ring", {"gpus": 4}, 60e-6 + 1.5e6 / 450e9),
    ("cost-bus-bandwidth", {"gpus": 8, "gb": 1}, 350e9),
    ("cost-bus-bandwidth", {"gpus": 4, "gb": 0.5}, 150e9),
    ("cost-tree-seconds", {"gpus": 64}, 3.23424),  # 12 x 13.476 / 50
    ("cost-tree-seconds", {"gpus": 16}, 2.15616),  # 8 x 13.476 / 50
    # 126 messages of 10 us and 15.6 bytes against 12 of 10 us and 1,000 bytes
    ("cost-tree-wins", {"gpus": 64}, 126 * (10e-6 + 15.625 / 50e9) / (12 * 10.02e-6)),
    # inside 1.75 x 13.476 / 450, between 1.75 x 1.6845 / 50
    ("cost-two-levels", {"servers": 8}, 23.583 / 450 + 2.947875 / 50),
    ("cost-gather-bytes", {"workers": 64, "mb": 10}, 630e6),
    ("cost-gather-bytes", {"workers": 16, "mb": 50}, 750e6),
    ("cost-gathered-total", {"ranks": 64, "gb": 1.6}, 1.575e9),
    ("cost-gathered-total", {"ranks": 32, "gb": 1.6}, 1.55e9),
    # One value in 16: a piece is 6 bytes for 32, sent N-1 times; the ring sends 64 (N-1)/N
    ("cost-sparse-ratio", {"workers": 4}, 0.375),
    ("cost-sparse-ratio", {"workers": 8}, 0.75),
    ("cost-sparse-ratio", {"workers": 16}, 1.5),
    ("cost-sparse-ratio", {"workers": 32}, 3),
    ("cost-sparse-ratio", {"workers": 64}, 6),
    ("cost-from-which-n", {"one_in": 32}, 22),  # 64/3
    ("cost-from-which-n", {"one_in": 64}, 43),  # 128/3
    ("cost-from-which-n", {"one_in": 100}, 67),  # 200/3
]

# The same answers as people type them, for the member that the lesson shows
TYPED: dict[str, tuple[str, ...]] = {
    "why-largest-that-fits": ("three", "1"),
    "why-how-large": ("11.25e9", "11.25 billion", "11,250,000,000", "180e9/16", "11.2 billion"),
    "why-eight-bit": ("70 GB", "70", "10*7", "70e9", "65.2 GiB"),
    "why-lost-updates": ("1", "1.0"),
    "why-total-flops": ("8.4e22", "84e21", "6*7e9*2e12", "84 ZFLOP"),
    "why-years": ("6.73 years", "2457 days", "2.12e8 s", "6*7e9*2e12/(0.4*989e12)", "6.7 years"),
    "why-gpus-for-a-month": ("82", "82 GPUs"),
    "why-copies": ("time",),
    "why-what-helps-memory": ("sharding, tensor, pipeline", "pipeline, sharding, tensor"),
    "why-name-the-split": ("tensor", "Tensor parallelism"),
    "why-first-sum": ("6 16; 6 16", "[[6, 16], [6, 16]]", "2+4 6+10; 6 16"),
    "why-cards-to-hold": ("35", "16*175/80"),
    "collectives-what-all-gather-leaves": ("side-by-side",),
    "collectives-who-waits": ("3", "4-1", "3 ranks"),
    "collectives-slice-of-rank": ("36", "3+7+11+15"),
    "collectives-pick-one": ("scatter",),
    "collectives-swap-all": ("1 10 100; 2 20 200; 3 30 300",),
    "collectives-make-all-reduce": (
        "reduce-scatter-all-gather, reduce-broadcast",
        "reduce-broadcast reduce-scatter-all-gather",
    ),
    "collectives-padded": ("3600", "4*900", "3,600 elements"),
    "collectives-through-the-root": ("31.5 GB", "31.5", "63*500 MB", "31.5e9"),
    "collectives-naive-over-ring": ("32", "32x", "64/2"),
    "collectives-flood-total": ("2.016 TB", "2016 GB", "64*63*0.5e9", "2.02 TB"),
    "collectives-least-first": ("reduce-scatter, copy, ring, root", "reduce-scatter > copy > ring > root"),
    "collectives-which-hang": ("rank-0-only, other-order, skips, all-send", "1, 2, 4, 5"),
    "collectives-who-leaves": ("2", "2 ranks"),
    "collectives-new-groups": ("2", "16/8"),
    "collectives-gradient-share": ("1/8", "12.5%", "0.125"),
    "cost-what-shrinks": ("more-smaller",),
    "cost-one-message": ("30 us", "30e-6 s", "3e-5", "0.03 ms", "30 µs", "10e-6+1e6/50e9"),
    "cost-card": ("0.2 s", "200 ms", "10/50"),
    "cost-gradient-bytes": ("13.5 GB", "13.476 GB", "2*6.738e9", "12.55 GiB"),
    "cost-payload-from-wire": ("12 GB", "21/1.75", "12e9", "12,000 MB"),
    "cost-all-reduce-seconds": ("0.53 s", "0.5306 s", "531 ms", "2*63/64*13.476e9/50e9"),
    "cost-small-ring": ("144 us", "0.144 ms", "143.9 us", "1.439e-4"),
    "cost-bus-bandwidth": ("350 GB/s", "350e9", "1.75*1e9/5e-3"),
    "cost-tree-seconds": ("3.23 s", "12*13.476/50", "3.234"),
    "cost-tree-wins": ("10.5", "126/12", "10.48x"),
    "cost-two-levels": ("0.111 s", "111 ms", "0.1114"),
    "cost-gather-bytes": ("630 MB", "63*10 MB", "0.63 GB", "630e6"),
    "cost-gathered-total": ("1.575 GB", "63/64*1.6", "1.575e9"),
    "cost-sparse-ratio": ("3", "3x", "32*6/64"),
    "cost-from-which-n": ("22", "22 workers"),
}

# What the prose of a step has to say, with its figures filled in
PROSE: dict[str, tuple[str, ...]] = {
    "why-largest-model": ("16 B", "112 GB", "Rajbhandari et al. 2020"),
    "why-flops": ("about 6 FLOPs", "Kaplan et al. 2020"),
    "why-seconds": ("989 TFLOP/s", "40%"),
    "why-four-ways": ("data parallelism", "sharding", "tensor parallelism", "pipeline parallelism"),
    "why-remember": ("6.73 years",),
    "collectives-slice": ("rank r gets slice r",),
    "collectives-roots": ("broadcast", "scatter", "gather", "all-gather"),
    "collectives-worse": ("1.75", "1.97"),
    "cost-machine": ("450 GB/s",),
    "cost-wire": ("26.5 GB", "13.5 GB"),
    "cost-ring-seconds": ("23.6 GB", "0.052 s", "50 GB/s"),
    "cost-small-tree": ("0.562 s", "0.532 s", "Sanders et al. 2009"),  # 2 x 1,005 x (10 us + 0.27 ms); 0.5306 + 1.26 ms
    "cost-sparse": ("Lin et al. 2018",),
}

# What learners are known to believe, and the answer that shows it: question, what they would type, the belief
MISTAKES: list[tuple[str, str, str]] = [
    ("why-how-large", "90 billion", "weights-only"),
    ("why-how-large", "15 billion", "no-master-weights"),  # 2 + 2 + 8
    ("why-how-large", "22.5 billion", "mixed-precision-halves-memory"),  # 2 + 2 + 4
    ("why-eight-bit", "112 GB", "sixteen-whatever-the-gradients"),
    ("why-eight-bit", "28 GB", "eight-bit-adam-quarters-all"),
    ("why-eight-bit", "65.19 GB", "gib-for-gb"),
    ("why-lost-updates", "0.94", "pure-bf16-keeps-small-steps"),
    ("why-total-flops", "2.8e22", "forward-only"),
    ("why-years", "983 days", "time-at-peak"),
    ("why-years", "1228.8 days", "sparse-peak"),
    ("collectives-who-waits", "0", "only-rank-0-reduces"),
    ("collectives-which-hang", "other-order, skips, all-send", "only-rank-0-reduces"),
    ("collectives-which-hang", "rank-0-only, skips, all-send", "order-may-differ"),
    ("collectives-which-hang", "rank-0-only, other-order, all-send", "bad-batch-skips-backward"),
    ("collectives-which-hang", "rank-0-only, other-order, skips", "all-send-first"),
    ("collectives-who-leaves", "8", "barrier-shares-values"),
    ("collectives-new-groups", "1", "members-only-make-the-group"),
    ("collectives-gradient-share", "100%", "all-gather-carries-gradients"),
    ("collectives-padded", "1200", "unequal-all-gather"),
    ("cost-bus-bandwidth", "35 TB/s", "timer-without-synchronise"),
    ("cost-bus-bandwidth", "200 GB/s", "bus-bandwidth-is-size-over-time"),
    ("cost-all-reduce-seconds", "0.2695 s", "all-reduce-sends-once"),
    ("cost-all-reduce-seconds", "34.5 s", "all-reduce-n-copies"),
    ("cost-all-reduce-seconds", "0.0663 s", "bits-for-bytes"),
    ("cost-all-reduce-seconds", "0.2653 s", "both-directions-added"),
    ("cost-all-reduce-seconds", "0.419 s", "sync-time-grows-with-n"),
    ("cost-all-reduce-seconds", "3.773 s", "sync-time-grows-with-n"),
    ("cost-small-ring", "10 us", "ring-latency-constant"),
    ("cost-small-ring", "3.89 us", "small-messages-at-full-speed"),
    ("cost-small-ring", "13.89 us", "ring-latency-constant"),
    ("cost-card", "25 ms", "bits-for-bytes"),
    ("cost-gradient-bytes", "6.738 GB", "elements-for-bytes"),
    ("cost-gathered-total", "102.4 GB", "all-gather-input-is-total"),
    ("cost-gathered-total", "100.8 GB", "all-gather-input-is-total"),
    ("cost-tree-seconds", "0.0505 s", "tree-is-always-faster"),
    ("cost-sparse-ratio", "1/16", "sparse-saves-in-full"),
    ("cost-payload-from-wire", "24 GB", "one-phase-only"),
    ("cost-all-reduce-seconds", "0.539 s", "n-for-n-minus-1"),  # 4 P / 50e9
    ("cost-small-ring", "171 us", "all-reduce-n-copies"),  # 14 (10 us + 1 MB / 450 GB/s)
    ("cost-small-ring", "72 us", "one-phase-only"),
    ("cost-tree-seconds", "0.27 s", "all-reduce-sends-once"),
    ("cost-tree-wins", "21", "tree-climbs-once"),  # 126 / 6
    ("cost-tree-wins", "5.25", "one-phase-only"),  # 63 / 12
    ("cost-tree-wins", "12/126", "wrong-direction"),
    ("cost-two-levels", "0.0852 s", "links-inside-are-free"),  # 0.0262 + 0.0590
    ("cost-gathered-total", "1.6 GB", "counts-itself"),
    ("cost-sparse-ratio", "3.097", "counts-itself"),  # 32 pieces
    ("cost-from-which-n", "12", "all-reduce-sends-once"),  # N - 1 > 2 * 32 / 6
    ("cost-from-which-n", "64", "positions-are-free"),
]


# Facts


@pytest.mark.parametrize("fact", FACTS)
def test_each_fact_is_taught_and_asked_in_one_step(fact: str, taught_and_asked: Callable[..., None]) -> None:
    taught_and_asked(FACTS[fact])


@pytest.mark.parametrize("step_id", PROSE)
def test_the_prose_has_the_figures(step_id: str, says: Callable[..., None]) -> None:
    says(step_id, PROSE[step_id])


def test_the_librarys_slices_of_four_ranks(course: Course) -> None:
    live = course.live("collectives-four-slices")
    assert live is not None
    look = cells.lookup_in(live)
    last = cells.scene(live).last_step
    assert [look({"step": last, "worker": rank, "chunk": rank}) for rank in range(4)] == [28, 32, 36, 40]


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


# The shape of a lesson


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_begins_with_a_picture(name: str, begins_with_a_picture: Callable[..., None]) -> None:
    begins_with_a_picture(name)


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_alternates_reading_and_doing(name: str, alternates: Callable[..., None]) -> None:
    alternates(name, LESSONS[name])


def test_the_lessons_ask_in_many_kinds(course: Course) -> None:
    lessons = [course.lesson(name) for name in LESSONS]
    kinds = {step.question.kind for lesson in lessons if lesson for step in lesson.steps if step.question}
    assert kinds == {NUMBER, CHOICE, CHOICES, ORDER, TABLE}


def test_the_picture_of_the_algorithms_agrees_with_the_answer(course: Course) -> None:
    """64 GPUs: 126 latencies of a ring against 12 of a tree, once the array is small."""
    live = course.live("cost-by-algorithm")
    assert live is not None
    shown = topic(live.topic).scene({**live.parameters, "bytes": 1000}).cells(0)
    ring, tree = (shown[cell(algorithm=name, part="seconds")] for name in ("ring", "tree"))
    assert isinstance(ring, float)
    assert isinstance(tree, float)
    assert ring / tree == pytest.approx(10.5, rel=0.005)
