"""The final examination of the shipped course: every lesson is asked, and every member has a right answer."""

from __future__ import annotations

from collections import Counter

import pytest

from simlib.quantities import evaluate
from tutor.answers import cells, tables, texts
from tutor.answers.families import count_members, member, members
from tutor.answers.judge import judge, truth, wrong_value
from tutor.answers.truth import show_value
from tutor.authoring.examination import LEAST_MEMBERS
from tutor.course.blocks import WITH_CELLS
from tutor.course.load import load
from tutor.course.model import CHOICE, CHOICES, NUMBER, ORDER, Course, Question
from tutor.examination.draw import problems
from tutor.examination.pictures import blank_picture
from tutor.views.terminal import text

COURSE = load()
PROBLEMS = [problem for _, _, problem in problems(COURSE)]
# Enough to meet every value of every variable, spread by the stride of a family's seeds
SAMPLE = 5


def typed(course: Course, problem: Question, seed: int) -> list[str]:
    """The right answer as a person may type it."""
    value = truth(course, problem, seed).value
    if problem.kind in WITH_CELLS:
        return [tables.show_rows(value)]
    shown = [option.id for option in texts.options_shown(course, problem, seed)]
    if problem.kind == CHOICE:
        return [value, str(shown.index(value) + 1)]
    if problem.kind in (CHOICES, ORDER):
        return [",".join(value), " ".join(str(shown.index(id) + 1) for id in value)]
    return [str(value) if not problem.unit else truth(course, problem, seed).shown]


def test_every_lesson_is_asked() -> None:
    counts = Counter(lesson.id for lesson, _, _ in problems(COURSE))
    assert len(PROBLEMS) >= 24
    assert {lesson.id: counts[lesson.id] >= 2 for lesson in COURSE.lessons} == {
        lesson.id: True for lesson in COURSE.lessons
    }
    assert len({problem.kind for problem in PROBLEMS}) == 6


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.id)
def test_the_right_answer_is_right_and_leads_back(problem: Question) -> None:
    assert count_members(problem) >= LEAST_MEMBERS
    assert all(COURSE.find_step(step) for step in problem.back)
    asked = set()
    for seed, _ in members(problem, SAMPLE):
        for answer in typed(COURSE, problem, seed):
            verdict = judge(COURSE, problem, answer, seed)
            assert verdict.right, (answer, verdict)
        picture = cells.scene(cells.live_picture(COURSE, problem, seed)).cells(0) if problem.live else {}
        asked.add((texts.prompt(COURSE, problem, seed), tuple(picture.items()), problem.cells))
        texts.reason(COURSE, problem, seed)
    if problem.kind not in WITH_CELLS:
        assert len(asked) == SAMPLE  # the numbers show


@pytest.mark.parametrize(
    "problem", [problem for problem in PROBLEMS if problem.kind == NUMBER], ids=lambda problem: problem.id
)
def test_a_known_wrong_answer_is_named(problem: Question) -> None:
    for wrong in problem.wrong:
        value = wrong_value(COURSE, problem, wrong, 1)
        assert value is not None
        verdict = judge(COURSE, problem, show_value(problem, value) if problem.unit else repr(value), 1)
        assert not verdict.right
        assert verdict.misconception == wrong.misconception


def test_no_problem_is_a_lessons_own_question() -> None:
    own = {texts.prompt(COURSE, question, seed) for question in COURSE.questions().values() for seed in (None, 1, 2)}
    assert not own & {texts.prompt(COURSE, problem, seed) for problem in PROBLEMS for seed, _ in members(problem, 20)}
    assert not set(COURSE.questions()) & {problem.id for problem in PROBLEMS}


def test_what_is_to_be_filled_in_follows_from_what_is_shown() -> None:
    # A picture stands still, so no step between the one shown and the one asked for can be missed
    for problem in PROBLEMS:
        if problem.kind in WITH_CELLS:
            live = cells.live_picture(COURSE, problem, 1)
            asked = cells.step_asked(COURSE, problem, 1)
            last = cells.scene(live).last_step
            assert asked in (live.step, live.step + 1, last)


def test_what_is_to_be_filled_in_is_covered() -> None:
    problem = by_id("exam-pipeline-fill")
    for seed, values in members(problem):
        drawn = blank_picture(COURSE, problem, seed)
        assert drawn is not None
        rows = {line[:7]: line[7:] for line in text(drawn.picture, 80, ascii_only=True).splitlines()}
        asked = rows.pop(f"stage {int(values['row'])}")
        assert not set(asked) & set("0123456789<.")
        assert all(set(row) & set("0123456789") for head, row in rows.items() if head.startswith("stage"))


def by_id(name: str) -> Question:
    return next(problem for problem in PROBLEMS if problem.id == name)


def test_ways_to_all_reduce_are_in_the_engines_order() -> None:
    problem = by_id("exam-cost-in-order")
    inside = evaluate("hardware.bandwidth", hardware="h100", gpus=8).value
    between = evaluate("hardware.bandwidth", hardware="h100", gpus=64).value
    for seed, _ in members(problem):
        values = member(problem, seed)
        servers, size = int(values["servers"]), float(values["gb"]) * 1e9
        flat = {"bytes": size, "workers": 8 * servers, "alpha": 0, "bandwidth": between}
        seconds = {
            "two-levels": evaluate(
                "hierarchical.time",
                bytes=size,
                nodes=servers,
                gpus_per_node=8,
                alpha_in=0,
                bandwidth_in=inside,
                alpha_out=0,
                bandwidth_out=between,
            ).value,
            "ring": evaluate("ring.time", **flat).value,
            "tree": evaluate("tree.time", **flat).value,
            # N - 1 arrays in, and as many out after that
            "root": 2 * (8 * servers - 1) * size / between,
        }
        assert sorted(seconds, key=seconds.__getitem__) == truth(COURSE, problem, seed).value


def test_ways_to_keep_less_are_in_the_engines_order() -> None:
    problem = by_id("exam-activations-in-order")
    modes = {
        "full": "full",
        "selective": "tensor+sequence+selective",
        "sequence": "tensor+sequence",
        "tensor": "tensor",
    }
    for seed, _ in members(problem):
        values = member(problem, seed)
        hidden = int(values["h"])
        kept = {
            name: evaluate(
                "activations.bytes_per_layer",
                sequence=int(values["s"]),
                micro_batch=1,
                hidden=hidden,
                heads=hidden // 128,
                tensor=int(values["t"]),
                mode=mode,
            ).value
            for name, mode in modes.items()
        }
        assert sorted(kept, key=kept.__getitem__) == truth(COURSE, problem, seed).value


def test_which_models_fit_is_the_engines_too() -> None:
    problem = by_id("exam-why-which-fit")
    for seed, _ in members(problem):
        memory = evaluate("hardware.memory_bytes", hardware=member(problem, seed)["card"]).value
        for option in texts.options_shown(COURSE, problem, seed):
            states = evaluate("training.state_bytes", params=round(float(option.text.split()[0]) * 1e9)).value
            assert (states <= memory) == (option.id in truth(COURSE, problem, seed).value)
