"""The commands of plain mode: few, each with a letter of its own, told from answers by the sign before them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tutor.plain.examination import examine, last_page
from tutor.plain.exercise import ExerciseTask
from tutor.plain.looking_up import list_lessons, list_steps, look_up
from tutor.plain.practice import practise
from tutor.plain.question import QuestionTask
from tutor.plain.typed import SIGN, Typed, named

if TYPE_CHECKING:
    from tutor.plain.session import Session

HELP = "?"


def _again(session: Session, rest: str, before: str) -> None:
    if isinstance(session.task, QuestionTask):
        session.task.start_over()
    session.show()


def _back(session: Session, rest: str, before: str) -> None:
    at = session.lesson.steps.index(session.step)
    if at == 0:
        session.paper.say("This is the first step of the lesson. :lessons lists the lessons.")
        return
    session.open(session.lesson, session.lesson.steps[at - 1])


def _go(session: Session, rest: str, before: str) -> None:
    if rest:
        session.go(rest)
    else:
        list_steps(session.study, session.paper, session.lesson, session.step)


def _picture(session: Session, rest: str, before: str) -> None:
    if session.picture is None:
        session.paper.say("There is no picture in this step.")
    elif before == "picture":
        session.picture.again(session.paper)
    else:
        if not session.picture.model.is_lessons:
            session.asked_first = "picture"
        session.picture.list_handles(session.paper)


def _turn(by: int) -> Callable[[Session, str, str], None]:
    def turn(session: Session, rest: str, before: str) -> None:
        if session.picture is None:
            session.paper.say("There is no picture in this step.")
        else:
            session.picture.turn(by, session.paper)

    return turn


def _hint(session: Session, rest: str, before: str) -> None:
    if session.task is None:
        session.paper.say("Nothing is asked here.")
    else:
        session.task.hint()


def _reveal(session: Session, rest: str, before: str) -> None:
    session.reveal(before)


def _vary(session: Session, rest: str, before: str) -> None:
    session.vary()


def _start(session: Session, rest: str, before: str) -> None:
    if isinstance(session.task, ExerciseTask):
        session.task.start()
    else:
        session.paper.say("There is no exercise in this step.")


def _check(session: Session, rest: str, before: str) -> None:
    if isinstance(session.task, ExerciseTask):
        session.task.check()
    else:
        session.paper.say("There is no exercise in this step.")


def _find(session: Session, rest: str, before: str) -> None:
    look_up(session.study, session.paper, rest)


def _lessons(session: Session, rest: str, before: str) -> None:
    list_lessons(session.study, session.paper)


def _exam(session: Session, rest: str, before: str) -> None:
    what, _, name = rest.partition(" ")
    if what == "last":
        last_page(session.study, session.paper)
    elif what == "save":
        last_page(session.study, session.paper, name.strip())
    elif rest:
        session.paper.say(f":exam {rest} is no command; accepted: :exam, :exam last, :exam save NAME.")
    elif not examine(session.study, session.paper):
        session.ended = True


def _practice(session: Session, rest: str, before: str) -> None:
    if not practise(session.study, session.paper, rest or None):
        session.ended = True


def _quit(session: Session, rest: str, before: str) -> None:
    session.ended = True


Command = Callable[["Session", str, str], None]
# In the order in which they are listed; a letter is enough, except for practice, which comes after picture
COMMANDS: dict[str, tuple[str, Command]] = {
    "back": ("goes to the step before", _back),
    "again": ("says this step again; rows of a table that were typed are dropped", _again),
    "go": (":go 5 (or :5) opens step 5 of this lesson, :go ring a lesson; :go alone lists the steps", _go),
    "picture": ("says the picture and all that can be set in it", _picture),
    "+": ("moves the picture on, as the right arrow key does where the text speaks of it", _turn(1)),
    "-": ("moves the picture back, as the left arrow key does", _turn(-1)),
    "hint": ("gives the next hint", _hint),
    "reveal": ("shows the answer, or the solution of an exercise", _reveal),
    "vary": ("asks the question with other numbers", _vary),
    "start": ("writes the file of an exercise", _start),
    "check": ("checks that file", _check),
    "find": (":find ring says what a term means and where words stand; :find alone lists the terms", _find),
    "lessons": ("lists the lessons, and how far you are", _lessons),
    "practice": ("fresh problems of the lessons that you have opened; :practice ring of that one", _practice),
    "exam": ("the final examination; :exam last says the page of the last one, :exam save NAME keeps it", _exam),
    "quit": ("leaves, as ctrl+d does; everything is kept", _quit),
}


def carry_out(session: Session, typed: Typed, before: str) -> None:
    """Does what a command says; `before` is what was asked back before it."""
    if typed.name == HELP:
        _list(session)
        return
    picture = session.picture
    if picture is not None and typed.name not in COMMANDS and (typed.rest or len(typed.name) > 1):
        handle = picture.handle(typed.name, exact=True)
        if handle is not None:
            _change(session, handle, typed.rest)
            return
    found = named(typed.name, COMMANDS)
    if found:
        COMMANDS[found[0]][1](session, typed.rest, before)
        return
    handle = picture.handle(typed.name) if picture is not None else None
    if handle is not None:
        _change(session, handle, typed.rest)
        return
    if typed.name.isdecimal():
        session.go(typed.name)
        return
    session.paper.say(f"{SIGN}{typed.name} is no command here; ? lists them.")


def _change(session: Session, handle: str, value: str) -> None:
    """Sets what a picture's handle stands for, or without a value chooses it."""
    if session.picture is None:
        return
    if value:
        session.picture.set(handle, value, session.paper)
    else:
        session.picture.choose(handle, session.paper)


def _list(session: Session) -> None:
    paper = session.paper
    paper.blank()
    paper.say(
        "Enter alone goes on. What you type without : is an answer. Commands (a letter is enough, of practice two):"
    )
    for name, (help, _) in COMMANDS.items():
        paper.say(f"{help}.", f"  {SIGN}{name:<8} ")
    if session.picture is not None:
        paper.say("changes the picture: its step, or whatever else :picture lists.", f"  {SIGN}step 2   ")
