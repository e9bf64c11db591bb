"""What a worker's program is given: its rank, and the calls by which it talks to the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from simlib import collectives
from simlib.collectives.layout import Array
from simlib.collectives.trace import Trace
from simlib.errors import BadArgument, one_of
from simlib.workers.errors import RunError
from simlib.workers.exchange import Arrival, Exchange, Offer, calling_line

_OPS = ("sum", "mean", "max")


class Request:
    """A message under way: `wait()` returns when it is through, with the array if it was received."""

    __slots__ = ("_exchange", "_line", "_offer", "_over")

    def __init__(self, exchange: Exchange, offer: Offer, line: Callable[[], int | None] = calling_line) -> None:
        self._exchange = exchange
        self._offer = offer
        self._line = line
        self._over = False

    def wait(self) -> Array | None:
        """Wait for the message: the array for `irecv`, None for `isend`."""
        if self._over:
            return None if self._offer.sends else self._offer.array
        self._over = True
        self._offer.line = self._line()
        return self._exchange.complete(self._offer)


class Worker:
    """One of `world_size` workers. Arrays are copied when they are sent.

    A subclass stands for a program that runs elsewhere: it says where that program is (`_line`), what it may send
    (`_array`) and what a collective may hold (`_meet`).
    """

    __slots__ = ("_exchange", "rank", "world_size")

    def __init__(self, rank: int, exchange: Exchange) -> None:
        self.rank = rank
        self.world_size = exchange.world_size
        self._exchange = exchange

    def send(self, array: npt.ArrayLike, dst: int) -> None:
        """Send an array to worker `dst`; waits until it is received."""
        self._exchange.complete(self._offer(array, dst))

    def recv(self, src: int) -> Array:
        """Receive an array from worker `src`; waits until it is sent."""
        array = self._exchange.complete(self._asked(src))
        assert array is not None
        return array

    def isend(self, array: npt.ArrayLike, dst: int) -> Request:
        """Begin to send an array to worker `dst`, and go on."""
        return Request(self._exchange, self._offer(array, dst), self._line)

    def irecv(self, src: int) -> Request:
        """Begin to receive an array from worker `src`, and go on."""
        return Request(self._exchange, self._asked(src), self._line)

    def sendrecv(self, array: npt.ArrayLike, dst: int, src: int) -> Array:
        """Send an array to worker `dst` and receive one from worker `src` at the same time."""
        sent, received = self._offer(array, dst), self._asked(src)
        self._exchange.complete(sent)
        arrived = self._exchange.complete(received)
        assert arrived is not None
        return arrived

    def barrier(self) -> None:
        """Wait until all workers have come here."""
        self._meet("barrier", (), None, lambda values: (None, values))

    def all_reduce(self, array: npt.ArrayLike, op: str = "sum") -> Array:
        """The sum (or "mean", or "max") of all workers' arrays."""
        return self._combined("all_reduce", array, op, lambda arrays: collectives.ring_all_reduce(arrays, op))

    def reduce_scatter(self, array: npt.ArrayLike, op: str = "sum") -> Array:
        """This rank's slice of the sum (or "mean", or "max") of all workers' arrays, flat."""
        return self._combined("reduce_scatter", array, op, lambda arrays: collectives.ring_reduce_scatter(arrays, op))

    def all_gather(self, piece: npt.ArrayLike) -> Array:
        """All workers' pieces, joined along their first axis in the order of the ranks."""
        found: Array = self._meet(
            "all_gather", (), self._array(piece), lambda pieces: _results(collectives.ring_all_gather(pieces))
        )
        return found

    def all_to_all(self, array: npt.ArrayLike) -> Array:
        """Chunk `rank` of every worker's array, in the order of the ranks."""
        found: Array = self._meet(
            "all_to_all", (), self._array(array), lambda arrays: _results(collectives.all_to_all(arrays))
        )
        return found

    def broadcast(self, array: npt.ArrayLike | None, root: int = 0) -> Array:
        """The root's array; what other workers give is not looked at."""
        root = self._peer("root", root)
        given = self._array(array) if self.rank == root else None
        found: Array = self._meet(
            "broadcast",
            (("root", root),),
            given,
            lambda values: _results(collectives.chain_broadcast(values[root], self.world_size, root)),
        )
        return found

    def reduce(self, array: npt.ArrayLike, op: str = "sum", root: int = 0) -> Array | None:
        """On the root the sum (or "mean", or "max") of all workers' arrays; None on the others."""
        root, op = self._peer("root", root), one_of("op", op, _OPS)
        found: Array | None = self._meet(
            "reduce",
            (("op", op), ("root", root)),
            self._array(array),
            lambda arrays: _at_root(collectives.chain_reduce(arrays, op, root), root),
        )
        return found

    def scatter(self, pieces: Sequence[npt.ArrayLike] | None, root: int = 0) -> Array:
        """Piece `rank` of the root's list of pieces; what other workers give is not looked at."""
        root = self._peer("root", root)
        given = None
        if self.rank == root:
            if not isinstance(pieces, (list, tuple, np.ndarray)) or len(pieces) != self.world_size:
                raise BadArgument("pieces", pieces, f"a list of {self.world_size} arrays, one for each worker")
            given = [self._array(piece) for piece in pieces]
        found: Array = self._meet(
            "scatter", (("root", root),), given, lambda values: _results(collectives.scatter(values[root], root))
        )
        return found

    def gather(self, piece: npt.ArrayLike, root: int = 0) -> Array | None:
        """On the root all workers' pieces, joined along their first axis; None on the others."""
        root = self._peer("root", root)
        found: Array | None = self._meet(
            "gather",
            (("root", root),),
            self._array(piece),
            lambda pieces: _at_root(collectives.gather(pieces, root), root),
        )
        return found

    def _combined(self, call: str, array: npt.ArrayLike, op: str, trace: Any) -> Array:
        terms = (("op", one_of("op", op, _OPS)),)
        found: Array = self._meet(call, terms, self._array(array), lambda arrays: _results(trace(arrays)))
        return found

    def _line(self) -> int | None:
        """The line of the program that is in a call of this worker's."""
        return calling_line()

    def _meet(self, call: str, terms: tuple[Any, ...], value: Any, carry_out: Any) -> Any:
        return self._exchange.meet(Arrival(self.rank, call, terms, value, self._line()), carry_out)

    def _offer(self, array: npt.ArrayLike, dst: int) -> Offer:
        offer = Offer(self.rank, self._peer("dst", dst), True, self._array(array), self._line())
        self._exchange.post(offer)
        return offer

    def _asked(self, src: int) -> Offer:
        offer = Offer(self.rank, self._peer("src", src), False, None, self._line())
        self._exchange.post(offer)
        return offer

    def _peer(self, name: str, rank: int) -> int:
        """`rank` as another worker's (or, for a root, any worker's) rank."""
        others = "" if name == "root" else f", other than its own ({self.rank})"
        whole = isinstance(rank, (int, np.integer)) and not isinstance(rank, bool)
        if not whole or not 0 <= rank < self.world_size or (rank == self.rank and name != "root"):
            raise BadArgument(name, rank, f"a rank from 0 to {self.world_size - 1}{others}")
        return int(rank)

    def _array(self, value: Any) -> Array:
        """A copy of `value` as an array of numbers; anything else ends the run."""
        try:
            array = np.array(value)
        except ValueError:
            array = np.array(None)
        if array.dtype.kind not in "biufc":
            what = type(value).__name__
            text = f"worker {self.rank} sends {_article(what)}, which is no array of numbers"
            self._exchange.fail(RunError("wrong_type", text, self.rank, self._line()))
        return array


def _article(noun: str) -> str:
    return f"an {noun}" if noun[:1].lower() in "aeiou" else f"a {noun}"


def _results(trace: Trace) -> tuple[Trace, list[Any]]:
    return trace, [array.copy() for array in trace.result]


def _at_root(trace: Trace, root: int) -> tuple[Trace, list[Any]]:
    return trace, [array.copy() if rank == root else None for rank, array in enumerate(trace.result)]
