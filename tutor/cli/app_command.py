"""`python -m tutor` without a command: the app."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from typing import TYPE_CHECKING

from tutor.cli.output import BadUsage, NotDone

if TYPE_CHECKING:
    import argparse


_BY_SIGNAL = 128  # what is above it says which signal ended the app


def open_app(arguments: argparse.Namespace) -> int:
    """Opens the app where the learner left off."""
    if arguments.json:
        raise BadUsage("--json goes with a command: the app prints no JSON")
    return _open(arguments.course)


def open_shipped() -> int:
    """The same with the course that is shipped."""
    return _open(None)


def _open(course: str | None) -> int:
    from tutor.app.terminal_check import why_not

    reason = why_not()
    if reason is not None:
        raise NotDone(reason)
    # Nothing that is made before the first frame becomes garbage: `tutor.app.preload` turns it on again
    gc.disable()
    from tutor.cli.opening import open_study
    from tutor.permissions import own_machine

    with open_study(course, own_machine()) as study:
        from tutor.app import run

        status = run(study)
    if status > _BY_SIGNAL:
        # Everything is kept and the terminal is back: taking the interpreter apart would only take time
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    return status
