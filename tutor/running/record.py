"""What one rank's program called, how long each call took, and what it waits for just now."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

POINT_TO_POINT = ("send", "recv", "isend", "irecv", "sendrecv", "wait")
COLLECTIVES = (
    *("barrier", "all_reduce", "reduce_scatter", "all_gather", "all_to_all"),
    *("broadcast", "reduce", "scatter", "gather"),
)
CALLS = (*POINT_TO_POINT, *COLLECTIVES)
MOST_CALLS = 200_000


class TooManyCalls(RuntimeError):
    """A program that calls on and on."""


# A rank needs, to go on: message number k to or from a peer ("send", peer, k), or everybody in collective number k
Need = tuple[str, int, int]


@dataclass(frozen=True)
class Standing:
    """Where a rank is: the call that it waits in and what it needs (nothing while it computes), and how far it is.

    `sent[p]` counts the messages to p that it has offered, `asked[p]` those of p that it has asked for, `entered` the
    collectives that it has come to.
    """

    serial: int = 0
    call: str | None = None
    line: int | None = None
    needs: tuple[Need, ...] = ()
    sent: tuple[int, ...] = ()
    asked: tuple[int, ...] = ()
    entered: int = 0


@dataclass(eq=False)
class Record:
    """The calls of one run of one rank's program, in order.

    `rows` holds (call's place in CALLS, first peer or request or place in `terms`, second peer, bytes, line).
    """

    world_size: int
    rows: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    terms: list[list[Any]] = field(default_factory=list)  # of collectives: op, root, dtype, shape of what was given
    standing: Standing = field(default_factory=Standing)

    def __post_init__(self) -> None:
        self._sent, self._asked = [0] * self.world_size, [0] * self.world_size
        self._entered = self._serial = 0

    def offered(self, dst: int) -> Need:
        """A message to `dst` has been offered: what its `wait` needs."""
        self._sent[dst] += 1
        return ("send", dst, self._sent[dst])

    def asked(self, src: int) -> Need:
        """A message of `src` has been asked for."""
        self._asked[src] += 1
        return ("recv", src, self._asked[src])

    def entering(self) -> Need:
        """The next collective."""
        self._entered += 1
        return ("all", -1, self._entered)

    def waits(self, call: str, line: int | None, *needs: Need) -> float:
        """The rank cannot go on before `needs`; the time at which that began."""
        self._serial += 1
        self.standing = Standing(self._serial, call, line, needs, tuple(self._sent), tuple(self._asked), self._entered)
        return time.perf_counter()

    def goes_on(self) -> None:
        """The rank computes again."""
        self._serial += 1
        self.standing = Standing(self._serial, None, None, (), tuple(self._sent), tuple(self._asked), self._entered)

    def note(self, call: str, began: float, line: int | None, one: int = -1, other: int = -1, size: int = 0) -> None:
        """A call is over."""
        if len(self.rows) >= MOST_CALLS:
            raise TooManyCalls(f"more than {MOST_CALLS:,} calls in one run; is there a send in a loop?")
        self.seconds.append(time.perf_counter() - began)
        self.rows.append((CALLS.index(call), one, other, size, line or 0))
        self.goes_on()

    def term(self, *term: Any) -> int:
        """The place of a collective's terms."""
        found = list(term)
        if found not in self.terms:
            self.terms.append(found)
        return self.terms.index(found)

    def message(self) -> dict[str, Any]:
        """The record as it travels."""
        rows = np.array(self.rows, np.int64).reshape(-1, 5)
        return {"rows": rows, "seconds": np.array(self.seconds, np.float64), "terms": self.terms}
