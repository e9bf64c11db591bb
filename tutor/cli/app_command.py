"""`python -m tutor` without a command: the app."""

from __future__ import annotations

import argparse

from tutor.cli.opening import open_study
from tutor.cli.output import BadUsage, NotDone
from tutor.permissions import own_machine


def open_app(arguments: argparse.Namespace) -> int:
    """Opens the app where the learner left off."""
    from tutor.app.terminal_check import why_not

    if arguments.json:
        raise BadUsage("--json goes with a command: the app prints no JSON")
    reason = why_not()
    if reason is not None:
        raise NotDone(reason)
    with open_study(arguments.course, own_machine()) as study:
        from tutor.app import run

        return run(study)
