"""Start to first frame, beside a bare Textual app, in a real pseudo-terminal: `python tests/benchmarks/first_frame.py`.

All are started in turn in an 80 x 24 terminal. The first frame is there when a text that only the
finished screen holds has arrived; the processor's time is that of all threads until then.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass

from session import LONGEST_SECONDS, TUTOR, Session, environment

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
# The app, but that its first screen is a lesson's first step
LESSON = """
import sys
sys.path.append(".")
import tutor.app.profile as profile
profile.terminal_profile().set_environment()
from tutor.app.main import TutorApp
from tutor.app.screens.opening import lesson_screen
def first_step(app):
    lesson = app.study.lesson("ring")
    return lesson_screen(app.study, lesson, lesson.steps[0])
TutorApp.get_default_screen = first_step
sys.argv[1:] = []
from tutor.start import run
run()
"""


@dataclass
class Start:
    seconds: float  # from fork to the marker
    processor: float
    bytes: int


def start(command: list[str], marker: bytes, variables: dict[str, str]) -> Start:
    """Starts `command` in a pseudo-terminal, waits for its first frame, and ends it."""
    session = Session(command, variables)
    seen = b""
    try:
        while marker not in seen:
            seen += session.read(0.5)
            if time.perf_counter() - session.begun > LONGEST_SECONDS:
                raise SystemExit(f"no first frame of {command}; it printed {seen[-2000:]!r}")
        return Start(time.perf_counter() - session.begun, session.processor_seconds(), len(seen))
    finally:
        session.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=9, help="starts of each")
    runs = parser.parse_args()
    programs = {
        "bare Textual app": ([sys.executable, "-c", BARE], b"first-frame-marker", ""),
        "tutor, home": (TUTOR, b"choose", "1.3 times"),
        "tutor, a lesson step": ([sys.executable, "-c", LESSON], b"Many GPUs", "1.5 times"),
    }
    with tempfile.TemporaryDirectory() as home:
        variables = environment(home)
        starts: dict[str, list[Start]] = {name: [] for name in programs}
        for number in range(runs.n + 1):
            for name, (command, marker, _) in programs.items():
                measured = start(command, marker, variables)
                if number:  # the first round compiles, and warms the disk cache
                    starts[name].append(measured)

    def median(name: str, part: str) -> float:
        return statistics.median(getattr(one, part) for one in starts[name])

    print(
        f"{'medians of ' + str(runs.n):<22} {'time':>8} {'ratio':>6} {'processor':>10} {'ratio':>6} {'bytes':>7}   goal"
    )
    yardstick = next(iter(programs))
    for name, (_, _, goal) in programs.items():
        row = f"{name:<22}"
        for part, places in (("seconds", 5), ("processor", 7)):
            row += f" {median(name, part) * 1e3:>{places}.0f} ms {median(name, part) / median(yardstick, part):>6.2f}"
        print(f"{row} {median(name, 'bytes'):>7.0f}   {goal}")


if __name__ == "__main__":
    main()
