"""From a key to its frame, and the bytes it takes, in a real pseudo-terminal: `python tests/benchmarks/keys.py`.

A key's frame has come when nothing more does for 60 ms; the time is that of its last byte.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from session import TUTOR, Frame, Session, environment

COURSE = """
title = "Measured"
lessons = ["measured"]
[misconceptions]
"""
NEXT, STEP_BEFORE = "\x1b[19~", "\x1b[18~"  # F8 and F7, which nothing that is typed takes
PROSE = "A picture to be moved, and some prose above it, as a step has it. " * 3
LESSON = f"""+++
id = "measured"
title = "Measured"
about = "Pictures to be measured."
minutes = 5
needs = []
+++

## Ring of eight {{#eight}}

{PROSE}

```live eight-workers
show = "all-reduce"
workers = 8
length = 8
seed = 1
```

## Schedule {{#schedule}}

{PROSE}

```live many-slots
show = "pipeline"
stages = 64
micro_batches = 1024
```

## Ring of many {{#many}}

{PROSE}

```live many-workers
show = "all-reduce"
workers = 64
length = 64
seed = 1
```

## The end {{#end}}

{PROSE}
"""


@contextmanager
def shipped() -> Iterator[Session]:
    """The app at the first step of the first lesson that comes with it, quiet."""
    with tempfile.TemporaryDirectory() as folder:
        session = Session(TUTOR, environment(folder))
        try:
            session.until("choose")
            session.press("\r")
            session.until("1/")
            yield session
        finally:
            session.close()


@contextmanager
def opened(step: int, columns: int = 80, rows: int = 24) -> Iterator[Session]:
    """The app at a step of the measured lesson, quiet."""
    with tempfile.TemporaryDirectory() as folder:
        lesson = Path(folder) / "course" / "measured"
        lesson.mkdir(parents=True)
        (lesson.parent / "course.toml").write_text(COURSE)
        (lesson / "lesson.md").write_text(LESSON)
        command = [*TUTOR, "--course", str(lesson.parent)]
        session = Session(command, environment(folder), columns, rows)
        try:
            session.until("choose")
            session.press("\r")
            for place in range(1, step + 1):
                session.until(f"{place}/4")
                if place < step:
                    session.press("n")
            yield session
        finally:
            session.close()


def told(what: str, goal: str, frames: list[Frame]) -> None:
    """Prints a row."""
    seconds = sorted(frame.seconds for frame in frames)
    late = seconds[min(len(seconds) - 1, round(0.95 * len(seconds)))]
    beyond = statistics.median(frame.beyond for frame in frames)
    size = statistics.median(frame.bytes for frame in frames)
    median = statistics.median(seconds)
    used = statistics.median(frame.processor for frame in frames)
    times = "".join(f"{part * 1e3:>6.1f} ms" for part in (median, late, used))
    print(f"{what:<32} {times} {size:>6.0f} {beyond:>6.0f}   {goal}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=30, help="presses of each key")
    presses = parser.parse_args().n
    print(f"{'key':<32} {'median':>9} {'95 in 100':>9} {'processor':>9} {'bytes':>6} {'beyond':>6}   goal")
    with opened(1) as ring:
        moves = ["\x1b[C"] * 14 + ["\x1b[D"] * 14
        frames = [ring.press(moves[number % len(moves)]) for number in range(presses)]
        told("a step of a ring, 8 workers", "12 ms, 30 ms, 300 bytes beyond the cells", frames)
    with shipped() as lesson:
        frames = [lesson.press(NEXT if number % 12 < 6 else STEP_BEFORE) for number in range(presses)]
        told("next step of a lesson", "60 ms", frames)
    with opened(2, 120, 40) as grid:
        frames = [grid.press("l" if number % 2 == 0 else "\x1b[1;2B") for number in range(presses)]
        told("scroll 64 x 1,024 slots, 120x40", "20 ms", frames)
    mounts = []
    with opened(1, 120, 40) as ring:
        for _ in range(1 + min(presses, 10)):
            mounts.append(ring.press("n"))
            ring.press("p")
    told("open 64 x 1,024 slots, 120x40", "150 ms", mounts[1:])  # the first imports it all
    with opened(3, 120, 40) as many:
        used, begun = many.processor_seconds(), time.perf_counter()
        size = 0
        for number in range(1, 51):
            size += many.press("\x1b[C").bytes
            many.quiet(max(0.001, begun + number / 10 - time.perf_counter()))
        seconds = time.perf_counter() - begun
        core = (many.processor_seconds() - used) / seconds
        rate = f"{50 / seconds:.0f} steps a second: {size / seconds / 1e3:.1f} KB/s (goal 40)"
        print(f"a ring of 64 workers, {rate}, {core:.0%} of a core (goal 12%)")


if __name__ == "__main__":
    main()
