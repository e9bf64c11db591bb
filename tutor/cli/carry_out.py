"""Runs a command: every expected failure is one line on standard error, and an exit status."""

from __future__ import annotations

import re
from collections.abc import Callable

from tutor.cli.output import BAD_INPUT, NOT_DONE, BadUsage, NotDone, complain
from tutor.program import NAME

_ENDLESS = re.compile(r"\S{400,}")  # longer than any path that is meant
_MOST = 4_000


def carried_out(command: Callable[[], int]) -> int:
    """The exit status of `command`, whose expected failures are said. Others are raised."""
    try:
        return int(command())
    except BrokenPipeError:
        raise
    except Exception as error:
        said = _said(error)
        if said is None:
            raise
        status, line = said
        complain(f"{NAME}: {shortened(line)}")
        return status


def shortened(line: str) -> str:
    """The line with what nobody reads left out: the rest of endless words, and of an endless line.

    >>> shortened("x" * 1000 + " is no lesson")
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx... is no lesson'
    """
    line = _ENDLESS.sub(lambda word: f"{word[0][:40]}...", line)
    return line if len(line) <= _MOST else f"{line[:_MOST]}..."


def _said(error: Exception) -> tuple[int, str] | None:
    """The status and the line for a failure; None for a mistake of the tutor's own."""
    # Imported when something has failed: no command waits for the classes of what does not happen
    from simlib.errors import BadArgument
    from tutor.course.model import CourseError
    from tutor.progress.store import ProgressError
    from tutor.study import NotAllowed, Unknown

    if isinstance(error, (BadUsage, BadArgument, Unknown, NotAllowed)):
        return BAD_INPUT, str(error)
    if isinstance(error, (NotDone, ProgressError, CourseError)):
        return NOT_DONE, str(error)
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return NOT_DONE, f"could not be carried out: {where}{error.strerror or error}"
    return None
