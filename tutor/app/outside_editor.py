"""Opens a file in the learner's own editor, with the app out of the way."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported


def editor_name() -> str:
    """The editor's program as the environment names it, or an empty string."""
    return os.environ.get("VISUAL", "").strip() or os.environ.get("EDITOR", "").strip()


def edit_outside(app: App[Any], path: Path) -> str | None:
    """Opens the file and waits until the editor is closed; one line when that did not work."""
    command = editor_name()
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    if not words:
        return "EDITOR names no editor. Here in the app, e opens the file."
    # ctrl+c in the editor reaches this process too; a handler, unlike ignoring, is not passed on to the editor
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        with app.suspend():
            # Blocking on purpose: awaiting here while something repaints would hang on the output queue
            status = subprocess.run([*words, str(path)], check=False).returncode
    except OSError as error:
        return f"{words[0]} could not be started: {error.strerror}. EDITOR says {command!r}."
    except SuspendNotSupported:
        return "An editor cannot be opened from here. Here in the app, e opens the file."
    finally:
        signal.signal(signal.SIGINT, before)
    return f"{words[0]} ended with status {status}." if status else None
