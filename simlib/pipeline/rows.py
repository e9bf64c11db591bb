"""A rank's row of operations, held as columns of numbers: 9 bytes an operation, where an object takes 100.

A schedule of 64 stages and 1,024 micro-batches has 131,072 operations. `Row` keeps the stage, the kind and the
micro-batch of each in three columns and makes an `Operation` when it is asked for one. To whoever reads it,
it is the tuple of its operations.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import count, repeat
from operator import eq
from typing import Final, TypeVar, cast, overload

from simlib.errors import BadArgument
from simlib.pipeline.operations import (
    ACCEPTED,
    BACKWARD,
    FORWARD,
    Operation,
    Overlap,
    Step,
    checked,
    is_plain,
    parse_operation,
)

PAIR: Final = "P"  # the kind of an overlapping pair in a row's column of kinds
_NUMBER: Final = "I"  # unsigned, for Python writes that type of `array` faster than the signed one
_Item = TypeVar("_Item", covariant=True)


class TupleLike(Sequence[_Item]):
    """A sequence that makes its items when they are asked for; equal to the tuple of them."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (tuple, TupleLike)):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


class Row(TupleLike[Step]):
    """The operations of one rank in the order in which it runs them.

    `stages`, `kinds` and `micro_batches` have an entry for each. Where the kind is `PAIR`, the other two are of the
    pair's forward pass; the backward passes of all pairs are in `backwards`, in the same order.
    """

    def __init__(self, stages: array[int], kinds: str, micro_batches: array[int], backwards: Row | None = None) -> None:
        self.stages = stages
        self.kinds = kinds
        self.micro_batches = micro_batches
        self.backwards = backwards  # None without pairs

    @classmethod
    def of(cls, steps: Iterable[Step]) -> Row:
        """The row of these operations.

        >>> Row.of([Operation(0, "F", 3)])
        (Operation(stage=0, kind='F', micro_batch=3),)
        """
        stages, micro_batches = array(_NUMBER), array(_NUMBER)
        kinds: list[str] = []
        backwards: list[Operation] = []
        for step in steps:
            if type(step) is Overlap:
                (stage, _, micro_batch), backward = step
                kind = PAIR
                backwards.append(backward)
            else:
                stage, kind, micro_batch = step
            stages.append(stage)
            kinds.append(kind)
            micro_batches.append(micro_batch)
        return cls(stages, "".join(kinds), micro_batches, cls.of(backwards) if backwards else None)

    @property
    def part_kinds(self) -> str:
        """The kinds, with both those of a pair, its forward pass first.

        >>> Row.of([Overlap(Operation(0, "F", 3), Operation(3, "B", 5)), Operation(0, "F", 4)]).part_kinds
        'FBF'
        """
        return self.kinds if self.backwards is None else self.kinds.replace(PAIR, FORWARD + BACKWARD)

    @property
    def kinds_by_stage(self) -> frozenset[tuple[int, str]]:
        """(stage, kind) of all that there is in the row, one by one or in pairs.

        >>> sorted(Row.of([Overlap(Operation(0, "F", 3), Operation(3, "B", 5)), Operation(0, "F", 4)]).kinds_by_stage)
        [(0, 'F'), (3, 'B')]
        """
        stage = self.only_stage
        if stage is not None:
            used = frozenset((stage, kind) for kind in set(self.kinds))
        else:
            used = frozenset(zip(self.stages, self.kinds, strict=True))
        if self.backwards is None:
            return used
        singly = frozenset((stage, FORWARD if kind == PAIR else kind) for stage, kind in used)
        return singly | self.backwards.kinds_by_stage

    @cached_property
    def only_stage(self) -> int | None:
        """The stage of all operations (of pairs, the forward passes), as most rows have it; None with several."""
        return self.stages[0] if len(set(self.stages)) == 1 else None

    @cached_property
    def last_micro_batch(self) -> int:
        """The highest number of a micro-batch in the row; 0 without any."""
        others = 0 if self.backwards is None else self.backwards.last_micro_batch
        return max(max(self.micro_batches, default=0), others)

    def __len__(self) -> int:
        return len(self.kinds)

    @overload
    def __getitem__(self, at: int) -> Step: ...
    @overload
    def __getitem__(self, at: slice) -> Row: ...
    def __getitem__(self, at: int | slice) -> Step | Row:
        if isinstance(at, slice):
            if self.backwards is not None:
                return Row.of(list(self)[at])
            return Row(self.stages[at], self.kinds[at], self.micro_batches[at])
        kind = self.kinds[at]
        if kind != PAIR:
            return Operation(self.stages[at], kind, self.micro_batches[at])
        assert self.backwards is not None, "a row with pairs has their backward passes"
        backward = self.backwards[self.kinds.count(PAIR, 0, at)]
        return Overlap(Operation(self.stages[at], FORWARD, self.micro_batches[at]), cast("Operation", backward))

    def __iter__(self) -> Iterator[Step]:
        if self.backwards is not None:
            return self._paired()
        # tuple.__new__ makes the same tuples without a Python call for each
        return map(tuple.__new__, repeat(Operation), zip(self.stages, self.kinds, self.micro_batches, strict=True))

    def partners(self) -> Iterator[Operation]:
        """The backward passes of its pairs, one after another."""
        return cast("Iterator[Operation]", iter(self.backwards or ()))

    def _paired(self) -> Iterator[Step]:
        partners = self.partners()
        for stage, kind, micro_batch in zip(self.stages, self.kinds, self.micro_batches, strict=True):
            if kind == PAIR:
                yield Overlap(Operation(stage, FORWARD, micro_batch), next(partners))
            else:
                yield Operation(stage, kind, micro_batch)


Orders = tuple[Row, ...]  # a row per rank


def passes(stage: int, kind: str, micro_batches: Iterable[int]) -> Row:
    """The passes of one kind through one stage, a micro-batch after the other.

    >>> " ".join(map(str, passes(2, "F", range(3))))
    '2F0 2F1 2F2'
    """
    numbers = array(_NUMBER, micro_batches)
    return Row(array(_NUMBER, [stage]) * len(numbers), kind * len(numbers), numbers)


def each_in_order(stage: int, kinds: str) -> Row:
    """The passes of these kinds through one stage, where each kind takes the micro-batches from the first on.

    >>> " ".join(map(str, each_in_order(0, "FFIFIW")))
    '0F0 0F1 0I0 0F2 0I1 0W0'
    """
    numbers = {kind: count() for kind in set(kinds)}
    return Row(array(_NUMBER, [stage]) * len(kinds), kinds, array(_NUMBER, [next(numbers[kind]) for kind in kinds]))


def in_sequence(*rows: Row) -> Row:
    """One row after the other; none of them may have pairs.

    >>> " ".join(map(str, in_sequence(passes(0, "F", range(2)), passes(0, "B", range(2)))))
    '0F0 0F1 0B0 0B1'
    """
    stages, micro_batches = array(_NUMBER), array(_NUMBER)
    for row in rows:
        stages += row.stages
        micro_batches += row.micro_batches
    return Row(stages, "".join(row.kinds for row in rows), micro_batches)


def in_turn(*rows: Row) -> Row:
    """One of each row in turn, as far as the shortest goes; none of them may have pairs.

    >>> " ".join(map(str, in_turn(passes(0, "F", range(3)), passes(0, "B", range(2)))))
    '0F0 0B0 0F1 0B1'
    """

    length = min(map(len, rows))
    merged = [array(_NUMBER, [0]) * (length * len(rows)) for _ in range(2)]
    kinds = [""] * (length * len(rows))
    for at, row in enumerate(rows):
        turn = slice(at, None, len(rows))
        merged[0][turn] = row.stages[:length]
        merged[1][turn] = row.micro_batches[:length]
        kinds[turn] = row.kinds[:length]
    return Row(merged[0], "".join(kinds), merged[1])


def parse_orders(orders: Iterable[Iterable[Step | str | None]]) -> Orders:
    """Orders from rows of operations, written or built; None and blank texts are idle cells and fall away.

    Raises BadArgument that names the row and the place of what is no operation.

    >>> parse_orders([["0F0", None, "0B0"]])
    ((Operation(stage=0, kind='F', micro_batch=0), Operation(stage=0, kind='B', micro_batch=0)),)
    """
    if isinstance(orders, str) or not isinstance(orders, Iterable):
        raise BadArgument("orders", orders, "a list of rows, one per rank, each a list of operations such as 0F0")
    rows = []
    for rank, row in enumerate(orders):
        if isinstance(row, (str, Operation, Overlap)) or not isinstance(row, Iterable):
            raise BadArgument(f"orders[{rank}]", row, "a list of operations such as 0F0")
        rows.append(row if isinstance(row, Row) else Row.of(_steps(rank, row)))
    return tuple(rows)


def _steps(rank: int, row: Iterable[Step | str | None]) -> Iterable[Step]:
    for position, item in enumerate(row):
        if type(item) is Operation and is_plain(item):
            yield item
            continue
        step: Step | None = None
        accepted = ACCEPTED
        if item is None or (isinstance(item, str) and not item.strip()):
            continue
        if isinstance(item, str):
            try:
                step = parse_operation(item)
            except BadArgument as error:
                accepted = error.accepted
        elif isinstance(item, Operation):
            step = checked(item)
        elif isinstance(item, Overlap):
            forward, backward = (checked(part) if isinstance(part, Operation) else None for part in item)
            if forward and backward and forward.kind == FORWARD and backward.kind == BACKWARD:
                step = Overlap(forward, backward)
        if step is None:
            raise BadArgument(f"orders[{rank}][{position}]", item, accepted)
        yield step


def forwards_only(orders: Iterable[Row]) -> Orders:
    """The same orders without their backward passes; of an overlapping pair the forward remains."""
    return tuple(Row.of(part for step in row for part in step.parts if part.kind == FORWARD) for row in orders)
