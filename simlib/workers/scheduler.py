"""Runs one program per worker, one at a time, in an order that is always the same.

Every program runs in a greenlet: a stack of its own that can be left at any call and taken up again. A worker runs
until it has to wait for another; then the worker that has been ready longest goes on. So nothing depends on the
machine, and when nobody is ready the run is stuck for good. (Threads would do the same, at four times the cost.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from greenlet import getcurrent, greenlet  # type: ignore[import-untyped]


class Stopped(BaseException):
    """Raised in a waiting worker when the run has ended; not an Exception, so that programs do not catch it."""


class Scheduler:
    """Who runs, who is ready, who has finished."""

    def __init__(self, workers: int) -> None:
        self._ready = deque(range(workers))
        self._running = set(range(workers))
        self._workers = workers
        self._main = getcurrent()
        self._over = False

    @property
    def finished(self) -> list[int]:
        """The workers whose programs have come to their end."""
        return [worker for worker in range(self._workers) if worker not in self._running]

    def run(self, programs: Sequence[Callable[[], None]]) -> bool:
        """Run all programs, one per worker; True if all came to their end, False if they were stopped or got stuck."""
        self._main = getcurrent()
        stacks = [greenlet(self._body) for _ in programs]
        started: set[int] = set()
        while self._ready:
            worker = self._ready.popleft()
            if worker in started:
                stacks[worker].switch()
            else:
                started.add(worker)
                stacks[worker].switch(worker, programs[worker])
        complete = not self._running
        self._over = True
        for worker in sorted(started):
            if not stacks[worker].dead:
                stacks[worker].throw(Stopped)
        return complete

    def wait(self) -> None:
        """Called by a running worker that cannot go on; returns when it has been woken and its turn has come."""
        self._main.switch()
        if self._over:
            raise Stopped

    def wake(self, worker: int) -> None:
        """A waiting worker can go on."""
        self._ready.append(worker)

    def stop(self) -> None:
        """End the run: called by the running worker, which is stopped too."""
        self._ready.clear()
        raise Stopped

    def _body(self, worker: int, program: Callable[[], None]) -> None:
        try:
            program()
            self._running.discard(worker)
        except Stopped:
            pass
