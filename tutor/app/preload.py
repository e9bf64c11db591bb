"""Loads what the first frame does without: NumPy, the engine, the pictures. Later keys then need not wait for it."""

from __future__ import annotations

import gc
import threading
from contextlib import suppress


def preload() -> threading.Thread:
    """Starts loading in the background; whoever needs a module meanwhile waits for it as usual."""
    thread = threading.Thread(target=_load, name="preload", daemon=True)
    thread.start()
    return thread


def _load() -> None:
    # What cannot be loaded fails again, and visibly, where it is used
    try:
        with suppress(ImportError):
            _import()
    finally:
        # Modules and classes stay for good: later collections need not look at them, and are short
        gc.freeze()
        gc.enable()


def _import() -> None:
    import tutor.answers.judge
    import tutor.app.screens.lesson
    import tutor.views.topics  # noqa: F401
