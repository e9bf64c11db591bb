"""`practice`: problem after problem, as many as the learner says."""

from __future__ import annotations

import argparse
from typing import Any

from tutor.answers import cells, texts
from tutor.cli.opening import open_study
from tutor.cli.output import RIGHT, BadUsage, NotDone, complain, say, say_json
from tutor.course.blocks import WITH_CELLS
from tutor.course.model import Prose
from tutor.examination.pictures import blank_picture
from tutor.permissions import own_machine
from tutor.plain.paper import Paper
from tutor.plain.question import say_rows
from tutor.plain.typed import next_line
from tutor.practice.problem import Problem
from tutor.practice.session import COUNT, NothingToPractise, Outcome, Practice, Practised, Session, Solution, Summary

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
            paper.say(
                f"{due_line(room.due())} {session.count} problems, two tries each. {HINT} gives a hint, {REVEAL} the "
                "answer; ctrl+d ends the session, and nothing is lost."
            )
        _work(session, paper, told, quiet=arguments.json)
        summary = session.summary()
        if arguments.json:
            say_json({"seed": session.seed, "problems": told, **_summary_json(summary)})
        else:
            _say_summary(summary, paper)
    return RIGHT


def due_line(due: int) -> str:
    """How much is due, in a sentence."""
    if not due:
        return "Nothing is due today."
    return f"{due} {'thing is' if due == 1 else 'things are'} due today."


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

    shown = 0
    while (problem := session.problem()) is not None:
        number = session.number
        if shown != number and not quiet:
            _show(problem, number, session.count, paper)
        shown = number
        line = next_line("Answer: ")
        if line is None:
            return
        text = line.strip()
        if not text:
            continue
        if text.lower() == HINT:
            if not quiet:
                paper.markdown(session.hint() or "There is no hint.", "Hint: ")
            continue
        if text.lower() == REVEAL:
            solution = session.reveal()
            told.append(_problem_json(problem, "", None))
            if not quiet:
                _say_solution(solution, paper)
            continue
        try:
            outcome = session.answer(text)
        except NotUnderstood as error:
            complain(f"{error} (that was no try)")
            continue
        told.append(_problem_json(problem, text, outcome))
        if not quiet:
            _say_outcome(outcome, paper)
    if session.number <= session.count and not quiet:
        paper.blank()
        paper.say("Nothing more is due, and nothing is new: come back another day, or open another lesson.")


def _show(problem: Problem, number: int, count: int, paper: Paper) -> None:
    course, question, seed = problem.course, problem.question, problem.seed
    paper.blank()
    paper.say(f"Problem {number} of {count}, from {problem.skill.lesson.title}: {problem.skill.title}")
    for block in problem.step.blocks:
        if isinstance(block, Prose):
            paper.markdown(texts.prose(course, problem.step, block))
    drawn = blank_picture(course, question, seed)
    if drawn is not None:
        paper.blank()
        paper.picture(drawn.picture, drawn.caption)
    paper.markdown(texts.prompt(course, question, seed))
    for at, option in enumerate(texts.options_shown(course, question, seed), 1):
        paper.say(option.text, f"{at:>3}  ")
    if question.kind in WITH_CELLS:
        rows = [[place for place, _ in row] for row in cells.rows(course, question, seed)]
        say_rows(paper, question, rows, one_by_one=False)


def _say_outcome(outcome: Outcome, paper: Paper) -> None:
    verdict = outcome.verdict
    paper.blank()
    if verdict.right:
        paper.say(f"Right: {verdict.understood}.")
    else:
        paper.markdown(verdict.reason, f"Not right ({verdict.understood}). ")
        if outcome.belief and outcome.times > 1:
            paper.say(f"That is the {_ordinal(outcome.times)} time that this belief was behind it: {outcome.belief}")
    if outcome.solution is not None:
        _say_solution(outcome.solution, paper, right=verdict.right)
    elif outcome.hint:
        paper.markdown(outcome.hint, "Hint: ")


def _say_solution(solution: Solution, paper: Paper, *, right: bool = False) -> None:
    if not right:
        paper.say(f"The answer: {solution.answer}.")
    if solution.worked:
        paper.say(solution.worked)
    paper.markdown(solution.why)


def _ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return {2: "second", 3: "third"}.get(number, f"{number}{ending}")


def _say_summary(summary: Summary, paper: Paper) -> None:
    paper.blank()
    for name, practised in (
        ("Firm", summary.firm),
        ("Nearly", summary.hard),
        ("Not firm yet", summary.not_firm),
    ):
        if practised:
            paper.say(f"{name}:")
            for one in practised:
                belief = f" {one.belief}" if one.belief else ""
                paper.say(
                    f"{one.skill.lesson.title}: {one.skill.step.title} ({one.skill.step.id}).{belief}", "- ", "  "
                )
    if not (summary.firm or summary.hard or summary.not_firm):
        paper.say("No problem was finished.")


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
