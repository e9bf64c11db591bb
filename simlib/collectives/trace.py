"""What every collective returns: who sent what to whom, and what each worker held after every step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from simlib.collectives.executor import Replay, Tally
from simlib.collectives.layout import Array, Layout
from simlib.collectives.plan import ADD, COPY, Indices, Plan
from simlib.errors import whole_number

_Counting = TypeVar("_Counting", Replay, Tally)


@dataclass(frozen=True, slots=True)
class Transfer:
    """One message: `bytes` of chunk `chunk`, from rank `source` to rank `destination`."""

    source: int
    destination: int
    chunk: int
    bytes: int
    action: str  # "add": combined with what the receiver holds; "copy": replaces it
    into: int  # the chunk of the receiver's array that it lands in: `chunk`, but for all-to-all


@dataclass(frozen=True, eq=False)
class Step:
    """Everything that is sent at the same time. Columns hold one entry a transfer."""

    phase: str  # "reduce-scatter", "all-gather", …
    number: int  # from 1, counted across phases
    sources: Indices = field(repr=False)
    destinations: Indices = field(repr=False)
    chunks: Indices = field(repr=False)
    bytes: Indices = field(repr=False)
    adds: npt.NDArray[np.bool_] = field(repr=False)
    into: Indices = field(repr=False)

    @cached_property
    def transfers(self) -> tuple[Transfer, ...]:
        """The messages of this step, one by one."""
        columns = (self.sources, self.destinations, self.chunks, self.bytes, self.adds, self.into)
        return tuple(
            Transfer(source, destination, chunk, size, ADD if adds else COPY, into)
            for source, destination, chunk, size, adds, into in zip(*(c.tolist() for c in columns), strict=True)
        )


@dataclass(frozen=True, eq=False)
class Trace:
    """A collective as it was carried out.

    It keeps the inputs and the plan; states are computed when they are looked at.
    """

    collective: str  # "all-reduce", "reduce-scatter", …
    algorithm: str  # "ring", "tree", …
    op: str | None  # "sum", "mean", "max"; None where nothing is combined
    layout: Layout = field(repr=False)
    # What each worker starts with: (workers, chunks, width), and which of it counts (contributions, 0: holds nothing)
    start: Array = field(repr=False)
    contributions_at_start: Indices = field(repr=False)
    # Each worker's result, as a range of chunks (first, stop); whole arrays take the shape `shape`
    due: tuple[tuple[int, int], ...] = field(repr=False)
    shape: tuple[int, ...]
    plan: Plan = field(repr=False)
    # Where the last look stopped
    _replays: list[Replay] = field(default_factory=list, repr=False)
    _tallies: list[Tally] = field(default_factory=list, repr=False)

    @property
    def world_size(self) -> int:
        """How many workers take part."""
        return len(self.start)

    @property
    def chunk_bounds(self) -> tuple[tuple[int, int], ...]:
        """(start, stop) of each chunk, in elements of the flattened array."""
        return self.layout.bounds

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Every step in order."""
        return tuple(
            Step(m.phase, number, m.sources, m.destinations, m.chunks, self._sizes[m.chunks], m.adds, m.into)
            for number, m in enumerate(self.plan(), start=1)
        )

    @cached_property
    def last_step(self) -> int:
        """How many steps it takes."""
        return sum(1 for _ in self.plan())

    def state(self, step: int) -> list[Array]:
        """Every worker's whole array after `step` steps; 0 is the start.

        Arrays have the shape of the whole; where a worker does not hold a chunk yet (see `held`), zeros stand.
        Raises BadArgument for a step that the trace does not have.
        """
        values = self._values(self._checked(step))
        if self._ragged:
            lengths = np.array(self.layout.lengths)[self._tally(step).origin]
            filled = np.arange(self.layout.width) < lengths[:, :, None]
            return [array[mask] for array, mask in zip(values, filled, strict=True)]
        return [array.reshape(self.shape) for array in self.layout.unpack(values)]

    def held(self, step: int) -> npt.NDArray[np.bool_]:
        """(workers, chunks): whether the worker holds anything in that chunk after `step` steps."""
        return self.contributions(step) > 0

    def contributions(self, step: int) -> Indices:
        """(workers, chunks): how many workers' arrays are in that worker's chunk after `step` steps."""
        return self._tally(self._checked(step)).contributions.copy()

    def finished(self, step: int) -> npt.NDArray[np.bool_]:
        """(workers, chunks): True where the worker's result stands already and will not change any more."""
        step = self._checked(step)
        chunk = np.arange(len(self.layout.lengths))
        first, stop = np.array(self.due).T[:, :, None]
        done: npt.NDArray[np.bool_] = (first <= chunk) & (chunk < stop) & self.held(step) & (self._last_write <= step)
        return done

    @cached_property
    def result(self) -> list[Array]:
        """What each worker ends with: the whole array, or its own part of it, or nothing (an empty array)."""
        if self._ragged:
            return self.state(self.last_step)
        flat, bounds = self.layout.unpack(self._values(self.last_step)), self.layout.bounds
        whole = (0, len(bounds))
        results = []
        for array, (first, stop) in zip(flat, self.due, strict=True):
            if (first, stop) == whole and self.collective != "reduce-scatter":
                results.append(array.reshape(self.shape))
            else:
                results.append(array[bounds[first][0] : bounds[stop - 1][1]] if stop > first else array[:0])
        return results

    @cached_property
    def bytes_sent(self) -> list[int]:
        """Bytes that each worker sends, forwarded ones included."""
        return self._total("sources")

    @cached_property
    def bytes_received(self) -> list[int]:
        """Bytes that each worker receives."""
        return self._total("destinations")

    @cached_property
    def messages_sent(self) -> list[int]:
        """Messages that each worker sends. All chunks from one worker to another in one step are one message.

        A message of an empty chunk counts too.
        """
        total = np.zeros(self.world_size, dtype=np.intp)
        for sources, _, _ in self.messages():
            np.add.at(total, sources, 1)
        return [int(number) for number in total]

    @property
    def busiest_link_bytes(self) -> int:
        """The most bytes through one worker's link, in one direction: each worker has one link to a common switch."""
        return max(self.bytes_sent + self.bytes_received)

    def time(self, alpha: float, bandwidth: float) -> float:
        """Seconds with one full-duplex link a worker: a step lasts as long as its busiest link direction.

        A message of b bytes takes `alpha` + b / `bandwidth` (seconds, bytes per second), one after another on a link.
        """
        total = 0.0
        for sources, destinations, sizes in self.messages():
            cost = alpha + sizes / bandwidth
            total += float(max(np.bincount(ports, cost).max(initial=0.0) for ports in (sources, destinations)))
        return total

    def messages(self) -> Iterator[tuple[Indices, Indices, Indices]]:
        """Step by step the messages as columns: sources, destinations, bytes.

        All chunks from one worker to another in one step are one message.
        """
        for m in self.plan():
            pairs, of = np.unique(m.sources * self.world_size + m.destinations, return_inverse=True)
            sizes = np.bincount(of, self._sizes[m.chunks], len(pairs)).astype(np.intp)
            yield pairs // self.world_size, pairs % self.world_size, sizes

    @cached_property
    def _sizes(self) -> Indices:
        """Bytes of each chunk."""
        return np.array(self.layout.lengths, dtype=np.intp) * self.start.dtype.itemsize

    @property
    def _ragged(self) -> bool:
        """Only all-to-all moves chunks into other slots: then workers' arrays may be of unequal length."""
        return self.collective == "all-to-all" and not self.layout.even

    def _total(self, column: str) -> list[int]:
        total = np.zeros(self.world_size, dtype=np.intp)
        for m in self.plan():
            np.add.at(total, getattr(m, column), self._sizes[m.chunks])
        return [int(number) for number in total]

    @cached_property
    def _last_write(self) -> Indices:
        last = np.zeros(self.contributions_at_start.shape, dtype=np.intp)
        for number, m in enumerate(self.plan(), start=1):
            last[m.destinations, m.into] = number
        return last

    def _checked(self, step: int) -> int:
        return whole_number("step", step, 0, self.last_step)

    def _values(self, step: int) -> Array:
        """Everybody's chunks after `step` steps."""
        replay = _advanced(self._replays, step, self._replay)
        if step == self.last_step:
            self._replays.clear()
            return replay.values  # nothing will write into it any more, so it need not be copied
        return replay.values.copy()

    def _tally(self, step: int) -> Tally:
        return _advanced(self._tallies, step, lambda: Tally(self.plan, self.contributions_at_start))

    def _replay(self) -> Replay:
        return Replay(self.plan, self.start, self.contributions_at_start, self.op or "sum")


def _advanced(kept: list[_Counting], step: int, fresh: Callable[[], _Counting]) -> _Counting:
    """What `kept` holds, brought to `step`: going forward continues where the last look stopped."""
    try:
        one = kept.pop()  # taken out, so that two threads never advance the same one
    except IndexError:
        one = fresh()
    if one.step > step:
        one = fresh()
    one.advance(step)
    kept[:] = [one]
    return one
