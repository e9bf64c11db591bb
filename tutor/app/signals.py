"""Leaves the app cleanly when the terminal goes away or somebody ends the process."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Protocol

# A terminal that takes no output any more would hold a clean exit up for ever
HARD_EXIT_SECONDS = 2.0


class Leaving(Protocol):
    """What must be done before the process ends."""

    def keep_everything(self) -> None:
        """Writes what is half typed; may be called from any thread."""

    def leave_soon(self, status: int) -> None:
        """Asks the app to end; may be called from any thread."""


def leave(app: Leaving, status: int) -> None:
    """Keeps what is half typed, asks the app to end, and ends the process if it has not in two seconds."""
    watchdog = threading.Timer(HARD_EXIT_SECONDS, os._exit, (status,))
    watchdog.daemon = True
    watchdog.start()
    with suppress(Exception):
        app.keep_everything()
    app.leave_soon(status)


@contextmanager
def leave_on_signals(app: Leaving) -> Iterator[None]:
    """While this is open, SIGTERM and SIGHUP end the app and not the process under it."""

    def handler(number: int, _frame: FrameType | None) -> None:
        # A second signal must not start a second leave
        signal.signal(number, signal.SIG_IGN)
        leave(app, 128 + number)

    # Not through asyncio: a loop that is blocked on a stalled terminal never runs its handlers
    before = {number: signal.signal(number, handler) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)
