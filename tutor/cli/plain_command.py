"""`plain`: the course line by line."""

from __future__ import annotations

import argparse

from tutor.cli.opening import open_study
from tutor.cli.output import BadUsage
from tutor.permissions import own_machine


def plain(arguments: argparse.Namespace) -> int:
    """Opens the course line by line where the learner left off, or at a lesson."""
    if arguments.json:
        raise BadUsage("--json goes with the other commands: plain prints sentences")
    from tutor.plain.run import run

    with open_study(arguments.course, own_machine()) as study:
        return run(study, arguments.lesson)
