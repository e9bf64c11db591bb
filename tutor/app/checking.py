"""Runs a check beside the app, which goes on drawing and answering meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tutor.checker.verdict import CheckResult, CouldNotCheck
from tutor.progress.store import ProgressError
from tutor.study import NotAllowed, Study, Unknown

if TYPE_CHECKING:
    Report = Callable[[CheckResult | str], None]


class Checking:
    """At most one check at a time: a newer one ends the one before, whose verdict is of no use any more."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._stop: threading.Event | None = None
        self._thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        """Whether a verdict is still to come."""
        return self._thread is not None and self._thread.is_alive()

    def prepare(self, exercise: str) -> None:
        """Checks of this exercise will follow: from now on one is ready before it is asked for."""
        self._study.prepare_checks(exercise)

    def start(self, path: Path, exercise: str, report: Report) -> None:
        """Checks the file in a thread; `report` is called from there with the verdict, or with one line."""
        before, stopped = self._thread, self._stop
        if stopped is not None:
            stopped.set()
        stop = self._stop = threading.Event()

        def check() -> None:
            if before is not None:
                before.join()
            if stop.is_set():
                return
            found: CheckResult | str
            try:
                found = self._study.check(path, exercise, stop)
            except CouldNotCheck as error:
                found = f"Could not be checked: {error}"
            except (NotAllowed, ProgressError, Unknown, OSError) as error:
                found = str(error)
            except Exception as error:
                # Whatever it is, the learner must not wait for ever
                found = f"Could not be checked: a mistake of the tutor's own: {type(error).__name__}: {error}"
            if not stop.is_set():
                report(found)

        # A daemon: a check that does not end must not keep the process alive
        self._thread = threading.Thread(target=check, name="check", daemon=True)
        self._thread.start()

    def end(self, wait: float = 0.0) -> None:
        """Ends the check that is running and what is kept ready, and waits for it as long as this many seconds."""
        if self._stop is not None:
            self._stop.set()
        if self._thread is not None and wait:
            self._thread.join(wait)
        self._study.no_more_checks()
