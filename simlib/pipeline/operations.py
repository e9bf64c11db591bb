"""What a rank of a pipeline does at a time: one pass of one micro-batch through one model stage.

    0F3   the forward pass of micro-batch 3 through model stage 0
    0B3   its full backward pass: gradients of the input and of the weights
    0I3   the first half of that: the input's gradient, which the stage before waits for
    0W3   the second half: the weights' gradient, which nobody waits for

The letters are those of torch.distributed.pipelining. An order is a row of operations per rank.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import repeat
from operator import index
from typing import NamedTuple, final

from simlib.errors import BadArgument

FORWARD, BACKWARD, INPUT, WEIGHT = "F", "B", "I", "W"
KINDS = (FORWARD, BACKWARD, INPUT, WEIGHT)


@final
class Operation(NamedTuple):
    """One pass of one micro-batch through one model stage.

    >>> str(Operation(0, "F", 3))
    '0F3'
    """

    stage: int
    kind: str  # one of KINDS
    micro_batch: int

    def __str__(self) -> str:
        return f"{self.stage}{self.kind}{self.micro_batch}"

    @property
    def parts(self) -> tuple[Operation, ...]:
        """The operation itself: what an `Overlap` has two of."""
        return (self,)


@final
class Overlap(NamedTuple):
    """A forward and a backward pass of different micro-batches that run at the same time, as DualPipe pairs them.

    While one of the two waits for its messages the other computes. They start and end together.

    >>> str(Overlap(Operation(0, "F", 3), Operation(3, "B", 5)))
    '(0F3;3B5)OVERLAP_F_B'
    """

    forward: Operation
    backward: Operation

    def __str__(self) -> str:
        return f"({self.forward};{self.backward})OVERLAP_F_B"

    @property
    def parts(self) -> tuple[Operation, ...]:
        """The two operations."""
        return (self.forward, self.backward)


Step = Operation | Overlap  # what fills one place of a rank's row
Row = tuple[Step, ...]
Orders = tuple[Row, ...]  # a row per rank

_ACCEPTED = "an operation such as 0F0: model stage, one of F, B, I, W, micro-batch"
_OPERATION = r"(\d{1,9})([FBIW])(\d{1,9})"
_SINGLE = re.compile(_OPERATION)
_PAIR = re.compile(rf"\(\s*{_OPERATION}\s*;\s*{_OPERATION}\s*\)(?:OVERLAP_F_B)?")


def parse_operation(text: str) -> Step:
    """The operation that `text` writes: "0F0", "1B12", "(0F3;3B5)OVERLAP_F_B". Case and outer blanks do not matter.

    Raises BadArgument for any other text.

    >>> parse_operation("1B12")
    Operation(stage=1, kind='B', micro_batch=12)
    """
    if not isinstance(text, str):
        raise BadArgument("operation", text, _ACCEPTED)
    tidy = text.strip().upper()
    if single := _SINGLE.fullmatch(tidy):
        return _operation(*single.groups())
    if pair := _PAIR.fullmatch(tidy):
        groups = pair.groups()
        forward, backward = _operation(*groups[:3]), _operation(*groups[3:])
        if forward.kind != FORWARD or backward.kind != BACKWARD:
            raise BadArgument("operation", text, "a pair of a forward F and a full backward B, such as (0F3;3B5)")
        return Overlap(forward, backward)
    raise BadArgument("operation", text, _ACCEPTED)


def _operation(stage: str, kind: str, micro_batch: str) -> Operation:
    return Operation(int(stage), kind, int(micro_batch))


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
        rows.append(tuple(_steps(rank, row)))
    return tuple(rows)


def _steps(rank: int, row: Iterable[Step | str | None]) -> Iterable[Step]:
    for position, item in enumerate(row):
        if type(item) is Operation and _is_plain(item):
            yield item
            continue
        step: Step | None = None
        accepted = _ACCEPTED
        if item is None or (isinstance(item, str) and not item.strip()):
            continue
        if isinstance(item, str):
            try:
                step = parse_operation(item)
            except BadArgument as error:
                accepted = error.accepted
        elif isinstance(item, Operation):
            step = _checked(item)
        elif isinstance(item, Overlap):
            forward, backward = (_checked(part) if isinstance(part, Operation) else None for part in item)
            if forward and backward and forward.kind == FORWARD and backward.kind == BACKWARD:
                step = Overlap(forward, backward)
        if step is None:
            raise BadArgument(f"orders[{rank}][{position}]", item, accepted)
        yield step


def _checked(operation: Operation) -> Operation | None:
    """The operation with ints for whole numbers of any type (NumPy's, say), or None if it is none."""
    try:
        plain = Operation(index(operation.stage), operation.kind, index(operation.micro_batch))
    except TypeError:
        return None
    return plain if _is_plain(plain) else None


def _is_plain(operation: Operation) -> bool:
    stage, kind, micro_batch = operation
    return type(stage) is int and type(micro_batch) is int and stage >= 0 and micro_batch >= 0 and kind in KINDS


def passes(stage: int, kind: str, micro_batches: Iterable[int]) -> list[Operation]:
    """The passes of one kind through one stage, a micro-batch after the other.

    >>> [str(operation) for operation in passes(2, "F", range(3))]
    ['2F0', '2F1', '2F2']
    """
    # tuple.__new__ makes the same tuples without a Python call for each: schedules have 100,000 of them
    return list(map(tuple.__new__, repeat(Operation), zip(repeat(stage), repeat(kind), micro_batches, strict=False)))


def forwards_only(orders: Sequence[Sequence[Step]]) -> Orders:
    """The same orders without their backward passes; of an overlapping pair the forward remains."""
    return tuple(tuple(part for step in row for part in step.parts if part.kind == FORWARD) for row in orders)
