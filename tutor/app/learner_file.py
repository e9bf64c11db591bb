"""The learner's file of an exercise: read, watched and written, never lost."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from tutor.checker import Unreadable, read_source


class NotSaved(Exception):
    """A file that could not be written: one line that says why."""


def short(path: Path) -> str:
    """The path as a person writes it: `~/worldsize/ring_all_reduce.py`."""
    with contextlib.suppress(ValueError, RuntimeError):
        return f"~/{path.relative_to(Path.home())}"
    return str(path)


def read_text(path: Path) -> str:
    """The file's text. Raises Unreadable for what is no file, or no UTF-8."""
    try:
        return read_source(path).decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise Unreadable(f"{short(path)} is not UTF-8 text (at byte {error.start})") from None


def write_text(path: Path, text: str) -> None:
    """Writes the whole file or nothing. Raises NotSaved."""
    # A link keeps pointing where it points: what it points at is replaced
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        descriptor, name = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=target.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, mode)
            os.replace(name, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
    except (OSError, UnicodeEncodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "a character that UTF-8 does not have"
        raise NotSaved(f"{short(path)} could not be saved: {why}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
