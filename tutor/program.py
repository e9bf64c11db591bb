"""What to type to start the tutor again: as it was started this time."""

from __future__ import annotations

import os
import shlex
import shutil
import sys

NAME = "worldsize"


def program() -> str:
    """The command that started this process: `worldsize`, `.venv/bin/worldsize`, `python -m tutor`.

    A bare name is given only where the shell would find this very program under it.
    """
    started = sys.argv[0] if sys.argv else ""
    if os.path.basename(started) == NAME:
        return _shortest(started)
    return f"{_shortest(sys.executable or 'python3')} -m tutor"


def _shortest(path: str) -> str:
    """The shortest way to name a program here."""
    name = os.path.basename(path)
    found = shutil.which(name)
    if found is not None and os.path.abspath(found) == os.path.abspath(path):
        return name
    if "/" not in path:
        return path
    here = os.path.relpath(path)
    return shlex.quote(here if not here.startswith("..") else os.path.abspath(path))
