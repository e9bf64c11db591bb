"""The lesson on 3D layouts: every fact taught and asked, every figure, reply and typed form as it should be.

Expected figures are worked out by hand from the papers' formulas and tables; none comes from the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from simlib import hardware
from simlib.planner import plan
from tutor.answers import cells
from tutor.answers.judge import judge
from tutor.checker.definition import Definition
from tutor.course.model import CHOICE, CHOICES, NUMBER, ORDER, TABLE, Course
from tutor.views.topics import topic

LESSON = "layouts"
EXERCISES = {"choose_layout"}

# What the course has to teach, and where it is taught and asked
FACTS: dict[str, tuple[tuple[str, str], ...]] = {
    # d x t x p; the published rows; batch, bubble and bytes from the general equations
    "X1": (
        ("layouts-world", "layouts-gpus"),
        ("layouts-copies", "layouts-data-size"),
        ("layouts-batch", "layouts-batch-after"),
        ("layouts-micro-batches", "layouts-bubble"),
        ("layouts-states", "layouts-state-bytes"),
        ("layouts-published", "layouts-published-step"),
    ),
    # which ranks share a server, which talk over the network, and how much
    "X2": (
        ("layouts-first-look", "layouts-who-crosses"),
        ("layouts-groups", "layouts-data-group"),
        ("layouts-lands", "layouts-which-cross"),
        ("layouts-bytes", "layouts-most-bytes"),
        ("layouts-tensor-over-network", "layouts-tensor-seconds"),
    ),
    # choosing
    "X3": (
        ("layouts-costs", "layouts-true"),
        ("layouts-one", "layouts-sixteen-wide"),
        ("layouts-plan", "layouts-why-fastest"),
        ("layouts-fit", "layouts-which-fit"),
    ),
}

# Megatron-LM, parallel_state.py: 16 ranks, tensor 2, pipeline 4
MEGATRON = {
    "tensor": [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11], [12, 13], [14, 15]],
    "data": [[0, 2], [1, 3], [4, 6], [5, 7], [8, 10], [9, 11], [12, 14], [13, 15]],
    "pipeline": [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]],
}

# All-reduces of b s h 16-bit values: 4 a layer, of 80 / p layers, 128 micro-batches, 15/8 of the bytes with t = 16
OUTPUT = 2 * 4096 * 8192
OVER_SIXTEEN = {stages: 4 * (80 // stages) * 128 * 2 * 15 / 16 * OUTPUT for stages in (4, 2)}
# Narayanan et al. 2021, equation 3, for 128 layers of 25,600: FLOPs of a sequence of 2,048 tokens
TRILLION = 96 * 2048 * 128 * 25600**2 * (1 + 2048 / (6 * 25600) + 51200 / (16 * 128 * 25600))

# Question, variables of one member, the right value in base units: worked out by hand
FIGURES: list[tuple[str, dict[str, Any], Any]] = [
    ("layouts-who-crosses", {}, "pipeline"),
    ("layouts-gpus", {"data": 2}, 64),
    ("layouts-gpus", {"data": 6}, 192),
    ("layouts-data-size", {"gpus": 16384}, 128),  # Llama 3, table 4
    ("layouts-data-size", {"gpus": 8192}, 64),
    ("layouts-batch-after", {"micro": 16}, 32),
    ("layouts-batch-after", {"micro": 4}, 8),
    ("layouts-bubble", {"micro": 1}, 63 / 575),  # m = 512
    ("layouts-bubble", {"micro": 4}, 63 / 191),  # m = 128
    ("layouts-data-group", {}, [[9, 11, 13, 15]]),  # p 1, t 1, and every d: 8 + 1 + 2 d
    ("layouts-which-cross", {}, ["pipeline", "data"]),
    ("layouts-most-bytes", {}, ["tensor", "pipeline", "data"]),
    ("layouts-tensor-seconds", {"stages": 4}, OVER_SIXTEEN[4] / 50e9),  # 25.8
    ("layouts-tensor-seconds", {"stages": 2}, OVER_SIXTEEN[2] / 50e9),
    ("layouts-state-bytes", {"stage": 0}, 35e9),
    ("layouts-state-bytes", {"stage": 1}, 21.875e9),  # 8.75 + 26.25 / 2
    ("layouts-true", {}, ["data-batch", "tensor-layers", "pipeline-bubble", "zero-three"]),
    ("layouts-sixteen-wide", {}, "slower"),
    ("layouts-why-fastest", {}, "hides"),
    ("layouts-which-fit", {}, ["p4-z0", "p2-z1"]),
    ("layouts-published-step", {"batch": 3072}, 3072 * TRILLION / 502e15),  # 102 s
    ("layouts-published-step", {"batch": 1536}, 1536 * TRILLION / 502e15),
]

# The same answers as people type them, for the member that the lesson shows
TYPED: dict[str, tuple[str, ...]] = {
    "layouts-who-crosses": ("pipeline", "The pipeline groups"),
    "layouts-gpus": ("64", "2*8*4", "64 GPUs"),
    "layouts-data-size": ("128", "16384/128", "16384/(8*16)"),
    "layouts-batch-after": ("32", "2*16", "32 samples"),
    "layouts-bubble": ("11%", "63/575", "10.96 %", "0.1096"),
    "layouts-data-group": ("9 11 13 15", "9, 11, 13, 15", "[9, 11, 13, 15]"),
    "layouts-which-cross": ("pipeline, data", "2 3", "data pipeline"),
    "layouts-most-bytes": ("tensor, pipeline, data", "tensor > pipeline > data"),
    "layouts-tensor-seconds": ("25.8 s", "25.8", "1288/50"),
    "layouts-state-bytes": ("35 GB", "35", "16*70/32", "35e9 B", "32.6 GiB"),
    "layouts-true": ("data-batch, tensor-layers, pipeline-bubble, zero-three", "1 3 5 7"),
    "layouts-sixteen-wide": ("slower",),
    "layouts-why-fastest": ("hides",),
    "layouts-which-fit": ("p4-z0, p2-z1", "1 3"),
    "layouts-published-step": ("102 s", "102", "51400/502", "102.4 s"),
}

# What the prose of a step has to say, with its figures filled in
PROSE: dict[str, tuple[str, ...]] = {
    "layouts-first-look": ("The question of this lesson",),
    "layouts-world": ("Narayanan et al. 2021",),
    "layouts-copies": ("16,384 GPUs",),
    "layouts-micro-batches": ("1.01 trillion", "3,072 A100s"),
    "layouts-groups": ("tensor first, then data, then pipeline", "tp-dp-pp"),
    "layouts-lands": ("450 GB/s", "50 GB/s"),
    "layouts-fit": ("33 GB",),
    # Their table 1: 7.5, 39.1 and 529.6 billion; 46, 44 and 52% of peak; 128 / 4, 512 / 16 and 2,520 / 280 copies
    "layouts-published": (
        "| 7.47 billion | 4 | 1 | 32 | 512 | 46% |",
        "| 39.1 billion | 8 | 2 | 32 | 1,536 | 44% |",
        "| 530 billion | 8 | 35 | 9 | 2,520 | 52% |",
    ),
    "layouts-remember": ("Context parallelism", "expert parallelism"),
}

# What learners are known to believe, and the answer that shows it: question, what they would type, the belief
MISTAKES: list[tuple[str, str, str]] = [
    ("layouts-who-crosses", "data", "copies-are-servers"),
    ("layouts-gpus", "14", "world-is-the-sum"),
    ("layouts-gpus", "32", "counted-one-copy"),
    ("layouts-data-size", "16384", "data-parallel-is-the-world"),
    ("layouts-data-size", "2048", "stages-read-their-own-samples"),
    ("layouts-data-size", "1024", "tensor-ranks-read-their-own-samples"),
    ("layouts-batch-after", "64", "layout-leaves-the-batch"),
    ("layouts-batch-after", "256", "data-parallel-is-the-world"),
    ("layouts-bubble", "2.01%", "micro-batches-ignore-data-parallel"),
    ("layouts-bubble", "12.3%", "bubble-of-the-wrong-whole"),
    ("layouts-bubble", "11.1%", "bubble-with-p"),
    ("layouts-data-group", "9 10 11 12", "data-group-is-neighbours"),
    ("layouts-data-group", "12 13 14 15", "data-group-is-neighbours"),
    ("layouts-data-group", "5 7 13 15", "stages-read-their-own-samples"),
    ("layouts-data-group", "1 5 9 13", "pipeline-before-data"),
    ("layouts-data-group", "13 9 11 15", "wrong-way-round"),
    ("layouts-which-cross", "pipeline", "copies-are-servers"),
    ("layouts-most-bytes", "data, tensor, pipeline", "gradients-are-most-traffic"),
    ("layouts-tensor-seconds", "2.86 s", "network-at-nvlink-speed"),
    ("layouts-tensor-seconds", "206 s", "bits-for-bytes"),
    ("layouts-state-bytes", "17.5 GB", "states-over-the-world"),
    ("layouts-state-bytes", "560 GB", "tensor-and-pipeline-save-nothing"),
    ("layouts-state-bytes", "21.875 GB", "stage-shards-one-part"),
    ("layouts-state-bytes", "140 GB", "pipeline-copies-the-model"),
    ("layouts-state-bytes", "280 GB", "tensor-parallel-copies-weights"),  # not eight bits a byte
    ("layouts-true", "tensor-layers, pipeline-bubble, zero-three", "layout-leaves-the-batch"),
    ("layouts-true", "data-batch, tensor-layers, pipeline-bubble, zero-three, data-memory", "ddp-shards-the-model"),
    ("layouts-sixteen-wide", "faster", "more-tensor-is-faster"),
    ("layouts-why-fastest", "none", "stage-3-sends-the-same"),
    ("layouts-which-fit", "p4-z0, p2-z0, p2-z1", "states-over-the-world"),
    ("layouts-which-fit", "p4-z0, p2-z1, p4-b2", "micro-batch-takes-no-memory"),
    ("layouts-published-step", "53.6 s", "time-at-peak"),
]


# Facts


@pytest.mark.parametrize("fact", FACTS)
def test_each_fact_is_taught_and_asked_in_one_step(fact: str, taught_and_asked: Callable[..., None]) -> None:
    taught_and_asked(FACTS[fact])


@pytest.mark.parametrize("step_id", PROSE)
def test_the_prose_has_the_figures(step_id: str, says: Callable[..., None]) -> None:
    says(step_id, PROSE[step_id])


@pytest.mark.parametrize(("step", "kind"), [(1, "tensor"), (2, "pipeline"), (3, "data")])
def test_the_groups_of_the_picture_are_those_of_megatron(course: Course, step: int, kind: str) -> None:
    live = course.live("layouts-sixteen")
    assert live is not None
    look = cells.lookup_in(live)
    shown = [
        [look({"step": step, "group": number, "member": at}) for at in range(len(ranks))]
        for number, ranks in enumerate(MEGATRON[kind])
    ]
    assert shown == MEGATRON[kind]


def test_what_the_first_question_asks_is_so_in_the_picture(course: Course) -> None:
    live = course.live("layouts-sixteen")
    assert live is not None
    groups = topic(live.topic).scene(live.parameters).data()["groups"]
    crossing = {
        kind for kind, found in groups.items() if any(len({rank // 8 for rank in ranks}) > 1 for ranks in found)
    }
    assert crossing == {"pipeline"}


def test_what_is_said_of_the_fastest_layout_is_so_in_the_picture(course: Course) -> None:
    live = course.live("layouts-plan-picture")
    assert live is not None
    scene = topic(live.topic).scene(live.parameters)
    fastest = scene.data()["layouts"][0]
    assert (fastest["data"], fastest["tensor"], fastest["pipeline"], fastest["zero"]) == (32, 2, 1, 3)
    shown = "\n".join(scene.picture(1).words())
    assert "data: 0, and" in shown
    assert "hidden beside compute" in shown


def test_on_a_tenth_of_the_network_more_tensor_and_pipeline_is_faster() -> None:
    usual = hardware.find("h100")
    slow = replace(usual, network_bandwidth=usual.network_bandwidth / 10)
    best = plan("llama-70b", slow, 64, 256, chunks=1).best
    assert best is not None
    assert best.tensor > 2
    assert best.pipeline > 1


def test_sixteen_over_two_servers_is_slower_and_fits(course: Course) -> None:
    live = course.live("layouts-looked-into")
    assert live is not None
    wide = topic(live.topic).scene({**live.parameters, "tensor": 16, "pipeline": 2}).data()
    narrow = topic(live.topic).scene(live.parameters).data()
    assert wide["layout"]["step_seconds"] > 1.3 * narrow["layout"]["step_seconds"]
    assert wide["layout"]["fits"]
    assert wide["layout"]["limits"][0] == "tensor"


@pytest.mark.parametrize(
    ("option", "sizes", "fits"),
    [
        ("p4-z0", {"pipeline": 4, "zero": 0}, True),
        ("p2-z0", {"pipeline": 2, "zero": 0}, False),
        ("p2-z1", {"pipeline": 2, "zero": 1}, True),
        ("p4-b2", {"pipeline": 4, "zero": 1, "micro_batch": 2}, False),
    ],
)
def test_the_options_that_fit_are_those_that_the_planner_lets_in(
    course: Course, option: str, sizes: dict[str, Any], fits: bool
) -> None:
    found = topic("layout").scene({"model": "llama-70b", "gpus": 64, "batch": 256, "tensor": 8, **sizes}).data()
    assert found["layout"]["fits"] is fits
    assert (option in course.questions()["layouts-which-fit"].answer) is fits


def test_any_layout_that_beats_the_time_will_do_not_the_fastest_alone(course: Course) -> None:
    definition = Definition(course.exercises()["choose_layout"])
    trial = definition.trials(3)[0]
    best = definition.expected(trial)
    assert definition.judge(trial, best, best, []).case.passed
    # More of the memory is sharded, and a little more is sent
    other = best | {"data": 4, "tensor": 2, "pipeline": 4, "zero": 1}
    assert other != best
    assert definition.judge(trial, best, other, []).case.passed
    slow = definition.judge(trial, best, best | {"checkpointing": "full"}, []).case
    assert not slow.passed
    assert slow.first_difference is not None
    assert slow.first_difference.index == "step_seconds"
    assert slow.first_difference.expected == trial.arguments["seconds"]


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
    assert kinds == {NUMBER, CHOICE, CHOICES, ORDER, TABLE}
