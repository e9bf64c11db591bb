"""The course of a step: who computed, sent and freed what, in order, and what everyone held meanwhile.

Every split records itself this way. An event that communicates carries the trace of its collective, the same that
draws the ring: its bytes are the step's bytes. A view draws the events one after another; a learner steps through them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from simlib.collectives import ring_all_gather, ring_all_reduce, ring_reduce_scatter
from simlib.collectives.trace import Trace

Array = npt.NDArray[Any]
Keep = Callable[[int, Array], None]


@dataclass(frozen=True)
class Held:
    """Bytes that a worker holds, by what they are for."""

    weights: int = 0  # its own working weights, or its shard of them
    gradients: int = 0  # reduced gradients that it keeps until the update
    optimizer: int = 0  # master weights, momentum, variance
    gathered: int = 0  # other workers' weights, here for the layer that runs
    unreduced: int = 0  # gradients of a layer, before they are added up over the workers
    activations: int = 0  # what forward passes left for backward passes

    @property
    def total(self) -> int:
        """All of it."""
        return sum(getattr(self, entry.name) for entry in fields(self))

    @property
    def model_states(self) -> int:
        """Weights, gradients and optimizer states: what the ZeRO formulas count."""
        return self.weights + self.gradients + self.optimizer


@dataclass(frozen=True, eq=False)
class Event:
    """Something that `workers` did at the same time."""

    number: int  # from 0
    kind: str  # "forward", "backward", "all-reduce", "reduce-scatter", "all-gather", "free", "update", …
    what: str  # "block 0", "gradients of block 0"
    workers: tuple[int, ...]
    trace: Trace | None = field(default=None, repr=False)  # its rank i is workers[i]
    held: tuple[Held, ...] = field(default=(), repr=False)  # what each worker holds when it is over


@dataclass(frozen=True, eq=False)
class Course:
    """What happened among `world_size` workers, in order."""

    world_size: int
    events: tuple[Event, ...] = field(repr=False)

    @cached_property
    def bytes_sent(self) -> list[int]:
        """Bytes that each worker sent, over all events."""
        return self._bytes("bytes_sent")

    @cached_property
    def bytes_received(self) -> list[int]:
        """Bytes that each worker received."""
        return self._bytes("bytes_received")

    def bytes_sent_by(self, *kinds: str) -> list[int]:
        """Bytes that each worker sent in the events of some kinds."""
        return Course(self.world_size, self.of_kind(*kinds)).bytes_sent

    def of_kind(self, *kinds: str) -> tuple[Event, ...]:
        """The events of some kinds."""
        return tuple(event for event in self.events if event.kind in kinds)

    def peak(self, worker: int) -> Event:
        """The first event at whose end the worker holds the most."""
        return max(
            (event for event in self.events if event.held), key=lambda event: (event.held[worker].total, -event.number)
        )

    def _bytes(self, column: str) -> list[int]:
        total = [0] * self.world_size
        for event in self.events:
            if event.trace is not None:
                for worker, size in zip(event.workers, getattr(event.trace, column), strict=True):
                    total[worker] += size
        return total


class Recorder:
    """Carries out collectives among workers and notes them, and whatever else happens, as a course."""

    def __init__(self, world_size: int, holds: Callable[[int], Held] | None = None) -> None:
        self.world_size = world_size
        self._everyone = tuple(range(world_size))
        self._holds = holds
        self._events: list[Event] = []

    def note(self, kind: str, what: str, workers: Sequence[int] | None = None, trace: Trace | None = None) -> None:
        """Note an event of some workers (all, if not said), and what everyone holds after it."""
        held = tuple(map(self._holds, self._everyone)) if self._holds else ()
        who = self._everyone if workers is None else tuple(workers)
        self._events.append(Event(len(self._events), kind, what, who, trace, held))

    def all_reduce(self, what: str, arrays: Sequence[Array], op: str = "sum", keep: Keep | None = None) -> list[Array]:
        """Every worker's copy of the sum (or "mean", or "max") of all arrays, by the ring.

        `keep(worker, result)` is called for each worker before the event is noted, so that what it holds then counts.
        """
        return self._carried_out("all-reduce", what, ring_all_reduce(arrays, op), keep)

    def reduce_scatter(
        self, what: str, arrays: Sequence[Array], op: str = "sum", ownership: str = "api", keep: Keep | None = None
    ) -> list[Array]:
        """Each worker's slice of the sum (or mean) of all arrays, flat, by the ring."""
        return self._carried_out("reduce-scatter", what, ring_reduce_scatter(arrays, op, ownership), keep)

    def all_gather(self, what: str, pieces: Sequence[Array], keep: Keep | None = None) -> list[Array]:
        """Every worker's copy of all pieces, joined along their first axis, by the ring."""
        return self._carried_out("all-gather", what, ring_all_gather(pieces), keep)

    def _carried_out(self, kind: str, what: str, trace: Trace, keep: Keep | None) -> list[Array]:
        if keep:
            for worker, array in enumerate(trace.result):
                keep(worker, array)
        self.note(kind, what, trace=trace)
        return trace.result

    def sum_of_numbers(self, what: str, numbers: Sequence[float]) -> list[float]:
        """The sum of one number a worker, known to all: an all-reduce of 8 bytes."""
        return [float(array[0]) for array in self.all_reduce(what, [np.array([number]) for number in numbers])]

    def course(self) -> Course:
        """What was noted so far."""
        return Course(self.world_size, tuple(self._events))
