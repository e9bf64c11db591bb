"""`lessons`, `exercises`, `progress`."""

from __future__ import annotations

import argparse
import json
import time
from contextlib import suppress
from pathlib import Path
from textwrap import fill
from typing import Any

from tutor.cli.opening import open_study
from tutor.cli.output import RIGHT, BadUsage, of_course, say, say_json, width
from tutor.course.model import ASK, CODE
from tutor.examination.room import Examination
from tutor.permissions import own_machine
from tutor.program import program
from tutor.progress.standing import ItemStanding
from tutor.progress.store import Event, ProgressError
from tutor.regular_file import read_regular
from tutor.study import LessonStanding, Study


def _lesson_json(standing: LessonStanding) -> dict[str, Any]:
    lesson = standing.lesson
    return {
        "id": lesson.id,
        "title": lesson.title,
        "about": lesson.about,
        "minutes": lesson.minutes,
        "needs": list(lesson.needs),
        "steps": [step.id for step in lesson.steps],
        "steps_seen": standing.steps_seen,
        "questions": [id for step in lesson.steps for kind, id in step.heads if kind == ASK],
        "exercises": [id for step in lesson.steps for kind, id in step.heads if kind == CODE],
        "solved": standing.solved,
        "revealed": standing.revealed,
        "total": standing.total,
    }


def lessons(arguments: argparse.Namespace) -> int:
    """Lists the lessons, a lesson's steps, or prints a step."""
    with open_study(arguments.course, own_machine(), only_reads=True) as study:
        if arguments.of is not None:
            from tutor.cli.reading_step import print_step, print_steps

            course = of_course(arguments)
            found = study.course.find_step(arguments.of)
            if found is not None and study.course.lesson(arguments.of) is None:
                with suppress(ProgressError):  # a step can be read where nothing can be kept
                    study.store.add("read", found[1].id)
                return print_step(study, *found, as_json=arguments.json, course=course)
            return print_steps(study, study.lesson(arguments.of), as_json=arguments.json, course=course)
        standings = study.lessons()
    if arguments.json:
        say_json({"lessons": [_lesson_json(standing) for standing in standings]})
        return RIGHT
    for standing in standings:
        lesson = standing.lesson
        _say_beside(lesson.id, f"{lesson.title} ({lesson.minutes} min; {standing.in_words})")
        _say_beside("", lesson.about)
    return RIGHT


def _say_beside(name: str, text: str) -> None:
    head = f"{name:<12} "
    columns = max(50, min(width(), 100))
    say(fill(text, columns, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False))


def exercises(arguments: argparse.Namespace) -> int:
    """Lists the exercises with the learner's files."""
    with open_study(arguments.course, own_machine(), only_reads=True) as study:
        standings = study.standings()
        rows = []
        for exercise in study.course.exercises().values():
            path = study.exercise_path(exercise.id)
            found = study.course.step_of(exercise.id)
            rows.append(
                {
                    "id": exercise.id,
                    "title": exercise.title,
                    "lesson": found[0].id if found else None,
                    "state": standings.get(exercise.id, ItemStanding()).state,
                    "file": str(path),
                    "started": path.exists(),
                }
            )
    if arguments.json:
        say_json({"exercises": rows})
        return RIGHT
    names = max((len(str(row["id"])) for row in rows), default=0)
    for row in rows:
        say(f"{row['id']:<{names}} {row['state']:<9} {row['file'] if row['started'] else 'not started'}")
    return RIGHT


def progress(arguments: argparse.Namespace) -> int:
    """Shows, writes out or takes in the learner's record."""
    with open_study(arguments.course, own_machine()) as study:
        for name, file in (("--export", arguments.export), ("--import", arguments.import_)):
            if file in ("", "-"):
                raise BadUsage(f"{name} is {file!r}; accepted: the name of a file")
        if arguments.export:
            return _export(study, Path(arguments.export), arguments.json)
        if arguments.import_:
            return _import(study, Path(arguments.import_), arguments.json)
        standings = study.lessons()
        items = study.standings()
        where = study.where()
        room = Examination(study)
        examined = room.in_words if room.exists else None
    if arguments.json:
        say_json(
            {
                "where": {"lesson": where[0].id, "step": where[1].id} if where else None,
                "lessons": [_lesson_json(standing) for standing in standings],
                "items": {
                    name: {"state": item.state, "tries": item.tries, "wrong": item.wrong, "hints": item.hints}
                    for name, item in sorted(items.items())
                },
                "examination": examined,
            }
        )
        return RIGHT
    if where is None and not items:
        say(f"Nothing done yet. {program()}{of_course(arguments)} begins.")
    elif where is not None:
        say(f"You are at {where[0].title}: {where[1].title} ({where[1].id}).")
    for standing in standings:
        steps = f"{standing.steps_seen} of {len(standing.lesson.steps)} steps"
        say(f"{standing.lesson.id:<12} {standing.in_words}; {steps}")
    if examined is not None:
        say(f"{'examination':<12} {examined}")
    return RIGHT


def _export(study: Study, file: Path, as_json: bool) -> int:
    events = study.store.events()
    document = {
        "format": 1,
        "written": time.time(),
        "events": [
            {"uid": event.uid, "at": event.at, "kind": event.kind, "item": event.item, "detail": event.detail}
            for event in events
        ],
    }
    try:
        with file.open("x", encoding="utf-8") as out:
            json.dump(document, out, ensure_ascii=False, indent=1)
    except FileExistsError:
        raise BadUsage(f"{file} exists and is left as it is; accepted: a new name") from None
    if as_json:
        say_json({"file": str(file), "events": len(events)})
    else:
        say(f"{len(events)} events written to {file}.")
    return RIGHT


def _import(study: Study, file: Path, as_json: bool) -> int:
    try:
        document = json.loads(read_regular(file).decode("utf-8"))
        events = [
            Event(str(row["uid"]), float(row["at"]), str(row["kind"]), str(row["item"]), dict(row["detail"]))
            for row in document["events"]
        ]
    except OSError as error:
        raise BadUsage(f"{file}: {error.strerror}; accepted: a file that `progress --export` wrote") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BadUsage(f"{file} is not a record; accepted: a file that `progress --export` wrote") from None
    added = study.store.take_in(events)
    if as_json:
        say_json({"file": str(file), "events": len(events), "added": added})
    else:
        say(f"{added} new events of {len(events)} taken in from {file}.")
    return RIGHT
