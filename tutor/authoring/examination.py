"""Checks of the final examination: what its problems need besides what every question does."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from tutor.answers.families import count_members
from tutor.authoring.problem import Problem
from tutor.course.model import Course, Lesson, Place, Question

LEAST_PROBLEMS = 10  # as many as one examination asks
LEAST_MEMBERS = 12  # of each, so that years of examinations show nobody the same numbers twice


def check_examination(course: Course, examination: Lesson, place: Place) -> Iterator[Problem]:
    """What is wrong with the examination as a whole, at `place`, and with what each step of it holds."""
    problems = [step.question for step in examination.steps if step.question]
    if len(problems) < LEAST_PROBLEMS:
        yield Problem(place, f"{len(problems)} problems; an examination asks {LEAST_PROBLEMS}")
    for step in examination.steps:
        if step.exercise is not None:
            yield Problem(step.exercise.place, f"{step.exercise.id}: an examination has no exercises")
        elif step.question is None:
            yield Problem(step.place, f"step {step.id} asks nothing; each step of an examination has an ask block")
    known = {step.id for lesson in course.lessons for step in lesson.steps}
    for problem in problems:
        yield from _problem(problem, known)
    met = {found[0].id for problem in problems for id in problem.back if (found := course.find_step(id))}
    for lesson in course.lessons:
        if lesson.id not in met:
            yield Problem(place, f"no problem leads back to the lesson {lesson.id!r}", warning=True)


def _problem(problem: Question, known: set[str]) -> Iterator[Problem]:
    if not problem.back:
        yield Problem(problem.place, f'{problem.id}: no back: the steps to return to, such as back = ["its-id"]')
    for id in problem.back:
        if id not in known:
            near = get_close_matches(id, known, n=3, cutoff=0.5)
            there = f"near it: {', '.join(near)}" if near else "accepted: the id of a lesson's step"
            yield Problem(problem.at("back"), f"{problem.id}: back names {id!r}, which no lesson has; {there}")
    count = count_members(problem)
    if count < LEAST_MEMBERS:
        yield Problem(
            problem.at("vary"), f"{problem.id}: {count} members; at least {LEAST_MEMBERS} are asked for, so vary more"
        )
    if problem.hints:
        yield Problem(problem.at("hints"), f"{problem.id}: an examination gives no hints")


def refuse_back(question: Question) -> Iterator[Problem]:
    """`back` on a lesson's own question, which stands beside what it asks."""
    if question.back:
        yield Problem(question.at("back"), f"{question.id}: back is for the problems of an examination")
