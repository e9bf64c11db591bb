"""Printing: sentences or JSON, on whatever terminal or pipe there is."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import sys
from typing import Any

RIGHT, WRONG, BAD_INPUT, NOT_DONE = 0, 1, 2, 3
_PIPE_WIDTH = 80


class BadUsage(Exception):
    """Input that cannot be used: one line, exit status 2."""


class NotDone(Exception):
    """Something that could not be carried out: one line, exit status 3."""


def say(text: str = "") -> None:
    """Prints a line; what the terminal cannot encode becomes the nearest ASCII sign, or `?`."""
    encoding = sys.stdout.encoding or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        from tutor.views.ascii import to_ascii

        text = to_ascii(text).encode(encoding, errors="replace").decode(encoding)
    print(text)


def say_json(data: Any) -> None:
    """Prints one JSON document, in ASCII so that any pipe carries it."""
    print(json.dumps(data, allow_nan=False))


def complain(text: str) -> None:
    """One line on standard error."""
    encoding = sys.stderr.encoding or "ascii"
    print(text.encode(encoding, errors="backslashreplace").decode(encoding), file=sys.stderr)


def of_course(arguments: argparse.Namespace) -> str:
    """The ` --course DIR` that a suggested command needs, or nothing."""
    return "" if arguments.course is None else f" --course {shlex.quote(arguments.course)}"


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
