"""Finds the first place where what a function returned is not what was expected."""

from __future__ import annotations

import math
import numbers
import reprlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from tutor.checker.inside.frames import Unknown
from tutor.safe_text import visible

_KINDS = {"b": "true or false", "i": "whole numbers", "u": "whole numbers", "f": "floats", "c": "complex numbers"}
# relative, by the bytes of the expected float: what is lost when sums are added in another order
_TOLERANCE = {2: 2e-2, 4: 1e-5, 8: 1e-9, 16: 1e-9}
_short = reprlib.Repr()
_short.maxlist = _short.maxtuple = _short.maxdict = _short.maxarray = 8
_short.maxstring = _short.maxother = 80


@dataclass(frozen=True)
class Rules:
    """How an exercise wants its values compared."""

    tolerance: float | None = None  # relative; None goes by the float's size
    floats_for_ints: bool = False  # whether 4.0 will do where 4 is expected


@dataclass(frozen=True)
class Mismatch:
    """The first difference: `kind` is "wrong_type", "wrong_shape" or "value"; `path` leads to it from the result."""

    kind: str
    reason: str
    path: tuple[int | str, ...]
    expected: Any
    got: Any


def first_difference(
    expected: Any, got: Any, rules: Rules | None = None, path: tuple[int | str, ...] = ()
) -> Mismatch | None:
    """The first place where `got` differs from `expected`, or None.

    A list and a tuple are the same here, and the rows of an array are as good as a list of them. True and
    False are no numbers; NaN equals nothing.

    >>> first_difference([1, 2], [1, 3]).reason
    'result[1] is 3; expected 2'
    """
    rules = rules or Rules()
    if isinstance(got, Unknown):
        return Mismatch(
            "wrong_type", f"{where(path)} is {got.what}; expected {describe(expected)}", path, expected, got
        )
    if isinstance(expected, np.ndarray):
        return _arrays(expected, got, rules, path)
    if isinstance(expected, (list, tuple)):
        return _sequences(list(expected), got, rules, path)
    if isinstance(expected, dict):
        return _mappings(expected, got, rules, path)
    if isinstance(expected, numbers.Number) and not _is_bool(expected):
        return _numbers(expected, got, rules, path)
    same_type = isinstance(got, str) if isinstance(expected, str) else _is_bool(expected) and _is_bool(got)
    if (expected is None and got is None) or (same_type and expected == got):
        return None
    return _differs("value" if same_type else "wrong_type", expected, got, path)


def where(path: tuple[int | str, ...]) -> str:
    """The place as a learner would write it.

    >>> where((2, "weights"))
    "result[2]['weights']"
    """
    return "result" + "".join(f"[{part!r}]" for part in path)


def describe(value: Any) -> str:
    """What kind of thing `value` is, in a few words.

    >>> describe([np.zeros(3), np.zeros(3)])
    'a list of 2 NumPy arrays'
    """
    if isinstance(value, np.ndarray):
        shape = " x ".join(map(str, value.shape)) or "no dimension"
        return f"a NumPy array ({shape}) of {_KINDS.get(value.dtype.kind, value.dtype.name)}"
    if isinstance(value, (list, tuple)):
        inner = {type(part) for part in value}
        name = "list" if isinstance(value, list) else "tuple"
        what = {np.ndarray: "NumPy arrays", str: "strings", list: "lists", int: "whole numbers"}
        return f"a {name} of {len(value)} {what.get(inner.pop(), 'values') if len(inner) == 1 else 'values'}"
    if isinstance(value, Unknown):
        return visible(value.what)
    if value is None:
        return "None"
    return f"{shown(value)} ({'bool' if _is_bool(value) else type(value).__name__})"


def shown(value: Any) -> str:
    """A short, safe text of a value.

    >>> shown(np.int64(7)), shown(2.5)
    ('7', '2.5')
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Unknown):
        return visible(value.what)
    return visible(_short.repr(value))


def _is_bool(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_))


def _differs(kind: str, expected: Any, got: Any, path: tuple[int | str, ...]) -> Mismatch:
    if kind == "value":
        return Mismatch(kind, f"{where(path)} is {shown(got)}; expected {shown(expected)}", path, expected, got)
    if not path:
        missing = " (is there a `return`?)" if got is None else ""
        reason = f"The function returned {describe(got)}{missing}; expected {describe(expected)}"
        return Mismatch(kind, reason, path, expected, got)
    return Mismatch(kind, f"{where(path)} is {describe(got)}; expected {describe(expected)}", path, expected, got)


def _numbers(expected: Any, got: Any, rules: Rules, path: tuple[int | str, ...]) -> Mismatch | None:
    if not isinstance(got, numbers.Number) or _is_bool(got):
        return _differs("wrong_type", expected, got, path)
    size = expected.dtype.itemsize if isinstance(expected, np.floating) else 8
    one, other = _python_number(expected), _python_number(got)
    whole, got_whole = isinstance(one, int), isinstance(other, int)
    if (whole and not got_whole and not rules.floats_for_ints) or (
        isinstance(other, complex) and not isinstance(one, complex)
    ):
        return _differs("wrong_type", expected, got, path)
    same = one == other or (not (whole and got_whole) and _near(one, other, rules.tolerance or _TOLERANCE[size]))
    return None if same else _differs("value", expected, got, path)


def _near(expected: Any, got: Any, tolerance: float) -> bool:
    try:
        largest = abs(expected)
        return math.isfinite(largest) and bool(abs(got - expected) <= tolerance * largest)
    except OverflowError:
        return False


def _python_number(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _arrays(expected: np.ndarray[Any, Any], got: Any, rules: Rules, path: tuple[int | str, ...]) -> Mismatch | None:
    if not isinstance(got, np.ndarray):
        return _differs("wrong_type", expected, got, path)
    if expected.shape != got.shape:
        return _differs("wrong_shape", expected, got, path)
    wanted, kind = (_KINDS[array.dtype.kind] for array in (expected, got))
    if wanted != kind and not (rules.floats_for_ints and kind == "floats" and wanted == "whole numbers"):
        return _differs("wrong_type", expected, got, path)
    wrong = differing(expected, got, rules)
    if not wrong.any():
        return None
    place = tuple(int(i) for i in np.argwhere(wrong)[0])
    return _differs("value", expected[place], got[place], path + place)


def differing(
    expected: np.ndarray[Any, Any], got: np.ndarray[Any, Any], rules: Rules
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which numbers of `got`, an array of the same shape, are not as good as those of `expected`."""
    if got.dtype.kind in "biu":
        unequal: np.ndarray[Any, np.dtype[np.bool_]] = np.asarray(expected != got)
        return unequal
    size = expected.dtype.itemsize if expected.dtype.kind in "fc" else 8
    tolerance = rules.tolerance or _TOLERANCE[size]
    with np.errstate(all="ignore"):
        finite = np.isfinite(expected)
        largest = np.abs(expected[finite]).max(initial=0)
        near = finite & (np.abs(got - expected) <= tolerance * largest)
        return np.asarray(~(near | (got == expected)))


def _sequences(expected: list[Any], got: Any, rules: Rules, path: tuple[int | str, ...]) -> Mismatch | None:
    if not isinstance(got, (list, tuple)) and not (isinstance(got, np.ndarray) and got.ndim):
        return _differs("wrong_type", expected, got, path)
    for index, (wanted, part) in enumerate(zip(expected, got, strict=False)):
        difference = first_difference(wanted, part, rules, (*path, index))
        if difference is not None:
            return difference
    if len(expected) != len(got):
        reason = f"{where(path)} has {_parts(len(got))}; expected {_parts(len(expected))}"
        return Mismatch("wrong_shape", reason, path, len(expected), len(got))
    return None


def _parts(count: int) -> str:
    return f"{count} entry" if count == 1 else f"{count} entries"


def _mappings(expected: dict[Any, Any], got: Any, rules: Rules, path: tuple[int | str, ...]) -> Mismatch | None:
    if not isinstance(got, dict):
        return _differs("wrong_type", expected, got, path)
    for key, wanted in expected.items():
        if key not in got:
            return Mismatch("wrong_shape", f"{where(path)} has no key {shown(key)}", (*path, key), wanted, None)
        difference = first_difference(wanted, got[key], rules, (*path, key))
        if difference is not None:
            return difference
    extra = next((key for key in got if key not in expected), None)
    if extra is not None:
        return Mismatch("wrong_shape", f"{where(path)} has an unexpected key {shown(extra)}", path, None, extra)
    return None
