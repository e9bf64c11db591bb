"""What the tests of the lessons share: the course, and how a lesson is held to what it has to teach and answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tutor.answers import texts
from tutor.answers.families import members
from tutor.answers.judge import judge, truth
from tutor.course.load import load
from tutor.course.model import CHOICE, Course, Lesson, Prose, Question, Step

Places = Iterable[tuple[str, str]]


@pytest.fixture(scope="session")
def course() -> Course:
    return load()


@pytest.fixture
def said(course: Course) -> Callable[[Step], str]:
    """A step's prose with its figures, on one line."""

    def read(step: Step) -> str:
        blocks = (block for block in step.blocks if isinstance(block, Prose))
        return " ".join(texts.prose(course, step, block) for block in blocks).replace("\n", " ")

    return read


@pytest.fixture
def taught_and_asked(course: Course, said: Callable[[Step], str]) -> Callable[[Places], None]:
    """Fails unless each of these (step, question) is one step that says something and asks that question."""

    def check(places: Places) -> None:
        for step_id, question_id in places:
            found = course.find_step(step_id)
            assert found is not None, step_id
            _, step = found
            assert step.question is not None
            assert step.question.id == question_id
            assert said(step)

    return check


@pytest.fixture
def says(course: Course, said: Callable[[Step], str]) -> Callable[[str, Iterable[str]], None]:
    """Fails unless the prose of a step has these words, its figures filled in."""

    def check(step_id: str, phrases: Iterable[str]) -> None:
        found = course.find_step(step_id)
        assert found is not None
        for words in phrases:
            assert words in said(found[1])

    return check


@pytest.fixture
def comes_to(course: Course) -> Callable[[str, dict[str, Any], Any], None]:
    """Fails unless the right answer of a question's member with these variables is this value, in base units."""

    def check(question_id: str, variables: dict[str, Any], value: Any) -> None:
        question = course.questions()[question_id]
        seed = next(seed for seed, chosen in members(question) if variables.items() <= chosen.items())
        found = truth(course, question, seed).value
        assert found == (pytest.approx(value, rel=1e-9) if isinstance(value, (int, float)) else value)

    return check


@pytest.fixture
def takes(course: Course) -> Callable[[str, str], None]:
    """Fails unless this text is taken for the right answer of the member that the lesson shows."""

    def check(question_id: str, text: str) -> None:
        question = course.questions()[question_id]
        verdict = judge(course, question, text)
        assert verdict.right, verdict
        assert verdict.reason == texts.reason(course, question)

    return check


@pytest.fixture
def asked_in(course: Course) -> Callable[[Iterable[str]], set[str]]:
    """The ids of all questions of these lessons."""

    def ids(lessons: Iterable[str]) -> set[str]:
        return {question.id for name in lessons for question in _questions(_lesson(course, name))}

    return ids


@pytest.fixture
def begins_with_a_picture(course: Course, said: Callable[[Step], str]) -> Callable[[str], None]:
    """Fails unless a lesson opens with its own question, a picture, and a choice that arrow keys and Enter answer."""

    def check(name: str) -> None:
        first = _lesson(course, name).steps[0]
        assert first.live is not None
        assert first.question is not None
        assert first.question.kind == CHOICE
        assert first.question.live == first.live.id
        assert "The question of this lesson" in said(first)

    return check


@pytest.fixture
def alternates(course: Course, said: Callable[[Step], str]) -> Callable[[str, set[str]], None]:
    """Fails unless every step but the last asks something, and the last says what to remember and where to go."""

    def check(name: str, exercises: set[str]) -> None:
        lesson = _lesson(course, name)
        assert 10 <= len(lesson.steps) <= 25
        assert sum(step.question is not None for step in lesson.steps) >= 6
        assert {step.exercise.id for step in lesson.steps if step.exercise} == exercises
        assert all(step.question or step.exercise for step in lesson.steps[:-1])
        last = said(lesson.steps[-1])
        for words in ("If it was easy", "If it was hard", "Sources"):
            assert words in last

    return check


def _lesson(course: Course, name: str) -> Lesson:
    lesson = course.lesson(name)
    assert lesson is not None
    return lesson


def _questions(lesson: Lesson) -> list[Question]:
    return [step.question for step in lesson.steps if step.question]
