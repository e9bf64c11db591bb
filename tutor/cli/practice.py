"""`practice`: problem after problem, as many as the learner says."""

from __future__ import annotations

import argparse
from typing import Any

from tutor.answers import texts
from tutor.cli.opening import open_study
from tutor.cli.output import RIGHT, BadUsage, NotDone, complain, say, say_json
from tutor.permissions import own_machine
from tutor.plain.paper import Paper
from tutor.plain.practice import say_outcome, say_solution, say_summary, show_problem
from tutor.plain.typed import next_line
from tutor.practice.problem import Problem
from tutor.practice.session import COUNT, NothingToPractise, Outcome, Practice, Practised, Session, Summary
from tutor.practice.words import NOTHING_LEFT, due_line

HINT, REVEAL = "hint", "reveal"
_MOST = 1000


def practice(arguments: argparse.Namespace) -> int:
    """Asks until the last problem, or until the input ends; then says what is firm and what is not."""
    count, seed = _whole("count", arguments.count, COUNT, 1), _whole("seed", arguments.seed, None, 0)
    with open_study(arguments.course, own_machine()) as study:
        room = Practice(study)
        if arguments.due:
            due = room.due()
            if arguments.json:
                say_json({"due": due})
            else:
                say(due_line(due))
            return RIGHT
        try:
            session = room.session(arguments.lesson, count or COUNT, seed)
        except NothingToPractise as error:
            raise NotDone(str(error)) from None
        paper = Paper(drawn=True)
        told: list[dict[str, Any]] = []
        if not arguments.json:
            problems = "1 problem, two tries" if session.count == 1 else f"{session.count} problems, two tries each"
            paper.say(
                f"{due_line(room.due())} {problems}. {HINT} gives a hint, {REVEAL} the "
                "answer; ctrl+d ends the session, and nothing is lost."
            )
        _work(session, paper, told, quiet=arguments.json)
        summary = session.summary()
        if arguments.json:
            say_json({"seed": session.seed, "problems": told, **_summary_json(summary)})
        else:
            say_summary(paper, summary)
    return RIGHT


def _whole(name: str, text: str | None, default: int | None, least: int) -> int | None:
    if text is None:
        return default
    if not text.isascii() or not text.isdigit() or len(text) > 18 or not least <= int(text):
        raise BadUsage(f"--{name} is {text!r}; accepted: a whole number from {least}")
    if name == "count" and int(text) > _MOST:
        raise BadUsage(f"--{name} is {text}; accepted: a whole number from {least} to {_MOST}")
    return int(text)


def _work(session: Session, paper: Paper, told: list[dict[str, Any]], *, quiet: bool) -> None:
    """Asks problem after problem."""
    from tutor.answers.verdict import NotUnderstood

    shown = asked_back = 0  # numbers of problems
    while (problem := session.problem()) is not None:
        number = session.number
        if shown != number and not quiet:
            show_problem(paper, problem, number, session.count)
        shown = number
        line = next_line("Answer: ")
        if line is None:
            return
        text = line.strip()
        if not text:
            continue
        confirmed, asked_back = asked_back == number, 0
        if text.lower() == HINT:
            if not quiet:
                paper.markdown(session.hint() or "There is no hint.", "Hint: ")
            continue
        if text.lower() == REVEAL:
            if not confirmed and not quiet:  # --json has nobody to ask
                asked_back = number
                paper.say(f"The problem then counts as not known. {REVEAL} once more shows the answer.")
                continue
            solution = session.reveal()
            told.append(_problem_json(problem, "", None))
            if not quiet:
                say_solution(paper, solution)
            continue
        try:
            outcome = session.answer(text)
        except NotUnderstood as error:
            complain(f"{error} (that does not count as a try)")
            continue
        told.append(_problem_json(problem, text, outcome))
        if not quiet:
            say_outcome(paper, outcome)
    if session.number <= session.count and not quiet:
        paper.blank()
        paper.say(NOTHING_LEFT)


def _problem_json(problem: Problem, text: str, outcome: Outcome | None) -> dict[str, Any]:
    return {
        "skill": problem.skill.id,
        "lesson": problem.skill.lesson.id,
        "prompt": texts.prompt(problem.course, problem.question, problem.seed),
        "text": text,
        "right": outcome.verdict.right if outcome else False,
        "misconception": outcome.verdict.misconception if outcome else None,
        "answer": outcome.solution.answer if outcome and outcome.solution else None,
    }


def _summary_json(summary: Summary) -> dict[str, Any]:
    def ids(practised: tuple[Practised, ...]) -> list[str]:
        return [one.skill.id for one in practised]

    return {"firm": ids(summary.firm), "nearly": ids(summary.hard), "not_firm": ids(summary.not_firm)}
