"""One worker of a crew: the calls that its program makes go to the tutor, which routes and counts every message.

The process talks on one socket. After `ready` (see `child`) it sends

loaded      the learner's file is loaded and its function can be called
call        the program is in a call of its worker's: which, with what, at which line; it waits for the reply
result, raised, too_large, refused, done    as in `child`
"""

from __future__ import annotations

import ctypes
import faulthandler
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from . import child, frames, guard, walls

_PR_SET_DUMPABLE = 4


class BadArgument(ValueError):
    """An argument that a call cannot take."""


class MessageTooLarge(ValueError):
    """A message of more bytes than a check carries."""


class Request:
    """A message under way: `wait()` returns when it is through, with the array if it was received."""

    def __init__(self, ask: Callable[..., Any], number: int) -> None:
        self._ask = ask
        self._number = number
        self._over = False
        self._array: Any = None

    def wait(self) -> Any:
        """Wait for the message: the array for `irecv`, None for `isend`."""
        if not self._over:
            self._array = self._ask("wait", number=self._number)
            self._over = True
        return self._array


class Worker:
    """One of `world_size` workers, as its program sees it."""

    def __init__(self, rank: int, world_size: int, ask: Callable[..., Any]) -> None:
        self.rank = rank
        self.world_size = world_size
        self._ask = ask

    def send(self, array: Any, dst: int) -> None:
        """Send an array to worker `dst`; waits until it is received."""
        self._ask("send", array=_numbers(array), dst=dst)

    def recv(self, src: int) -> Any:
        """Receive an array from worker `src`; waits until it is sent."""
        return self._ask("recv", src=src)

    def isend(self, array: Any, dst: int) -> Request:
        """Begin to send an array to worker `dst`, and go on."""
        return Request(self._ask, self._ask("isend", array=_numbers(array), dst=dst))

    def irecv(self, src: int) -> Request:
        """Begin to receive an array from worker `src`, and go on."""
        return Request(self._ask, self._ask("irecv", src=src))

    def sendrecv(self, array: Any, dst: int, src: int) -> Any:
        """Send an array to worker `dst` and receive one from worker `src` at the same time."""
        return self._ask("sendrecv", array=_numbers(array), dst=dst, src=src)

    def barrier(self) -> None:
        """Wait until all workers have come here."""
        self._ask("barrier")

    def all_reduce(self, array: Any, op: str = "sum") -> Any:
        """The sum (or "mean", or "max") of all workers' arrays."""
        return self._ask("all_reduce", array=_numbers(array), op=op)

    def reduce_scatter(self, array: Any, op: str = "sum") -> Any:
        """This rank's slice of the sum (or "mean", or "max") of all workers' arrays, flat."""
        return self._ask("reduce_scatter", array=_numbers(array), op=op)

    def all_gather(self, piece: Any) -> Any:
        """All workers' pieces, joined along their first axis in the order of the ranks."""
        return self._ask("all_gather", piece=_numbers(piece))

    def all_to_all(self, array: Any) -> Any:
        """Chunk `rank` of every worker's array, in the order of the ranks."""
        return self._ask("all_to_all", array=_numbers(array))

    def broadcast(self, array: Any, root: int = 0) -> Any:
        """The root's array; what other workers give is not looked at."""
        return self._ask("broadcast", array=_numbers(array) if self._is(root) else None, root=root)

    def reduce(self, array: Any, op: str = "sum", root: int = 0) -> Any:
        """On the root the sum (or "mean", or "max") of all workers' arrays; None on the others."""
        return self._ask("reduce", array=_numbers(array), op=op, root=root)

    def scatter(self, pieces: Sequence[Any] | None, root: int = 0) -> Any:
        """Piece `rank` of the root's list of pieces; what other workers give is not looked at."""
        given: Any = None
        if self._is(root):
            given = [_numbers(piece) for piece in pieces] if isinstance(pieces, (list, tuple, np.ndarray)) else pieces
        return self._ask("scatter", pieces=given, root=root)

    def gather(self, piece: Any, root: int = 0) -> Any:
        """On the root all workers' pieces, joined along their first axis; None on the others."""
        return self._ask("gather", piece=_numbers(piece), root=root)

    def _is(self, root: Any) -> bool:
        return isinstance(root, (int, np.integer)) and int(root) == self.rank


def _numbers(value: Any) -> Any:
    """`value` as an array of numbers; where it is none, what it is called."""
    try:
        array = np.array(value)
    except ValueError:
        return frames.Unknown(frames.article(value))
    return array if array.dtype.kind in "biufc" else frames.Unknown(frames.article(value))


class _Program:
    """The learner's program in this process, and the line on which its calls go out."""

    def __init__(self, job: Mapping[str, Any], limits: Mapping[str, int], connection: child.Connection) -> None:
        self._run = child.Run(job, limits["result"], connection, frames, guard.Forbidden)
        self._given = job["parameters"]
        self._file = job["file"]
        self._most = limits["message"]
        self._connection = connection
        self._one_at_a_time = threading.Lock()  # threads of the learner's may call too

    def work(self) -> None:
        """Every case that the tutor sends, until it says that there is no other."""
        function = self._run.load(self._given)
        if function is not None:
            self._connection.send({"kind": "loaded"})
        while (message := self._connection.read())["kind"] == "case":
            worker = Worker(message["rank"], message["world_size"], self._ask)
            self._run.call(function, message["case"], message["arguments"], worker)  # type: ignore[arg-type]
        self._run.flush()
        self._connection.send({"kind": "done"})

    def _ask(self, call: str, **arguments: Any) -> Any:
        message = {"kind": "call", "call": call, "line": self._line(), "with": arguments}
        with self._one_at_a_time:
            try:
                frame = frames.encode(message, self._most)
            except frames.TooLarge as error:
                raise MessageTooLarge(str(error)) from None
            self._connection.send_frame(frame)
            reply = self._connection.read()
        if "bad" in reply:
            raise BadArgument(reply["bad"])
        return reply["value"]

    def _line(self) -> int | None:
        frame = sys._getframe(2)
        while frame.f_code.co_filename != self._file:
            if frame.f_back is None:
                return None
            frame = frame.f_back
        return frame.f_lineno


def live(line: int, ruleset: int | None, roots: tuple[str, ...], limits: Mapping[str, int]) -> NoReturn:
    """The whole life of one worker's process, which talks on descriptor `line`.

    `ruleset` is that of `walls`, `roots` are those of `guard`.
    """
    connection = child.Connection(line, frames, line)
    child.steady_output()
    faulthandler.enable()
    walls.limit(limits)
    rules = connection.read()["walls"] | ({} if ruleset is None else {"landlock": ruleset})
    standing = walls.close_in(rules)
    if standing.get("seccomp") == "":
        # the other workers run under the same account: none may look into this one
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    guard.install(roots)
    connection.send({"kind": "ready", "walls": standing})
    job = connection.read()
    child.forget_ourselves()
    stop = child.leaving(sys.stdout, sys.stderr)
    status = 0
    try:
        child.start_clocks(limits["wall"])
        _Program(job, limits, connection).work()
    except BaseException as error:
        status = child.TIME_OVER if isinstance(error, child.TimeLimit) else child.BROKEN
    finally:
        stop(status)
    raise AssertionError("a process that has ended goes on")
