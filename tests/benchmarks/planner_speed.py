"""How fast layouts are planned, and how near to published runs: `python tests/benchmarks/planner_speed.py`.

The first table is seconds to plan everything, best of a few; the second each published row with what was predicted.
Rows marked "fit" fixed one number of the planner (see simlib/planner/efficiency.py).
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simlib.planner import plan

REPETITIONS = 5
PUBLISHED = Path(__file__).parent.parent / "simlib" / "planner" / "test_published.py"
PROBLEMS = [
    ("megatron-1t", "a100", 3072, 3072),
    ("megatron-1.7b", "a100", 3072, 3072),
    ("llama-3-405b", "h100", 16384, 2048),
    ("gpt-175b", "h100", 1024, 1536),
    ("llama-7b", "h100", 64, 256),
]


def best(work: Callable[[], object]) -> float:
    """Seconds of the fastest run."""
    times = []
    for _ in range(REPETITIONS):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def published() -> Any:
    """The module that holds the published rows and how each is predicted."""
    specification = importlib.util.spec_from_file_location("published", PUBLISHED)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def main() -> None:
    print(
        f"{'model':16}{'machine':9}{'GPUs':>7}{'fit':>7}{'refused':>9}{'seconds':>9}  fastest: data x tensor x pipeline"
    )
    for model, machine, gpus, batch in PROBLEMS:
        made = plan(model, machine, gpus, batch)
        seconds = best(lambda problem=(model, machine, gpus, batch): plan(*problem))  # type: ignore[misc]
        first = made.best
        sizes = f"{first.data} x {first.tensor} x {first.pipeline}, MFU {first.mfu:.1%}" if first else "none"
        refused = sum(made.rejected.values())
        print(f"{model:16}{machine:9}{gpus:>7,}{len(made.layouts):>7,}{refused:>9,}{seconds:>9.3f}  {sizes}")

    rows = published()
    print(f"\n{'published run':32}{'used':>6}{'printed s':>11}{'predicted s':>13}{'error':>8}")
    errors: dict[str, list[float]] = {}
    for name, row in rows.ROWS.items():
        printed, predicted = rows.published_seconds(row), rows.predicted(row).step_seconds
        error = predicted / printed - 1
        errors.setdefault(row["used"], []).append(abs(error))
        print(f"{name:32}{row['used']:>6}{printed:>11.2f}{predicted:>13.2f}{error:>+8.1%}")
    for used, found in errors.items():
        print(f"mean of {len(found)} rows ({used}): {sum(found) / len(found):.1%}")
    for note in sorted({row["note"] for row in rows.ROWS.values() if "note" in row}):
        print(f"note: {note}")


if __name__ == "__main__":
    main()
