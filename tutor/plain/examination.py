"""The final examination line by line: one try a problem, and nothing told before the end."""

from __future__ import annotations

from dataclasses import replace

from tutor.answers.verdict import NotUnderstood
from tutor.course.model import CourseError
from tutor.examination.page import NotSaved, markdown, save
from tutor.examination.result import Result
from tutor.examination.room import Asked, Examination, NoExamination, Sitting, UnderWay
from tutor.plain.paper import Paper
from tutor.plain.problem import say_problem
from tutor.plain.typed import Typed, is_typed, named, next_line, read
from tutor.progress.store import ProgressError
from tutor.study import Study

SKIP = "skip"
_COMMANDS = {
    "again": "says the problem again",
    "back": "goes back to the lesson; the examination goes on another time",
    "quit": "leaves; the examination goes on another time",
}


def show_problem(paper: Paper, room: Examination, asked: Asked) -> None:
    """One problem as it is asked."""
    paper.blank()
    paper.say(f"Problem {asked.number} of {asked.of}: {asked.step.title}")
    say_problem(paper, room.course, asked.step, asked.question, asked.seed)


def examine(study: Study, paper: Paper) -> bool:
    """Asks the problems that are left, and says the page at the end; False when the learner leaves plain mode."""
    room = Examination(study)
    try:
        sitting = room.sitting() or room.begin()
    except (NoExamination, UnderWay) as error:
        paper.say(f"{error}.")
        return True
    done = len(sitting.answers)
    where = f"It goes on where you were: {done} of {len(sitting.problems)} are answered. " if done else ""
    paper.blank()
    paper.say(
        f"The final examination: {len(sitting.problems)} problems, one try each, no hints, and nothing is told before "
        f"the end. {where}{SKIP} leaves a problem unanswered, :back goes back to the lesson; ? lists the rest."
    )
    return _sit(room, sitting, paper)


def _sit(room: Examination, sitting: Sitting, paper: Paper) -> bool:
    shown, read_back = None, ""
    while (asked := sitting.next) is not None:
        room.show(sitting, asked)
        if shown != asked.number:
            show_problem(paper, room, asked)
            read_back = ""
        shown = asked.number
        line = next_line("Answer: ")
        typed = Typed("quit") if line is None else read(line)
        if typed.name:
            left = _command(typed, paper, room, asked)
            if left is not None:
                paper.say(f"{len(sitting.answers)} of {asked.of} answered, and kept; :exam goes on.")
                return left
        elif typed.answer and typed.answer.lower() != SKIP and is_typed():
            read_back = say_back(paper, room, asked, typed.answer)
        elif typed.answer or read_back:
            sitting = _given(room, sitting, asked, typed.answer or read_back, paper)
            read_back = ""
    say_page(paper, room.end(sitting))
    return True


def say_back(paper: Paper, room: Examination, asked: Asked, text: str) -> str:
    """Says how an answer is understood, before the one try is used; returns it, or nothing where it is none."""
    try:
        paper.say(f"Your answer: {room.understood(asked, text)}. Enter gives it, or type another.")
    except NotUnderstood as error:
        paper.say(f"{error}. That does not count as a try.")
        return ""
    except CourseError as error:
        paper.say(f"{error}.")
        return ""
    return text


def _given(room: Examination, sitting: Sitting, asked: Asked, text: str, paper: Paper) -> Sitting:
    """The sitting after this answer."""
    try:
        if not room.answer(sitting, asked, None if text.lower() == SKIP else text):
            paper.say("This problem has been answered elsewhere meanwhile.")
    except NotUnderstood as error:
        paper.say(f"{error}. That does not count as a try.")
        return sitting
    except (CourseError, ProgressError) as error:
        paper.say(f"{error}.")
        return sitting
    return room.again(sitting)


def _command(typed: Typed, paper: Paper, room: Examination, asked: Asked) -> bool | None:
    """What the session does next: True for the lesson, False for the end, None to go on asking."""
    found = named(typed.name, _COMMANDS)
    if found == ["again"]:
        show_problem(paper, room, asked)
    elif found == ["back"]:
        return True
    elif found == ["quit"]:
        return False
    else:
        if typed.name != "?":
            paper.say(f":{typed.name} is no command of the examination.")
        paper.say(f"An answer, {SKIP}, or one of these:")
        for name, help in _COMMANDS.items():
            paper.say(f"{help}.", f"  :{name:<7} ")
    return None


def say_page(paper: Paper, result: Result) -> None:
    """The page of an examination. Its pictures were said when they were asked about."""
    paper.blank()
    problems = tuple(replace(problem, picture="") for problem in result.problems)
    paper.markdown(markdown(replace(result, problems=problems)))
    paper.blank()
    paper.say(
        ":exam save NAME keeps this page in a file. :go and the name of a step, in brackets above, opens that step."
    )


def last_page(study: Study, paper: Paper, save_as: str | None = None) -> None:
    """Says the page of the last examination, or saves it as `save_as` (empty: named after the day)."""
    result = Examination(study).last()
    if result is None:
        paper.say("No examination is over yet; :exam begins one.")
    elif save_as is None:
        say_page(paper, result)
    else:
        try:
            paper.say(f"Saved: {save(result, study.exercise_folder, study.permissions, save_as or None)}")
        except (NotSaved, OSError) as error:
            paper.say(f"Not saved: {getattr(error, 'strerror', None) or error}.")
