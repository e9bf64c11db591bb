"""What is wrong with somebody's split layer: its form, the first number that differs, a slip after the partial outputs.

A split layer is what an exercise asks for: `reduced`, a list of all-reduces, each of them the list of arrays that the
GPUs put in, and `outputs`, the array that each GPU ends with. One all-reduce is enough, and a bias follows it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[Any]
Shape = tuple[int, ...]

_NESTED = "`reduced` is a list of all-reduces, each of them a list of arrays, also where there is only one."
_RTOL, _ATOL = 1e-7, 1e-12


class Refused(ValueError):
    """A layer whose form cannot be compared; the message says in sentences what it is and what is expected."""


class SplitLayer(NamedTuple):
    """What each GPU puts into the one all-reduce, and what each ends with."""

    partials: Sequence[Matrix]
    outputs: Sequence[Matrix]


class Difference(NamedTuple):
    """The first number that differs; `at_the_end` tells what a GPU ends with from what it puts in."""

    at_the_end: bool
    gpu: int
    row: int
    column: int
    expected: float
    got: float

    @property
    def path(self) -> tuple[int, ...]:
        """Where it is in (reduced, outputs)."""
        place = (self.gpu, self.row, self.column)
        return (1, *place) if self.at_the_end else (0, 0, *place)

    def to_json(self) -> dict[str, Any]:
        """The difference in plain values: which GPU (as "worker"), its place in that GPU's array, both numbers."""
        return {"worker": self.gpu, "index": [self.row, self.column], "expected": self.expected, "got": self.got}


def read(
    got: Any,
    gpus: int,
    shape: Shape,
    miscounted: Callable[[int], str],
    misshapen: Callable[[bool, Shape], str],
    idle: str = "",
) -> SplitLayer | None:
    """`got` as a split layer whose arrays all have `shape`; None where a comparison of values says more of it.

    `miscounted` says what there is to say of a number of all-reduces that is not one, and `misshapen` adds to what is
    said of an array of another shape (whether a GPU ends with it, and its shape); `idle` ends the sentence that every
    GPU puts an array in. Raises Refused.
    """
    if not isinstance(got, (list, tuple)):
        return None
    if _are_arrays(got, gpus, shape):
        raise Refused(f"This is one array for each GPU. Return two lists, `reduced` and `outputs`: {_NESTED}")
    if len(got) != 2 or not isinstance(got[0], (list, tuple)):
        return None
    reduced, outputs = got
    if _are_arrays(reduced, gpus, shape):
        raise Refused(f"The first list holds arrays: {_NESTED}")
    if isinstance(outputs, np.ndarray) and outputs.shape == shape:
        raise Refused(f"The outputs are one array. Return a list of {gpus}: each GPU ends with an array of its own.")
    if not all(isinstance(arrays, (list, tuple)) for arrays in reduced):
        return None
    if len(reduced) != 1:
        raise Refused(miscounted(len(reduced)))
    partials = reduced[0]
    if len(partials) != gpus:
        raise Refused(f"{len(partials)} arrays go into the all-reduce. Each of the {gpus} GPUs puts one in{idle}.")
    for at_the_end, arrays in enumerate((partials, outputs)):
        if not isinstance(arrays, (list, tuple)) or not all(isinstance(one, np.ndarray) for one in arrays):
            return None
        for gpu, own in enumerate(arrays):
            if own.dtype.kind != "f" or own.ndim != 2:
                return None
            if own.shape != shape:
                said = f"GPU {gpu} {_what(bool(at_the_end))} an array of {_size(own.shape)}; expected {_size(shape)}."
                raise Refused(f"{said} {misshapen(bool(at_the_end), own.shape)}".rstrip())
    return SplitLayer(partials, outputs)


def first_difference(expected: SplitLayer, got: SplitLayer) -> Difference | None:
    """Where two layers of as many GPUs differ first, GPU by GPU, what they put in before what they end with.

    >>> ones, twos = np.ones((1, 1)), 2 * np.ones((1, 1))
    >>> first_difference(SplitLayer([ones], [twos]), SplitLayer([ones], [ones]))
    Difference(at_the_end=True, gpu=0, row=0, column=0, expected=2.0, got=1.0)
    """
    for at_the_end, (right, yours) in enumerate(zip(expected, got, strict=True)):
        for gpu, (wanted, own) in enumerate(zip(right, yours, strict=False)):
            if not same(wanted, own):
                place = np.argwhere(~np.isclose(own, wanted, rtol=_RTOL, atol=_ATOL))[0]
                row, column = (int(index) for index in place)
                numbers = (float(wanted[row, column]), float(own[row, column]))
                return Difference(bool(at_the_end), gpu, row, column, *numbers)
    return None


def said_of(difference: Difference) -> str:
    """The difference in a sentence.

    >>> said_of(Difference(True, 0, 0, 1, 2.5, 1.0))
    'GPU 0 ends with, row 0, column 1: expected 2.5, yours 1.'
    """
    where = f"GPU {difference.gpu} {_what(difference.at_the_end)}, row {difference.row}, column {difference.column}"
    return f"{where}: expected {difference.expected:.6g}, yours {difference.got:.6g}."


def after_the_partials(
    partials: Sequence[Matrix], bias: Matrix, bias_name: str, outputs: Sequence[Matrix]
) -> str | None:
    """Which wrong step after the right partial outputs makes these outputs; None if none that is known does."""
    gpus, total = len(partials), sum(partials)
    alone = "That is the GPU's own partial output: an all-reduce gives each GPU the sum of all."
    mean = "That is the mean. The partial outputs are added up, not averaged."
    slips: list[tuple[Sequence[Any], str]] = [
        ([partial + bias for partial in partials], alone),
        (partials, alone),
        ([total] * gpus, f"`{bias_name}` is missing: add it after the all-reduce."),
        ([total + gpus * bias] * gpus, f"`{bias_name}` is in it {times(gpus)}: add it once."),
        ([total / gpus + bias] * gpus, mean),
        ([(total + bias) / gpus] * gpus, mean),
    ]
    for made, said in slips:
        if all(map(same, made, outputs)):
            return said
    if same(outputs[0], total + bias):
        return "GPU 0 has the sum, and others have not: an all-reduce gives it to all of them."
    return None


def called(path: Sequence[int]) -> str:
    """What the array at this path of (reduced, outputs) is called.

    >>> called((0, 0, 1)), called((1, 2))
    ('GPU 1 puts in', 'GPU 2 ends with')
    """
    return f"GPU {path[1] if path[0] else path[2]} {_what(bool(path[0]))}"


def same(one: Matrix, other: Matrix) -> bool:
    """Whether two arrays have one shape and, but for rounding, the same numbers."""
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=_RTOL, atol=_ATOL))


def times(count: int) -> str:
    """How often.

    >>> times(1), times(2), times(3)
    ('once', 'twice', '3 times')
    """
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _are_arrays(value: Any, gpus: int, shape: Shape) -> bool:
    is_list = isinstance(value, (list, tuple)) and len(value) == gpus
    return is_list and all(isinstance(one, np.ndarray) and one.shape == shape for one in value)


def _what(at_the_end: bool) -> str:
    return "ends with" if at_the_end else "puts in"


def _size(shape: Shape) -> str:
    return " x ".join(map(str, shape))
