"""A wrong result as what the picture of results shows: the expected numbers row by row, with the learner's.

Nothing is drawn here: `tutor.views.result_scene` makes a picture of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product, zip_longest
from typing import Any

import numpy as np

from tutor.checker.compare import Rules, differing, first_difference, where
from tutor.checker.inside.frames import Unknown
from tutor.safe_text import visible

Path = tuple[int | str, ...]
# A picture of the first difference is to be looked at beside the words: so many lines of numbers, no more
MOST_LINES = 12
# What is returned beyond what is expected counts up to here
_MOST_EXTRA = 50
_NOTHING = object()  # stands for what one of the two has not


@dataclass(frozen=True, eq=False)
class _Row:
    """A row of numbers: the last axis of an array, a list of numbers, or one number alone."""

    part: Path  # where the array or the list is
    row: tuple[int, ...]  # the row within an array of more dimensions
    expected: list[Any]
    yours: list[Any]
    wrong: list[bool]
    alone: bool = False  # one number, not in a list
    array: bool = False

    def column(self, path: Path) -> int | None:
        """The column of the number at `path`; None where it is elsewhere."""
        if self.alone:
            return 0 if path == self.part else None
        at = path[-1] if path else None
        is_here = path[:-1] == (*self.part, *self.row) and isinstance(at, int)
        return at if is_here and isinstance(at, int) and 0 <= at < len(self.wrong) else None


def picture_of(
    expected: Any, got: Any, path: Path, rules: Rules, called: Callable[[Path], str] | None = None
) -> dict[str, Any] | None:
    """The picture of `tutor.checker.verdict.Case` for a first difference at `path`; None where nothing stands there.

    `called` names an array by its path, in place of `result[0]`.

    >>> picture_of([[1, 2], [3]], [[1, 2], [4]], (1, 0), Rules())["cell"]
    {'part': 'result[1]', 'row': 0, 'column': 0}
    """
    rows = list(_rows(expected, got, (), rules))
    found = ((row, row.column(path)) for row in rows)
    place, column = next(((row, column) for row, column in found if column is not None), (None, None))
    if place is None or column is None:
        return None
    names = _names(rows, called)
    # Arrays are shown with arrays, and lists with lists: their columns are not the same things
    alike = [row for row in rows if row.array == place.array]
    first, stop = _around(alike, alike.index(place))
    shown = [
        {
            "part": names[row.part],
            "row": _number(rows, row),
            "label": ", ".join(map(str, row.row)) if row.row else None,
            "expected": [_plain(value) for value in row.expected],
            "yours": [_plain(value) for value in row.yours],
            "wrong": row.wrong,
        }
        for row in alike[first:stop]
    ]
    return {
        "topic": "result",
        "parameters": {
            "rows": shown,
            "above": _left_out(alike[:first]),
            "below": _left_out(alike[stop:]),
            "wrong": sum(sum(row.wrong) for row in rows),
            "numbers": sum(len(row.wrong) for row in rows),
        },
        "step": 0,
        "cell": {"part": names[place.part], "row": _number(rows, place), "column": column},
        "yours": _plain(place.yours[column] if column < len(place.yours) else None),
    }


def at(value: Any, path: Path) -> Any:
    """What stands at `path` in a result; None where nothing does.

    >>> at([[1, 2], [3]], (1, 0)), at([[1, 2], [3]], (1, 5))
    (3, None)
    """
    for part in path:
        try:
            value = value[part]
        except (LookupError, TypeError):
            return None
    return value


def _rows(expected: Any, got: Any, path: Path, rules: Rules) -> Iterator[_Row]:
    model = got if expected is _NOTHING else expected
    if isinstance(model, np.ndarray) and model.ndim:
        yield from _array_rows(expected, got, path, rules)
    elif isinstance(model, (list, tuple)) and all(map(_is_number, model)):
        wanted = list(expected) if expected is not _NOTHING else []
        yours = list(got[: len(wanted) + _MOST_EXTRA]) if isinstance(got, (list, tuple, np.ndarray)) else []
        pairs = zip_longest(wanted, yours, fillvalue=_NOTHING)
        wrong = [one is _NOTHING or other is _NOTHING or _differ(one, other, rules) for one, other in pairs]
        yield _Row(path, (), wanted, yours, wrong)
    elif isinstance(model, (list, tuple)):
        wanted = list(expected) if expected is not _NOTHING else []
        yours = list(got[: len(wanted) + _MOST_EXTRA]) if isinstance(got, (list, tuple, np.ndarray)) else []
        for number, (one, other) in enumerate(zip_longest(wanted, yours, fillvalue=_NOTHING)):
            yield from _rows(one, other, (*path, number), rules)
    elif isinstance(model, dict) and expected is not _NOTHING:
        for key, wanted in expected.items():
            own = got.get(key, _NOTHING) if isinstance(got, dict) else _NOTHING
            yield from _rows(wanted, own, (*path, key), rules)
    elif _is_number(model):
        yours = [] if got is _NOTHING else [got]
        wanted = [] if expected is _NOTHING else [expected]
        yield _Row(path, (), wanted, yours, [not (wanted and yours) or _differ(expected, got, rules)], alone=True)


def _array_rows(expected: Any, got: Any, path: Path, rules: Rules) -> Iterator[_Row]:
    """The rows of an array. Where the learner's has another shape, or there is none, its rows are empty."""
    model = got if expected is _NOTHING else expected
    both = isinstance(expected, np.ndarray) and isinstance(got, np.ndarray) and expected.shape == got.shape
    wrong = differing(expected, got, rules) if both else np.ones(model.shape, bool)
    for row in product(*(range(count) for count in model.shape[:-1])):
        wanted = [] if expected is _NOTHING else list(expected[row])
        yours = list(got[row]) if both or expected is _NOTHING else []
        yield _Row(path, row, wanted, yours, wrong[row].tolist(), array=True)


def _differ(expected: Any, got: Any, rules: Rules) -> bool:
    return first_difference(expected, got, rules) is not None


def _is_number(value: Any) -> bool:
    """Whether this fills a cell; a word does too."""
    return value is None or isinstance(value, (bool, int, float, complex, str, np.generic, Unknown))


def _names(rows: list[_Row], called: Callable[[Path], str] | None) -> dict[Path, str]:
    """What each part is called: by `called`, where that tells them apart."""
    paths = dict.fromkeys(row.part for row in rows)
    if called is not None:
        names = {path: str(called(path)) for path in paths}
        if len(set(names.values())) == len(names):
            return names
    return {path: where(path) for path in paths}


def _number(rows: list[_Row], row: _Row) -> int:
    """The row's number within its part."""
    if len(row.row) < 2:
        return row.row[0] if row.row else 0
    return [other.row for other in rows if other.part == row.part].index(row.row)


def _around(rows: list[_Row], marked: int) -> tuple[int, int]:
    """The rows to show, (first, stop): those around the marked one, as many as are looked at with ease."""
    first, stop = marked, marked + 1
    while True:
        grown = [(first, stop + 1)] if stop < len(rows) else []
        grown += [(first - 1, stop)] if first else []
        # As much of the marked row's own array as there is room for, then what stands around it
        grown.sort(key=lambda ends: sum(row.part != rows[marked].part for row in rows[slice(*ends)]))
        fitting = next((ends for ends in grown if _lines(rows[slice(*ends)]) <= MOST_LINES), None)
        if fitting is None:
            return first, stop
        first, stop = fitting


def _lines(rows: list[_Row]) -> int:
    """The lines that these rows take: two where something differs, and one for the name of an array of several."""
    parts = {row.part for row in rows if row.row}
    return len(parts) + sum(1 + any(row.wrong) for row in rows)


def _left_out(rows: list[_Row]) -> list[int]:
    """How many rows are not shown, and in how many of them something differs."""
    return [len(rows), sum(any(row.wrong) for row in rows)]


def _plain(value: Any) -> int | float | str | None:
    """A number as JSON can hold it, or a word."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        return value
    return visible((value if isinstance(value, str) else value.what if isinstance(value, Unknown) else str(value))[:80])
