"""When each operation of an order starts and ends: any order, a schedule's or a learner's.

Every rank works down its own row, one operation at a time, each as soon as two things are there:
the rank itself, and what the operation needs.

- A forward pass needs the output of the stage before (of the same micro-batch).
- A backward pass (B, or I for its first half) needs the gradient from the stage after, and the
  activations that its own stage's forward pass left on this rank.
- A weight-gradient pass (W) needs the I before it on this rank, and nothing from elsewhere.

What a stage sends is on the way for `latency`, and keeps nobody from working meanwhile.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, repeat
from operator import add, sub
from typing import overload

from simlib.errors import BadArgument
from simlib.pipeline.diagnosis import Defect, first_defects, stuck
from simlib.pipeline.durations import Column, Durations, StageTimes, Times, column, durations
from simlib.pipeline.operations import (
    BACKWARD,
    FORWARD,
    INPUT,
    WEIGHT,
    Operation,
    Step,
)
from simlib.pipeline.rows import Orders, Row, TupleLike, parse_orders

MOST_CELLS = 1_000_000  # of one row of a grid: beyond, a slot is too short to draw
# What an operation does to the number of activations that its rank holds
_HOLDS = {FORWARD: 1, BACKWARD: -1, INPUT: 0, WEIGHT: -1}


@dataclass(frozen=True)
class Timeline:
    """Orders with the time of every operation. Tuples have one entry per rank; times are in the unit given."""

    orders: Orders
    # In slots, or in the unit of the times where there is none
    _started: list[Column] = field(repr=False, hash=False)
    _lasting: list[Column] = field(repr=False, hash=False)
    _slot: Fraction | None = field(repr=False)

    @property
    def slot(self) -> float | None:
        """The common divisor of all times in use, the latency's too; None where they have none."""
        return None if self._slot is None else float(self._slot)

    def _time(self, count: float) -> float:
        return _in_unit(count, self._slot)

    @cached_property
    def _last(self) -> list[float]:
        rows = zip(self._started, self._lasting, strict=True)
        return [starts[-1] + lasting[len(starts) - 1] if starts else 0 for starts, lasting in rows]

    @cached_property
    def _busy(self) -> list[float]:
        return [sum(lasting) for lasting in self._lasting]

    @cached_property
    def starts(self) -> tuple[Moments, ...]:
        """When each operation starts, in the shape of `orders`."""
        return tuple(Moments(self._slot, row) for row in self._started)

    @cached_property
    def ends(self) -> tuple[Moments, ...]:
        """When each operation ends, in the shape of `orders`."""
        rows = zip(self._started, self._lasting, strict=True)
        return tuple(Moments(self._slot, starts, lasting) for starts, lasting in rows)

    @property
    def shortest(self) -> float:
        """How long the shortest operation of all lasts."""
        return self._time(min(min(lasting) for lasting in self._lasting if lasting))

    @property
    def makespan(self) -> float:
        """From time 0 to the last end of all."""
        return self._time(max(self._last))

    @property
    def span(self) -> tuple[float, ...]:
        """From a rank's first start to its last end; 0 for a rank without operations."""
        first = [starts[0] if starts else 0 for starts in self._started]
        return tuple(map(self._time, map(sub, self._last, first)))

    @property
    def busy(self) -> tuple[float, ...]:
        """How long a rank computes."""
        return tuple(map(self._time, self._busy))

    @property
    def idle(self) -> tuple[float, ...]:
        """How long it does not, of the whole makespan: the makespan less `busy`."""
        return tuple(self._time(max(self._last) - busy) for busy in self._busy)

    @property
    def bubble(self) -> float:
        """The idle share of all ranks' time, sum of idle / (ranks x makespan): GPipe's convention."""
        everything = len(self.orders) * max(self._last)
        return (everything - sum(self._busy)) / everything

    @property
    def bubble_of_ideal(self) -> float:
        """Mean idle over mean busy time: the convention of Narayanan et al. 2021."""
        busy = sum(self._busy)
        return (len(self.orders) * max(self._last) - busy) / busy

    @cached_property
    def peak_activations(self) -> tuple[int, ...]:
        """The most stage activations a rank holds at once, each from its F to the B or W that frees it."""
        return tuple(map(peak_activations, self.orders))

    @cached_property
    def grid(self) -> list[list[str | None]] | None:
        """A row of cells per rank, each lasting `slot`: the operation's text, or None while idle.

        None instead of rows where the times have no common divisor, or one so short that a row would
        have more than a million cells.
        """
        columns = max(self._last)
        if self._slot is None or columns > MOST_CELLS:
            return None
        grid = []
        for row, starts, lasting in zip(self.orders, self._started, self._lasting, strict=True):
            cells: list[str | None] = [None] * int(columns)
            for step, start, lasts in zip(row, starts, lasting, strict=True):
                cells[int(start) : int(start + lasts)] = [str(step)] * int(lasts)
            grid.append(cells)
        return grid


class Moments(TupleLike[float]):
    """Times of a rank's operations in the unit given, made of counts of slots when they are asked for."""

    __slots__ = ("_lasting", "_slot", "_started")

    def __init__(self, slot: Fraction | None, started: Column, lasting: Column | None = None) -> None:
        """When the operations started, or with `lasting` when they end."""
        self._slot = slot
        self._started = started
        self._lasting = lasting

    def __len__(self) -> int:
        return len(self._started)

    @overload
    def __getitem__(self, at: int) -> float: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[float, ...]: ...
    def __getitem__(self, at: int | slice) -> float | tuple[float, ...]:
        if isinstance(at, slice):
            return tuple(self)[at]
        started = self._started[at]
        return _in_unit(started if self._lasting is None else started + self._lasting[at], self._slot)

    def __iter__(self) -> Iterator[float]:
        slot = self._slot
        counts = self._started if self._lasting is None else map(add, self._started, self._lasting)
        return (_in_unit(count, slot) for count in counts)


def _in_unit(count: float, slot: Fraction | None) -> float:
    # One division of whole numbers gives the nearest float; adding up slots of 0.1 would not
    return float(count) if slot is None else count * slot.numerator / slot.denominator


def peak_activations(row: Row) -> int:
    """The most activations held at once by a rank that runs `row`; a pair's forward adds before its backward frees.

    >>> peak_activations(parse_orders([["0F0", "0F1", "0B0", "0F2", "0B1", "0B2"]])[0])
    2
    """
    return max(accumulate(map(_HOLDS.__getitem__, row.part_kinds)), default=0)


def time_orders(
    orders: Iterable[Iterable[Step | str | None]],
    forward: Times = 1,
    backward: Times = 2,
    input: Times = 1,
    weight: Times = 1,
    *,
    chunks: int = 1,
    latency: float = 0,
    overlapped: float | None = None,
    exceptions: Mapping[Operation | str, float] | None = None,
) -> Timeline:
    """The timeline of anyone's `orders`: a row of operations ("0F0", or `Operation`s) per rank.

    The times are those of one operation F, B, I, W, in any unit: one for all model stages, or a
    sequence with one for each. `chunks` divides the former (a rank's time among its model stages),
    `exceptions` gives single operations a time of their own, `overlapped` one to overlapping pairs
    (default: the sum of the two). A message from one rank to another takes `latency`.

    Which model stage is where follows from the orders: an operation is on the rank that has it in its row.
    Raises BadArgument for rows that are none and times that are none; CannotRun (a BadArgument) for
    orders that never come to an end, with the first operation that can never start, and why.

    >>> timeline = time_orders([["0F0", "0F1", "0B0", "0B1"], ["1F0", "1B0", "1F1", "1B1"]])
    >>> timeline.makespan, timeline.idle, timeline.peak_activations
    (9.0, (3.0, 3.0), (2, 1))
    >>> time_orders([["0F0", "0B0"], ["1B0", "1F0"]])
    Traceback (most recent call last):
    ...
    simlib.pipeline.diagnosis.CannotRun: 1B0 on rank 1 can never start: it needs 1F0, which comes later in the same row
    """
    rows = parse_orders(orders)
    if not any(rows):
        raise BadArgument("orders", orders, "at least one operation")
    times = StageTimes(forward, backward, input, weight, chunks, overlapped, exceptions, latency)
    return run(rows, durations(rows, times), first_defects(rows))


def run(orders: Orders, lengths: Durations, defects: Mapping[int, Defect] | None = None) -> Timeline:
    """The timeline of `orders` whose operations last `lengths`; a rank stops for good at its defect, if it has one.

    Raises CannotRun if not every operation gets its turn.
    """
    defects = defects or {}
    started = [column(lengths.typecode) for _ in orders]
    mail = _Mail(orders, lengths)
    programs = [
        _program(row[: defects[rank].position] if rank in defects else row, lasts, lengths.latency, mail, starts)
        for rank, (row, lasts, starts) in enumerate(zip(orders, lengths.rows, started, strict=True))
    ]
    done = 0
    while programs:
        programs = [program for program in programs if next(program, _ENDED) is not _ENDED]
        before, done = done, sum(map(len, started))
        if done == before:
            break
        # Up the ranks, then down: forward passes hand on in the one direction, backward passes in the other
        programs.reverse()
    timeline = Timeline(orders, started, lengths.rows, lengths.slot)
    if any(len(starts) < len(row) for starts, row in zip(started, orders, strict=True)):
        error = stuck(orders, list(map(len, started)), timeline._last, defects)
        error.done = tuple(map(len, started))
        raise error
    return timeline


_ENDED = object()
_NOTHING = 0  # in a box: not arrived yet; nothing can arrive at time 0, for every operation takes time


class _SparseBox(dict[int, float]):
    """The box of micro-batches with numbers far apart."""

    def __missing__(self, micro_batch: int) -> float:
        return _NOTHING


_Box = Column | _SparseBox
_Ends = tuple[_Box | None, _Box | None]


class _Mail:
    """What is on the way between model stages: for each stage the arrival times, by micro-batch.

    `routes[kind][stage]` has the box in which an operation finds what it needs from another stage, and the
    one that it puts its result in; None where there is no such stage.

    Boxes are made when they are first asked for: one stage in an order may have a number far beyond all others.
    """

    def __init__(self, orders: Orders, lengths: Durations) -> None:
        last = max((row.last_micro_batch for row in orders), default=0)
        sparse = last >= sum(map(len, orders))

        def box() -> _Box:
            return _SparseBox() if sparse else column(lengths.typecode, repeat(_NOTHING, last + 1))

        outputs: defaultdict[int, _Box] = defaultdict(box)  # from stage s to s+1
        gradients: defaultdict[int, _Box] = defaultdict(box)  # from stage s+1 to s
        end = lengths.stages - 1

        def forward(stage: int) -> _Ends:
            return outputs[stage - 1] if stage else None, outputs[stage] if stage < end else None

        def backward(stage: int) -> _Ends:
            return gradients[stage] if stage < end else None, gradients[stage - 1] if stage else None

        up, down = _Routes(forward), _Routes(backward)
        self.routes = {FORWARD: up, BACKWARD: down, INPUT: down, WEIGHT: _Routes(lambda stage: (None, None))}


class _Routes(dict[int, _Ends]):
    """The ends of one kind of operation by model stage, made by `make` when they are first asked for."""

    def __init__(self, make: Callable[[int], _Ends]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, stage: int) -> _Ends:
        made = self[stage] = self._make(stage)
        return made


def _program(row: Row, lengths: Column, latency: float, mail: _Mail, started: Column) -> Iterator[None]:
    """A rank at work: it appends to `started` when each operation starts, and yields while it has to wait."""
    delay = _delays(row, latency)
    if row.backwards is not None:
        return _with_pairs(row, lengths, delay, mail, started)
    stage = row.only_stage
    ends: Iterable[_Ends]
    if stage is None:
        ends = (mail.routes[kind][stage] for stage, kind in zip(row.stages, row.kinds, strict=True))
    else:
        ends = map({kind: mail.routes[kind][stage] for kind in set(row.kinds)}.__getitem__, row.kinds)
    delays = map(delay, row.stages, row.kinds, row.micro_batches) if latency else repeat(0)
    return _one_by_one(ends, row.micro_batches, lengths, delays, started)


def _one_by_one(
    ends: Iterable[_Ends],
    micro_batches: Iterable[int],
    lengths: Iterable[float],
    delays: Iterable[float],
    started: Column,
) -> Iterator[None]:
    """The program of a row without pairs. This is where the time goes."""
    clock: float = 0
    start = started.append
    for (inbox, outbox), micro_batch, lasts, delay in zip(ends, micro_batches, lengths, delays, strict=False):
        if inbox is not None:
            while not (arrival := inbox[micro_batch]):
                yield
            if arrival > clock:
                clock = arrival
        start(clock)
        clock += lasts
        if outbox is not None:
            outbox[micro_batch] = clock + delay


def _with_pairs(row: Row, lengths: Column, delay: _Delay, mail: _Mail, started: Column) -> Iterator[None]:
    """The program of a row with overlapping pairs, which start once both have what they need."""
    clock: float = 0
    for step, lasts in zip(row, lengths, strict=False):
        for stage, kind, micro_batch in step.parts:
            inbox, _ = mail.routes[kind][stage]
            if inbox is not None:
                while not (arrival := inbox[micro_batch]):
                    yield
                clock = max(clock, arrival)
        started.append(clock)
        clock += lasts
        for stage, kind, micro_batch in step.parts:
            _, outbox = mail.routes[kind][stage]
            if outbox is not None:
                outbox[micro_batch] = clock + delay(stage, kind, micro_batch)


_Delay = Callable[[int, str, int], float]


def _delays(row: Row, latency: float) -> _Delay:
    """How long the message that an operation sends is on its way: nothing to a stage of the same rank."""
    if not latency:
        return lambda stage, kind, micro_batch: 0
    here = {(part.stage, part.micro_batch) for step in row for part in step.parts}

    def delay(stage: int, kind: str, micro_batch: int) -> float:
        receiver = stage + 1 if kind == FORWARD else stage - 1
        return 0 if (receiver, micro_batch) in here else latency

    return delay
