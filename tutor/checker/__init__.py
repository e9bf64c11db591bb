"""A learner's file in, a verdict out, from a process that cannot lie: it returns values, and they are compared here.

Importing this package loads neither NumPy nor the machinery; a check does.
"""

from __future__ import annotations

import threading
from pathlib import Path

from tutor.checker.limits import Limits
from tutor.checker.source import Unreadable, read_source
from tutor.checker.verdict import CheckResult, CouldNotCheck
from tutor.course.model import Exercise

__all__ = ["CheckResult", "CouldNotCheck", "Limits", "Unreadable", "check_file", "check_source", "read_source"]


def check_source(
    source: bytes,
    exercise: Exercise,
    seed: int | None = None,
    limits: Limits | None = None,
    stop: threading.Event | None = None,
    file: str = "",
    trusted: bool = True,
) -> CheckResult:
    """Runs a learner's source against an exercise and says what became of it. Blocks; `stop` ends it early.

    The cases are drawn afresh each time, or from `seed`. `file` is the name that the learner's
    tracebacks show. The check.py of an exercise that is not `trusted` runs in a process of its own.
    A wrong or broken file is a verdict, never an exception. Raises CouldNotCheck
    when the exercise's own check or the checker fails, and its subclass process.Stopped on `stop`.
    """
    from tutor.checker.check import check_source

    return check_source(source, exercise, seed, limits, stop, file, trusted)


def check_file(
    path: Path | str,
    exercise: Exercise,
    seed: int | None = None,
    limits: Limits | None = None,
    stop: threading.Event | None = None,
    trusted: bool = True,
) -> CheckResult:
    """Reads the file once and checks what it holds, as `check_source` does.

    Raises Unreadable when there is no readable file of at most 1 MiB under this name.
    """
    return check_source(read_source(path), exercise, seed, limits, stop, Path(path).name, trusted)
