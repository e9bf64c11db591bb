"""Practice line by line: problem after problem, two tries each."""

from __future__ import annotations

from tutor.answers.verdict import NotUnderstood
from tutor.plain.paper import Paper
from tutor.plain.problem import say_problem
from tutor.plain.typed import Typed, named, next_line, read
from tutor.practice.problem import Problem
from tutor.practice.session import NothingToPractise, Outcome, Practice, Session, Solution, Summary
from tutor.practice.words import NOTHING_LEFT, due_line, ordinal
from tutor.study import Study, Unknown

_COMMANDS = {
    "hint": "gives the next hint",
    "reveal": "shows the answer; the problem then counts as not known",
    "again": "says the problem again",
    "back": "goes back to the lesson",
    "quit": "leaves",
}


def practise(study: Study, paper: Paper, lesson: str | None) -> bool:
    """Asks fresh problems and says what is firm at the end; False when the learner leaves plain mode."""
    room = Practice(study)
    try:
        session = room.session(lesson)
    except (NothingToPractise, Unknown) as error:
        paper.say(f"{error}.")
        return True
    paper.blank()
    paper.say(
        f"{due_line(room.due())} {session.count} problems, two tries each. :hint gives a hint, :reveal the answer, "
        ":back ends it and goes back to the lesson."
    )
    goes_on = _work(session, paper)
    say_summary(paper, session.summary())
    return goes_on


def _work(session: Session, paper: Paper) -> bool:
    shown = asked_back = 0  # numbers of problems
    while (problem := session.problem()) is not None:
        number = session.number
        if shown != number:
            show_problem(paper, problem, number, session.count)
        shown = number
        line = next_line("Answer: ")
        typed = Typed("quit") if line is None else read(line)
        found = named(typed.name, _COMMANDS) if typed.name else []
        if found in (["back"], ["quit"]):
            return found == ["back"]
        confirmed, asked_back = asked_back == number, 0
        if found == ["hint"]:
            paper.markdown(session.hint() or "There is no hint.", "Hint: ")
        elif found == ["reveal"] and not confirmed:
            asked_back = number
            paper.say("The problem then counts as not known. :reveal once more shows the answer.")
        elif found == ["reveal"]:
            say_solution(paper, session.reveal())
        elif found == ["again"]:
            show_problem(paper, problem, number, session.count)
        elif typed.name:
            _list(typed, paper)
        elif typed.answer:
            _answer(session, typed.answer, paper)
    if session.number <= session.count:
        paper.blank()
        paper.say(NOTHING_LEFT)
    return True


def _answer(session: Session, text: str, paper: Paper) -> None:
    try:
        say_outcome(paper, session.answer(text))
    except NotUnderstood as error:
        paper.say(f"{error}. That does not count as a try.")


def _list(typed: Typed, paper: Paper) -> None:
    if typed.name != "?":
        paper.say(f":{typed.name} is no command of practice.")
    paper.say("An answer, or one of these:")
    for name, help in _COMMANDS.items():
        paper.say(f"{help}.", f"  :{name:<7} ")


def show_problem(paper: Paper, problem: Problem, number: int, count: int) -> None:
    """One problem as it is asked."""
    paper.blank()
    paper.say(f"Problem {number} of {count}, from {problem.skill.lesson.title}: {problem.skill.title}")
    say_problem(paper, problem.course, problem.step, problem.question, problem.seed)


def say_outcome(paper: Paper, outcome: Outcome) -> None:
    """What is said to an answer."""
    verdict = outcome.verdict
    paper.blank()
    if verdict.right:
        paper.say(f"Right: {verdict.understood}.")
    else:
        paper.markdown(verdict.reason, f"Not right ({verdict.understood}). ")
        if outcome.belief and outcome.times > 1:
            paper.say(f"That is the {ordinal(outcome.times)} time that this belief was behind it: {outcome.belief}")
    if outcome.solution is not None:
        say_solution(paper, outcome.solution, right=verdict.right)
    elif outcome.hint:
        paper.markdown(outcome.hint, "Hint: ")


def say_solution(paper: Paper, solution: Solution, *, right: bool = False) -> None:
    """The right answer with its reason; to a right one the reason alone."""
    if not right:
        paper.say(f"The answer: {solution.answer}.")
    if solution.worked:
        paper.say(solution.worked)
    paper.markdown(solution.why)


def say_summary(paper: Paper, summary: Summary) -> None:
    """What is firm at the end, and what is not."""
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
