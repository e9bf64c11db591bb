"""`class board` and `class report`: what an instructor sees of a class."""

from __future__ import annotations

import argparse
import functools
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tutor.cli.output import RIGHT, BadUsage, say, say_json
from tutor.program import NAME

if TYPE_CHECKING:
    from tutor.classroom.records import Records, Source
    from tutor.classroom.report import Grades
    from tutor.classroom.standing import Board, Standing
    from tutor.course.model import Course

_EVERY = 5.0  # seconds from one look at the class to the next


def the_course() -> Course:
    from tutor.course.load import load

    return load()


def show_board(arguments: argparse.Namespace) -> int:
    from tutor.classroom.copies import refuse_root
    from tutor.classroom.records import opened
    from tutor.classroom.standing import as_csv, as_json, board

    refuse_root()
    records = opened(arguments.folders)
    course = the_course()
    if not (arguments.json or arguments.csv or arguments.plain or arguments.learner or arguments.watch):
        from tutor.app.terminal_check import why_not

        if why_not() is None:
            from tutor.app import run_board

            return run_board(records, course)
    while True:
        records.look()
        found = board(course, records.records, records.troubles, time.time(), records.question)
        if arguments.json:
            say_json(as_json(found))
        elif arguments.csv:
            print(as_csv(found), end="")
        elif arguments.learner:
            _one(arguments.learner, found, records.records.get(arguments.learner, []))
            _cautions(records)
        else:
            _show(found, course)
            _cautions(records)
        if not arguments.watch:
            return RIGHT
        sys.stdout.flush()
        time.sleep(_EVERY)


def _cautions(records: Records) -> None:
    """Says which of these records are trusted less, and why."""
    for line in records.cautions:
        say(f"\n{line}")


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
    from tutor.classroom.standing import ago

    if one.trouble:
        return f"{one.learner:16} {one.trouble}"
    where = f"{one.lesson}/{one.step}" if one.step else "not begun"
    here = "" if one.here_since is None else ago(now - one.here_since)
    words = course.misconceptions.get(one.stuck_on, "") if one.stuck else ""
    mark = "!" if one.stuck else " "
    return f"{one.learner:16}{mark}{where[:34]:34} {here:>7} {one.solved:4}/{one.of:<4} {one.wrong_here:6}  {words}"


def _one(name: str, found: Board, events: list[Any]) -> None:
    """One learner's latest answers; everything typed is made safe."""
    from tutor.classroom.standing import typed_in
    from tutor.safe_text import visible

    one = next((one for one in found.learners if one.learner == name), None)
    if one is None:
        raise BadUsage(f"{visible(name[:40])} is not in this class")
    say(f"{name}: {one.trouble or (one.lesson + '/' + one.step if one.step else 'not begun')}, {one.solved} solved")
    for event in [event for event in events if event.kind in ("answer", "check", "reveal")][-20:]:
        right = {True: "right", False: "wrong"}.get(event.detail.get("right"), "")
        say(f"  {event.kind:7} {visible(event.item[:40]):34} {right:6} {visible(typed_in(event)[:60])}")


def _data(source: Source | None) -> bytes | None:
    return None if source is None else source.data


def export(arguments: argparse.Namespace) -> int:
    """Writes all that the class keeps of a learner into one file, for them to take along."""
    import json

    from tutor.classroom.copies import refuse_root
    from tutor.classroom.folder import ClassFolder
    from tutor.classroom.records import export as exported

    refuse_root()
    document = exported(ClassFolder(Path(arguments.folder).absolute()), arguments.name)
    file = Path(arguments.file)
    taken = BadUsage(f"{file} exists and is left as it is; accepted: a new name")
    if arguments.dry_run and os.path.lexists(file):
        raise taken
    if not arguments.dry_run:
        try:
            with file.open("x", encoding="ascii") as out:
                json.dump(document, out, indent=1)
        except FileExistsError:
            raise taken from None
    counts = {"events": len(document["events"]), "files": len(document["files"])}
    if arguments.json:
        say_json({"file": str(file), **counts, "dry_run": arguments.dry_run})
        return RIGHT
    what = f"{counts['events']} events and {counts['files']} files of {arguments.name}"
    if arguments.dry_run:
        say(f"Would write {what} to {file}.")
        return RIGHT
    say(f"{what} written to {file}.")
    say(f"At home, `{NAME} progress --import {file.name}` adds the events to their record.")
    return RIGHT


def show_report(arguments: argparse.Namespace) -> int:
    from tutor.checker import check_source
    from tutor.classroom.copies import refuse_root
    from tutor.classroom.rechecking import limits
    from tutor.classroom.records import opened
    from tutor.classroom.report import Grades, as_csv, as_json, grades

    refuse_root()
    records = opened(arguments.folders)
    course = the_course()
    here = functools.cache(limits)

    def check(source: bytes, exercise: Any) -> tuple[bool, str]:
        result = check_source(source, exercise, limits=here(), seed=arguments.seed)
        failing = next((case.reason for case in result.cases if not case.passed), "")
        return result.passed, failing or (result.error.message if result.error else "")

    records.look()
    told = []
    for number, (name, events) in enumerate(sorted(records.records.items()), 1):
        if sys.stderr.isatty():
            print(f"\r{number} of {len(records.records)}: {name}\x1b[K", end="", file=sys.stderr, flush=True)
        told.append(grades(name, course, events, lambda file, name=name: _data(records.source(name, file)), check))  # type: ignore[misc]
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    told += [Grades(name, (), why) for name, why in sorted(records.troubles.items())]
    if arguments.json:
        say_json({"learners": as_json(told)})
    elif arguments.csv:
        print(as_csv(told), end="")
    else:
        say(f"{'learner':16} {'right':>6} {'of':>5}  {'disputed':>8}")
        for one in told:
            disputed = sum(mark.disputed for mark in one.marks)
            say(f"{one.learner:16} {one.right:6} {len(one.marks):5}  {disputed:8}  {one.trouble}".rstrip())
        _unchecked(told)
        _cautions(records)
    return RIGHT


def _unchecked(told: Sequence[Grades]) -> None:
    """Says how many marks are missing, and why."""
    from tutor.classroom.report import NOT_CHECKED

    whys = Counter(mark.note for one in told for mark in one.marks if mark.result == NOT_CHECKED)
    for why, count in whys.most_common():
        say(f"\n{count} could not be checked: {why}")
