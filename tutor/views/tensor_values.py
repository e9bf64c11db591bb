"""The matrices that a split MLP is drawn with: typed in, drawn from a seed, or small ones to follow by eye."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from simlib.errors import BadArgument

MOST = 64  # rows or columns of a matrix
_LARGEST = 10**6
_TOKENS, _HIDDEN, _WIDTH = 1, 4, 2

Rows = list[list[float]]

# GeLU(1), GeLU(2) and zeros, so that every number can be followed by eye
_SMALL: dict[str, Rows] = {
    "x": [[1, 2]],
    "a": [[1, 0, 1, 0], [0, 1, 0, 0]],
    "b": [[1, 0], [0, 1], [1, 1], [0, 0]],
}
# Both GPUs have a part of the first and of the last column's sum
_SHARED: dict[str, Rows] = {"x": [[1, 1]], "a": [[1, 0, 1, 1], [1, 1, 0, -1]]}


class Given(NamedTuple):
    """X, A and B, each as rows."""

    x: Rows
    a: Rows
    b: Rows


def matrices(given: Mapping[str, Any], *, wrong_split: bool) -> Given:
    """X (tokens, in), A (in, hidden) and B (hidden, out) of these parameters. Raises BadArgument."""
    names = ("x", "a") if wrong_split else ("x", "a", "b")
    sizes = ("tokens", "hidden", "seed")
    drawn = next((name for name in sizes if given[name] is not None), None)
    if drawn is None:
        small = _SMALL | (_SHARED if wrong_split else {})
        found = {name: small[name] if given[name] is None else _typed(name, given[name]) for name in names}
    else:
        typed = next((name for name in names if given[name] is not None), None)
        if typed is not None:
            raise BadArgument(drawn, given[drawn], f"none where {typed} is given")
        found = _drawn(given)
    _fit("a", found["a"], len(found["x"][0]), "column of x")
    if wrong_split:
        return Given(found["x"], found["a"], [])
    _fit("b", found["b"], len(found["a"][0]), "column of a")
    return Given(found["x"], found["a"], found["b"])


def _typed(name: str, rows: Any) -> Rows:
    accepted = "rows of numbers, as in [[1, 0], [0, 1]]"
    if not isinstance(rows, (list, tuple)) or not rows or not all(isinstance(row, (list, tuple)) for row in rows):
        raise BadArgument(name, rows, accepted)
    if len(rows) > MOST or max(map(len, rows)) > MOST:
        raise BadArgument(name, f"{len(rows)} x {max(map(len, rows))} numbers", f"at most {MOST} rows and columns")
    for number, row in enumerate(rows):
        if len(row) != len(rows[0]) or not row:
            raise BadArgument(f"{name}[{number}]", row, "as many numbers in each row, at least one")
        for value in row:
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
                raise BadArgument(f"{name}[{number}]", row, "numbers, each of them finite")
            if abs(value) > _LARGEST:
                raise BadArgument(f"{name}[{number}]", row, f"numbers up to {_LARGEST:,} either way")
    return [list(row) for row in rows]


def _drawn(given: Mapping[str, Any]) -> dict[str, Rows]:
    import numpy as np

    random = np.random.default_rng(given["seed"] or 0)
    tokens, hidden = given["tokens"] or _TOKENS, given["hidden"] or _HIDDEN

    def rows(count: int, columns: int, least: int) -> Rows:
        drawn: Rows = random.integers(least, 3, (count, columns)).tolist()
        return drawn

    return {"x": rows(tokens, _WIDTH, 1), "a": rows(_WIDTH, hidden, -1), "b": rows(hidden, _WIDTH, -1)}


def _fit(name: str, rows: Rows, count: int, what: str) -> None:
    if len(rows) != count:
        raise BadArgument(name, rows, f"{count} row{'' if count == 1 else 's'}, one for each {what}")
