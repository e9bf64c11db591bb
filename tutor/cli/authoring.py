"""`lint`, `new-lesson`."""

from __future__ import annotations

import argparse
import os
import shlex
from pathlib import Path

from tutor.cli.counting import Counting
from tutor.cli.output import RIGHT, WRONG, BadUsage, say, say_json
from tutor.course.load import course_folder, load
from tutor.course.published import PUBLISHED_FILE
from tutor.permissions import own_machine
from tutor.program import program


def lint(arguments: argparse.Namespace) -> int:
    """Looks for mistakes in a course; exit status 1 when there are any."""
    from tutor.authoring.lint import lint as find_problems
    from tutor.authoring.published import publish

    named = arguments.folder or arguments.course
    if not own_machine().own_course:
        raise BadUsage("lint is off here")
    if named is not None and not Path(named).is_dir():
        raise BadUsage(f"{named}: no such folder; accepted: a folder with a course.toml")
    folder = Path(named).absolute() if named is not None else course_folder()
    with Counting("exercises") as progress:
        problems = find_problems(folder, progress=progress)
    errors = [problem for problem in problems if not problem.warning]
    published = publish(load(folder)) if arguments.publish and not errors else None
    if arguments.json:
        say_json(
            {
                "problems": [
                    {
                        "file": str(problem.place.file),
                        "line": problem.place.line,
                        "message": problem.message,
                        "warning": problem.warning,
                    }
                    for problem in problems
                ],
                "published": published,
            }
        )
    else:
        for problem in problems:
            say(f"{problem.place}: {'warning: ' if problem.warning else ''}{problem.message}")
        say("No mistakes found." if not problems else _counted(len(errors), len(problems) - len(errors)))
        if published is not None:
            say(f"{published} new ids published in {folder / PUBLISHED_FILE}.")
        elif arguments.publish:
            say("Nothing is published while there are mistakes.")
    return WRONG if errors else RIGHT


def _counted(mistakes: int, warnings: int) -> str:
    return f"{mistakes} mistake{'s' * (mistakes != 1)}, {warnings} warning{'s' * (warnings != 1)}."


def new_lesson(arguments: argparse.Namespace) -> int:
    """Writes a lesson to begin from, in a course that is begun too where there is none."""
    from tutor.authoring.new_lesson import NotWritten, write_lesson

    if not own_machine().own_course:
        raise BadUsage("new-lesson is off here")
    try:
        # With --course, DIR is a folder of that course
        written = write_lesson((Path(arguments.course or "") / arguments.folder).absolute())
    except NotWritten as error:
        raise BadUsage(str(error)) from None
    if arguments.json:
        say_json(
            {
                "lesson": written.lesson,
                "course": str(written.course),
                "files": [str(file) for file in written.files],
                "changed": [str(file) for file in written.changed],
            }
        )
        return RIGHT
    for file in written.files:
        say(f"wrote {file}")
    for file in written.changed:
        say(f"added the lesson to {file}")
    course = shlex.quote(os.path.relpath(written.course))
    say(f"{program()} lint {course} looks for mistakes; {program()} --course {course} opens it.")
    return RIGHT
