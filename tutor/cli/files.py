"""`start`, `reset`, `check`."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from pathlib import Path

from simlib.errors import BadArgument
from tutor.checker.watch import Watch
from tutor.cli.learner_file import refused_in_a_line
from tutor.cli.opening import open_study
from tutor.cli.output import RIGHT, WRONG, BadUsage, complain, of_course, say, say_json
from tutor.permissions import own_machine
from tutor.plain.paper import Paper
from tutor.plain.verdict import MOST_PRINTED, report
from tutor.program import program

_POLL_SECONDS = 0.2


def start(arguments: argparse.Namespace) -> int:
    """Writes the exercise's file, never over one that is there."""
    with open_study(arguments.course, own_machine()) as study:
        started = study.start(arguments.exercise)
    if arguments.json:
        say_json({"exercise": arguments.exercise, "file": str(started.path), "created": started.created})
    elif started.created:
        say(f"Written: {started.path}")
        say(f"Edit it, then: {program()} check {shlex.quote(str(started.path))}{of_course(arguments)}")
    else:
        say(f"Already there, and left as it is: {started.path}")
    return RIGHT


def reset(arguments: argparse.Namespace) -> int:
    """Begins the exercise's file again and keeps the old one under another name."""
    with open_study(arguments.course, own_machine()) as study:
        path = study.exercise_path(arguments.exercise)
        if not arguments.yes and path.exists():
            if not sys.stdin or not sys.stdin.isatty():
                raise BadUsage("reset asks first; --yes where nobody can be asked")
            if input(f"Begin {path} again? The old one is kept as a backup. [y/N] ").strip().lower() not in (
                "y",
                "yes",
            ):
                say("Left as it is.")
                return RIGHT
        done = study.reset(arguments.exercise)
    if arguments.json:
        backup = str(done.backup) if done.backup else None
        say_json({"exercise": arguments.exercise, "file": str(done.path), "backup": backup})
    else:
        say(f"Written: {done.path}" + (f" (the old one: {done.backup})" if done.backup else ""))
    return RIGHT


def check(arguments: argparse.Namespace) -> int:
    """Checks a file; with --watch again after each change, until ctrl+c."""
    path = Path(arguments.file)
    steps = _steps(arguments.steps)
    with open_study(arguments.course, own_machine()) as study:
        watch = Watch(path)
        while True:
            with refused_in_a_line(arguments.exercise, "checked"):
                result = study.check(path, arguments.exercise)
            if arguments.json:
                say_json(result.to_json())
            else:
                printed = None if arguments.output else MOST_PRINTED
                try:
                    report(Paper(drawn=True), result, steps, printed)
                except BadArgument as error:
                    if not arguments.watch:
                        raise
                    complain(str(error))  # the next run may have these steps
                    report(Paper(drawn=True), result, None, printed)
            if not arguments.watch:
                return RIGHT if result.passed else WRONG
            if not arguments.json:
                say(f"\nWaiting for {path.name} to be saved again; ctrl+c ends.\n")
            sys.stdout.flush()
            study.prepare_checks(result.exercise)
            _until_saved(watch)


def _steps(text: str | None) -> tuple[int, int] | None:
    """One step (`--steps 2`) or a range with both ends (`--steps 0:3`); None without."""
    if text is None:
        return None
    first, colon, last = text.partition(":")
    ends = [first, last if colon else first]
    if not all(end.isascii() and end.isdigit() and len(end) < 9 for end in ends) or int(ends[0]) > int(ends[1]):
        raise BadUsage(f"--steps is {text!r}; accepted: a step or a range, as in 2 or 1:4")
    return int(ends[0]), int(ends[1])


def _until_saved(watch: Watch) -> None:
    """Waits until the file holds something else. An editor may take it away for a moment, and put a new one there."""
    while not watch.changed():
        time.sleep(_POLL_SECONDS)
