"""What the learner types: a line that begins with `:` is a command, any other one an answer, an empty one goes on."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass

from tutor.printing import say

SIGN = ":"
_LONGEST = 100_000  # characters of a line


@dataclass(frozen=True)
class Typed:
    """One line: a command's `name` with the `rest` after it, or an `answer`, or nothing."""

    name: str = ""
    rest: str = ""
    answer: str = ""

    @property
    def goes_on(self) -> bool:
        return not self.name and not self.answer


def read(line: str) -> Typed:
    """What a line means.

    >>> read(":workers 5"), read("38.5 GB").answer, read("  ").goes_on
    (Typed(name='workers', rest='5', answer=''), '38.5 GB', True)
    >>> read("?").name, read(":help").name, read(": Hint").name
    ('?', '?', 'hint')
    """
    text = line.replace("\ufeff", "").strip()  # some editors put that sign before a file's first line
    if text.lower() in ("?", SIGN, f"{SIGN}?", f"{SIGN}help"):
        return Typed("?")
    if not text.startswith(SIGN):
        return Typed(answer=text)
    name, _, rest = text[1:].strip().partition(" ")
    return Typed(name.lower(), rest.strip())


def named(typed: str, names: Iterable[str]) -> list[str]:
    """The names that `typed` may stand for: itself, or those that begin with it.

    >>> named("h", ["hint", "back"]), named("s", ["start", "step"]), named("step", ["step", "steps"])
    (['hint'], ['start', 'step'], ['step'])
    """
    names = list(names)
    return [typed] if typed in names else [name for name in names if name.startswith(typed)]


def is_typed() -> bool:
    """Whether somebody types the lines, who can be asked whether one was meant."""
    try:
        return sys.stdin is not None and sys.stdin.isatty()
    except ValueError:
        return False  # closed


def next_line(prompt: str) -> str | None:
    """The next line typed, or None at the end of the input. A terminal is prompted, a pipe is not."""
    stdin = sys.stdin
    if stdin is None:
        return None
    try:
        asked = stdin.isatty()
        if sys.stdout is not None:
            if asked:
                sys.stdout.write(prompt)
            sys.stdout.flush()
        line = _line()
    except (OSError, ValueError) as error:
        if isinstance(error, BrokenPipeError):
            raise
        return None  # the terminal has gone, or the input was closed
    if line is None and asked:
        say()
    return line


def _line() -> str | None:
    """A line of standard input, whatever bytes it has; of an endless one its beginning."""
    binary = getattr(sys.stdin, "buffer", None)
    if binary is None:
        return sys.stdin.readline() or None
    raw = more = binary.readline(_LONGEST)
    while len(more) == _LONGEST and not more.endswith(b"\n"):
        more = binary.readline(_LONGEST)
    return raw.decode("utf-8", errors="replace") if raw else None
