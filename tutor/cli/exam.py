"""`exam`: the final examination, problem by problem."""

from __future__ import annotations

import argparse
from typing import Any

from tutor.cli.opening import open_study
from tutor.cli.output import (
    BAD_INPUT,
    RIGHT,
    BadUsage,
    NotDone,
    complain,
    of_course,
    say,
    say_json,
    width,
)
from tutor.examination.page import NotSaved, markdown, save
from tutor.examination.pictures import blank_picture
from tutor.examination.result import Result
from tutor.examination.room import Asked, Examination, NoExamination, Sitting, UnderWay
from tutor.permissions import own_machine
from tutor.plain.examination import SKIP, say_back, show_problem
from tutor.plain.paper import Paper
from tutor.plain.typed import is_typed, next_line
from tutor.program import NAME, program
from tutor.study import Study


def exam(arguments: argparse.Namespace) -> int:
    """Asks the problems that are left; after the last one comes the page, which `--last` shows again."""
    seed = _seed(arguments.seed)
    if arguments.last and seed is not None:
        raise BadUsage("--last shows a page that is there already; --seed is for a new examination")
    with open_study(arguments.course, own_machine()) as study:
        room = Examination(study)
        # --save after the end is about the page that is there, not about a new examination
        is_over = arguments.save is not None and seed is None and room.sitting() is None and room.last() is not None
        if arguments.last or is_over:
            result = room.last()
            if result is None:
                raise BadUsage(f"no examination is over yet; {program()} exam{of_course(arguments)} begins one")
            return _page(study, result, arguments)
        sitting = _opened(room, seed)
        paper = Paper(drawn=True)
        if not arguments.json:
            _greet(sitting, paper)
        ended = _sit(room, sitting, arguments, paper)
        return RIGHT if ended is None else _page(study, ended, arguments)


def _seed(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise BadUsage(f"--seed is {text!r}; accepted: a whole number")
    return int(text)


def _opened(room: Examination, seed: int | None) -> Sitting:
    """The examination under way, or a new one."""
    sitting = room.sitting()
    if sitting is None:
        try:
            return room.begin(seed)
        except (NoExamination, UnderWay) as error:
            raise NotDone(str(error)) from None
    if seed is not None and seed != sitting.seed:
        answered = f"{len(sitting.answers)} of {len(sitting.problems)} answered"
        raise BadUsage(
            f"the examination with seed {sitting.seed} is under way ({answered}); without --seed it goes on, and "
            f"{SKIP} leaves a problem unanswered"
        )
    return sitting


def _greet(sitting: Sitting, paper: Paper) -> None:
    count = len(sitting.problems)
    done = len(sitting.answers)
    begun = f"It goes on where you were: {done} of {count} are answered." if done else f"{count} problems."
    paper.say(
        f"The final examination. {begun} One try each, no hints, and nothing is told before the end. "
        f"Every answer is kept at once: ctrl+d leaves, and it goes on another time. {SKIP} leaves a problem unanswered."
    )


def _sit(room: Examination, sitting: Sitting, arguments: argparse.Namespace, paper: Paper) -> Result | None:
    """Asks until the last problem or the end of the input; None when problems are left."""
    from tutor.answers.verdict import NotUnderstood

    shown, read_back = None, ""
    while (asked := sitting.next) is not None:
        room.show(sitting, asked)
        if shown != asked.number and not arguments.json:
            show_problem(paper, room, asked)
        shown = asked.number
        line = next_line("Answer: ")
        if line is None:
            _left(room, sitting, asked, arguments)
            return None
        text = line.strip()
        if text and text.lower() != SKIP and is_typed() and not arguments.json:
            read_back = say_back(paper, room, asked, text)
            continue
        text = text or read_back
        if not text:
            continue
        read_back = ""
        try:
            new = room.answer(sitting, asked, None if text.lower() == SKIP else text)
        except NotUnderstood as error:
            if arguments.json:
                raise BadUsage(f"{asked.question.id}: {error}") from None
            complain(f"{error} (that does not count as a try)")
            continue
        if not new:
            complain(f"{NAME}: problem {asked.number} has been answered elsewhere meanwhile")
        sitting = room.again(sitting)
    return room.end(sitting)


def _left(room: Examination, sitting: Sitting, asked: Asked, arguments: argparse.Namespace) -> None:
    """What is said when the input ends before the examination does."""
    if not arguments.json:
        say(f"{len(sitting.answers)} of {asked.of} answered, and kept. {program()} exam{of_course(arguments)} goes on.")
        return
    say_json(
        {"ended": False, "seed": sitting.seed, "answered": len(sitting.answers), "of": asked.of}
        | {"problem": _problem_json(room, asked)}
    )


def _problem_json(room: Examination, asked: Asked) -> dict[str, Any]:
    from tutor.answers import texts
    from tutor.views.terminal import text

    course, question, seed = room.course, asked.question, asked.seed
    drawn = blank_picture(course, question, seed)
    return {
        "number": asked.number,
        "id": question.id,
        "lesson": asked.lesson.id,
        "kind": question.kind,
        "prompt": texts.prompt(course, question, seed),
        "options": [{"id": option.id, "text": option.text} for option in texts.options_shown(course, question, seed)],
        "unit": question.unit,
        "picture": None if drawn is None else text(drawn.picture, width(), ascii_only=True),
    }


def _page(study: Study, result: Result, arguments: argparse.Namespace) -> int:
    """Prints the page, and saves it where that is asked for."""
    saved, refused = None, ""
    if arguments.save is not None:
        try:
            saved = save(result, study.exercise_folder, study.permissions, arguments.save or None)
        except (NotSaved, OSError) as error:
            # Ten answers are not to end in one line about a file: the page comes first
            again = f"{program()} exam --last --save NAME{of_course(arguments)}"
            refused = f"not saved: {getattr(error, 'strerror', None) or error} ({again} tries again)"
    if arguments.json:
        data = result.to_json()
        ended_at = data.pop("ended")
        not_yet = [title for title, _ in result.not_yet_firm]
        say_json(
            {"ended": True, "ended_at": ended_at, "score": result.score, "of": len(result.problems)}
            | {"firm": result.firm, "not_yet_firm": not_yet, "saved": str(saved) if saved else None}
            | data
        )
    else:
        if not arguments.last:
            say()
        for line in markdown(result).splitlines():
            say(line)
        say()
        if saved is not None:
            say(f"Saved: {saved}")
        elif not refused:
            say(f"{program()} exam --last --save{of_course(arguments)} keeps this page in a file.")
    if refused:
        complain(f"{NAME}: {refused}")
        return BAD_INPUT
    return RIGHT
