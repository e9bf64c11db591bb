"""Problems to practise: every skill gives fresh ones that can be answered, and no known mistake answers them."""

from __future__ import annotations

import random

import pytest

from simlib import quantities
from simlib.collectives import ring_all_reduce
from tutor.answers import texts
from tutor.answers.judge import judge, truth
from tutor.answers.truth import evaluate
from tutor.course.load import load
from tutor.course.model import GRID, NUMBER, ORDER, TABLE
from tutor.practice import quantities as by_name
from tutor.practice.fresh import can_be_fresh
from tutor.practice.problem import Problem
from tutor.practice.skills import Skills

COURSE = load()
SKILLS = Skills(COURSE)


def drawn(id: str, count: int) -> list[Problem]:
    return [SKILLS.problem(SKILLS.by_id[id], random.Random(f"{id} {number}")) for number in range(count)]


def test_every_family_and_every_kind_of_picture_is_there() -> None:
    families = {f"question:{one.id}" for one in COURSE.questions().values() if one.vary}
    assert families <= SKILLS.by_id.keys()
    assert {"picture:ring-step", "picture:forward-slots", "picture:one-f-one-b"} <= SKILLS.by_id.keys()
    assert {problem.question.kind for skill in SKILLS.all for problem in [SKILLS.problem(skill, random.Random(1))]} >= {
        NUMBER,
        TABLE,
        GRID,
        ORDER,
    }
    assert len([id for id in SKILLS.by_id if id.startswith("quantity:")]) >= 55


def test_every_quantity_that_one_can_work_out_is_practised() -> None:
    for name in quantities.names():
        if f"quantity:{name}" not in SKILLS.by_id:
            # A list is no number to type; what is looked up is not worked out; the other two no lesson names
            left_out = (*by_name.LOOKED_UP, "ddp.buckets", "mesh.", "collective.wire_ratio")
            assert name.startswith(left_out), name


@pytest.mark.parametrize("id", list(SKILLS.by_id))
def test_the_answer_is_right_when_it_is_typed_and_known_mistakes_are_not(id: str) -> None:
    for problem in drawn(id, 3):
        course, question, seed = problem.course, problem.question, problem.seed
        right = truth(course, question, seed)
        assert judge(course, question, right.shown.split(" (")[0], seed).right, right.shown
        said = [texts.prompt(course, question, seed), texts.reason(course, question, seed)]
        assert all(said)
        assert not any("{{" in text for text in [*said, *texts.hints(course, question, seed)])
        if question.kind == NUMBER:
            for wrong in question.wrong:
                value = evaluate(course, question, wrong.match, wrong.place, seed).value
                typed = f"{value!r} B" if question.unit.endswith("B") else repr(value)
                verdict = judge(course, question, typed, seed)
                assert not verdict.right, (typed, right.shown)


@pytest.mark.parametrize(
    "id", ["question:ring-how-many-bytes", "quantity:ring.time", "picture:ring-step", "question:ring-first-row"]
)
def test_numbers_are_fresh(id: str) -> None:
    def numbers(problem: Problem) -> str:
        live = problem.live
        return texts.prompt(problem.course, problem.question, problem.seed) + repr(live.parameters if live else "")

    assert len({numbers(problem) for problem in drawn(id, 12)}) >= 5


def test_numbers_go_beyond_those_of_the_lesson() -> None:
    question = COURSE.questions()["ring-how-many-bytes"]
    listed = {name: set(values) for name, values in question.vary.items()}
    found = {name: set() for name in listed}
    for problem in drawn("question:ring-how-many-bytes", 60):
        for name, values in problem.question.vary.items():
            found[name] |= set(values)
    assert any(found[name] - listed[name] for name in listed)


def test_the_same_draw_gives_the_same_problem() -> None:
    for id in ("question:ring-how-many-bytes", "quantity:zero.bytes_per_gpu", "picture:ring-step"):
        first, second = (SKILLS.problem(SKILLS.by_id[id], random.Random("same")) for _ in range(2))
        assert first.question == second.question
        assert (first.live is None) == (second.live is None)


def test_a_ring_table_is_that_of_the_engine() -> None:
    for problem in drawn("picture:ring-step", 8):
        assert problem.live is not None
        values = problem.live.parameters["values"]
        step = int(problem.question.cells.removeprefix("step="))
        state = [row.tolist() for row in ring_all_reduce(values).state(step)]
        typed = "; ".join(" ".join(map(str, row)) for row in state)
        assert judge(problem.course, problem.question, typed).right
        before = [list(row) for row in state]
        before[0][0] += 1
        assert not judge(problem.course, problem.question, "; ".join(" ".join(map(str, row)) for row in before)).right


def test_what_arrived_is_missing_is_told() -> None:
    for problem in drawn("picture:ring-step", 12):
        question, course = problem.question, problem.course
        wrong = question.wrong[0]
        rows = truth(course, question).value
        live = problem.live
        assert live is not None
        chunk = int(wrong.at.split("chunk=")[1])
        rows = [list(row) for row in rows]
        rows[0][chunk] = evaluate(course, question, wrong.match, wrong.place).value
        verdict = judge(course, question, "; ".join(" ".join(map(str, row)) for row in rows))
        assert verdict.misconception == "nothing-arrived", verdict


def test_a_choice_of_one_form_is_not_practised() -> None:
    single = [question for question in COURSE.questions().values() if not question.vary and question.kind == "choice"]
    assert single
    assert not any(can_be_fresh(COURSE, question) for question in single)
