"""`lint`."""

from __future__ import annotations

import argparse
from pathlib import Path

from tutor.cli.output import RIGHT, WRONG, BadUsage, say, say_json
from tutor.permissions import own_machine


def lint(arguments: argparse.Namespace) -> int:
    """Looks for mistakes in a course; exit status 1 when there are any."""
    from tutor.authoring.lint import lint as find_problems

    named = arguments.folder or arguments.course
    if not own_machine().own_course:
        raise BadUsage("lint is off here")
    if named is not None and not Path(named).is_dir():
        raise BadUsage(f"{named}: no such folder; accepted: a folder with a course.toml")
    problems = find_problems(Path(named).absolute() if named is not None else None)
    errors = [problem for problem in problems if not problem.warning]
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
                ]
            }
        )
    else:
        for problem in problems:
            say(f"{problem.place}: {'warning: ' if problem.warning else ''}{problem.message}")
        say(
            "No mistakes found." if not problems else f"{len(errors)} mistakes, {len(problems) - len(errors)} warnings."
        )
    return WRONG if errors else RIGHT
