"""`class board` and `class report`: what an instructor sees of a class."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tutor.cli.output import RIGHT, BadUsage, say, say_json

if TYPE_CHECKING:
    from tutor.classroom.folder import ClassFolder
    from tutor.classroom.standing import Board, Standing
    from tutor.course.model import Course

_EVERY = 5.0  # seconds from one look at the class to the next


def the_course() -> Course:
    from tutor.course.load import load

    return load()


def show_board(arguments: argparse.Namespace) -> int:
    from tutor.classroom.copies import refuse_root
    from tutor.classroom.standing import Watched, as_csv, as_json, board

    refuse_root()
    folders = _folders_of(arguments)
    course = the_course()
    watched = Watched()
    question = folders[0].settings().question
    while True:
        files = {name: folder.places(name).database for folder in folders for name in folder.learners()}
        watched.look(files)
        found = board(course, watched.records, watched.troubles, time.time(), question)
        if arguments.json:
            say_json(as_json(found))
        elif arguments.csv:
            print(as_csv(found), end="")
        elif arguments.learner:
            _one(arguments.learner, found, watched.records.get(arguments.learner, []))
        else:
            _show(found, course)
        if not arguments.watch:
            return RIGHT
        sys.stdout.flush()
        time.sleep(_EVERY)


def _folders_of(arguments: argparse.Namespace) -> list[ClassFolder]:
    from tutor.classroom.folder import ClassFolder

    found = [ClassFolder(Path(name).absolute()) for name in arguments.folders]
    for folder in found:
        folder.settings()
    return found


def _show(found: Board, course: Course) -> None:
    now = time.time()
    say(f"{'learner':16} {'where':34} {'here':>7} {'solved':>9} {'wrong':>6}  stuck on")
    for one in found.learners:
        say(_row(one, now, course).rstrip())
    if found.question:
        who = f"{found.question_right} right of {found.question_tried} who tried"
        say(f"\nQuestion of the day, {found.question}: {who}.")
    for title, counted in (("Most had wrong", found.wrong), ("Beliefs met", found.beliefs)):
        if counted:
            say(f"\n{title}:")
            for item, count in counted:
                words = course.misconceptions.get(item, "")
                say(f"  {count:3} {item}{': ' + words if words else ''}")


def _row(one: Standing, now: float, course: Course) -> str:
    if one.trouble:
        return f"{one.learner:16} {one.trouble}"
    where = f"{one.lesson}/{one.step}" if one.step else "not begun"
    here = "" if one.here_since is None else _time(now - one.here_since)
    words = course.misconceptions.get(one.stuck_on, "") if one.stuck else ""
    mark = "!" if one.stuck else " "
    return f"{one.learner:16}{mark}{where[:34]:34} {here:>7} {one.solved:4}/{one.of:<4} {one.wrong_here:6}  {words}"


def _time(seconds: float) -> str:
    minutes = int(max(0.0, seconds) // 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h" if minutes < 2880 else f"{minutes // 1440} d"


def _one(name: str, found: Board, events: list[Any]) -> None:
    """One learner's latest answers; everything typed is made safe."""
    from tutor.safe_text import visible

    one = next((one for one in found.learners if one.learner == name), None)
    if one is None:
        raise BadUsage(f"{visible(name[:40])} is not in this class")
    say(f"{name}: {one.trouble or (one.lesson + '/' + one.step if one.step else 'not begun')}, {one.solved} solved")
    for event in [event for event in events if event.kind in ("answer", "check", "reveal")][-20:]:
        typed = event.detail.get("text") or event.detail.get("reason") or event.detail.get("error") or ""
        right = {True: "right", False: "wrong"}.get(event.detail.get("right"), "")
        say(f"  {event.kind:7} {visible(event.item[:40]):34} {right:6} {visible(str(typed)[:60])}")


def show_report(arguments: argparse.Namespace) -> int:
    from tutor.checker import Limits, check_source
    from tutor.classroom.copies import Unsafe, events_of, refuse_root
    from tutor.classroom.report import Grades, as_csv, as_json, grades, merged

    refuse_root()
    folders = _folders_of(arguments)
    course = the_course()
    limits = Limits.of_class() if shutil.which("bwrap") else Limits()

    def check(source: bytes, exercise: Any) -> tuple[bool, str]:
        result = check_source(source, exercise, limits=limits, seed=arguments.seed)
        failing = next((case.reason for case in result.cases if not case.passed), "")
        return result.passed, failing or (result.error.message if result.error else "")

    records: list[dict[str, Any]] = []
    troubles: dict[str, str] = {}
    places: dict[str, Path] = {}
    for folder in folders:
        found: dict[str, Any] = {}
        for name in folder.learners():
            try:
                found[name] = events_of(folder.places(name).database)
                places.setdefault(name, folder.places(name).exercises)
            except Unsafe as error:
                troubles[name] = str(error)
        records.append(found)
    everyone = merged(records)
    told = []
    for number, (name, events) in enumerate(sorted(everyone.items()), 1):
        if sys.stderr.isatty():
            print(f"\r{number} of {len(everyone)}: {name}\x1b[K", end="", file=sys.stderr, flush=True)
        told.append(grades(name, course, events, places[name], check))
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    told += [Grades(name, (), why) for name, why in sorted(troubles.items())]
    if arguments.json:
        say_json({"learners": as_json(told)})
    elif arguments.csv:
        print(as_csv(told), end="")
    else:
        say(f"{'learner':16} {'right':>6} {'of':>5}  {'disputed':>8}")
        for one in told:
            disputed = sum(mark.disputed for mark in one.marks)
            say(f"{one.learner:16} {one.right:6} {len(one.marks):5}  {disputed:8}  {one.trouble}".rstrip())
    return RIGHT
