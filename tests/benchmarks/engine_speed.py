"""Speed of the engine beside NumPy, in one run: `python tests/benchmarks/engine_speed.py [--large]`.

A ring all-reduce carries every chunk from worker to worker, where NumPy adds all arrays up in one pass and copies the
sum: `sum` over the stacked arrays and a copy of its broadcast are the yardstick. Best of several repetitions. With
`--large`, 1,024 programs of workers run a ring too (half a minute).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from simlib.collectives import ring_all_reduce
from simlib.workers import Worker, run

REPETITIONS = 9


def best(work: Callable[[], object], repetitions: int = REPETITIONS) -> float:
    """Seconds of the fastest of so many runs."""
    times = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def numpy_all_reduce(arrays: np.ndarray) -> np.ndarray:
    """What every worker ends with, by NumPy alone."""
    return np.broadcast_to(arrays.sum(axis=0), arrays.shape).copy()


def ring_program(worker: Worker, array: np.ndarray) -> np.ndarray:
    """A ring all-reduce as one worker sees it."""
    rank, n = worker.rank, worker.world_size
    right, left = (rank + 1) % n, (rank - 1) % n
    chunks = np.array_split(array, n)
    for step in range(n - 1):
        chunks[(rank - step - 1) % n] += worker.sendrecv(chunks[(rank - step) % n], dst=right, src=left)
    for step in range(n - 1):
        chunks[(rank - step) % n] = worker.sendrecv(chunks[(rank + 1 - step) % n], dst=right, src=left)
    return np.concatenate(chunks)


def import_seconds(modules: str) -> float:
    """Seconds of a Python that imports these modules and ends."""
    return best(lambda: subprocess.run([sys.executable, "-c", f"import {modules}"], check=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--large", action="store_true", help="also 1,024 programs of workers")
    large = parser.parse_args().large
    rows: list[tuple[str, float, float | None, str]] = []
    for workers, length, limit in ((64, 2**20, "3"), (1024, 2**16, "10")):
        arrays = np.random.default_rng(0).random((workers, length), dtype=np.float32)
        yardstick = ring = float("inf")
        for _ in range(REPETITIONS):  # in turn, so that a busy machine slows both
            yardstick = min(yardstick, best(lambda: numpy_all_reduce(arrays), 1))  # noqa: B023 - called at once
            ring = min(ring, best(lambda: ring_all_reduce(list(arrays)).result, 1))  # noqa: B023
        rows.append((f"ring all-reduce, {workers:,} workers x {length:,} float32", ring, ring / yardstick, limit))
        unseen = best(lambda: ring_all_reduce(list(arrays)))  # noqa: B023
        copied = best(arrays.copy)
        rows.append(("  its trace, before anybody looks, beside one copy of the arrays", unseen, unseen / copied, "1"))
    for workers in (128, 1024) if large else (128,):
        arrays = np.random.default_rng(0).random((workers, workers))
        seconds = best(lambda: run(ring_program, workers, arrays), 1)  # noqa: B023
        rows.append((f"the same as {workers:,} programs of workers, {workers:,} float64", seconds, None, ""))
    with_simlib, without = import_seconds("numpy, simlib"), import_seconds("numpy")
    rows.append(("importing simlib, beside NumPy alone", with_simlib - without, with_simlib / without, ""))
    print(f"{'what':66} {'seconds':>9} {'ratio':>7} {'limit':>6}")
    for what, seconds, ratio, limit in rows:
        print(f"{what:66} {seconds:9.4f} {'' if ratio is None else f'{ratio:.2f}':>7} {limit:>6}")


if __name__ == "__main__":
    main()
