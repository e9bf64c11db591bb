"""Who waits for whom in a real run, from what the ranks say of themselves ten times a second."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import Any

from simlib.workers import RunError, Waiting
from simlib.workers.errors import deadlock

STILL = 0.6  # seconds in which nobody moves and nobody can, before it is called a deadlock


class Watch:
    """The last that each rank said: `see` takes it in, `stuck` tells whether nobody can move any more."""

    def __init__(self, world_size: int) -> None:
        self.world_size = world_size
        self._said: dict[int, Mapping[str, Any]] = {}
        self._heard: dict[int, float] = {}
        self._still: tuple[Any, ...] = ()
        self._since = 0.0

    def see(self, rank: int, state: Mapping[str, Any], now: float | None = None) -> None:
        """Rank `rank` says where it is."""
        self._said[rank] = state
        self._heard[rank] = time.monotonic() if now is None else now

    def line(self, rank: int) -> int | None:
        """The line at which it was seen last."""
        return self._said.get(rank, {}).get("line")

    def stuck(self, finished: Collection[int], now: float | None = None) -> RunError | None:
        """The circle of who waits for whom, once every rank has said twice that it stands where nothing will come.

        A message on its way is no reason to worry: both sides have called for it. What counts is a wait for
        something that the other side has not called for, while nobody computes.
        """
        now = time.monotonic() if now is None else now
        running = [rank for rank in range(self.world_size) if rank not in finished]
        found = [self._waiting(rank, finished) for rank in running]
        waiting = [one for one in found if one is not None]
        if not running or len(waiting) < len(running):
            self._still = ()
            return None
        standing = tuple((rank, self._said[rank]["serial"]) for rank in running)
        if standing != self._still:
            self._still, self._since = standing, now
            return None
        if now - self._since < STILL or any(self._heard[rank] < self._since + STILL / 2 for rank in running):
            return None
        return deadlock(waiting, sorted(finished))

    def words(self, rank: int) -> str:
        """Where a rank is, in words."""
        state = self._said.get(rank)
        if state is None:
            return f"worker {rank} has not begun"
        at = f" (line {state['line']})" if state["line"] else ""
        if not state["needs"]:
            return f"worker {rank} computes{at}"
        return str(self._wait_of(rank, state["needs"][0], None)) + at

    def computing(self, rank: int) -> bool:
        """Whether it was in no call of its worker's when it was heard last."""
        return not self._said.get(rank, {}).get("needs")

    def waitings(self, finished: Collection[int]) -> tuple[Waiting, ...]:
        """Every rank that waits, whether or not what it waits for will come."""
        running = [rank for rank in range(self.world_size) if rank not in finished and not self.computing(rank)]
        return tuple(self._wait_of(rank, self._said[rank]["needs"][0], None) for rank in running)

    def _waiting(self, rank: int, finished: Collection[int]) -> Waiting | None:
        """What a rank waits for that the others have not called for; None if it can move."""
        state = self._said.get(rank)
        if state is None:
            return None
        for need in state["needs"]:
            kind, peer, number = need
            if kind == "all":
                late = [other for other in range(self.world_size) if self._count(other, "entered") < number]
                if late:
                    return self._wait_of(rank, need, late[0])
            elif self._count(peer, "asked" if kind == "send" else "sent", rank) < number:
                return self._wait_of(rank, need, peer)
        return None

    def _wait_of(self, rank: int, need: Any, late: int | None) -> Waiting:
        kind, peer, _ = need
        state = self._said[rank]
        return Waiting(rank, state["call"] if kind == "all" else kind, late if kind == "all" else peer, state["line"])

    def _count(self, rank: int, what: str, peer: int | None = None) -> int:
        counted: Any = self._said.get(rank, {}).get(what, 0)
        if peer is not None:
            return int(counted[peer]) if counted else 0
        return int(counted)
