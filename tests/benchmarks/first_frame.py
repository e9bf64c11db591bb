"""Start to first frame, beside a bare Textual app, in a real pseudo-terminal: `python tests/benchmarks/first_frame.py`.

Both are started in turn in an 80 x 24 terminal. The first frame is there when a text that only the
finished screen holds has arrived; it is settled after half a second without output.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from dataclasses import dataclass

BARE = """
from textual.app import App
from textual.widgets import Footer, Header
class Bare(App):
    TITLE = "first-frame-marker"
    def compose(self):
        yield Header()
        yield Footer()
Bare().run()
"""
QUIET_SECONDS = 0.5
LONGEST_SECONDS = 20.0


@dataclass
class Start:
    first_frame: float  # seconds from fork to the marker
    settled: float  # seconds from fork to the last byte before the quiet
    bytes: int


def start(command: list[str], marker: bytes, environment: dict[str, str]) -> Start:
    """Starts `command` in a pseudo-terminal, waits for its first frame and the quiet after it, and ends it."""
    begin = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(command[0], command, environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    seen = b""
    first_frame = last = 0.0
    try:
        while time.perf_counter() - begin < LONGEST_SECONDS:
            ready, _, _ = select.select([terminal], [], [], QUIET_SECONDS)
            now = time.perf_counter() - begin
            if not ready:
                if first_frame:
                    return Start(first_frame, last, len(seen))
                continue
            chunk = os.read(terminal, 65536)
            seen += chunk
            last = now
            if b"\x1b[?2026$p" in chunk:
                os.write(terminal, b"\x1b[?2026;2$y")
            if not first_frame and marker in seen:
                first_frame = now
        raise SystemExit(f"no first frame of {command} in {LONGEST_SECONDS:.0f} s; it printed {seen[-2000:]!r}")
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=9, help="starts of each")
    parser.add_argument("--marker", default="choose", help="a text that only the finished home screen holds")
    runs = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        environment = os.environ | {"TERM": "xterm-256color", "TUTOR_HOME": home, "COLUMNS": "80", "LINES": "24"}
        programs = {
            "bare Textual app": ([sys.executable, "-c", BARE], b"first-frame-marker"),
            "tutor, home": ([sys.executable, "-m", "tutor"], runs.marker.encode()),
        }
        starts: dict[str, list[Start]] = {name: [] for name in programs}
        for number in range(runs.n + 1):
            for name, (command, marker) in programs.items():
                measured = start(command, marker, environment)
                if number:  # the first round warms the disk cache
                    starts[name].append(measured)
    yardstick = statistics.median(one.first_frame for one in starts["bare Textual app"])
    print(f"{'medians of ' + str(runs.n):<20} {'first frame':>12} {'settled':>9} {'bytes':>8} {'ratio':>6}")
    for name, measured_starts in starts.items():
        first = statistics.median(one.first_frame for one in measured_starts)
        settled = statistics.median(one.settled for one in measured_starts)
        size = statistics.median(one.bytes for one in measured_starts)
        print(f"{name:<20} {first * 1e3:>9.0f} ms {settled * 1e3:>6.0f} ms {size:>8.0f} {first / yardstick:>6.2f}")


if __name__ == "__main__":
    main()
