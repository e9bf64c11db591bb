"""How long a check takes: `python tests/benchmarks/checker_speed.py`.

Cold: a check that starts its own process, beside a bare interpreter that imports NumPy. Warm: a check that takes the
spare kept ready, as in the app. Together: many `check` commands started at one moment, beside the processor time that
they themselves took, spread evenly over the cores.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tutor.checker import check_source, spare
from tutor.course.load import load

SMALL, LARGER = "zero_bytes", "ring_all_reduce"
WORKERS = "ring_all_reduce_worker"


def bare() -> float:
    """Seconds of an interpreter that imports NumPy and ends."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-c", "import numpy"], check=True, env={"OPENBLAS_NUM_THREADS": "1"})
    return time.perf_counter() - begin


def checked(name: str) -> float:
    """Seconds of one check of the solution."""
    exercise = load().exercises()[name]
    source = (exercise.folder / "solution.py").read_bytes()
    begin = time.perf_counter()
    result = check_source(source, exercise)
    seconds = time.perf_counter() - begin
    if not result.passed:
        raise SystemExit(f"the solution of {name} does not pass")
    return seconds


def told(what: str, seconds: list[float], yardstick: float | None = None) -> None:
    median = statistics.median(seconds)
    beside = f", {median / yardstick:.2f} times the bare interpreter" if yardstick else ""
    print(f"{what:44} {1e3 * median:7.1f} ms (least {1e3 * min(seconds):.1f}){beside}")


def one_after_another(rounds: int) -> None:
    for name in (SMALL, LARGER, WORKERS):
        checked(name)  # imports are done
    bares, colds = [], []
    for _ in range(rounds):
        bares.append(bare())
        colds.append(checked(SMALL))
    told("a bare interpreter that imports NumPy", bares)
    told(f"a cold check of {SMALL}", colds, statistics.median(bares))
    for name in (SMALL, LARGER, WORKERS):
        workers = name.endswith("_worker")
        spare.keep(workers=workers)
        warms = []
        for _ in range(rounds):
            while not spare.ready(workers=workers):
                time.sleep(0.01)
            time.sleep(0.1)
            warms.append(checked(name))
        spare.end()
        told(f"a warm check of {name}", warms)


def together(count: int) -> None:
    """So many checks by commands of their own, started at one moment."""
    exercise = load().exercises()[LARGER]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tutor", "check", str(exercise.folder / "solution.py"), "--exercise", LARGER]
        before = os.times()
        begin = time.perf_counter()
        started = []
        for number in range(count):
            home = Path(folder, str(number))
            environment = {**os.environ, "TUTOR_HOME": str(home), "OPENBLAS_NUM_THREADS": "1"}
            started.append(subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL))
        wrong = sum(process.wait() != 0 for process in started)
        seconds = time.perf_counter() - begin
        after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    print(f"{count} checks together: {seconds:.1f} s, their processor time over {cores} cores {used / cores:.1f} s:")
    print(f"  {seconds / (used / cores):.2f} times; {wrong} were not right")


def main() -> None:
    """Prints every figure of one run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--together", type=int, default=60)
    options = parser.parse_args()
    one_after_another(options.rounds)
    together(options.together)


if __name__ == "__main__":
    main()
