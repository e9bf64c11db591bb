"""Printing lines, on whatever terminal or pipe there is."""

from __future__ import annotations

import os
import shutil
import sys

_PIPE_WIDTH = 80


def say(text: str = "") -> None:
    """Prints a line; what the terminal cannot encode becomes the nearest ASCII sign, or `?`."""
    encoding = sys.stdout.encoding or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        from tutor.views.ascii import to_ascii

        text = to_ascii(text).encode(encoding, errors="replace").decode(encoding)
    print(text)


def complain(text: str) -> None:
    """One line on standard error."""
    encoding = sys.stderr.encoding or "ascii"
    print(text.encode(encoding, errors="backslashreplace").decode(encoding), file=sys.stderr)


def width() -> int:
    """Columns to fill: the terminal's, or 80 where there is none."""
    return shutil.get_terminal_size((_PIPE_WIDTH, 24)).columns if sys.stdout.isatty() else _PIPE_WIDTH


def unicode_works() -> bool:
    """Whether standard output takes box-drawing signs."""
    return "utf" in (sys.stdout.encoding or "").lower()


def colours() -> str:
    """How many colours to print with: "none" in a pipe, under NO_COLOR and on a dumb terminal."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") == "dumb":
        return "none"
    if os.environ.get("COLORTERM") in ("truecolor", "24bit"):
        return "truecolour"
    return "256" if "256" in os.environ["TERM"] else "16"
