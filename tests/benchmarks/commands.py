"""Commands that print and end, beside bare interpreters: `python tests/benchmarks/commands.py`."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

from session import ROOT, TUTOR, environment

COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "python -c 'import numpy'": [sys.executable, "-c", "import numpy"],
    "tutor --help": [*TUTOR, "--help"],
    "tutor calc": [*TUTOR, "calc", "ring.bytes_sent", "workers=8", "bytes=1e9"],
    "tutor lessons": [*TUTOR, "lessons"],
    "tutor show all-reduce": [*TUTOR, "show", "all-reduce", "--steps", "1"],
}
GOALS = {"tutor --help": "5 times python", "tutor calc": "import numpy and 60 ms"}


def once(command: list[str], variables: dict[str, str]) -> tuple[float, float]:
    """Seconds from start to end, and seconds of a processor."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, env=variables, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return time.perf_counter() - begun, used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=11, help="runs of each")
    runs = parser.parse_args().n
    with tempfile.TemporaryDirectory() as folder:
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in COMMANDS}
        for number in range(runs + 1):
            for name, command in COMMANDS.items():
                seconds = once(command, environment(folder))
                if number:  # the first round compiles
                    taken[name].append(seconds)
    bare = statistics.median(seconds for seconds, _ in taken["python -c pass"])
    print(f"{'medians of ' + str(runs):<26} {'time':>9} {'processor':>10} {'ratio':>6}   goal")
    for name, measured in taken.items():
        wall, used = (statistics.median(column) for column in zip(*measured, strict=True))
        goal = GOALS.get(name, "")
        print(f"{name:<26} {wall * 1e3:>6.0f} ms {used * 1e3:>7.0f} ms {wall / bare:>6.1f}   {goal}")


if __name__ == "__main__":
    main()
