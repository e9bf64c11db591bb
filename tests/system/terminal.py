"""A real terminal for tests: a pseudo-terminal, the program on it, and pyte to see what a person would see."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pyte

ROOT = Path(__file__).parents[2]
KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f5": "\x1b[15~",
    "f7": "\x1b[18~",
    "f8": "\x1b[19~",
    "ctrl+c": "\x03",
    "ctrl+q": "\x11",
    "ctrl+s": "\x13",
    "ctrl+z": "\x1a",
}
PATIENCE = 60.0  # seconds; only a failing test waits as long
_MOST_ENTERS = 12


class Terminal:
    """`python -m tutor` (or `command`) on a terminal of its own."""

    def __init__(
        self,
        home: Path,
        columns: int = 80,
        rows: int = 24,
        environment: Mapping[str, str] | None = None,
        command: list[str] | None = None,
        quiet_seconds: float = 0.25,
    ) -> None:
        """It is quiet once nothing has come for `quiet_seconds`."""
        self._quiet_seconds = quiet_seconds
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.master, slave = pty.openpty()
        self._set_size(columns, rows)
        inherited = {name: value for name, value in os.environ.items() if name not in _NOT_INHERITED}
        self.process = subprocess.Popen(
            command or [sys.executable, "-m", "tutor"],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=ROOT,
            env={**inherited, "TERM": "xterm-256color", "LANG": "C.UTF-8", "TUTOR_HOME": str(home)}
            | dict(environment or {}),
            # A session of its own, with the terminal as its controlling one: hang-ups then reach it
            preexec_fn=_take_terminal,  # noqa: PLW1509  no threads here
        )
        os.close(slave)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns: int, rows: int) -> None:
        """Makes the window larger or smaller."""
        self._set_size(columns, rows)
        self.screen.resize(rows, columns)
        self.process.send_signal(signal.SIGWINCH)

    def press(self, *keys: str) -> None:
        """Types keys by name, or text as it is."""
        for key in keys:
            os.write(self.master, KEYS.get(key, key).encode())

    def read(self, seconds: float = 0.05) -> bool:
        """Takes in what the program wrote; False when nothing came."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.raw += data
        self._stream.feed(data)
        return bool(data)

    @property
    def text(self) -> str:
        """What is on the screen."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def quiet(self) -> None:
        """Reads until nothing more is drawn."""
        while self.read(self._quiet_seconds):
            pass

    def until(self, there: Callable[[], bool], what: str) -> None:
        """Reads until this holds."""
        end = time.monotonic() + PATIENCE
        while not there():
            self.read()
            assert time.monotonic() < end, f"{what} did not come; on the screen:\n{self.text}"

    def go_on(self, keys: str) -> None:
        """Presses Enter until the row of keys says this."""
        for _ in range(_MOST_ENTERS):
            self.quiet()
            if keys in self.text.splitlines()[-1]:
                return
            before = self.text
            self.press("enter")
            self.until(lambda before=before: self.text != before, "another frame")
        raise AssertionError(f"{keys!r} did not come; on the screen:\n{self.text}")

    def wait_for(self, text: str) -> str:
        """Waits until `text` is on the screen, and returns all that is there."""
        end = time.monotonic() + PATIENCE
        while text not in self.text:
            self.read()
            assert time.monotonic() < end, f"{text!r} did not come; on the screen:\n{self.text}"
        return self.text

    def wait_until_gone(self, text: str) -> None:
        """Waits until `text` is no longer on the screen."""
        end = time.monotonic() + PATIENCE
        while text in self.text:
            self.read()
            assert time.monotonic() < end, f"{text!r} stayed; on the screen:\n{self.text}"

    def wait_for_end(self) -> int:
        """Waits until the program has ended, and returns its status."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            self.read()
            assert time.monotonic() < end, f"it did not end; on the screen:\n{self.text}"
        while self.read(0.1):
            pass
        return self.process.returncode

    def close(self) -> None:
        """Ends whatever is left."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        with contextlib.suppress(OSError):
            os.close(self.master)


_NOT_INHERITED = (
    "STY",
    "TMUX",
    "COLUMNS",
    "LINES",
    "NO_COLOR",
    "COLORTERM",
    "LC_ALL",
    "LC_CTYPE",
    "SSH_CONNECTION",
    "EDITOR",
    "VISUAL",
)


def _take_terminal() -> None:
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
