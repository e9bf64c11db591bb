"""A program per worker, run on simulated workers that talk by messages, as with torch.distributed or MPI.

>>> def swap(worker, array):
...     return worker.sendrecv(array, dst=1 - worker.rank, src=1 - worker.rank)
>>> run(swap, 2, [[1, 2], [3, 4]]).results[0].tolist()
[3, 4]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from simlib.errors import BadArgument, whole_number
from simlib.workers.errors import RunError, Waiting
from simlib.workers.exchange import Exchange, program_line
from simlib.workers.record import Log, Message, Run, Step
from simlib.workers.scheduler import Scheduler
from simlib.workers.worker import Request, Worker

__all__ = ["Message", "Request", "Run", "RunError", "Step", "Waiting", "Worker", "run"]

MOST_WORKERS = 1024


def run(
    program: Callable[..., Any],
    world_size: int,
    *arguments: Sequence[Any],
    worker: Callable[[int, Exchange], Worker] = Worker,
) -> Run:
    """Run `program(worker, …)` once for each of `world_size` workers, and return what they returned.

    Each of `arguments` holds one entry per worker; arrays and lists of numbers are copied to it. Only one worker runs
    at a time, in an order that is always the same. `send` waits for its `recv`. `worker` makes what the program is
    given; a subclass of Worker stands for a program that runs elsewhere.

    Raises RunError when a program raises, when nobody can move (with the circle of who waits for whom), when workers
    are in different collectives, or when a message is never received; BadArgument for arguments that do not fit.

    >>> def everyone_sends(worker):
    ...     worker.send([1.0], dst=(worker.rank + 1) % worker.world_size)
    >>> run(everyone_sends, 3)
    Traceback (most recent call last):
    ...
    simlib.workers.errors.RunError: worker 0 sends to 1, worker 1 sends to 2, worker 2 sends to 0: everyone sends, \
nobody receives
    """
    count = whole_number("world_size", world_size, 1, MOST_WORKERS)
    if not callable(program):
        raise BadArgument("program", program, "a function of a worker")
    for place, given in enumerate(arguments):
        if not hasattr(given, "__len__") or len(given) != count:
            raise BadArgument(f"arguments[{place}]", given, f"a list with one entry for each of the {count} workers")
    scheduler = Scheduler(count)
    exchange = Exchange(count, scheduler, Log(count))
    results: list[Any] = [None] * count

    def body(rank: int) -> Callable[[], None]:
        def work() -> None:
            own = [_copy(given[rank]) for given in arguments]
            try:
                results[rank] = program(worker(rank, exchange), *own)
            except (Exception, SystemExit, KeyboardInterrupt) as error:
                kind = "exit" if isinstance(error, SystemExit) else "exception"
                text = " ".join(str(error).split())
                said = f"worker {rank} raised {type(error).__name__}" + (f": {text}" if text else "")
                failure = RunError(kind, said, rank, program_line(error))
                failure.__cause__ = error
                exchange.fail(failure)

        return work

    complete = scheduler.run([body(rank) for rank in range(count)])
    if exchange.failure is not None:
        raise exchange.failure
    if not complete:
        raise exchange.stuck()
    left = exchange.left_over()
    if left is not None:
        raise left
    return Run(count, results, exchange.log)


def _copy(value: Any) -> Any:
    """Arrays and lists of numbers as an array of the worker's own; anything else as it is."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, list):
        try:
            array = np.array(value)
        except ValueError:
            return value
        return array if array.dtype.kind in "biufc" else value
    return value
