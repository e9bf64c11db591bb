"""Carries a worker's calls over torch.distributed with gloo. A send waits for its receive, as gloo's do."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from datetime import timedelta
from typing import NoReturn

import numpy as np
import torch
import torch.distributed as dist

from tutor.running.packing import HEADER, Array, Bytes, body, describe, described, plain
from tutor.running.transport import Pending, Transport

MEETING_PLACE = "TUTOR_RUN_MEET"  # a file by which the processes of one machine find each other
_OPS = {"sum": dist.ReduceOp.SUM, "max": dist.ReduceOp.MAX}
_LONG = timedelta(days=1)  # who hangs is found by the desk


class _Inbox:
    """Receives from one rank that were begun and not waited for, one after another in a thread."""

    def __init__(self, take: Callable[[int], Array], src: int) -> None:
        self.asked: queue.SimpleQueue[Future[Array]] = queue.SimpleQueue()
        self.open = 0
        self._take, self._src = take, src
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            future = self.asked.get()
            try:
                future.set_result(self._take(self._src))
            except Exception as error:
                future.set_exception(error)


class Torch(Transport):
    """One rank of torch.distributed's default group."""

    ends_at_once = True  # it aborts now and then where its threads outlive the interpreter

    def __init__(self) -> None:
        meet = os.environ.get(MEETING_PLACE)
        rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        where = f"file://{meet}" if meet else "env://"
        dist.init_process_group("gloo", init_method=where, rank=rank, world_size=world_size, timeout=_LONG)
        self.rank, self.world_size = rank, world_size
        self._inboxes: dict[int, _Inbox] = {}

    @property
    def version(self) -> str:
        return f"torch {torch.__version__.split('+')[0]} with gloo"

    def send(self, array: Array, dst: int) -> None:
        self.isend(array, dst).wait()

    def recv(self, src: int) -> Array:
        inbox = self._inboxes.get(src)
        if inbox is not None and inbox.open:
            received: Array = self.irecv(src).wait()
            return received
        return self._take(src)

    def recv_at_rest(self, src: int) -> Array:
        return self.recv(src)  # gloo waits at rest

    def isend(self, array: Array, dst: int) -> Pending:
        parts = [_writable(np.frombuffer(describe(array), np.uint8)), *([_writable(body(array))] if array.size else [])]
        works = [dist.isend(part, dst) for part in parts]

        def wait() -> None:
            for work in works:
                work.wait()
            assert parts  # kept until they are through

        return Pending(wait)

    def irecv(self, src: int) -> Pending:
        inbox = self._inboxes.get(src)
        if inbox is None:
            inbox = self._inboxes[src] = _Inbox(self._take, src)
        future: Future[Array] = Future()
        inbox.open += 1
        inbox.asked.put(future)

        def wait() -> Array:
            array = future.result()
            inbox.open -= 1
            return array

        return Pending(wait)

    def sendrecv(self, array: Array, dst: int, src: int) -> Array:
        sent = self.isend(array, dst)
        received = self.recv(src)
        sent.wait()
        return received

    def agree(self, own: bytes) -> list[bytes]:
        return [part.tobytes() for part in self.all_gather(np.frombuffer(own, np.uint8), [len(own)] * self.world_size)]

    def share(self, text: bytes | None) -> bytes:
        length = torch.tensor([len(text or b"")])
        dist.broadcast(length, 0)
        shared = np.empty(int(length[0]), np.uint8) if text is None else np.frombuffer(text, np.uint8)
        tensor = _writable(shared)
        dist.broadcast(tensor, 0)
        return bytes(tensor.numpy().tobytes())

    def all_reduce(self, array: Array, op: str) -> Array:
        tensor = _writable(array)
        dist.all_reduce(tensor, _OPS[op])
        return np.asarray(tensor.numpy()).reshape(array.shape)

    def reduce(self, array: Array, op: str, root: int) -> Array | None:
        tensor = _writable(array)
        dist.reduce(tensor, root, _OPS[op])
        return np.asarray(tensor.numpy()).reshape(array.shape) if self.rank == root else None

    def reduce_scatter(self, array: Array, lengths: list[int], op: str) -> Array:
        parts = list(torch.split(_writable(array), lengths))
        own = torch.empty_like(parts[self.rank])
        dist.reduce_scatter(own, parts, _OPS[op])
        return np.asarray(own.numpy())

    def all_gather(self, piece: Bytes, lengths: list[int]) -> list[Bytes]:
        # gloo gathers equal lengths only
        padded = np.zeros(max(lengths), np.uint8)
        padded[: len(piece)] = piece
        every = [torch.empty(max(lengths), dtype=torch.uint8) for _ in lengths]
        dist.all_gather(every, torch.from_numpy(padded))
        return [part.numpy()[:length] for part, length in zip(every, lengths, strict=True)]

    def all_to_all(self, pieces: list[Bytes], lengths: list[int]) -> list[Bytes]:
        every = torch.empty(sum(lengths), dtype=torch.uint8)
        sent = _writable(np.concatenate(pieces))
        dist.all_to_all_single(every, sent, lengths, [len(piece) for piece in pieces])
        return np.split(every.numpy(), np.cumsum(lengths)[:-1])

    def broadcast(self, array: Array, root: int) -> Array:
        tensor = _writable(body(array))
        dist.broadcast(tensor, root)
        return np.asarray(tensor.numpy()).view(plain(array).dtype).reshape(array.shape)

    def abort(self, status: int) -> NoReturn:
        os._exit(status)  # the launcher ends the others

    def leave(self) -> None:
        dist.barrier()
        dist.destroy_process_group()

    def _take(self, src: int) -> Array:
        header = torch.empty(HEADER, dtype=torch.uint8)
        dist.recv(header, src)
        *_, dtype, shape = described(header.numpy().tobytes())
        array = np.empty(shape, dtype)
        if array.size:
            dist.recv(torch.from_numpy(array.reshape(-1).view(np.uint8)), src)
        return array


def _writable(array: Array) -> torch.Tensor:
    """A tensor with the array's numbers, of its own."""
    return torch.from_numpy(array.copy())
