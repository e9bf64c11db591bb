"""What a rank of a pipeline does at a time: one pass of one micro-batch through one model stage.

    0F3   the forward pass of micro-batch 3 through model stage 0
    0B3   its full backward pass: gradients of the input and of the weights
    0I3   the first half of that: the input's gradient, which the stage before waits for
    0W3   the second half: the weights' gradient, which nobody waits for

The letters are those of torch.distributed.pipelining.
"""

from __future__ import annotations

import re
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

MOST = 10**9  # stages and micro-batches have smaller numbers: nine digits
ACCEPTED = "an operation such as 0F0: model stage, one of F, B, I, W, micro-batch"
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
        raise BadArgument("operation", text, ACCEPTED)
    tidy = text.strip().upper()
    if single := _SINGLE.fullmatch(tidy):
        return _operation(*single.groups())
    if pair := _PAIR.fullmatch(tidy):
        groups = pair.groups()
        forward, backward = _operation(*groups[:3]), _operation(*groups[3:])
        if forward.kind != FORWARD or backward.kind != BACKWARD:
            raise BadArgument("operation", text, "a pair of a forward F and a full backward B, such as (0F3;3B5)")
        return Overlap(forward, backward)
    raise BadArgument("operation", text, ACCEPTED)


def _operation(stage: str, kind: str, micro_batch: str) -> Operation:
    return Operation(int(stage), kind, int(micro_batch))


def checked(operation: Operation) -> Operation | None:
    """The operation with ints for whole numbers of any type (NumPy's, say), or None if it is none."""
    try:
        plain = Operation(index(operation.stage), operation.kind, index(operation.micro_batch))
    except TypeError:
        return None
    return plain if is_plain(plain) else None


def is_plain(operation: Operation) -> bool:
    """Whether its numbers are ints that can be written, and its kind one of `KINDS`."""
    stage, kind, micro_batch = operation
    plain = type(stage) is int and type(micro_batch) is int and kind in KINDS
    return plain and 0 <= stage < MOST and 0 <= micro_batch < MOST
