"""Every question of the course: its known mistakes get their own replies, which give nothing away."""

from __future__ import annotations

import pytest

from tutor.answers import cells, texts
from tutor.answers.families import member, members
from tutor.answers.judge import judge, matches_options, truth
from tutor.answers.truth import evaluate
from tutor.course.blocks import ids
from tutor.course.load import load
from tutor.course.model import CHOICE, CHOICES, NUMBER, ORDER, Course, Question, Wrong

QUESTIONS = load().questions()
WRONG = [
    pytest.param(question, number, id=f"{question.id}-{number}")
    for question in QUESTIONS.values()
    for number in range(len(question.wrong))
]


def _typed(course: Course, question: Question, wrong: Wrong, seed: int) -> str:
    """How a learner who makes this mistake would answer."""
    if question.kind == CHOICE:
        return wrong.match
    if question.kind == CHOICES:
        described = ids(wrong.match)
        left_out = {id.removeprefix("!") for id in described if id.startswith("!")}
        ticked = [*ids(question.answer), *(id for id in described if not id.startswith("!"))]
        return ", ".join(id for id in dict.fromkeys(ticked) if id not in left_out)
    if question.kind == ORDER:
        return ", ".join(dict.fromkeys([*ids(wrong.match), *ids(question.answer)]))
    if question.kind == NUMBER:
        return repr(evaluate(course, question, wrong.match, wrong.place, seed).value)
    at = {name: int(number) for name, number in (word.split("=") for word in wrong.at.split())}
    value = cells.wrong_cell_value(course, question, wrong, seed)
    rows = cells.rows(course, question, seed)
    changed = [place for row in rows for place, _ in row if at.items() <= dict(place).items()]
    assert len(changed) == 1, wrong.at
    filled = [[value if place in changed else holds for place, holds in row] for row in rows]
    return "; ".join(" ".join("." if cell is None else str(cell) for cell in row) for row in filled)


@pytest.mark.parametrize(("question", "number"), WRONG)
def test_each_known_mistake_gets_its_own_reply(course: Course, question: Question, number: int) -> None:
    wrong = question.wrong[number]
    for seed, _ in members(question):
        verdict = judge(course, question, _typed(course, question, wrong, seed), seed)
        assert not verdict.right, seed
        assert verdict.reason == texts.reply(course, question, wrong, seed)
        assert verdict.misconception == wrong.misconception


@pytest.mark.parametrize(("question", "number"), WRONG)
def test_a_reply_does_not_give_the_answer_away(course: Course, question: Question, number: int) -> None:
    if question.kind != NUMBER:
        return
    for seed, chosen in members(question):
        shown = truth(course, question, seed).shown
        reply = texts.reply(course, question, question.wrong[number], seed)
        figures = {word.strip(".,:;") for word in reply.split()}
        asked = {f"{value:g}" for value in chosen.values() if isinstance(value, (int, float))}
        assert shown.split()[0] not in figures - asked


@pytest.mark.parametrize("question_id", QUESTIONS)
def test_every_question_has_hints_a_reason_and_two_known_mistakes(course: Course, question_id: str) -> None:
    question = QUESTIONS[question_id]
    assert len(question.hints) >= 2
    assert len(question.wrong) >= 2
    for seed, _ in members(question):
        assert texts.prompt(course, question, seed)
        assert texts.reason(course, question, seed)
        assert all(texts.hints(course, question, seed))
    if question.kind == CHOICE:
        assert {option.id for option in question.options} == {question.answer, *(w.match for w in question.wrong)}
    if question.kind == CHOICES:
        right = ids(question.answer)
        for option in question.options:
            mistaken = [id for id in right if id != option.id] if option.id in right else [*right, option.id]
            assert any(matches_options(question, wrong, mistaken) for wrong in question.wrong), option.id


def test_a_family_has_more_than_one_answer(course: Course) -> None:
    for question in QUESTIONS.values():
        values = [truth(course, question, seed).value for seed, _ in members(question)]
        if question.vary:
            assert len(set(values)) > 1, question.id
        assert member(question) == member(question, 0)
