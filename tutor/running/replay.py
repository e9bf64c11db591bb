"""What the ranks recorded, once more on the engine's workers: what it cost, and when it would be done on a link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from simlib.errors import BadArgument
from simlib.workers import Request, Run, RunError, Worker, run
from simlib.workers.exchange import Exchange
from tutor.running.record import CALLS


class _Replayed(Worker):
    """A worker whose calls were made elsewhere, at lines that are known."""

    __slots__ = ("line",)

    def __init__(self, rank: int, exchange: Exchange) -> None:
        super().__init__(rank, exchange)
        self.line: int | None = None

    def _line(self) -> int | None:
        return self.line


def replay(records: Sequence[Mapping[str, Any]]) -> Run:
    """The run of the ranks that made these records (`Record.message`), with zeros for what was sent.

    Raises RunError for a message that was never received, and whatever else the engine's workers refuse.
    """

    def program(worker: Worker) -> None:
        assert isinstance(worker, _Replayed)
        record = records[worker.rank]
        requests: list[Request] = []
        for code, one, other, size, line in record["rows"].tolist():
            worker.line = line or None
            match CALLS[code]:
                case "send":
                    worker.send(_zeros(size), dst=one)
                case "recv":
                    worker.recv(src=one)
                case "isend":
                    requests.append(worker.isend(_zeros(size), dst=one))
                case "irecv":
                    requests.append(worker.irecv(src=one))
                case "sendrecv":
                    worker.sendrecv(_zeros(size), dst=one, src=other)
                case "wait":
                    requests[one].wait()
                case call:
                    _collective(worker, call, record["terms"][one])

    try:
        return run(program, len(records), worker=_Replayed)
    except RunError as error:
        if isinstance(error.__cause__, BadArgument):
            raise error.__cause__ from None
        raise


def _zeros(size: int) -> Any:
    return np.zeros(size, np.uint8)


def _collective(worker: Worker, call: str, term: Sequence[Any]) -> None:
    op, root, dtype, shape, sizes = term
    given: Any = np.zeros(shape, dtype) if dtype is not None else None
    if call == "scatter" and sizes:
        given = [_zeros(size) for size in sizes]
    terms = ({"op": op} if op else {}) | ({"root": root} if root >= 0 else {})
    getattr(worker, call)(*(() if call == "barrier" else (given,)), **terms)
