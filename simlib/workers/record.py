"""What a run leaves behind: results, messages, bytes, and the time it would have taken."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from simlib.collectives.trace import Trace
from simlib.errors import positive_number


@dataclass(frozen=True, slots=True)
class Message:
    """One message between two workers, by send and recv."""

    source: int
    destination: int
    bytes: int
    number: int  # in the order in which messages were taken, from 0


@dataclass(frozen=True)
class Collective:
    """All workers went through a collective together."""

    call: str
    trace: Trace | None = field(repr=False)  # None for a barrier


@dataclass(eq=False)
class Log:
    """What happened, in order. Numbers in flat lists: millions of small objects would keep the memory manager busy."""

    world_size: int
    messages: list[int] = field(default_factory=list)  # source, destination, bytes; source, …
    collectives: list[Collective] = field(default_factory=list)
    # A worker offered or took a message: 2 (message x world size + worker); it went on after it was through: one more.
    # Collective k: -1 - k
    events: list[int] = field(default_factory=list)

    def message(self, source: int, destination: int, size: int) -> int:
        """Note a message that both sides have called for; its number."""
        number = len(self.messages) // 3
        self.messages += (source, destination, size)
        return number

    def posted(self, worker: int, message: int) -> None:
        """Note that a worker offered a message, or asked for it."""
        self.events.append(2 * (message * self.world_size + worker))

    def awaited(self, worker: int, message: int) -> None:
        """Note that a worker went on, the message being through."""
        self.events.append(2 * (message * self.world_size + worker) + 1)

    def collective(self, collective: Collective) -> None:
        """Note a collective that all workers went through."""
        self.events.append(-1 - len(self.collectives))
        self.collectives.append(collective)


@dataclass(frozen=True)
class Step:
    """Messages that could be under way at the same time. Steps count from 1."""

    number: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, eq=False)
class Run:
    """A finished run of `world_size` workers: `results[r]` is what worker r's program returned."""

    world_size: int
    results: list[Any]
    log: Log = field(repr=False)

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """Every message, in the order in which they were taken."""
        sources, destinations, sizes = (self.log.messages[place::3] for place in range(3))
        numbers = range(len(sources))
        return tuple(map(Message, sources, destinations, sizes, numbers))

    @property
    def collectives(self) -> tuple[Collective, ...]:
        """Every collective, in order."""
        return tuple(self.log.collectives)

    @cached_property
    def bytes_sent(self) -> list[int]:
        """Bytes that each worker sent, in messages and in collectives."""
        total = [0] * self.world_size
        for message in self.messages:
            total[message.source] += message.bytes
        return self._with_collectives(total, "bytes_sent")

    @cached_property
    def bytes_received(self) -> list[int]:
        """Bytes that each worker received."""
        total = [0] * self.world_size
        for message in self.messages:
            total[message.destination] += message.bytes
        return self._with_collectives(total, "bytes_received")

    @cached_property
    def messages_sent(self) -> list[int]:
        """Messages that each worker sent."""
        total = [0] * self.world_size
        for message in self.messages:
            total[message.source] += 1
        return self._with_collectives(total, "messages_sent")

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Messages grouped by when each could be under way at the earliest, if all took equally long."""
        ends, _ = self._replay(1.0, 0.0)
        steps: dict[int, list[Message]] = {}
        for message in self.messages:
            steps.setdefault(round(ends[message.number]), []).append(message)
        # Collectives take steps of their own in between
        return tuple(Step(number, tuple(steps[end])) for number, end in enumerate(sorted(steps), start=1))

    def time(self, alpha: float, bandwidth: float) -> float:
        """Seconds of the run, if computing took no time: a message of b bytes takes alpha + b / bandwidth.

        It starts when both sides have called, and when both links are free (one full-duplex link a worker).
        """
        positive_number("alpha", alpha, zero=True)
        _, clocks = self._replay(alpha, 1 / positive_number("bandwidth", bandwidth))
        return max(clocks, default=0.0)

    def _replay(self, alpha: float, seconds_per_byte: float) -> tuple[list[float], list[float]]:
        """When each message was through, and each worker's clock at the end."""
        clocks = [0.0] * self.world_size
        sending, receiving = [0.0] * self.world_size, [0.0] * self.world_size
        posted: dict[int, list[float]] = {}
        ends = [0.0] * len(self.messages)
        for event in self.log.events:
            if event < 0:
                together = max(clocks)
                trace = self.log.collectives[-1 - event].trace
                if trace is not None:
                    bandwidth = 1 / seconds_per_byte if seconds_per_byte else float("inf")
                    together += trace.time(alpha, bandwidth)
                clocks = [together] * self.world_size
                continue
            number, worker = divmod(event // 2, self.world_size)
            if event % 2:
                clocks[worker] = max(clocks[worker], ends[number])
                continue
            sides = posted.setdefault(number, [])
            sides.append(clocks[worker])
            if len(sides) == 2:
                message = self.messages[number]
                start = max(*posted.pop(number), sending[message.source], receiving[message.destination])
                end = start + alpha + message.bytes * seconds_per_byte
                ends[number] = sending[message.source] = receiving[message.destination] = end
        return ends, clocks

    def _with_collectives(self, total: list[int], what: str) -> list[int]:
        for collective in self.collectives:
            if collective.trace is not None:
                total = [own + more for own, more in zip(total, getattr(collective.trace, what), strict=True)]
        return total
