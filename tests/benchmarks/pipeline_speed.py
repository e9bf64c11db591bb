"""How fast pipelines are ordered and timed: `python tests/benchmarks/pipeline_speed.py [--peer PATH]`.

Each task runs a few times and the fastest run counts; all figures of a table come from one run of this
file. The yardstick is a plain loop that makes as many tuples and adds up as many numbers. With `--peer
PATH`, a checkout of Victarry/PP-Schedule-Visualization, that does the two tasks it has as well.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from simlib.pipeline import schedule, time_orders


@dataclass(frozen=True)
class Task:
    name: str
    operations: int
    ours: Callable[[], object]
    peers: str = ""  # the peer's name for it
    of_the_day: float | None = None  # the peer's seconds on the machine where they were first measured


def ordered_and_timed(*arguments: Any, **times: float) -> Task:
    def run() -> object:
        made = schedule(*arguments, **times)
        return made.makespan, made.idle

    name, stages, micro_batches = arguments
    title = f"{name}, {stages} x {micro_batches:,}" + "".join(f", {kind} {time}" for kind, time in times.items())
    return Task(title, sum(map(len, schedule(*arguments, **times).orders)), run)


def timed_again(*arguments: Any) -> Task:
    orders = schedule(*arguments).orders
    return Task(f"those orders, {arguments[0]}", sum(map(len, orders)), lambda: time_orders(orders).makespan)


TASKS = [
    replace(ordered_and_timed("1f1b", 64, 1024), peers="1f1b", of_the_day=2.4),
    timed_again("1f1b", 64, 1024),
    replace(ordered_and_timed("zb-h1", 32, 256), peers="zero-bubble", of_the_day=0.17),
    ordered_and_timed("zb-h1", 32, 256, weight=0.3),
    ordered_and_timed("dualpipe-v", 32, 256),
]


def peer_tasks(checkout: Path) -> dict[str, Callable[[], object]]:
    """The peer's two tasks, each generated and executed."""
    sys.path.insert(0, str(checkout))
    from src import strategies  # type: ignore[import-not-found]
    from src.execution_model import ScheduleConfig  # type: ignore[import-not-found]

    def one_f_one_b() -> object:
        return executed(strategies.generate_1f1b_schedule(ScheduleConfig(64, 64, 1024)))

    def zero_bubble() -> object:
        return executed(strategies.generate_zero_bubble_1p_schedule(ScheduleConfig(32, 32, 256, split_backward=True)))

    def executed(made: Any) -> object:
        made.execute()
        return made.get_total_execution_time()

    return {"1f1b": one_f_one_b, "zero-bubble": zero_bubble}


def fastest(run: Callable[[], object], times: int) -> float:
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def plain_loop(operations: int) -> list[tuple[int, str, int]]:
    made = []
    clock = 0
    for number in range(operations):
        made.append((clock, "F", number))
        clock += number & 3
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", type=Path, metavar="PATH", help="a checkout of PP-Schedule-Visualization")
    parser.add_argument("--times", type=int, default=5, help="runs of each task (default 5)")
    options = parser.parse_args()
    if options.peer and not (options.peer / "src" / "strategies.py").is_file():
        parser.error(
            f"--peer {options.peer}: it has no src/strategies.py; accepted: a checkout of PP-Schedule-Visualization"
        )
    peers = peer_tasks(options.peer) if options.peer else {}

    print(f"{'task':<28}{'seconds':>9}{'µs each':>9}{'x plain loop':>14}{'peer':>22}{'peer / ours':>13}")
    for task in TASKS:
        ours = fastest(task.ours, max(1, options.times))
        loop = fastest(lambda task=task: plain_loop(task.operations), max(1, options.times))
        row = f"{task.name:<28}{ours:>9.3f}{ours / task.operations * 1e6:>9.2f}{ours / loop:>14.1f}"
        if task.peers in peers:
            theirs = fastest(peers[task.peers], 2)
            row += f"{theirs:>20.3f} s{theirs / ours:>13.1f}"
        elif task.of_the_day:
            row += f"{f'({task.of_the_day} s elsewhere)':>22}"
        print(row)


if __name__ == "__main__":
    main()
