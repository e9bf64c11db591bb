"""How a run of workers can go wrong, and how that is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

KINDS = ("deadlock", "mismatch", "unreceived", "wrong_type", "wrong_shape", "exit", "exception")

_MOST_NAMED = 6


@dataclass(frozen=True)
class Waiting:
    """A worker that cannot go on: in which call, for whom, and at which line of its program."""

    worker: int
    call: str  # "send", "recv", "barrier", "all_reduce", …
    peer: int | None  # the worker that would have to move; None where it would wait for several
    line: int | None

    def __str__(self) -> str:
        return f"worker {self.worker} {self.words}"

    @property
    def words(self) -> str:
        """What it waits for, without its name."""
        match self.call:
            case "send":
                return f"sends to {self.peer}"
            case "recv":
                return f"receives from {self.peer}"
            case _ if self.peer is None:
                return f"waits in {self.call}"
            case _:
                return f"waits in {self.call} for {self.peer}"


class RunError(Exception):
    """A run that ended early. `kind` is one of KINDS; `worker` and `line` say where, `waiting` who waited for whom."""

    def __init__(
        self,
        kind: str,
        message: str,
        worker: int | None = None,
        line: int | None = None,
        waiting: Sequence[Waiting] = (),
    ) -> None:
        self.kind = kind
        self.message = message
        self.worker = worker
        self.line = line
        self.waiting = tuple(waiting)
        super().__init__(message)


def deadlock(waiting: Sequence[Waiting], finished: Sequence[int]) -> RunError:
    """Nobody can move: the circle of who waits for whom, or the chain that ends at a worker that has finished.

    >>> print(deadlock([Waiting(0, "send", 1, 3), Waiting(1, "send", 0, 3)], finished=[]))
    worker 0 sends to 1, worker 1 sends to 0: everyone sends, nobody receives
    """
    by_worker = {one.worker: one for one in waiting}
    chain: list[Waiting] = []
    worker: int | None = min(by_worker)
    while worker in by_worker and by_worker[worker] not in chain:
        chain.append(by_worker[worker])
        worker = by_worker[worker].peer
    if worker in by_worker:
        chain = chain[chain.index(by_worker[worker]) :]
    text = _listed(chain)
    if worker in finished:
        text += f", but worker {worker} has finished"
    elif {one.call for one in waiting} == {"send"}:
        text += ": everyone sends, nobody receives"
    elif {one.call for one in waiting} == {"recv"}:
        text += ": everyone receives, nobody sends"
    else:
        text += ": nobody can go on"
    return RunError("deadlock", text, chain[0].worker, chain[0].line, [*chain, *(w for w in waiting if w not in chain)])


def _listed(chain: Sequence[Waiting]) -> str:
    named = [str(one) for one in chain]
    if len(named) > _MOST_NAMED:
        named = [*named[: _MOST_NAMED - 1], "…", named[-1]]
    return ", ".join(named)
