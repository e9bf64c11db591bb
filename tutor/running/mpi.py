"""Carries a worker's calls over MPI, by mpi4py. A send is synchronous (Issend): it waits for its receive.

Every call is begun and then looked at until it is over. After so many looks a rank rests between them: MPI's own way to
wait keeps a core busy, and may take it from the rank that it waits for.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from mpi4py import MPI

from tutor.running.packing import HEADER, Array, Bytes, body, pack, plain, unpack
from tutor.running.transport import Pending, Transport, cores

_TAG = 7
_OPS = {"sum": MPI.SUM, "max": MPI.MAX}
_LOOKS, _LOOKS_WHERE_CROWDED = 2000, 20  # at once, before a rank rests: crowded are more ranks than cores
_REST = 20e-6  # seconds; the system makes it a little longer


class _Asked:
    """A receive that was begun, and has not been waited for."""

    array: Array | None = None


class Mpi(Transport):
    """One rank of MPI's world."""

    ends_at_once = False  # mpiexec makes a signal of the status of a rank that does

    def __init__(self) -> None:
        self._world = MPI.COMM_WORLD.Dup()  # of our own: nothing else meets our messages
        self.rank, self.world_size = self._world.rank, self._world.size
        self._asked: dict[int, deque[_Asked]] = {}
        here = self._world.Split_type(MPI.COMM_TYPE_SHARED)
        self._looks = _LOOKS_WHERE_CROWDED if here.size > cores() else _LOOKS
        here.Free()

    @property
    def version(self) -> str:
        """The library's name and version."""
        words = MPI.Get_library_version().split()
        return f"MPICH {words[2]}" if words[:2] == ["MPICH", "Version:"] else " ".join(words[:3]).rstrip(",")

    def send(self, array: Array, dst: int) -> None:
        self.isend(array, dst).wait()

    def recv(self, src: int) -> Array:
        if self._asked:
            received: Array = self.irecv(src).wait()
            return received
        return self._received(src, self._looks)

    def recv_at_rest(self, src: int) -> Array:
        return self._received(src, 0)

    def _received(self, src: int, looks: int) -> Array:
        found: list[Array] = []

        def arrived() -> bool:
            status = MPI.Status()
            message = self._world.Improbe(src, _TAG, status)
            if message is not None:
                found.append(self._taken(message, status))
            return message is not None

        self._until(arrived, looks)
        return found[0]

    def isend(self, array: Array, dst: int) -> Pending:
        packed = pack(array)
        request = self._world.Issend([packed, MPI.BYTE], dst, _TAG)
        return Pending(lambda: self._over(request, packed))

    def irecv(self, src: int) -> Pending:
        asked = _Asked()
        self._asked.setdefault(src, deque()).append(asked)

        def wait() -> Array | None:
            self._until(lambda: asked.array is not None, self._looks)
            return asked.array

        return Pending(wait)

    def sendrecv(self, array: Array, dst: int, src: int) -> Array:
        sent = self.isend(array, dst)
        received = self.recv(src)
        sent.wait()
        return received

    def agree(self, own: bytes) -> list[bytes]:
        every = np.empty((self.world_size, len(own)), np.uint8)
        mine = np.frombuffer(own, np.uint8)
        self._over(self._world.Iallgather([mine, MPI.BYTE], [every, MPI.BYTE]), mine)
        return [row.tobytes() for row in every]

    def share(self, text: bytes | None) -> bytes:
        length = np.array([len(text or b"")])
        self._world.Bcast(length, 0)
        shared = np.frombuffer(text, np.uint8).copy() if text is not None else np.empty(length[0], np.uint8)
        self._world.Bcast([shared, MPI.BYTE], 0)
        return shared.tobytes()

    def all_reduce(self, array: Array, op: str) -> Array:
        total = np.empty_like(array)
        self._over(self._world.Iallreduce(array, total, _OPS[op]), array)
        return total

    def reduce(self, array: Array, op: str, root: int) -> Array | None:
        total = np.empty_like(array) if self.rank == root else None
        self._over(self._world.Ireduce(array, total, _OPS[op], root), array)
        return total

    def reduce_scatter(self, array: Array, lengths: list[int], op: str) -> Array:
        own = np.empty(lengths[self.rank], array.dtype)
        self._over(self._world.Ireduce_scatter(array, own, lengths, _OPS[op]), array)
        return own

    def all_gather(self, piece: Bytes, lengths: list[int]) -> list[Bytes]:
        every = np.empty(sum(lengths), np.uint8)
        self._over(self._world.Iallgatherv([piece, MPI.BYTE], [every, (lengths, None), MPI.BYTE]), piece)
        return np.split(every, np.cumsum(lengths)[:-1])

    def all_to_all(self, pieces: list[Bytes], lengths: list[int]) -> list[Bytes]:
        every, given = np.empty(sum(lengths), np.uint8), np.concatenate(pieces)
        sent = [given, ([len(piece) for piece in pieces], None), MPI.BYTE]
        self._over(self._world.Ialltoallv(sent, [every, (lengths, None), MPI.BYTE]), given)
        return np.split(every, np.cumsum(lengths)[:-1])

    def broadcast(self, array: Array, root: int) -> Array:
        shared = plain(array).copy()
        self._over(self._world.Ibcast([body(shared), MPI.BYTE], root), shared)
        return shared

    def abort(self, status: int) -> NoReturn:
        self._world.Abort(status)
        raise AssertionError("an aborted rank does not go on")

    def leave(self) -> None:
        self._world.Barrier()
        self._world.Free()
        MPI.Finalize()

    def _taken(self, message: Any, status: Any) -> Array:
        packed = np.empty(max(HEADER, status.Get_count(MPI.BYTE)), np.uint8)
        message.Recv([packed, MPI.BYTE])
        return unpack(packed)

    def _over(self, request: MPI.Request, kept: Array) -> None:
        """Waits for what was begun; `kept` is what it sends, which must stay until then."""
        self._until(request.Test, self._looks)

    def _until(self, done: Callable[[], bool], looks: int) -> None:
        """Waits, and takes in meanwhile what was asked for: whoever sends it may be waiting for that."""
        while not done():
            if self._asked and self._progress():
                continue
            looks -= 1
            if looks < 0:
                time.sleep(_REST)

    def _progress(self) -> bool:
        status = MPI.Status()
        for src, waiting in self._asked.items():
            message = self._world.Improbe(src, _TAG, status)
            if message is not None:
                waiting.popleft().array = self._taken(message, status)
                if not waiting:
                    del self._asked[src]
                return True
        return False
