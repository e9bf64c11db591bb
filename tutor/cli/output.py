"""What a command prints, and the status it ends with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tutor.printing import colours, complain, say, unicode_works, width

if TYPE_CHECKING:
    import argparse

__all__ = [
    "BAD_INPUT",
    "NOT_DONE",
    "RIGHT",
    "WRONG",
    "BadUsage",
    "NotDone",
    "colours",
    "complain",
    "of_course",
    "say",
    "say_json",
    "unicode_works",
    "width",
]

RIGHT, WRONG, BAD_INPUT, NOT_DONE = 0, 1, 2, 3


class BadUsage(Exception):
    """Input that cannot be used: one line, exit status 2."""


class NotDone(Exception):
    """Something that could not be carried out: one line, exit status 3."""


def say_json(data: Any) -> None:
    """Prints one JSON document, in ASCII so that any pipe carries it."""
    import json

    print(json.dumps(data, allow_nan=False))


def of_course(arguments: argparse.Namespace) -> str:
    """The ` --course DIR` that a suggested command needs, or nothing."""
    import shlex

    return "" if arguments.course is None else f" --course {shlex.quote(arguments.course)}"
