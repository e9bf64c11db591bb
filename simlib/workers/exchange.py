"""Where messages meet: who has offered, who has asked, who waits, and which collective is under way."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, NoReturn

from simlib.collectives.layout import Array
from simlib.collectives.trace import Trace
from simlib.errors import BadArgument
from simlib.workers.errors import RunError, Waiting, deadlock
from simlib.workers.record import Collective, Log
from simlib.workers.scheduler import Scheduler

# Files whose frames are not the learner's
_OWN = __file__.rsplit("/", 1)[0].rsplit("\\", 1)[0]


@dataclass(eq=False, slots=True)
class Offer:
    """One side of a message: an offer to send, or to receive."""

    worker: int
    peer: int
    sends: bool
    array: Array | None
    line: int | None
    waits: bool = False
    message: int = -1  # its number, once the other side has called too

    @property
    def waiting(self) -> Waiting:
        return Waiting(self.worker, "send" if self.sends else "recv", self.peer, self.line)


@dataclass(eq=False, slots=True)
class Arrival:
    """A worker in a collective, with what it brought."""

    worker: int
    call: str
    terms: tuple[Any, ...]  # what all must agree on: the operation, the root
    value: Any
    line: int | None
    result: Any = None


@dataclass(eq=False)
class Exchange:
    """Shared by all workers of a run. Only the worker that holds the baton touches it."""

    world_size: int
    scheduler: Scheduler
    log: Log
    failure: RunError | None = None
    _posted: dict[tuple[int, int, bool], deque[Offer]] = field(default_factory=dict)
    _waiting: dict[int, Offer] = field(default_factory=dict)
    _arrived: dict[int, Arrival] = field(default_factory=dict)

    def post(self, offer: Offer) -> None:
        """Offer a message, or ask for one; the oldest offer of the other side is taken."""
        ends = (offer.worker, offer.peer) if offer.sends else (offer.peer, offer.worker)
        others = self._posted.get((*ends, not offer.sends))
        if not others:
            self._posted.setdefault((*ends, offer.sends), deque()).append(offer)
            return
        other = others.popleft()
        sent, received = (offer, other) if offer.sends else (other, offer)
        assert sent.array is not None
        received.array = sent.array
        number = self.log.message(*ends, sent.array.nbytes)
        offer.message = other.message = number
        self.log.posted(other.worker, number)
        self.log.posted(offer.worker, number)
        if other.waits:
            self._waiting.pop(other.worker)
            self.scheduler.wake(other.worker)

    def complete(self, offer: Offer) -> Array | None:
        """Wait until the message is through; the array for a receiver."""
        if offer.message < 0:
            offer.waits = True
            self._waiting[offer.worker] = offer
            self.scheduler.wait()
        self.log.awaited(offer.worker, offer.message)
        return None if offer.sends else offer.array

    def meet(self, arrival: Arrival, carry_out: Callable[[list[Any]], tuple[Trace | None, list[Any]]]) -> Any:
        """Wait until all workers are in the same collective; the last one carries it out for all."""
        for other in self._arrived.values():
            if (other.call, other.terms) != (arrival.call, arrival.terms):
                self._mismatch(other, arrival)
        self._arrived[arrival.worker] = arrival
        if len(self._arrived) < self.world_size:
            self.scheduler.wait()
            return arrival.result
        arrivals = [self._arrived[worker] for worker in range(self.world_size)]
        try:
            trace, results = carry_out([one.value for one in arrivals])
        except BadArgument as bad:
            self.fail(RunError("wrong_shape", f"{arrival.call}: {bad}", arrival.worker, arrival.line))
        self.log.collective(Collective(arrival.call, trace))
        self._arrived = {}
        for one, result in zip(arrivals, results, strict=True):
            one.result = result
            if one is not arrival:
                self.scheduler.wake(one.worker)
        return arrival.result

    def fail(self, error: RunError) -> NoReturn:
        """End the run, for this reason."""
        self.failure = self.failure or error
        self.scheduler.stop()
        raise AssertionError("a stopped worker does not go on")

    def stuck(self) -> RunError:
        """Why nobody can move."""
        absent = [worker for worker in range(self.world_size) if worker not in self._arrived]
        waiting = {worker: offer.waiting for worker, offer in self._waiting.items()}
        for worker, arrival in self._arrived.items():
            waiting[worker] = Waiting(worker, arrival.call, absent[0], arrival.line)
        return deadlock([waiting[worker] for worker in sorted(waiting)], self.scheduler.finished)

    def left_over(self) -> RunError | None:
        """The first message that was offered and never taken, or asked for and never sent."""
        left = [offer for offers in self._posted.values() for offer in offers]
        if not left:
            return None
        first = min(left, key=lambda offer: (not offer.sends, offer.worker))
        text = (
            f"worker {first.worker} sent to {first.peer}, and worker {first.peer} never received it"
            if first.sends
            else f"worker {first.worker} asked for a message from {first.peer}, which never sent it"
        )
        return RunError("unreceived", text, first.worker, first.line, [first.waiting])

    def _mismatch(self, one: Arrival, other: Arrival) -> NoReturn:
        first, second = sorted((one, other), key=lambda arrival: arrival.worker)
        calls = [f"worker {arrival.worker} calls {_call(arrival)}" for arrival in (first, second)]
        waiting = [Waiting(arrival.worker, arrival.call, None, arrival.line) for arrival in (first, second)]
        text = f"{' and '.join(calls)}: all workers must make the same call"
        self.fail(RunError("mismatch", text, other.worker, other.line, waiting))


def _call(arrival: Arrival) -> str:
    terms = ", ".join(f"{name}={value!r}" for name, value in arrival.terms)
    return f"{arrival.call}({terms})" if terms else arrival.call


def program_line(error: BaseException) -> int | None:
    """The line of the program at which `error` was raised, or at which it called what raised."""
    frames = [(step.tb_frame.f_code.co_filename, step.tb_lineno) for step in _steps(error)]
    theirs = [(file, line) for file, line in frames if not file.startswith(_OWN)]
    own_file = theirs[0][0] if theirs else None
    return next((line for file, line in reversed(theirs) if file == own_file), None)


def _steps(error: BaseException) -> Iterator[TracebackType]:
    step = error.__traceback__
    while step is not None:
        yield step
        step = step.tb_next


def calling_line() -> int | None:
    """The line of the program that called a worker's method."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return frame.f_lineno
