"""What an engine has to offer so that `worker.RealWorker` can carry out a program's calls on it."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NoReturn

from tutor.running.packing import Array, Bytes


class Pending:
    """A message under way; `wait()` may be called once."""

    def __init__(self, wait: Callable[[], Any]) -> None:
        self.wait = wait


class Transport(ABC):
    """One rank's way to the others. Arrays of any dtype and shape go from rank to rank; in collectives the arrays have
    been agreed on before. What is given to it is not kept, what it returns is nobody else's."""

    rank: int
    world_size: int
    ends_at_once: bool  # after `leave` the process must not go through Python's own end

    @property
    @abstractmethod
    def version(self) -> str:
        """The library's name and version."""

    @abstractmethod
    def send(self, array: Array, dst: int) -> None:
        """Returns when `dst` receives it."""

    @abstractmethod
    def recv(self, src: int) -> Array:
        """Waits for the next message of `src`."""

    @abstractmethod
    def recv_at_rest(self, src: int) -> Array:
        """The same, without keeping a core busy."""

    @abstractmethod
    def isend(self, array: Array, dst: int) -> Pending:
        """Begins to send."""

    @abstractmethod
    def irecv(self, src: int) -> Pending:
        """Begins to receive: whoever sends goes on, whether or not this rank waits for it by then."""

    @abstractmethod
    def sendrecv(self, array: Array, dst: int, src: int) -> Array:
        """Sends and receives at the same time."""

    @abstractmethod
    def agree(self, own: bytes) -> list[bytes]:
        """Everybody's bytes, equally many each; returns when all are here."""

    @abstractmethod
    def share(self, text: bytes | None) -> bytes:
        """Rank 0's bytes; the others give None."""

    @abstractmethod
    def all_reduce(self, array: Array, op: str) -> Array:
        """`op` ("sum" or "max") over all ranks' arrays."""

    @abstractmethod
    def reduce(self, array: Array, op: str, root: int) -> Array | None:
        """The same, on the root alone."""

    @abstractmethod
    def reduce_scatter(self, array: Array, lengths: list[int], op: str) -> Array:
        """This rank's part of it; the flat array is cut into parts of these lengths."""

    @abstractmethod
    def all_gather(self, piece: Bytes, lengths: list[int]) -> list[Bytes]:
        """Everybody's bytes, of these lengths."""

    @abstractmethod
    def all_to_all(self, pieces: list[Bytes], lengths: list[int]) -> list[Bytes]:
        """Piece `rank` of everybody's; `lengths` are those of what arrives."""

    @abstractmethod
    def broadcast(self, array: Array, root: int) -> Array:
        """The root's array; the others give one of its shape and dtype."""

    @abstractmethod
    def abort(self, status: int) -> NoReturn:
        """Ends all ranks now, wherever they are; may be called in any thread."""

    @abstractmethod
    def leave(self) -> None:
        """Leaves together with all others."""


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def opened(engine: str) -> Transport:
    """The engine's transport in this process, which its launcher has made a rank."""
    if engine == "mpi":
        from tutor.running.mpi import Mpi

        return Mpi()
    from tutor.running.torch import Torch

    return Torch()
