"""Loads what the first frame does without: NumPy, the engine, the pictures. Later keys then need not wait for it."""

from __future__ import annotations

import gc
import os
import random
import threading
import time
from contextlib import suppress
from pathlib import Path

_LONGEST = 5.0  # seconds that the loading is put off
_LOOK = 0.1  # seconds from one look at the host to the next, on average


def preload(puts_off: bool = False) -> threading.Thread:
    """Starts loading in the background; whoever needs a module meanwhile waits for it as usual.

    With `puts_off` it begins when a core is free: when a whole class comes in at once, everybody's first frame
    goes before anybody's loading.
    """
    thread = threading.Thread(target=_load, args=(puts_off,), name="preload", daemon=True)
    thread.start()
    return thread


def core_is_free(loads: str, cores: int) -> bool:
    """Whether fewer threads than cores want to run beside this one, by the words of /proc/loadavg."""
    running, _, _ = loads.split()[3].partition("/")
    return int(running) - 1 < cores


def _wait_for_a_core() -> None:
    until = time.monotonic() + _LONGEST
    with suppress(OSError, ValueError, IndexError):  # there is no such file but on Linux
        while time.monotonic() < until and not core_is_free(Path("/proc/loadavg").read_text(), os.cpu_count() or 1):
            time.sleep(random.uniform(0.5, 1.5) * _LOOK)


def _load(puts_off: bool) -> None:
    # What cannot be loaded fails again, and visibly, where it is used
    try:
        if puts_off:
            _wait_for_a_core()
        with suppress(ImportError):
            _import()
    finally:
        # Modules and classes stay for good: later collections need not look at them, and are short
        gc.collect()
        gc.freeze()
        gc.enable()


def _import() -> None:
    import numpy  # noqa: F401

    import simlib.collectives.ring  # noqa: F401
    import tutor.answers.judge
    import tutor.app.screens.lesson
    import tutor.views.collectives
    import tutor.views.topics  # noqa: F401
