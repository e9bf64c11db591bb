"""Why orders cannot run: the first operation that can never start, and what it waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import NamedTuple

from simlib.errors import BadArgument
from simlib.pipeline.operations import BACKWARD, FORWARD, INPUT, WEIGHT, Operation, Step
from simlib.pipeline.rows import Orders, Row

_Plain = tuple[int, str, int]  # an operation's numbers, equal to it


class Wait(NamedTuple):
    """One link of a circle: `rank` is held up by `operation`, which needs `waits_for`."""

    rank: int
    operation: Operation
    waits_for: Operation


class CannotRun(BadArgument):
    """Orders that never come to an end: the first operation that can never start, and why.

    `operation` is the one on `rank` at `position` of its row (an overlapping pair's part that is held
    up), `waits_for` the operation that it needs (None for one that was given twice), `reason` says why
    that never comes, and `circle` names who waits for whom where ranks wait for each other. `done` counts the
    operations that each rank gets through before.
    """

    done: tuple[int, ...] = ()

    def __init__(
        self,
        place: tuple[int, int],
        operation: Operation,
        waits_for: Operation | None,
        reason: str,
        circle: tuple[Wait, ...] = (),
    ) -> None:
        super().__init__("orders", str(operation), "orders in which every operation can start")
        self.rank, self.position = place
        self.operation = operation
        self.waits_for = waits_for
        self.reason = reason
        self.circle = circle
        self.args = (f"{operation} on rank {self.rank} can never start: {reason}",)


class Defect(NamedTuple):
    """An operation that cannot start whatever the other ranks do."""

    position: int
    operation: Operation
    waits_for: Operation | None
    reason: str


def places(orders: Orders) -> dict[_Plain, tuple[int, int]]:
    """Rank and position of each operation; of one that is given twice, the first."""
    where: dict[_Plain, tuple[int, int]] = {}
    for rank in reversed(range(len(orders))):
        operations, positions = _flat(orders[rank])
        where.update(zip(reversed(operations), zip(repeat(rank), reversed(positions)), strict=False))
    return where


def _flat(row: Row) -> tuple[Sequence[_Plain], Sequence[int]]:
    """The row's operations one by one, and where each stands.

    Of a pair the backward comes first: it cannot use what its partner makes.
    """
    if row.backwards is None:
        return list(zip(row.stages, row.kinds, row.micro_batches, strict=True)), range(len(row))
    flat: list[tuple[_Plain, int]] = [
        (part, position) for position, step in enumerate(row) for part in step.parts[::-1]
    ]
    return [part for part, _ in flat], [position for _, position in flat]


def first_defects(orders: Orders) -> dict[int, Defect]:
    """Each rank's first operation that its own row rules out, for the ranks that have one."""
    where = places(orders)
    found = ((rank, _first_defect(rank, row, where)) for rank, row in enumerate(orders))
    return {rank: defect for rank, defect in found if defect}


def _first_defect(rank: int, row: Row, where: Mapping[_Plain, tuple[int, int]]) -> Defect | None:
    held: set[tuple[int, int]] = set()  # (stage, micro-batch) of the activations that await their backward pass
    halved: set[tuple[int, int]] = set()  # those that have seen the first half of it
    for operation, position in zip(*_flat(row), strict=True):
        stage, kind, micro_batch = operation
        key = (stage, micro_batch)
        if where[operation] != (rank, position):
            there, place = where[operation]
            other = "its row" if there == rank else f"rank {there}"
            return Defect(position, Operation(*operation), None, f"{other} has it already, at place {place}")
        if kind == FORWARD:
            held.add(key)
            continue
        supply = halved if kind == WEIGHT else held
        if key not in supply:
            needed = Operation(stage, INPUT if kind == WEIGHT else FORWARD, micro_batch)
            return Defect(position, Operation(*operation), needed, _why_absent(needed, (rank, position), where))
        supply.remove(key)
        if kind == INPUT:
            halved.add(key)
    return None


def _why_absent(needed: Operation, here: tuple[int, int], where: Mapping[_Plain, tuple[int, int]]) -> str:
    if needed not in where:
        return f"it needs {needed}, which no rank runs"
    rank, position = where[needed]
    if rank != here[0]:
        return f"it needs what {needed} leaves behind, and that is on rank {rank}"
    if position == here[1]:
        return f"it needs {needed}, which is in the same pair"
    if position > here[1]:
        return f"it needs {needed}, which comes later in the same row"
    return f"what {needed} left behind is used up: the backward pass of micro-batch {needed.micro_batch} was before"


def stuck(orders: Orders, done: Sequence[int], since: Sequence[float], defects: Mapping[int, Defect]) -> CannotRun:
    """The error for `orders` of which each rank has run `done[rank]` operations and none can go on.

    The first operation that can never start is the first in the order of needs: from the rank that stands
    still the longest (`since`) this follows who waits for whom, to an operation whose need nobody is about
    to meet, or round a circle of ranks that wait for each other.
    """
    where = places(orders)
    halted = [rank for rank, row in enumerate(orders) if done[rank] < len(row)]
    waits: dict[int, Wait] = {}
    rank = min(halted, key=lambda rank: (since[rank], rank))
    while rank not in waits:
        here = (rank, done[rank])
        if rank in defects and defects[rank].position == done[rank]:
            return CannotRun(here, *defects[rank][1:])
        operation, needed = _need(orders[rank][done[rank]], where, done)
        if needed not in where or where[needed][0] == rank:
            return CannotRun(here, operation, needed, _why_absent(needed, here, where))
        waits[rank] = Wait(rank, operation, needed)
        rank = where[needed][0]
    return _circle(list(waits.values())[list(waits).index(rank) :], done, since)


def _circle(waits: list[Wait], done: Sequence[int], since: Sequence[float]) -> CannotRun:
    turn = min(range(len(waits)), key=lambda link: (since[waits[link].rank], waits[link].rank))
    circle = waits[turn:] + waits[:turn]
    first = circle[0]
    links = [
        f"{wait.operation} needs {wait.waits_for}"
        + (f", which rank {after.rank} runs only after {after.operation}" if wait.waits_for != after.operation else "")
        for wait, after in zip(circle, circle[1:] + circle[:1], strict=True)
    ]
    reason = "the ranks wait for each other: " + "; ".join(links)
    return CannotRun((first.rank, done[first.rank]), first.operation, first.waits_for, reason, tuple(circle))


def _need(step: Step, where: Mapping[_Plain, tuple[int, int]], done: Sequence[int]) -> tuple[Operation, Operation]:
    """The part of `step` that is held up, and the operation of a neighbouring stage that it needs."""
    for operation in step.parts:
        stage, kind, micro_batch = operation
        if kind == FORWARD and stage > 0:
            forms = [Operation(stage - 1, FORWARD, micro_batch)]
        elif kind in (BACKWARD, INPUT):
            # The gradient comes from either form of the pass; where neither is given, name the form in use here
            forms = [Operation(stage + 1, form, micro_batch) for form in (kind, BACKWARD, INPUT)]
        else:
            continue
        needed = next((form for form in forms if form in where), forms[0])
        if needed not in where or where[needed][1] >= done[where[needed][0]]:
            return operation, needed
    raise AssertionError(f"{step} is not held up")
