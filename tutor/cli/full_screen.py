"""The whole terminal for a moment: its other screen, keys as they are pressed, and everything put back at the end."""

from __future__ import annotations

import contextlib
import os
import re
import select
import shutil
import signal
import sys
from collections.abc import Sequence
from types import FrameType, TracebackType
from typing import Any

_ENTER = "\x1b[?1049h\x1b[?25l\x1b[2J"
_LEAVE = "\x1b[0m\x1b[?25h\x1b[?1049l"
# One update, where the terminal knows of such things
_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"
_KEY = re.compile(r"\x1b(?:\[|O)[0-9;]*[A-Za-z~]|.", re.S)
_NAMES = {
    **{f"\x1b{mode}{letter}": name for mode in "[O" for letter, name in
       {"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end"}.items()},
    "\x1b[1~": "home", "\x1b[4~": "end", "\x1b[7~": "home", "\x1b[8~": "end",
    "\x1b[5~": "page up", "\x1b[6~": "page down",
    " ": "space", "\r": "enter", "\n": "enter", "\x7f": "backspace", "\x08": "backspace",
    "\x1b": "escape", "\x03": "q", "\x04": "q", "Q": "q",
}  # fmt: skip
_GONE = (0, 0)


def why_not() -> str | None:
    """What is missing for a full screen; None where nothing is."""
    for stream in (sys.stdin, sys.stdout):
        if stream is None or stream.closed or not stream.isatty():
            return "a terminal"
    if os.environ.get("TERM", "dumb") in ("dumb", ""):
        return f"a terminal whose cursor moves (TERM is {os.environ.get('TERM', '')!r})"
    try:
        import termios  # noqa: F401  whether the system has it
    except ImportError:
        return "a terminal of a POSIX system"
    return None


class _Ended(SystemExit):
    """A signal that ends the program: the screen is left on the way out."""


class FullScreen:
    """A context in which the other screen is shown and keys come one by one."""

    def __enter__(self) -> FullScreen:
        import termios

        self._in, self._out = sys.stdin.fileno(), sys.stdout.fileno()
        self._before = termios.tcgetattr(self._in)
        self._pipe = os.pipe()
        for end in self._pipe:
            os.set_blocking(end, False)
        # Signals come through the pipe while keys are waited for
        self._wake = signal.set_wakeup_fd(self._pipe[1], warn_on_full_buffer=False)
        self._handlers = {
            number: signal.signal(number, handler)
            for number, handler in (
                (signal.SIGWINCH, self._nothing),
                (signal.SIGTERM, self._end),
                (signal.SIGHUP, self._end),
                (signal.SIGTSTP, self._pause),
            )
        }
        self._drawn: tuple[object, ...] = ()
        self._take()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with contextlib.suppress(OSError):  # the terminal may be gone: nothing is left to put back
            self._give_back()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wake)
        for end in self._pipe:
            os.close(end)

    @property
    def columns(self) -> int:
        return self._size()[0]

    @property
    def rows(self) -> int:
        return self._size()[1]

    def _size(self) -> tuple[int, int]:
        try:
            columns, rows = os.get_terminal_size(self._out)
        except OSError:
            columns, rows = _GONE
        if not columns or not rows:
            columns, rows = shutil.get_terminal_size()
        return columns, rows

    def draw(self, lines: Sequence[str]) -> None:
        """Shows these lines from the top. None may be longer than the terminal is wide."""
        state = (self._size(), tuple(lines))
        if state == self._drawn:
            return
        # Erased first: at the last column, a terminal would take the last sign away
        rows = "".join(f"\x1b[{row};1H\x1b[2K{line}" for row, line in enumerate(lines, 1))
        self._write(f"{_BEGIN}{rows}{_END}")
        self._drawn = state

    def keys(self, seconds: float | None) -> list[str]:
        """The keys pressed, by name; none when the time is over or the window has another size."""
        ready, _, _ = select.select([self._in, self._pipe[0]], [], [], seconds)
        if self._pipe[0] in ready:
            os.read(self._pipe[0], 1024)
        if self._in not in ready:
            return []
        typed = os.read(self._in, 1024)
        if not typed:
            return ["q"]  # the other end is closed
        return [_NAMES.get(key, key) for key in _KEY.findall(typed.decode("utf-8", "replace"))]

    def _take(self) -> None:
        import termios
        import tty

        tty.setcbreak(self._in, termios.TCSADRAIN)
        self._drawn = ()
        self._write(_ENTER)

    def _give_back(self) -> None:
        import termios

        try:
            self._write(_LEAVE)
        finally:
            termios.tcsetattr(self._in, termios.TCSADRAIN, self._before)

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    def _nothing(self, number: int, frame: FrameType | None) -> Any:
        """The wake-up alone is what is wanted."""

    def _end(self, number: int, frame: FrameType | None) -> Any:
        raise _Ended(128 + number)

    def _pause(self, number: int, frame: FrameType | None) -> Any:
        """ctrl+z: the terminal as it was, until the shell goes on with this program."""
        self._give_back()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        # Here it goes on
        signal.signal(signal.SIGTSTP, self._pause)
        self._take()
