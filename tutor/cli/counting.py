"""Says how far long work is, on a terminal, where it takes more than a moment."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from tutor.safe_text import visible

_PATIENCE, _PAUSE = 1.0, 0.2  # seconds before anything is said, and from one word to the next
_MOST = 78  # columns, so that the line never wraps
_STOPS = "; ctrl+c stops"


class Counting:
    """One line on standard error that is written over: `120 of 3,021 layouts; ctrl+c stops`.

    Nothing is written where standard error is no terminal, and nothing is left of it at the end.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._began = self._last = time.monotonic()
        self._on_a_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._shown = False

    def __enter__(self) -> Counting:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._shown:
            print(f"\r{' ' * _MOST}\r", end="", file=sys.stderr, flush=True)

    def __call__(self, done: int, of: int, doing: str = "") -> None:
        """So many of so many are done; `doing` names what comes now."""
        now = time.monotonic()
        if not self._on_a_terminal or now - self._began < _PATIENCE or now - self._last < _PAUSE:
            return
        self._last, self._shown = now, True
        said = f"{done:,} of {of:,} {self._what}{': ' + doing if doing else ''}"
        line = visible(said)[: _MOST - len(_STOPS)] + _STOPS
        print(f"\r{line.encode('ascii', 'replace').decode():<{_MOST}}", end="", file=sys.stderr, flush=True)
