"""Printing lines, on whatever terminal or pipe there is."""

from __future__ import annotations

import os
import shutil
import sys

_PIPE_WIDTH = 80


def say(text: str = "") -> None:
    """Prints a line; where the terminal takes no more than ASCII, spelled out in it."""
    print(written(text))


def written(text: str) -> str:
    """`text` as standard output can show it."""
    if text.isascii() or (unicode_works() and _encodes(text)):
        return text
    from tutor.views.ascii import spelled

    return spelled(text)


def _encodes(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding)
    except UnicodeEncodeError:  # half a character, from a name that is not UTF-8
        return False
    return True


def complain(text: str) -> None:
    """One line on standard error, in which names of files can do nothing to the terminal."""
    from tutor.safe_text import visible

    if sys.stderr is None:  # closed from the start
        return
    text = visible(text)
    if not text.isascii() and not unicode_works(sys.stderr):
        from tutor.views.ascii import spelled

        text = spelled(text)
    encoding = sys.stderr.encoding or "ascii"
    print(text.encode(encoding, errors="backslashreplace").decode(encoding), file=sys.stderr)


def width() -> int:
    """Columns to fill: the terminal's, or 80 where there is none."""
    return shutil.get_terminal_size((_PIPE_WIDTH, 24)).columns if _on_a_terminal() else _PIPE_WIDTH


def _on_a_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()  # closed from the start, it is None


def unicode_works(stream: object = None) -> bool:
    """Whether `stream`, by default standard output, takes more than ASCII, as far as the locale says."""
    stream = sys.stdout if stream is None else stream
    if "utf" not in (getattr(stream, "encoding", None) or "").lower():
        return False
    # The fonts of the Linux console have a few hundred signs, and fewer of ours
    if os.environ.get("TERM") == "linux" and getattr(stream, "isatty", bool)():
        return False
    # Python speaks UTF-8 even where the locale says C, and then sets LC_CTYPE itself: only the others tell
    locale = os.environ.get("LC_ALL") or os.environ.get("LANG") or ""
    return locale.upper() not in ("C", "POSIX")


def colours() -> str:
    """How many colours to print with: "none" in a pipe, under NO_COLOR and on a dumb terminal."""
    if not _on_a_terminal() or os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") == "dumb":
        return "none"
    if os.environ.get("COLORTERM") in ("truecolor", "24bit"):
        return "truecolour"
    return "256" if "256" in os.environ["TERM"] else "16"
