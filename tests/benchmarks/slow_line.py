"""Keys over a line of 10 KB/s, as a terminal at its other end sees them: `python tests/benchmarks/slow_line.py`."""

from __future__ import annotations

import argparse
import os
import select
import statistics
import time

from keys import NEXT, STEP_BEFORE, opened, shipped
from session import Session

BYTES_A_SECOND = 10_000
TICK = 0.02


def answered(session: Session, keys: list[str]) -> float:
    """Seconds from the first of these keys, pressed one after another, to the last byte that they bring."""
    begun = last = time.perf_counter()
    for key in keys:
        os.write(session.terminal, key.encode())
    while time.perf_counter() - last < 0.4:
        time.sleep(TICK)
        if select.select([session.terminal], [], [], 0)[0]:
            os.read(session.terminal, round(BYTES_A_SECOND * TICK))
            last = time.perf_counter()
    return last - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=8, help="presses of each key")
    presses = parser.parse_args().n
    cases = {
        "a step of a ring, 8 workers": (lambda: opened(1), [["\x1b[C"]] * presses),
        "ten steps of it, held down": (lambda: opened(1), [["\x1b[C"] * 10, ["\x1b[D"] * 10] * (presses // 2)),
        "next step of a lesson": (shipped, [[NEXT]] * presses + [[STEP_BEFORE]] * presses),
        "a page of a lesson": (shipped, [["\x1b[6~"], ["\x1b[5~"]] * presses),
        "a page of 64 x 1,024 slots": (lambda: opened(2), [["l"], ["h"]] * presses),
    }
    print(f"{'at 10 KB/s':<30} {'median':>9} {'longest':>9}   goal: 1 s a key")
    for name, (open_it, pressed) in cases.items():
        with open_it() as session:
            seconds = [answered(session, keys) for keys in pressed]
        print(f"{name:<30} {statistics.median(seconds):>7.2f} s {max(seconds):>7.2f} s")


if __name__ == "__main__":
    main()
