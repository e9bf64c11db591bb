"""The processes of one check of a worker program: started together, ended together, whatever happens."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import threading
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from tutor.checker import gate, isolation, spare
from tutor.checker.inside import frames
from tutor.checker.limits import Limits
from tutor.checker.verdict import CouldNotCheck
from tutor.checker.workers.line import Line, LineCut, Watch
from tutor.checker.workers.starter import Starter
from tutor.safe_text import visible

GRACE = 0.5  # a worker stops itself, with a line number, this much before it is stopped
_ENDING = 5.0  # seconds in which the starter ends its workers, before the system is asked to
_PART = 1 << 16
_HEADER = 64 << 10  # of a frame, beside its arrays


@dataclass(frozen=True)
class Ended:
    """How a worker's process ended: its status as of subprocess; whether it had hung up and ran on."""

    status: int = -9
    cpu_seconds: float = 0.0
    ran_on: bool = False


class Crew:
    """So many workers, each behind its own walls, with a line to each. Use it in a `with`.

    Raises CouldNotCheck when they do not start, Stopped when `stop` is set.
    """

    def __init__(self, workers: int, limits: Limits, stop: threading.Event | None = None) -> None:
        if not hasattr(os, "fork"):
            raise CouldNotCheck("programs of workers are checked on Linux and macOS; this system cannot start them")
        self._place = contextlib.ExitStack()
        starter = spare.take_starter(limits.boxed)
        if starter is None:
            self._place.enter_context(gate.entered(stop))
            starter = Starter(limits.boxed)
        self._starter = starter
        self.limits = limits.of_worker(workers)
        self.output = [b""] * workers
        self.ended = [Ended()] * workers
        self.watch = Watch(time.monotonic() + limits.start, limits.messages_total, stop)
        self.lines: list[Line] = []
        self._outputs: list[int] = []
        self._workers = workers
        self._over = False
        self._control = self._starter.control

    def __enter__(self) -> Crew:
        try:
            with self._place:
                self._start()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()

    def begin(self, job: dict[str, Any]) -> None:
        """Sends the job; from now on the time of the check runs. See `inside.worker` for what follows."""
        self.watch.until = time.monotonic() + self.limits.wall + GRACE
        frame = frames.encode(job)
        for line in self.lines:
            line.send(frame)

    def _start(self) -> None:
        self._control.settimeout(self.limits.start)
        try:
            shared = isolation.shared_setup(self.limits)
            self._control.sendall(frames.encode(shared | {"workers": self._workers}))
            said, descriptors, _, _ = socket.recv_fds(self._control, 1 << 14, 2 * self._workers)
        except OSError:
            said, descriptors = b"", []
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)
        most = max(self.limits.message_most, self.limits.result_most) + _HEADER
        for rank, descriptor in enumerate(descriptors[::2]):
            self.lines.append(Line(descriptor, rank, self.watch, most))
        self._outputs = descriptors[1::2]
        if len(descriptors) < 2 * self._workers:
            raise CouldNotCheck(f"the processes for your file did not start: {self._reason()}")
        self._reader = threading.Thread(target=self._read_output, daemon=True)
        self._reader.start()
        pids = json.loads(said)["pids"]
        try:
            for pid, line in zip(pids, self.lines, strict=True):
                line.send(frames.encode({"walls": isolation.own_walls(pid)}))
            for line in self.lines:
                standing = line.receive().get("walls")
                missing = [str(name) for name, why in standing.items() if why] if isinstance(standing, dict) else []
                if missing:
                    isolation.refused(missing)
        except LineCut as cut:
            self._end()
            why = _last_line(self.output[cut.worker]) or str(cut)
            raise CouldNotCheck(f"the processes for your file did not start: {why}") from None

    def _reason(self) -> str:
        return _last_line(self._starter.said()) or "no reason given"

    def _read_output(self) -> None:
        """Takes in what the workers print, each worker's apart, until every pipe is closed."""
        poll = select.poll()
        ranks = {}
        for rank, descriptor in enumerate(self._outputs):
            poll.register(descriptor, select.POLLIN)
            ranks[descriptor] = rank
        totals = [0] * len(ranks)
        while ranks:
            for descriptor, _ in poll.poll():
                rank = ranks[descriptor]
                part = os.read(descriptor, _PART)
                if part:
                    self.output[rank] += part[: max(0, self.limits.output_kept + 1 - totals[rank])]
                    totals[rank] += len(part)
                if not part or totals[rank] > self.limits.output_most:
                    if part:
                        self.watch.printed_too_much.add(rank)
                    poll.unregister(descriptor)
                    del ranks[descriptor]

    def _end(self) -> None:
        """Ends every worker, learns how each ended, and leaves nothing behind."""
        if self._over:
            return
        self._over = True
        closed = [rank for rank, line in enumerate(self.lines) if line.closed]
        try:
            self._control.settimeout(_ENDING)
            self._control.sendall(json.dumps(closed).encode())
            with self._control.makefile("rb") as answer:
                said = answer.readline()
            if said and self.lines:
                self.ended = [Ended(end["status"], end["cpu"], end["ran_on"]) for end in json.loads(said)]
        except (OSError, ValueError):
            pass  # it was ended itself: the system ends the rest
        self._starter.end()
        for line in self.lines:
            line.close()
        if self._outputs:
            self._reader.join(timeout=1.0)
        for descriptor in self._outputs:
            os.close(descriptor)
        spare.renew_starter(self.limits.boxed)


def _last_line(printed: bytes) -> str:
    said = printed.decode("utf-8", "replace").strip().splitlines()
    return visible(said[-1]) if said else ""
