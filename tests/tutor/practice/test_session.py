"""Practice over days: what comes when, what is said, and what three simulated learners get to see."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from tutor.answers.judge import truth
from tutor.answers.truth import evaluate
from tutor.answers.verdict import NotUnderstood
from tutor.course.model import NUMBER
from tutor.permissions import Permissions
from tutor.practice.memory import AGAIN, GOOD, PRACTICE
from tutor.practice.problem import Problem
from tutor.practice.session import KEPT_BACK, NothingToPractise, Practice, Session, Solution
from tutor.progress.store import Event
from tutor.study import Study, Unknown

DAY = 86_400.0
Fresh = Callable[[], Practice]


def right_answer(problem: Problem) -> str:
    return truth(problem.course, problem.question, problem.seed).shown.split(" (")[0]


def wrong_answer(problem: Problem, belief: str) -> str | None:
    """What somebody with this belief answers; None where the problem does not show it."""
    question = problem.question
    wrong = next((one for one in question.wrong if one.misconception == belief), None)
    if wrong is None or question.kind != NUMBER:
        return None
    value = evaluate(problem.course, question, wrong.match, wrong.place, problem.seed).value
    return f"{value!r} B" if question.unit.endswith("B") else repr(value)


def work(session: Session, answer: Callable[[Problem], str]) -> list[tuple[str, int]]:
    """Answers until the session is over; the skills with their ratings."""
    while (problem := session.problem()) is not None:
        session.answer(answer(problem))
    return [(one.skill.id, one.rating) for one in session.done]


# Three learners


def test_one_who_knows_is_not_bored(practice: Fresh, clock) -> None:
    """She never gets the same thing twice in a session, and next day gets new ones, as long as there are any."""
    seen: list[str] = []
    for _ in range(3):
        found = work(practice().session("ring", 3), right_answer)
        skills = [skill for skill, rating in found if rating == GOOD]
        assert len(skills) == len(set(skills)) == len(found) > 0
        assert not set(skills) & set(seen)
        seen += skills
        clock.at += 0.5 * DAY
    # At last there is nothing: she is not kept
    while found := work(practice().session("ring", 20), right_answer):
        assert not {skill for skill, _ in found} & set(seen)
        seen += [skill for skill, _ in found]
    assert practice().session("ring", 5).problem() is None
    clock.at += 30 * DAY
    assert practice().due() == len(seen)


def test_a_fixed_misconception_is_met_again_and_told_by_name(practice: Fresh, clock) -> None:
    belief = "n-for-n-minus-1"
    told: list[tuple[int, str]] = []
    skills: list[str] = []

    def answer_all(session: Session) -> None:
        while (problem := session.problem()) is not None:
            wrong = wrong_answer(problem, belief)
            outcome = session.answer(wrong or right_answer(problem))
            if wrong is not None:
                assert outcome.verdict.misconception == belief
                told.append((outcome.times, outcome.belief))
                skills.append(problem.skill.id)

    for _ in range(3):
        answer_all(practice().session("ring", 10))
        clock.at += DAY
    assert len(set(skills)) >= 2
    assert [times for times, _ in told] == list(range(1, len(told) + 1))
    assert len(told) >= 6
    assert {said for _, said in told} == {"N workers in a ring need N steps a phase, one for each worker."}
    summary = practice()
    assert belief in summary.beliefs.held()


def test_a_belief_given_up_is_left_alone(practice: Fresh, clock) -> None:
    session = practice().session("ring", 30)
    met = 0
    while (problem := session.problem()) is not None:
        wrong = wrong_answer(problem, "n-for-n-minus-1") if not met else None
        met += wrong is not None
        session.answer(wrong or right_answer(problem))
    assert met == 1
    assert "n-for-n-minus-1" not in practice().beliefs.held()


def test_one_who_forgets_gets_it_again_soon_and_one_who_does_not_later(practice: Fresh, clock) -> None:
    first = practice().session("zero", 4)
    skills = [skill for skill, _ in work(first, right_answer)]
    clock.at += 4 * DAY
    again = practice()
    due = [skill for skill in skills if again.memory.is_due(skill, clock.at)]
    assert due
    forgotten, known = due[0], next(skill for skill in skills if skill != due[0])
    session = again.session("zero", 12)
    while (problem := session.problem()) is not None:
        if problem.skill.id == forgotten:
            session.reveal()
        else:
            session.answer(right_answer(problem))
    memory = practice().memory
    assert memory.due_at(forgotten) < memory.due_at(known)
    asked = [one.skill.id for one in session.done]
    assert asked.count(forgotten) >= 2
    places = [at for at, skill in enumerate(asked) if skill == forgotten]
    assert all(later - earlier > 3 for earlier, later in pairwise(places))


# One session


def test_two_tries_then_the_solution_with_these_numbers(practice: Fresh) -> None:
    session = practice().session("ring", 1, seed=2)
    problem = session.problem()
    assert problem is not None
    first = session.answer("1 B" if problem.question.unit.endswith("B") else "0.123")
    assert not first.over
    assert first.solution is None
    second = session.answer("2 B" if problem.question.unit.endswith("B") else "0.124")
    assert second.over
    assert second.solution is not None
    assert second.solution.answer == truth(problem.course, problem.question, problem.seed).shown
    assert session.done[0].rating == AGAIN
    assert session.problem() is None
    assert session.summary().not_firm == tuple(session.done)


@pytest.mark.parametrize("how", ["two tries", "revealed"])
def test_where_a_class_keeps_answers_back_the_solution_is_for_who_found_it(study: Study, how: str) -> None:
    there = Study(study.course, study.store, study.exercise_folder, Permissions(reveal=False))
    session = Practice(there).session("ring", 2, seed=2)
    problem = session.problem()
    assert problem is not None
    if how == "revealed":
        told = session.reveal()
    else:
        unit = " B" if problem.question.unit.endswith("B") else ""
        session.answer(f"0.123{unit}")
        found = session.answer(f"0.124{unit}").solution
        assert found is not None
        told = found
    assert told == Solution(KEPT_BACK, "", "")
    assert session.done[0].rating == AGAIN
    second = session.problem()
    assert second is not None
    solved = session.answer(right_answer(second)).solution
    assert solved is not None
    assert solved.why
    assert solved.answer == truth(second.course, second.question, second.seed).shown


def test_a_hint_makes_it_nearly(practice: Fresh) -> None:
    session = practice().session("ring", 1, seed=2)
    problem = session.problem()
    assert problem is not None
    assert session.hint()
    assert session.answer(right_answer(problem)).over
    assert [one.skill.id for one in session.summary().hard] == [problem.skill.id]


def test_text_that_is_no_answer_is_no_try(practice: Fresh, study: Study) -> None:
    session = practice().session("ring", 1, seed=2)
    session.problem()
    with pytest.raises(NotUnderstood):
        session.answer("tea")
    assert study.store.events(kind=PRACTICE) == []


def test_a_seed_repeats_a_set_whatever_was_done_between(practice: Fresh) -> None:
    first = practice().session(None, 6, seed=11)
    prompts = []
    while (problem := first.problem()) is not None:
        prompts.append((problem.skill.id, problem.question.prompt, problem.seed))
        first.answer(right_answer(problem))
    again = practice().session(None, 6, seed=11)
    repeated = []
    while (problem := again.problem()) is not None:
        repeated.append((problem.skill.id, problem.question.prompt, problem.seed))
        again.reveal()
    assert prompts == repeated
    assert len(prompts) == 6


def test_lessons_that_were_opened_are_practised(practice: Fresh, study: Study) -> None:
    assert {skill.lesson.id for skill in practice().session().scope} == {"why"}
    zero = study.course.lesson("zero")
    assert zero is not None
    study.open_step(zero, zero.steps[2])
    assert {skill.lesson.id for skill in practice().session().scope} == {"zero"}


@pytest.mark.parametrize("kind", ["answer", "check", "hint", "reveal"])
def test_lessons_that_were_worked_on_from_a_shell_are_practised(kind: str, practice: Fresh, study: Study) -> None:
    study.store.add(kind, "ring_all_reduce" if kind == "check" else "ring-how-many-steps", right=False)
    assert {skill.lesson.id for skill in practice().session().scope} == {"ring"}


def test_a_lesson_that_there_is_not_is_named(practice: Fresh) -> None:
    with pytest.raises(Unknown, match="no lesson is called 'tea'"):
        practice().session("tea")


def test_a_course_without_families_has_nothing(study: Study) -> None:
    from dataclasses import replace

    bare = Study(replace(study.course, lessons=()), study.store, study.exercise_folder, study.permissions)
    with pytest.raises(NothingToPractise):
        Practice(bare).session()


def test_a_record_from_elsewhere_may_hold_anything(practice: Fresh, study: Study) -> None:
    odd: list[dict[str, object]] = [{}, {"rating": "x"}, {"rating": 9}, {"misconception": 7}, {"right": "yes"}]
    events = [Event(f"odd{at}", -5e20, PRACTICE, "question:gone", detail) for at, detail in enumerate(odd)]
    study.store.take_in([*events, Event("far", 1e300, PRACTICE, "question:ring-how-many-bytes", {"rating": GOOD})])
    session = practice().session("ring", 2)
    assert len(work(session, right_answer)) == 2


def test_a_clock_that_was_set_back_breaks_nothing(practice: Fresh, clock) -> None:
    work(practice().session("ring", 4), right_answer)
    clock.at -= 400 * DAY
    assert work(practice().session("ring", 4), right_answer)
