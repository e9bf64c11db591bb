"""Carries out what the workers' programs call: the engine's own workers, moved by processes instead of functions.

So messages meet, count and get stuck here exactly as they do in `simlib.workers`, in the same order every time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from simlib.collectives.layout import Array
from simlib.errors import BadArgument
from simlib.workers import Request, Run, RunError, Worker, run
from simlib.workers.exchange import Exchange
from tutor.checker.inside import frames
from tutor.checker.limits import MIB
from tutor.checker.workers.line import MALFORMED, Line, LineCut

# each call's arguments
_CALLS: dict[str, frozenset[str]] = {
    "send": frozenset({"array", "dst"}),
    "recv": frozenset({"src"}),
    "isend": frozenset({"array", "dst"}),
    "irecv": frozenset({"src"}),
    "sendrecv": frozenset({"array", "dst", "src"}),
    "barrier": frozenset(),
    "all_reduce": frozenset({"array", "op"}),
    "reduce_scatter": frozenset({"array", "op"}),
    "all_gather": frozenset({"piece"}),
    "all_to_all": frozenset({"array"}),
    "broadcast": frozenset({"array", "root"}),
    "reduce": frozenset({"array", "op", "root"}),
    "scatter": frozenset({"pieces", "root"}),
    "gather": frozenset({"piece", "root"}),
}
POINT_TO_POINT = ("send", "recv", "isend", "irecv", "sendrecv", "barrier")
COLLECTIVES = tuple(call for call in _CALLS if call not in POINT_TO_POINT)
_MOST_LINE = 10_000_000
_MOST_IN_A_COLLECTIVE = 256 * MIB


class ProgramFailed(Exception):
    """A worker's program came to an end without a result: the last message of its process."""

    def __init__(self, worker: int, message: dict[str, Any]) -> None:
        self.worker = worker
        self.message = message
        super().__init__(f"worker {worker}: {message['kind']}")


class Remote(Worker):
    """A worker whose program runs in another process."""

    __slots__ = ("line",)

    def __init__(self, rank: int, exchange: Exchange) -> None:
        super().__init__(rank, exchange)
        self.line: int | None = None

    def refuse(self, kind: str, text: str) -> None:
        """Ends the run, since this worker's call cannot be carried out."""
        self._exchange.fail(RunError(kind, text, self.rank, self.line))

    def _line(self) -> int | None:
        return self.line

    def _array(self, value: Any) -> Array:
        if not isinstance(value, np.ndarray):
            what = value.what if isinstance(value, frames.Unknown) else frames.article(value)
            self.refuse("wrong_type", f"worker {self.rank} sends {what}, which is no array of numbers")
        return value  # type: ignore[no-any-return]  # fresh from its frame: nobody else has it

    def _meet(self, call: str, terms: tuple[Any, ...], value: Any, carry_out: Any) -> Any:
        def within_bounds(values: list[Any]) -> Any:
            arrays = [array for one in values for array in (one if isinstance(one, list) else [one])]
            most = self.world_size * sum(array.nbytes for array in arrays if array is not None)
            if most > _MOST_IN_A_COLLECTIVE:
                text = f"{call}: at most {_MOST_IN_A_COLLECTIVE // MIB // self.world_size} MiB in all go into one call"
                self.refuse("output", text)
            return carry_out(values)

        return super()._meet(call, terms, value, within_bounds)


def route(lines: list[Line], world_size: int, collectives: Collection[str]) -> Run:
    """Carries out one case, whose arguments the first `world_size` workers have been sent.

    `results` of the run are the workers' last messages, of kind "result". Raises RunError as `simlib.workers.run`
    does, ProgramFailed for a program that raised, LineCut and Stopped.
    """

    def program(worker: Worker) -> dict[str, Any]:
        assert isinstance(worker, Remote)
        return _serve(worker, lines[worker.rank], collectives)

    try:
        return run(program, world_size, worker=Remote)
    except RunError as error:
        if error.__cause__ is not None:
            raise error.__cause__ from None
        raise


def _serve(worker: Remote, line: Line, collectives: Collection[str]) -> dict[str, Any]:
    """Carries out one worker's calls until its program returns."""
    requests: list[Request] = []
    while (message := line.receive())["kind"] == "call":
        at = message.get("line")
        worker.line = at if type(at) is int and 0 < at < _MOST_LINE else None
        try:
            reply = {"value": _call(worker, message, requests, collectives)}
        except BadArgument as error:
            reply = {"bad": str(error)}
        line.send(frames.encode(reply))
    if message["kind"] != "result" or "value" not in message:
        raise ProgramFailed(worker.rank, message)
    return message


def _call(worker: Remote, message: dict[str, Any], requests: list[Request], collectives: Collection[str]) -> Any:
    call, given = message.get("call"), message.get("with")
    if not isinstance(call, str) or not isinstance(given, dict):
        raise LineCut(MALFORMED, worker.rank, "a call of nothing")
    if call == "wait":
        number = given.get("number")
        if type(number) is not int or not 0 <= number < len(requests):
            raise LineCut(MALFORMED, worker.rank, "a wait for nothing")
        return requests[number].wait()
    if call not in _CALLS or set(given) != _CALLS[call]:
        raise LineCut(MALFORMED, worker.rank, "a call that there is not")
    if call in COLLECTIVES and call not in collectives:
        others = ", ".join(["send", "recv", "isend", "irecv", "sendrecv", "barrier", *collectives])
        worker.refuse("forbidden", f"worker {worker.rank} calls {call}; in this exercise a worker has {others}")
    method: Callable[..., Any] = getattr(worker, call)
    value = method(**given)
    if isinstance(value, Request):
        requests.append(value)
        return len(requests) - 1
    return value
