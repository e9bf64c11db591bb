"""The arrays that the workers of a collective start with: typed in, drawn from a seed, or easy to add up by eye."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from simlib.errors import BadArgument
from tutor.views.limits import MOST_LENGTH, MOST_STATES, MOST_WORKERS

_LARGEST_WHOLE = 2**53  # beyond, neither JSON nor a float keeps every whole number apart
_ACCEPTED = "a row of numbers for each worker, as in [[1, 2, 3], [10, 20, 30]]"

Array = npt.NDArray[Any]
Row = list[int | float]


def arrays(given: Mapping[str, Any], default_workers: int, *, pieces: bool = False) -> list[Array]:
    """One array a worker, from the parameters values, workers, length, seed and dtype.

    With `pieces`, `length` counts the values of all workers together, and rows of values may be of
    unequal length. Raises BadArgument for what no collective can start from.
    """
    if given["values"] is not None:
        rows = _typed_rows(given["values"], equal=not pieces)
        _agree("workers", given["workers"], len(rows), default=default_workers)
        _agree("length", given["length"], sum(map(len, rows)) if pieces else len(rows[0]), default=None)
        if given["seed"] is not None:
            raise BadArgument("seed", given["seed"], "none where values are given")
    else:
        rows = _made_rows(given, pieces)
    workers, whole = len(rows), sum(map(len, rows)) if pieces else len(rows[0])
    if workers * whole * (workers if pieces else 2 * workers) > MOST_STATES:
        raise BadArgument("length", whole, f"less, with {workers} workers: every step keeps all their numbers")
    return _of_dtype(rows, given["dtype"])


def check_result(results: Sequence[Array], dtype: str) -> None:
    """Raises BadArgument where numbers have outgrown their type."""
    if any(array.dtype.kind == "f" and not np.isfinite(array).all() for array in results):
        raise BadArgument("dtype", dtype, "a type that holds the result too, or smaller values")


def _typed_rows(values: Any, equal: bool) -> list[Row]:
    if not isinstance(values, (list, tuple)) or not values or not all(isinstance(row, (list, tuple)) for row in values):
        raise BadArgument("values", values, _ACCEPTED)
    if len(values) > MOST_WORKERS:
        raise BadArgument("values", f"{len(values)} rows", f"at most {MOST_WORKERS} rows, one for each worker")
    for number, row in enumerate(values):
        if len(row) > MOST_LENGTH:
            raise BadArgument(f"values[{number}]", f"{len(row):,} numbers", f"at most {MOST_LENGTH:,} numbers")
        if equal and len(row) != len(values[0]):
            raise BadArgument(f"values[{number}]", row, f"{len(values[0])} numbers, as many as values[0] has")
        for value in row:
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
                raise BadArgument(f"values[{number}]", row, "numbers, each of them finite")
            if isinstance(value, int) and abs(value) > _LARGEST_WHOLE:
                raise BadArgument(f"values[{number}]", row, "whole numbers up to 2^53 either way")
    if not any(values):
        raise BadArgument("values", values, "at least one number")
    return [list(row) for row in values]


def _agree(name: str, given: Any, found: int, default: int | None) -> None:
    """`given` is the default, or says what the values say."""
    if given not in (default, found):
        raise BadArgument(name, given, f"{found}, as values has, or none")


def _made_rows(given: Mapping[str, Any], pieces: bool) -> list[Row]:
    workers, seed = given["workers"], given["seed"]
    length = workers if given["length"] is None else given["length"]
    short, longer = divmod(length, workers)
    lengths = [short + (worker < longer) if pieces else length for worker in range(workers)]
    if seed is None and workers <= 5 and max(lengths) <= 9:
        if pieces:
            # The tens say whose number it is
            return [[10 * (worker + 1) + index for index in range(count)] for worker, count in enumerate(lengths)]
        # A power of ten a worker: each digit of a sum says who is in it
        return [[(index + 1) * 10**worker for index in range(count)] for worker, count in enumerate(lengths)]
    random = np.random.default_rng(seed or 0)
    return [random.integers(1, 100, count).tolist() for count in lengths]


def _of_dtype(rows: list[Row], name: str) -> list[Array]:
    """The rows as arrays of the named type, or of the type that holds them all."""
    whole = all(isinstance(value, int) for row in rows for value in row)
    dtype = np.dtype(("int64" if whole else "float64") if name == "auto" else name)
    largest = max(abs(value) for row in rows for value in row)
    if dtype.kind == "i":
        fraction = next((value for row in rows for value in row if value != int(value)), None)
        if fraction is not None:
            raise BadArgument("dtype", name, f"a float type, for values such as {fraction}")
        if largest * len(rows) > np.iinfo(dtype).max:
            raise BadArgument("dtype", name, f"a type that holds sums of values such as {largest}")
    elif largest > np.finfo(dtype).max:
        raise BadArgument("dtype", name, f"a type that holds values such as {largest}")
    return [np.array(row, dtype=dtype) for row in rows]
