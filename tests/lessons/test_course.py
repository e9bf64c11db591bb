"""The course that comes with the tutor: without a mistake, and answerable as it stands."""

from __future__ import annotations

import pytest

from tutor.answers.families import members
from tutor.answers.judge import hints, judge, options_shown, prompt, truth
from tutor.answers.texts import prose, reason, reply
from tutor.answers.truth import evaluate
from tutor.authoring.lint import lint
from tutor.course.load import load
from tutor.course.model import CHOICE, NUMBER, TABLE, Prose, Question

COURSE = load()
QUESTIONS = COURSE.questions()
MEMBERS = [(question.id, seed) for question in QUESTIONS.values() for seed, _ in members(question)]
IN_ORDER = (
    "why",
    "collectives",
    "ring",
    "cost",
    "data",
    "zero",
    "tensor",
    "pipeline",
    "activations",
    "mfu",
    "layouts",
    "libraries",
    "mistakes",
)
FAMILIES = [question.id for question in QUESTIONS.values() if question.vary]


def of_kind(kind: str) -> list[Question]:
    return [question for question in QUESTIONS.values() if question.kind == kind]


def test_the_linter_finds_nothing() -> None:
    """Solutions, tasks and mutants are run in test_exercises."""
    assert lint(exercises=False) == []


def test_the_lessons_are_all_there_in_order() -> None:
    there = [lesson.id for lesson in COURSE.lessons]
    assert there == [name for name in IN_ORDER if name in there]
    assert {question.kind for question in QUESTIONS.values()} >= {NUMBER, CHOICE, TABLE}
    assert set(COURSE.exercises()) >= {"ring_all_reduce", "ring_all_reduce_worker", "reduce_scatter_worker"}
    assert set(COURSE.exercises()) >= {"data_parallel_step", "bucket_gradients"}
    assert set(COURSE.exercises()) >= {"sharded_adam_step", "fsdp_forward_worker"}
    assert set(COURSE.exercises()) >= {"zero_bytes", "gpipe_order"}


@pytest.mark.parametrize("lesson", [lesson.id for lesson in COURSE.lessons])
def test_a_picture_and_a_question_about_it_come_first(lesson: str) -> None:
    found = COURSE.lesson(lesson)
    assert found is not None
    first = found.steps[0]
    assert first.live is not None
    assert first.question is not None


@pytest.mark.parametrize(("name", "seed"), MEMBERS)
def test_the_answer_that_is_shown_is_right_when_it_is_typed(name: str, seed: int) -> None:
    question = QUESTIONS[name]
    shown = truth(COURSE, question, seed).shown
    # A share is shown twice over: 0.273 (27.3%)
    for typed in (shown.split(" (")[0], shown.split(" (")[-1].rstrip(")")):
        assert judge(COURSE, question, typed, seed).right, typed


@pytest.mark.parametrize(("name", "seed"), [(name, seed) for name, seed in MEMBERS if QUESTIONS[name].kind == NUMBER])
def test_each_known_wrong_number_gets_its_own_reply(name: str, seed: int) -> None:
    question = QUESTIONS[name]
    for wrong in question.wrong:
        value = evaluate(COURSE, question, wrong.match, wrong.place, seed).value
        # Bytes are typed as bytes: a bare number could be meant in the unit in which the answer is shown
        typed = f"{value!r} B" if question.unit.endswith("B") else repr(value)
        verdict = judge(COURSE, question, typed, seed)
        assert not verdict.right
        assert verdict.misconception == wrong.misconception
        assert verdict.reason == reply(COURSE, question, wrong, seed)


@pytest.mark.parametrize("name", [question.id for question in of_kind(CHOICE)])
def test_every_option_is_right_or_has_a_reply_of_its_own(name: str) -> None:
    question = QUESTIONS[name]
    for number, option in enumerate(options_shown(COURSE, question), 1):
        verdict = judge(COURSE, question, str(number))
        assert verdict.value == option.id
        assert verdict.right or verdict.misconception, option.id


@pytest.mark.parametrize("name", FAMILIES)
def test_members_of_a_family_ask_different_things(name: str) -> None:
    question = QUESTIONS[name]
    prompts = {prompt(COURSE, question, seed) for seed, _ in members(question)}
    assert len(prompts) == len(list(members(question)))


@pytest.mark.parametrize(("name", "seed"), MEMBERS)
def test_hints_and_reason_are_filled_in_and_the_first_hint_gives_nothing_away(name: str, seed: int) -> None:
    question = QUESTIONS[name]
    texts = [*hints(COURSE, question, seed), reason(COURSE, question, seed), prompt(COURSE, question, seed)]
    assert all(text and "{{" not in text for text in texts)
    if question.kind == NUMBER:
        shown = truth(COURSE, question, seed).shown.split(" ")[0]
        assert f" {shown} " not in f" {texts[0]} "


def test_every_stretch_of_prose_can_be_shown() -> None:
    for lesson in COURSE.lessons:
        for step in lesson.steps:
            for block in step.blocks:
                if isinstance(block, Prose):
                    assert "{{" not in prose(COURSE, step, block)
