"""The other end of every rank's line: hands out the job, watches who waits for whom, takes in what is found.

It runs in the process that the learner started, or in a thread of rank 0 where an outside launcher started them all.
"""

from __future__ import annotations

import contextlib
import hmac
import queue
import secrets
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simlib.errors import BadArgument
from simlib.workers import Run, RunError
from tutor.checker.verdict import CouldNotCheck, Failure
from tutor.running import endings, waits
from tutor.running.replay import replay
from tutor.running.wire import Hung, Wire

_TICK = 0.05
_REPEATING = 15.0  # seconds that are given to repetitions, of which there is always one
_FOLLOWERS = 0.3  # seconds in which other ranks that fail too may say so
_CAUSE = 5.0  # the same, where so far only broken calls were told: somebody is gone, and the system has yet to say who
_MOST_HELLO = 1 << 12
_HELLO_SECONDS = 10.0


@dataclass(frozen=True)
class Job:
    """What all ranks run; `arguments` has a list for each rank."""

    source: np.ndarray[Any, Any]
    file: str
    function: str
    parameters: list[str]  # with `worker` first
    arguments: list[list[Any]]
    collectives: tuple[str, ...]
    repeats: int  # at most

    def of(self, rank: int) -> dict[str, Any]:
        """The job as it travels to a rank."""
        return {
            "kind": "job",
            "source": self.source,
            "file": self.file,
            "function": self.function,
            "parameters": len(self.parameters),
            "arguments": self.arguments[rank],
            "collectives": list(self.collectives),
        }


@dataclass
class Limits:
    """Seconds: for all ranks to be there, and for the program to run once."""

    start: float = 120.0
    program: float = 60.0


@dataclass
class Found:
    """What a run left behind, by rank."""

    results: list[dict[str, Any]]
    records: list[dict[str, Any]]
    run: Run
    version: str
    hosts: int
    sweep: dict[str, list[list[float]]] = field(default_factory=dict)
    seconds: list[list[float]] = field(default_factory=list)  # of each repetition
    calls: list[list[Any]] = field(default_factory=list)  # of each repetition, the seconds of each call


class Ended(Exception):
    """The run came to an early end, for a reason in the learner's program."""

    def __init__(self, failure: Failure, message: dict[str, Any] | None = None, kind: str = "") -> None:
        self.failure = failure
        self.kind = kind or failure.kind  # as the engine's workers have it: "deadlock", "mismatch", "unreceived", …
        self.message = message  # of the rank that raised
        super().__init__(failure.message)


class Desk:
    """Use it in a `with`: at the end every rank is told to go, or ended by the hanging up."""

    def __init__(
        self, job: Job, limits: Limits, progress: Callable[[str], None] = lambda text: None, host: str = "127.0.0.1"
    ) -> None:
        self.world_size = len(job.arguments)
        self.printed = [""] * self.world_size
        self.stop = threading.Event()
        self._job, self._limits, self._progress = job, limits, progress
        self._token = secrets.token_hex(16)
        everywhere = host != "127.0.0.1"
        self._listener = socket.create_server(("" if everywhere else host, 0), backlog=2 * self.world_size)
        self.address = f"{host}:{self._listener.getsockname()[1]}:{self._token}"
        self._lines: dict[int, Wire] = {}
        self._strangers: list[Wire] = []
        self._inbox: queue.SimpleQueue[tuple[int, dict[str, Any]]] = queue.SimpleQueue()
        self._got: dict[str, dict[int, dict[str, Any]]] = {}
        self._watch = waits.Watch(self.world_size)
        self._crashes: dict[int, str] = {}
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        for line in [*self._lines.values(), *self._strangers]:
            line.close()

    def conduct(self, launcher_ended: Callable[[], str | None] = lambda: None) -> Found:
        """The whole run. `launcher_ended` says why no more ranks will come, once that is so.

        Raises Ended, and CouldNotCheck where the ranks do not start.
        """
        self._progress(f"starting {self.world_size} processes")
        self._gather("ready", self._limits.start, launcher_ended)
        for rank, line in self._lines.items():
            self._send(line, self._job.of(rank))
        self._gather("loaded", self._limits.program)
        self._progress(f"running {self._job.function}")
        self._tell("run")
        ran = self._gather("ran", self._limits.program, watched=True)
        results = self._gather("result", self._limits.program)
        records = [ran[rank]["record"] for rank in range(self.world_size)]
        run = self._replayed(records)
        longest = max(float(one["seconds"]) for one in ran.values())
        self._progress("measuring what messages take here")
        repeats = max(1, min(self._job.repeats, int(_REPEATING / max(longest, 1e-9))))
        self._tell("measure", repeats=repeats)
        self._gather("swept", self._limits.start)
        self._progress(f"running it {repeats} times more, for the times")
        measured = self._gather("measured", self._limits.program + 3 * longest * repeats)
        self._tell("end")
        ready = self._got["ready"]
        ranks = range(self.world_size)
        return Found(
            [results[rank] for rank in ranks],
            records,
            run,
            str(ready[0]["version"]),
            len({str(one["host"]) for one in ready.values()}),
            measured[0]["sweep"],
            [measured[rank]["seconds"] for rank in ranks],
            [measured[rank]["calls"] for rank in ranks],
        )

    def _replayed(self, records: list[dict[str, Any]]) -> Run:
        try:
            return replay(records)
        except RunError as error:
            raise Ended(endings.of_run(error), kind=error.kind) from None
        except BadArgument as error:
            raise Ended(Failure("exception", str(error))) from None

    def _gather(
        self,
        kind: str,
        seconds: float,
        launcher_ended: Callable[[], str | None] = lambda: None,
        watched: bool = False,
    ) -> dict[int, dict[str, Any]]:
        """Waits until every rank has sent a message of this kind."""
        until = time.monotonic() + seconds
        while len(self._got.get(kind, {})) < self.world_size:
            if self.stop.is_set():
                raise CouldNotCheck("the run was stopped")
            with contextlib.suppress(queue.Empty):
                self._take(*self._inbox.get(timeout=_TICK))
            if kind == "ready" and (why := launcher_ended()):
                raise CouldNotCheck(f"the processes did not start: {why}")
            if time.monotonic() > until:
                if kind == "ready":
                    there = len(self._got.get(kind, {}))
                    raise CouldNotCheck(f"only {there} of {self.world_size} processes came in {seconds:g} s")
                finished = set(self._got.get(kind, {}))
                raise Ended(endings.timeout(self._watch, finished, seconds))
            if watched and (stuck := self._watch.stuck(set(self._got.get(kind, {})))):
                raise Ended(endings.of_run(stuck))
        return self._got[kind]

    def _take(self, rank: int, message: dict[str, Any]) -> None:
        match message["kind"]:
            case "state":
                self._watch.see(rank, message)
            case "printed":
                self.printed[rank] += str(message["text"])
            case "raised" | "refused" | "too_large" | "leaving" | "hung":
                self._end({rank: message})
            case kind:
                self._got.setdefault(kind, {})[rank] = message

    def _end(self, bad: dict[int, dict[str, Any]]) -> None:
        """The first bad news has come: waits a moment for what else there is, and says what explains the others.

        When a process dies, the libraries of the others raise too; so who died comes first.
        """
        came = time.monotonic()
        while (left := came + (_CAUSE if endings.all_broken(bad) else _FOLLOWERS) - time.monotonic()) > 0:
            try:
                rank, message = self._inbox.get(timeout=left)
            except queue.Empty:
                break
            if message["kind"] in ("raised", "refused", "too_large", "leaving", "hung"):
                bad.setdefault(rank, message)
            elif message["kind"] == "printed":
                self.printed[rank] += str(message["text"])
            elif message["kind"] == "state":
                self._watch.see(rank, message)
        failure, said = endings.first(bad, self._job, self._watch, self._crashes)
        raise Ended(failure, said, "mismatch" if failure.kind == "deadlock" else "")

    def _tell(self, order: str, **more: int) -> None:
        for line in self._lines.values():
            self._send(line, {"kind": order, **more})

    def _send(self, line: Wire, message: dict[str, Any]) -> None:
        with contextlib.suppress(Hung):  # its reader says so
            line.send(message)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(Wire(connection),), daemon=True).start()

    def _serve(self, line: Wire) -> None:
        """One connection: nobody is listened to who does not know the token."""
        self._strangers.append(line)
        line.patience(_HELLO_SECONDS)
        try:
            hello = line.receive(_MOST_HELLO)
        except Hung:
            line.close()
            return
        rank = hello.get("rank")
        known = hmac.compare_digest(str(hello.get("token")).encode(), self._token.encode())
        if not known or type(rank) is not int or not 0 <= rank < self.world_size:
            line.close()
            return
        line.patience(None)
        if hello.get("crashes"):
            self._crashes[rank] = line.rest().decode("utf-8", "replace")
            return
        self._lines[rank] = line
        try:
            while True:
                self._inbox.put((rank, line.receive()))
        except Hung:
            self._inbox.put((rank, {"kind": "hung"}))
