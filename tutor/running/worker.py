"""What a worker's program is given in a real run: the same calls as in a check, carried out by an engine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from simlib.errors import BadArgument, one_of
from tutor.checker.inside.frames import article
from tutor.running.packing import Array, body, describe, described, plain
from tutor.running.record import COLLECTIVES, Need, Record
from tutor.running.transport import Pending, Transport

_OPS = ("sum", "mean", "max")


class NotTheSameCall(RuntimeError):
    """Not all workers are in the same collective."""


class NotAlike(ValueError):
    """The arrays of a collective do not fit each other."""


class NoNumbers(TypeError):
    """What is sent is no array of numbers."""


class NotAllowedHere(RuntimeError):
    """A collective that the exercise does without."""


class Request:
    """A message under way: `wait()` returns when it is through, with the array if it was received."""

    def __init__(self, worker: RealWorker, number: int, need: Need, pending: Pending) -> None:
        self._worker, self._number, self._need, self._pending = worker, number, need, pending
        self._over = False
        self._array: Array | None = None

    def wait(self) -> Array | None:
        """Wait for the message: the array for `irecv`, None for `isend`."""
        if not self._over:
            self._array = self._worker._wait(self._number, self._need, self._pending)
            self._over = True
        return self._array


class RealWorker:
    """One of `world_size` workers, a process of its own."""

    def __init__(self, transport: Transport, record: Record, file: str, allowed: Collection[str]) -> None:
        self.rank = transport.rank
        self.world_size = transport.world_size
        self._transport = transport
        self._record = record
        self._file = file
        self._allowed = allowed
        self._requests = 0

    def send(self, array: Any, dst: int) -> None:
        """Send an array to worker `dst`; waits until it is received."""
        given, dst, line = self._array(array), self._peer("dst", dst), self._line()
        began = self._record.waits("send", line, self._record.offered(dst))
        self._transport.send(given, dst)
        self._record.note("send", began, line, dst, size=given.nbytes)

    def recv(self, src: int) -> Array:
        """Receive an array from worker `src`; waits until it is sent."""
        src, line = self._peer("src", src), self._line()
        began = self._record.waits("recv", line, self._record.asked(src))
        array = self._transport.recv(src)
        self._record.note("recv", began, line, src, size=array.nbytes)
        return array

    def isend(self, array: Any, dst: int) -> Request:
        """Begin to send an array to worker `dst`, and go on."""
        given, dst = self._array(array), self._peer("dst", dst)
        return self._begun("isend", dst, self._record.offered(dst), lambda: self._transport.isend(given, dst), given)

    def irecv(self, src: int) -> Request:
        """Begin to receive an array from worker `src`, and go on."""
        src = self._peer("src", src)
        return self._begun("irecv", src, self._record.asked(src), lambda: self._transport.irecv(src))

    def sendrecv(self, array: Any, dst: int, src: int) -> Array:
        """Send an array to worker `dst` and receive one from worker `src` at the same time."""
        given, dst, src, line = self._array(array), self._peer("dst", dst), self._peer("src", src), self._line()
        needs = self._record.offered(dst), self._record.asked(src)
        began = self._record.waits("sendrecv", line, *needs)
        array = self._transport.sendrecv(given, dst, src)
        self._record.note("sendrecv", began, line, dst, src, given.nbytes)
        return array  # type: ignore[no-any-return]

    def barrier(self) -> None:
        """Wait until all workers have come here."""
        self._meet("barrier", None, lambda every: None)

    def all_reduce(self, array: Any, op: str = "sum") -> Array:
        """The sum (or "mean", or "max") of all workers' arrays."""
        given, op = self._array(array), one_of("op", op, _OPS)
        found: Array = self._meet(
            "all_reduce", given, lambda every: self._reduced(given, op, self._transport.all_reduce), op
        )
        return found

    def reduce_scatter(self, array: Any, op: str = "sum") -> Array:
        """This rank's slice of the sum (or "mean", or "max") of all workers' arrays, flat."""
        given, op = self._array(array), one_of("op", op, _OPS)
        lengths = [len(part) for part in np.array_split(np.empty(given.size, bool), self.world_size)]

        def reduced(flat: Array, op: str) -> Array:
            return self._transport.reduce_scatter(flat, lengths, op)

        found: Array = self._meet(
            "reduce_scatter", given, lambda every: self._reduced(given.reshape(-1), op, reduced), op
        )
        return found

    def all_gather(self, piece: Any) -> Array:
        """All workers' pieces, joined along their first axis in the order of the ranks."""
        given = self._array(piece)

        def gathered(every: list[tuple[np.dtype[Any], tuple[int, ...]]]) -> Array:
            lengths = [dtype.itemsize * int(np.prod(shape)) for dtype, shape in every]
            found = self._transport.all_gather(body(given), lengths)
            parts = [part.view(dtype).reshape(shape) for part, (dtype, shape) in zip(found, every, strict=True)]
            return np.concatenate(parts)

        found: Array = self._meet("all_gather", given, gathered)
        return found

    def all_to_all(self, array: Any) -> Array:
        """Chunk `rank` of every worker's array, in the order of the ranks."""
        given = self._array(array)

        def exchanged(every: list[Any]) -> Array:
            pieces = np.array_split(plain(given).reshape(-1), self.world_size)
            own = pieces[self.rank].nbytes
            found = self._transport.all_to_all([body(piece) for piece in pieces], [own] * self.world_size)
            joined = np.concatenate(found).view(plain(given).dtype)
            return joined.reshape(given.shape) if joined.size == given.size else joined

        found: Array = self._meet("all_to_all", given, exchanged)
        return found

    def broadcast(self, array: Any, root: int = 0) -> Array:
        """The root's array; what other workers give is not looked at."""
        root = self._peer("root", root)
        given = self._array(array) if self.rank == root else None

        def spread(every: list[Any]) -> Array:
            dtype, shape = every[root]
            return self._transport.broadcast(np.empty(shape, dtype) if given is None else given, root)

        found: Array = self._meet("broadcast", given, spread, root=root)
        return found

    def reduce(self, array: Any, op: str = "sum", root: int = 0) -> Array | None:
        """On the root the sum (or "mean", or "max") of all workers' arrays; None on the others."""
        given, op, root = self._array(array), one_of("op", op, _OPS), self._peer("root", root)

        def reduced(whole: Array, op: str) -> Array | None:
            return self._transport.reduce(whole, op, root)

        found: Array | None = self._meet("reduce", given, lambda every: self._reduced(given, op, reduced), op, root)
        return found

    def scatter(self, pieces: Sequence[Any] | None, root: int = 0) -> Array:
        """Piece `rank` of the root's list of pieces; what other workers give is not looked at."""
        root = self._peer("root", root)
        given: list[Array] = []
        if self.rank == root:
            if not isinstance(pieces, (list, tuple, np.ndarray)) or len(pieces) != self.world_size:
                raise BadArgument("pieces", pieces, f"a list of {self.world_size} arrays, one for each worker")
            given = [self._array(piece) for piece in pieces]

        def scattered(every: list[Any]) -> Array:
            if self.rank != root:
                return self._transport.recv(root)
            for pending in [self._transport.isend(given[to], to) for to in range(self.world_size) if to != root]:
                pending.wait()
            return given[root]

        found: Array = self._meet("scatter", None, scattered, root=root, sizes=[piece.nbytes for piece in given])
        return found

    def gather(self, piece: Any, root: int = 0) -> Array | None:
        """On the root all workers' pieces, joined along their first axis; None on the others."""
        given, root = self._array(piece), self._peer("root", root)

        def gathered(every: list[Any]) -> Array | None:
            if self.rank != root:
                return self._transport.send(given, root)
            others = range(self.world_size)
            return np.concatenate([given if rank == root else self._transport.recv(rank) for rank in others])

        found: Array | None = self._meet("gather", given, gathered, root=root)
        return found

    def _begun(
        self, call: str, peer: int, need: Need, begin: Callable[[], Pending], given: Array | None = None
    ) -> Request:
        line = self._line()
        began = self._record.waits(call, line)
        pending = begin()
        self._record.note(call, began, line, peer, size=0 if given is None else given.nbytes)
        self._requests += 1
        return Request(self, self._requests - 1, need, pending)

    def _wait(self, number: int, need: Need, pending: Pending) -> Array | None:
        line = self._line()
        began = self._record.waits(need[0], line, need)
        array: Array | None = pending.wait()
        self._record.note("wait", began, line, number, size=0 if array is None else array.nbytes)
        return array

    def _meet(
        self,
        call: str,
        given: Array | None,
        carry_out: Callable[[list[Any]], Any],
        op: str = "",
        root: int = -1,
        sizes: Sequence[int] = (),
    ) -> Any:
        """Waits until all are in this call, and carries it out. Only then the clock of the call starts."""
        line = self._line()
        if call not in self._allowed and call != "barrier":
            others = ", ".join(["send", "recv", "isend", "irecv", "sendrecv", "barrier", *self._allowed])
            raise NotAllowedHere(f"worker {self.rank} calls {call}; in this exercise a worker has {others}")
        began = self._record.waits(call, line, self._record.entering())
        number = COLLECTIVES.index(call) + 1
        code = _OPS.index(op) + 1 if op else 0
        every = [described(own) for own in self._transport.agree(describe(given, number, code, root))]
        self._same_call(every)
        if call != "barrier":
            began = self._record.waits(call, line, ("all", -1, 0))
            value = carry_out([(dtype, shape) for *_, dtype, shape in every])
        else:
            value = None
        own = [
            op,
            root,
            None if given is None else plain(given).dtype.str,
            list(given.shape) if given is not None else [],
        ]
        size = sum(sizes) if given is None else given.nbytes
        self._record.note(call, began, line, self._record.term(*own, list(sizes)), size=size)
        return value

    def _same_call(self, every: list[tuple[int, int, int, Any, tuple[int, ...]]]) -> None:
        for rank, (call, op, root, dtype, shape) in enumerate(every):
            name, first = COLLECTIVES[call - 1], every[0]
            if (call, op, root) != first[:3]:
                said = f"worker 0 calls {_called(*first[:3])} and worker {rank} calls {_called(call, op, root)}"
                raise NotTheSameCall(f"{said}: all workers must make the same call")
            if name not in ("broadcast", "barrier", "scatter"):
                alike = shape == first[4] if name not in ("all_gather", "gather") else shape[1:] == first[4][1:]
                if dtype != first[3] or not alike or (not shape and name in ("all_gather", "gather")):
                    said = f"worker 0 gives {_form(*first[3:])}, worker {rank} {_form(dtype, shape)}"
                    raise NotAlike(f"{name}: {said}; they have to be alike")

    def _reduced(self, array: Array, op: str, reduce: Callable[[Array, str], Array | None]) -> Array | None:
        given = plain(array)
        if given.dtype.kind == "b":
            raise NoNumbers(f"worker {self.rank} reduces true and false, which are no numbers")
        # libraries do not add floats of 16 bits
        wide = given.astype(np.float32) if given.dtype == np.float16 else given
        total = reduce(wide, "max" if op == "max" else "sum")
        if total is None:
            return None
        if op == "mean":
            total = total / self.world_size
        return total.astype(np.float16) if given.dtype == np.float16 else total

    def _peer(self, name: str, rank: Any) -> int:
        """`rank` as another worker's (or, for a root, any worker's) rank."""
        others = "" if name == "root" else f", other than its own ({self.rank})"
        whole = isinstance(rank, (int, np.integer)) and not isinstance(rank, bool)
        if not whole or not 0 <= rank < self.world_size or (rank == self.rank and name != "root"):
            raise BadArgument(name, rank, f"a rank from 0 to {self.world_size - 1}{others}")
        return int(rank)

    def _array(self, value: Any) -> Array:
        """`value` as an array of numbers."""
        try:
            array = np.asarray(value)
        except ValueError:
            array = np.array(None)
        if array.dtype.kind not in "biufc":
            raise NoNumbers(f"worker {self.rank} sends {article(value)}, which is no array of numbers")
        return array

    def _line(self) -> int | None:
        """The line of the program that is in a call of this worker's."""
        frame = sys._getframe(2)
        while frame.f_code.co_filename != self._file:
            if frame.f_back is None:
                return None
            frame = frame.f_back
        return frame.f_lineno


def _called(call: int, op: int, root: int) -> str:
    terms = ([f"op={_OPS[op - 1]!r}"] if op else []) + ([f"root={root}"] if root >= 0 else [])
    return COLLECTIVES[call - 1] + (f"({', '.join(terms)})" if terms else "")


def _form(dtype: Any, shape: tuple[int, ...]) -> str:
    return f"{' x '.join(map(str, shape)) or 'a single number'} of {dtype}"
