"""The life of one rank: takes its job from the desk, runs the program, measures, and answers where it is.

Messages to the desk, beside those of `checker.inside.child` (loaded, refused, result, raised, too_large):

hello       who this is
ready       the engine is there: its version
state       every tenth of a second: the line of the program, and the call that it waits in
printed     what the program printed
leaving     the program ends its process: how, and at which line
ran         the program has run once: its record and its time
swept       the sweep is over
measured    what the sweep found, and the times of the repetitions
"""

from __future__ import annotations

import ctypes
import faulthandler
import io
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any, NoReturn

from tutor.checker.inside import child, frames
from tutor.running.measuring import sweep
from tutor.running.record import Record, Standing
from tutor.running.transport import Transport, opened
from tutor.running.wire import Hung, Wire
from tutor.running.worker import RealWorker

DESK, ENGINE = "TUTOR_RUN_DESK", "TUTOR_RUN_ENGINE"
BEAT = 0.1  # seconds from one `state` to the next
_CONNECTING = 20.0
_SPEAKING = 5.0
_MOST_RESULT = 1 << 30
_MOST_PRINTED = 64 << 10
_PR_SET_PDEATHSIG = 1

_leave = os._exit


class _Forbidden(Exception):
    """Nothing is forbidden in a real run; `child.Run` asks for the name."""


def main() -> NoReturn:
    """A process that the tutor's own launcher started: where the desk is stands in the environment."""
    address = os.environ.pop(DESK)
    engine = os.environ.pop(ENGINE)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl+c is the tutor's, which ends us
    try:
        transport = opened(engine)
    except Exception as error:
        # said where the launcher's output is looked at
        print(f"{type(error).__name__}: {' '.join(str(error).split())[:300]}", file=sys.stderr, flush=True)
        _leave(1)
    live(transport, address)
    leave_together(transport)


def end_now(status: int) -> NoReturn:
    """Ends this process at once; what has been printed is out."""
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None:
            stream.flush()
    _leave(status)


def leave_together(transport: Transport, status: int = 0) -> NoReturn:
    """Leaves the engine with all other ranks and ends the process."""
    transport.leave()
    if transport.ends_at_once:
        end_now(status)
    sys.exit(status)


def live(transport: Transport, address: str, outside: bool = False) -> None:
    """Everything from the first word to the desk to the last; ends the process when the desk hangs up before.

    Python's dump of a crash goes to the desk, or (`outside`) to standard error: an outside launcher may end
    the desk's process before it has spoken.
    """
    host, port, token = address.rsplit(":", 2)
    lines = []
    for of_crashes in (False, True):
        try:
            connection = socket.create_connection((host, int(port)), _CONNECTING)
        except OSError as error:
            print(f"rank {transport.rank} does not reach rank 0 at {host}: {error.strerror}", file=sys.stderr)
            _leave(1)
        connection.settimeout(None)
        lines.append(Wire(connection))
        lines[-1].send({"kind": "hello", "token": token, "rank": transport.rank, "crashes": of_crashes})
    desk, crashes = lines
    faulthandler.enable(crashes.descriptor if not outside else 2, all_threads=False)
    desk.send({"kind": "ready", "version": transport.version, "host": socket.gethostname()})
    rank = _Rank(transport, desk, _SPEAKING if outside else 0.0)
    try:
        rank.work()
    except Hung:
        rank.go()


class _Rank:
    """One job."""

    def __init__(self, transport: Transport, desk: Wire, patience: float) -> None:
        self._patience = patience
        self._transport = transport
        self._desk = desk
        self._job = desk.receive()
        self._file: str = self._job["file"]
        self._record = Record(transport.world_size)
        self._said: dict[str, Any] = {}
        self._raised_in: str | None = None  # the call that did not return when the program raised
        self._orders: dict[str, dict[str, Any]] = {}
        self._ordered = threading.Condition()
        self._main = threading.main_thread().ident
        for work in (self._beat, self._listen):
            threading.Thread(target=work, daemon=True).start()

    def work(self) -> None:
        """The program once, then what messages take, then the program again for its times."""
        job = self._job
        streams = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = _Printed(self._desk)
        before = _watch_exits(self._say_leaving)
        run = child.Run(job, _MOST_RESULT, _Noting(self), frames, _Forbidden)  # type: ignore[arg-type]
        function = run.load(job["parameters"])
        if function is None:
            self._wait_for("nothing")  # the desk knows why, and ends this process
            return
        self._desk.send({"kind": "loaded"})
        self._wait_for("run")
        seconds, _ = self._timed(run, function)
        sys.stdout.flush()
        self._desk.send({"kind": "ran", "record": self._record.message(), "seconds": seconds})
        self._desk.send(self._said)
        sys.stdout = sys.stderr = io.StringIO()
        repeats = self._wait_for("measure")["repeats"]
        found = sweep(self._transport)
        self._desk.send({"kind": "swept"})
        times = [self._timed(run, function) for _ in range(repeats)]
        for name, call in before.items():
            setattr(os, name, call)
        sys.stdout, sys.stderr = streams
        taken, calls = [seconds for seconds, _ in times], [each for _, each in times]
        self._desk.send({"kind": "measured", "sweep": found, "seconds": taken, "calls": calls})
        self._wait_for("end")

    def _timed(self, run: child.Run, function: Callable[..., Any]) -> tuple[float, Any]:
        """Runs the program once, all ranks together: its seconds, and those of its calls."""
        self._record = Record(self._transport.world_size)
        worker = RealWorker(self._transport, self._record, self._file, self._job["collectives"])
        taken = []

        def timed(*given: Any) -> Any:
            self._transport.agree(b" ")
            began = time.perf_counter()
            try:
                return function(*given)
            except Exception:
                self._raised_in = self._record.standing.call
                raise
            finally:
                taken.append(time.perf_counter() - began)
                self._record.goes_on()

        run.call(timed, 0, frames.decode_frame(frames.encode(self._job["arguments"])), worker)
        if self._said["kind"] != "result":
            self._wait_for("nothing")
        return taken[0], self._record.message()["seconds"]

    def note(self, message: Mapping[str, Any]) -> None:
        """What `child.Run` has to say: an error at once, a result together with its record."""
        self._said = dict(message)
        if message["kind"] == "raised":
            self._desk.send({**message, "in_call": self._raised_in})
        elif message["kind"] != "result":
            self._desk.send(message)

    def _wait_for(self, order: str) -> dict[str, Any]:
        with self._ordered:
            self._ordered.wait_for(lambda: order in self._orders)
        return self._orders[order]

    def _listen(self) -> None:
        """Takes orders; the desk's hanging up ends the process, wherever it is."""
        try:
            while True:
                message = self._desk.receive()
                with self._ordered:
                    self._orders[message["kind"]] = message
                    self._ordered.notify_all()
        except Hung:
            if "end" not in self._orders:
                self.go()

    def _beat(self) -> None:
        try:
            while "end" not in self._orders:
                self._desk.send({"kind": "state", **_told(self._record.standing, self._program_line())})
                time.sleep(BEAT)
        except Hung:
            pass

    def go(self) -> NoReturn:
        """The desk has hung up. An outside launcher ends us, with rank 0's status, unless we go first with our own."""
        time.sleep(self._patience)
        _leave(1)

    def _program_line(self) -> int | None:
        """The innermost line of the learner's file in the main thread."""
        frame: FrameType | None = sys._current_frames().get(self._main or 0)
        while frame is not None and frame.f_code.co_filename != self._file:
            frame = frame.f_back
        return None if frame is None else frame.f_lineno

    def _say_leaving(self, how: str, status: int) -> None:
        sys.stdout.flush()
        self._desk.send({"kind": "leaving", "how": how, "status": status, "line": self._program_line()})
        # An outside launcher ends all ranks when one is gone: the desk speaks first, and hangs up
        time.sleep(_SPEAKING)


class _Noting:
    """Stands for the connection of `child.Run`."""

    def __init__(self, rank: _Rank) -> None:
        self._rank = rank

    def send(self, message: Mapping[str, Any]) -> None:
        self._rank.note(message)

    def send_frame(self, frame: bytes) -> None:
        self._rank.note(frames.decode_frame(frame))


class _Printed(io.TextIOBase):
    """Sends what the program prints to the desk, line by line, up to a limit."""

    encoding = "utf-8"

    def __init__(self, desk: Wire) -> None:
        self._desk = desk
        self._line = ""
        self._room = _MOST_PRINTED

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        whole, newline, self._line = (self._line + text).rpartition("\n")
        if newline:
            self._send(whole + newline)
        elif len(self._line) > _MOST_PRINTED:
            self.flush()
        return len(text)

    def flush(self) -> None:
        if self._line:
            self._send(self._line)
            self._line = ""

    def _send(self, text: str) -> None:
        if self._room > 0:
            self._desk.send({"kind": "printed", "text": text[: self._room]})
            self._room -= len(text)
            if self._room <= 0:
                self._desk.send({"kind": "printed", "text": "\n(more was printed than is shown)\n"})


def _told(standing: Standing, line: int | None) -> dict[str, Any]:
    return {
        "serial": standing.serial,
        "call": standing.call,
        "line": standing.line if standing.call else line,
        "needs": [list(need) for need in standing.needs],
        "sent": list(standing.sent),
        "asked": list(standing.asked),
        "entered": standing.entered,
    }


def _watch_exits(say: Callable[[str, int], None]) -> dict[str, Any]:
    """Has the program's ways to end its process say so first; what they were before."""
    before = {name: getattr(os, name) for name in ("_exit", "abort", "kill")}

    def leave(status: int) -> NoReturn:
        say("exit", status)
        _leave(status)

    def abort() -> NoReturn:
        say("signal", signal.SIGABRT)
        before["abort"]()
        raise AssertionError("an aborted process does not go on")

    def kill(pid: int, number: int) -> None:
        if pid == os.getpid() and number:
            say("signal", int(number))
        before["kill"](pid, number)

    for name, call in (("_exit", leave), ("abort", abort), ("kill", kill)):
        setattr(os, name, call)
    return before
