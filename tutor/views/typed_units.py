"""A parameter's value with its unit, shortly and without losing anything: 25 MiB, 50 GB/s, 10 us."""

from __future__ import annotations

import re
from math import isclose

from tutor import units

# From the largest on; binary sizes first, since a cap of 25 MiB is no round number of MB
_LADDERS = {
    "B": ("GiB", "MiB", "KiB", "TB", "GB", "MB", "KB", "B"),
    "B/s": ("TB/s", "GB/s", "MB/s", "KB/s", "B/s"),
    "s": ("s", "ms", "us"),
}
_TYPED = re.compile(r"([-+]?[\d_,.]+(?:[eE][-+]?\d+)?)\s*([A-Za-zµμ/]+)")


def with_unit(value: float, unit: str) -> str:
    """`value` (in `unit`, which has to be one of B, B/s and s) as it is shown and can be typed again.

    >>> with_unit(26214400, "B"), with_unit(13476831232, "B"), with_unit(5e10, "B/s"), with_unit(1e-5, "s")
    ('25 MiB', '13.476831232 GB', '50 GB/s', '10 us')
    """
    if not value:
        return f"0 {unit}"
    for digits in (4, 12):
        for name in _LADDERS[unit]:
            factor = _factor(name)
            text = f"{value / factor:.{digits}g}"
            binary = "i" in name
            # Small sizes count bytes, and many digits of a binary size say nothing
            usual = value >= factor and not (binary and (digits > 4 or not float(text).is_integer()))
            if usual and "e" not in text and isclose(float(text) * factor, value, rel_tol=1e-12):
                return f"{text} {name}"
    return f"{value:.12g} {unit}"


def in_units(text: str, unit: str) -> float | None:
    """The number that `text` with a unit of the same kind comes to, in `unit`; None where it is no such text.

    >>> in_units("25 MiB", "B"), in_units("10us", "s"), in_units("25", "B"), in_units("3 ms", "B")
    (26214400, 1e-05, None, None)
    """
    typed = _TYPED.fullmatch(text.strip())
    found = units.find(typed[2]) if typed else None
    if typed is None or found is None or found.measures != units.measure_of(unit):
        return None
    try:
        value = float(typed[1].replace(",", "").replace("_", "")) * found.factor
    except ValueError:
        return None
    return round(value) if isclose(value, round(value), rel_tol=1e-12) else float(f"{value:.12g}")


def knows(unit: str) -> bool:
    """Whether values in `unit` are shown with it."""
    return unit in _LADDERS


def _factor(name: str) -> float:
    found = units.find(name)
    assert found is not None, name
    return found.factor
