"""A program on a pseudo-terminal of its own, for the benchmarks: what it writes, when, and what that changed."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import tempfile
import termios
import time
from dataclasses import dataclass
from pathlib import Path

import pyte

ROOT = Path(__file__).parents[2]
QUIET_SECONDS = 0.06
LONGEST_SECONDS = 20.0


@dataclass
class Frame:
    """What a key brought: seconds to its last byte, bytes, and those beyond the text of the cells that changed."""

    seconds: float
    processor: float  # seconds of it, all threads
    bytes: int
    beyond: int


class Session:
    """`command` on a terminal of this size, ended by `close`."""

    def __init__(self, command: list[str], environment: dict[str, str], columns: int = 80, rows: int = 24) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.begun = time.perf_counter()
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(ROOT)
            os.execvpe(command[0], command, environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds: float) -> bytes:
        """What comes within this time, nothing when none does."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return b""
        try:
            data = os.read(self.terminal, 65536)
        except OSError:
            raise SystemExit("it ended by itself; on the screen:\n" + "\n".join(self.screen.display)) from None
        if b"\x1b[?2026$p" in data:
            os.write(self.terminal, b"\x1b[?2026;2$y")
        return data

    def until(self, text: str) -> None:
        """Waits for a text on the screen, and then for quiet."""
        end = time.perf_counter() + LONGEST_SECONDS
        while text not in "\n".join(self.screen.display):
            self._stream.feed(self.read(0.1))
            if time.perf_counter() > end:
                raise SystemExit(f"{text!r} did not come; on the screen:\n" + "\n".join(self.screen.display))
        self.quiet(0.4)

    def quiet(self, seconds: float = QUIET_SECONDS) -> bytes:
        """Reads until nothing has come for this long."""
        came = b""
        while data := self.read(seconds):
            came += data
        self._stream.feed(came)
        return came

    def press(self, key: str) -> Frame:
        """Types a key, and reads until its frame has come."""
        before = self._cells()
        used = self.processor_seconds()
        begun = last = time.perf_counter()
        os.write(self.terminal, key.encode())
        came = self.read(1.0)
        while came:
            last = time.perf_counter()
            more = self.read(QUIET_SECONDS)
            if not more:
                break
            came += more
        self._stream.feed(came)
        changed = sum(len(now.data.encode()) for was, now in zip(before, self._cells(), strict=True) if was != now)
        return Frame(last - begun, self.processor_seconds() - used, len(came), len(came) - changed)

    def _cells(self) -> list[pyte.screens.Char]:
        screen = self.screen
        return [screen.buffer[row][column] for row in range(screen.lines) for column in range(screen.columns)]

    def processor_seconds(self) -> float:
        """What all threads of the process have used of a processor so far."""
        tasks = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9

    def close(self) -> None:
        """Ends the process."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


# Compiled files, as an installation has them: a session that has to compile first holds more
_COMPILED = tempfile.TemporaryDirectory(prefix="worldsize-compiled-")


def environment(home: str) -> dict[str, str]:
    """A plain terminal of 256 colours; what one session compiles, those after it share."""
    kept = {name: value for name, value in os.environ.items() if name not in _LEFT_OUT}
    return kept | {
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "TUTOR_HOME": home,
        "PYTHONPYCACHEPREFIX": _COMPILED.name,
    }


_LEFT_OUT = ("NO_COLOR", "COLORTERM", "COLUMNS", "LINES", "LC_ALL", "SSH_CONNECTION", "PYTHONDONTWRITEBYTECODE")
TUTOR = [sys.executable, "-m", "tutor"]
