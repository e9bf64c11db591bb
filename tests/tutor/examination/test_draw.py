"""Which problems are drawn: ten different ones, spread over the lessons, none shown before, alike for a seed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.course.load import load
from tutor.course.model import Course
from tutor.examination.draw import PROBLEMS, Drawn, Numbers, Shown, draw, numbers, problems

SEEDS = st.integers(0, 10**18)


@pytest.fixture(scope="module")
def shipped() -> Course:
    return load()


def about(course: Course, drawn: list[Drawn]) -> list[str]:
    """The lesson of each problem."""
    lesson_of = {problem.id: lesson.id for lesson, _, problem in problems(course)}
    return [lesson_of[one.problem] for one in drawn]


def after(course: Course, exams: list[list[Drawn]]) -> Shown:
    """What a learner has seen who sat these examinations."""
    by_id = {problem.id: problem for _, _, problem in problems(course)}
    seen: dict[str, set[Numbers]] = {}
    for one in (one for exam in exams for one in exam):
        seen.setdefault(one.problem, set()).add(numbers(by_id[one.problem], one.seed))
    return Shown(seen, Counter(one.problem for exam in exams for one in exam))


@given(seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_ten_different_problems_spread_over_the_lessons(shipped: Course, seed: int) -> None:
    drawn = draw(shipped, seed)
    assert len({one.problem for one in drawn}) == len(drawn) == PROBLEMS
    counts = Counter(about(shipped, drawn))
    lessons = {lesson.id for lesson, _, _ in problems(shipped)}
    # No lesson twice while another is left out
    assert max(counts.values()) == -(-PROBLEMS // len(lessons))
    assert len(counts) == min(PROBLEMS, len(lessons))
    # In the order of the course
    order = [lesson.id for lesson in shipped.lessons]
    assert about(shipped, drawn) == sorted(about(shipped, drawn), key=order.index)
    assert drawn == draw(shipped, seed)


@given(first=SEEDS, second=SEEDS, third=SEEDS)
@settings(max_examples=25, deadline=None)
def test_numbers_never_come_again_and_every_lesson_gets_its_turn(
    shipped: Course, first: int, second: int, third: int
) -> None:
    exams: list[list[Drawn]] = []
    by_id = {problem.id: problem for _, _, problem in problems(shipped)}
    for seed in (first, second, third):
        exams.append(draw(shipped, seed, after(shipped, exams)))
    shown = [(one.problem, numbers(by_id[one.problem], one.seed)) for exam in exams for one in exam]
    assert len(set(shown)) == len(shown) == 3 * PROBLEMS
    counts = Counter(lesson for exam in exams for lesson in about(shipped, exam))
    assert counts.keys() == {lesson.id for lesson, _, _ in problems(shipped)}
    assert max(counts.values()) - min(counts.values()) <= 1


def test_seeds_differ(shipped: Course) -> None:
    assert len({tuple(draw(shipped, seed)) for seed in range(20)}) == 20


def test_a_course_of_few_lessons_asks_each_twice_at_most(exam_course: Path) -> None:
    course = load(exam_course)
    counts = Counter(about(course, draw(course, 3)))
    assert sorted(counts.values()) == [1, 1, 2, 2, 2, 2]


def test_until_all_numbers_have_been_shown(exam_course: Path) -> None:
    # Twelve problems of twelve members each: fourteen examinations of ten, and one of what is left
    course = load(exam_course)
    exams: list[list[Drawn]] = []
    for seed in range(20):
        exams.append(draw(course, seed, after(course, exams)))
    assert sum(map(len, exams)) == 12 * 12
    assert all(len(exam) == PROBLEMS for exam in exams[:12])
    assert exams[-1] == []


def test_without_problems_nothing_is_drawn(exam_course: Path) -> None:
    toml = exam_course / "course.toml"
    toml.write_text(toml.read_text().replace('examination = "finals"\n', ""))
    assert draw(load(exam_course), 1) == []
