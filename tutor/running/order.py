"""What is to be run: whose file, on which engine, with which arguments; and what is right for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from simlib.errors import BadArgument
from tutor.checker.check import source_array
from tutor.checker.definition import Definition, Trial
from tutor.running.desk import Job

MOST_WORKERS, MOST_LENGTH = 64, 10_000_000
LENGTH = 120_000  # numbers for each worker, where nothing is said: 1 to 6, 8, 10, 12, 15 and 16 divide it
REPEATS = 5
_WORLD_SIZE = "world_size"


@dataclass(frozen=True)
class Order:
    """One run. `length` is None where the exercise's own cases are used."""

    definition: Definition
    trial: Trial
    source: np.ndarray[Any, Any]
    file: str
    engine: str
    workers: int
    length: int | None
    seed: int

    @property
    def parameters(self) -> list[str]:
        """The program's, with `worker` first."""
        return ["worker", *(name for name in self.trial.arguments if name != _WORLD_SIZE)]

    @property
    def job(self) -> Job:
        """As the ranks get it."""
        given = [values for name, values in self.trial.arguments.items() if name != _WORLD_SIZE]
        return Job(
            self.source,
            self.file,
            self.definition.exercise.id,
            self.parameters,
            [[values[rank] for values in given] for rank in range(self.workers)],
            self.definition.collectives,
            REPEATS,
        )


def order(
    definition: Definition, source: bytes, file: str, engine: str, workers: int, length: int | None, seed: int
) -> Order:
    """The run of `source` on so many workers, with arguments drawn from `seed`.

    Raises BadArgument where the exercise has no arguments for them.
    """
    name = definition.exercise.id
    if not definition.worker_program:
        raise BadArgument("exercise", name, "one whose file is a worker's program (its id ends in _worker)")
    if definition.has_sizes:
        # A length that N divides has chunks of equal size, and so a bill to compare with
        used = length if length is not None else -(-LENGTH // workers) * workers
        trial = Trial(f"{_workers(workers)}, {used:,} numbers", definition.sized(seed, workers, used), None)
        return Order(definition, trial, source_array(source), file, engine, workers, used, seed)
    if length is not None:
        raise BadArgument("length", length, f"nothing for {name}, whose check makes its own arguments")
    trials = definition.trials(seed)
    fitting = [trial for trial in trials if trial.arguments.get(_WORLD_SIZE) == workers]
    if not fitting:
        sizes = sorted({trial.arguments.get(_WORLD_SIZE, 0) for trial in trials})
        raise BadArgument("n", workers, f"a number of workers that {name} has cases for: {', '.join(map(str, sizes))}")
    return Order(definition, fitting[-1], source_array(source), file, engine, workers, None, seed)


def _workers(count: int) -> str:
    return "1 worker" if count == 1 else f"{count} workers"
