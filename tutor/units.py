"""Units of the figures in this subject, and how a figure is printed.

A format names how a value is shown, in prose after a `|`, and as a question's unit:

- `B`, `s`, `FLOP`, `B/s`, `FLOP/s`: the prefix or unit that suits the size (24 B, 13.5 GB, 52.4 ms, 6.7 years);
- `KB MB GB TB PB` (steps of 1,000), `KiB MiB GiB TiB` (1,024), `Gbit`, `ms`, `h`, `days` and the like: that unit;
- `%`: a share as a percentage; `x`: a factor;
- Python's own for numbers: `,` `.2f` `.3g` `,.1f` `d`, alone or before a unit: `.1f GB`;
- nothing: whole numbers with commas, others in three digits, or in four where four say it exactly.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isclose
from typing import Any

COUNT, SHARE, BYTES, SECONDS, FLOPS, BYTES_PER_SECOND, FLOPS_PER_SECOND = (
    "count",
    "share",
    "bytes",
    "seconds",
    "FLOPs",
    "bytes a second",
    "FLOPs a second",
)


@dataclass(frozen=True)
class Unit:
    """A unit: how it is written, what it measures, and how many of the base unit it is (one byte, one second, 1)."""

    name: str
    measures: str
    factor: float
    bits: bool = False


_DECIMAL = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18, "Z": 10**21, "Y": 10**24}
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}
_WORDS = {
    "kilo": "K",
    "mega": "M",
    "giga": "G",
    "tera": "T",
    "peta": "P",
    "exa": "E",
    "zetta": "Z",
    "yotta": "Y",
}
_BINARY_WORDS = {"kibi": "Ki", "mebi": "Mi", "gibi": "Gi", "tebi": "Ti", "pebi": "Pi", "exbi": "Ei"}
# What may follow a prefix that is written out, and the unit's own name behind a short one
_AFTER_WORDS = {
    **dict.fromkeys(("byte", "bytes"), "B"),
    **dict.fromkeys(("bit", "bits"), "bit"),
    **dict.fromkeys(("byte/s", "bytes/s"), "B/s"),
    **dict.fromkeys(("bit/s", "bits/s"), "bit/s"),
}
_FLOPS_AFTER_WORDS = {name: name for name in ("FLOP", "FLOPs", "FLOP/s", "FLOPs/s", "FLOPS")}
_TIMES = {
    "us": 1e-6,
    "ms": 1e-3,
    "s": 1,
    "min": 60,
    "h": 3600,
    "days": 86400,
    "weeks": 7 * 86400,
    "months": 365.25 / 12 * 86400,
    "years": 365.25 * 86400,
}
_TIME_WORDS = {
    "us": ("µs", "μs", "usec", "microsecond", "microseconds"),
    "ms": ("msec", "millisecond", "milliseconds"),
    "s": ("sec", "secs", "second", "seconds"),
    "min": ("mins", "minute", "minutes"),
    "h": ("hr", "hrs", "hour", "hours"),
    "days": ("d", "day"),
    "weeks": ("week", "wk", "wks"),
    "months": ("month",),
    "years": ("year", "yr", "yrs", "y"),
}
MULTIPLES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "bn": 10**9, "trillion": 10**12}


_COUNT = re.compile(r"(?P<number>[\d.,_]+(?:e[+-]?\d+)?)\s*(?P<times>[A-Za-z]+)", re.IGNORECASE)


def counted(text: str) -> float | None:
    """A count with a multiple as it is written of models and tokens; None where `text` is no such thing.

    >>> [counted(text) for text in ("7B", "1.5 trillion", "350m", "2T", "7e9", "8 GPUs")]
    [7000000000.0, 1500000000000.0, 350000000.0, 2000000000000.0, None, None]
    """
    found = _COUNT.fullmatch(text.strip()) if len(text) < 40 else None
    times = MULTIPLES.get(_LETTERS.get(found["times"].upper(), found["times"].lower())) if found else None
    if found is None or times is None:
        return None
    try:
        value = float(found["number"].replace(",", "").replace("_", "")) * times
    except ValueError:
        return None
    # 1.1 billion is a whole number, whatever the last bit of the product says
    return float(round(value)) if isclose(value, round(value), rel_tol=1e-12) else value


_LETTERS = {"K": "thousand", "M": "million", "B": "billion", "T": "trillion"}


def _all_units() -> dict[str, Unit]:
    """Every spelling of every unit."""
    units: dict[str, Unit] = {}
    for prefix, factor in {**_DECIMAL, **_BINARY}.items():
        byte = Unit(f"{prefix}B", BYTES, factor)
        bit = Unit(f"{prefix}bit" if prefix else "bits", BYTES, factor / 8, bits=True)
        for spelling in (f"{prefix}B", f"{prefix}byte", f"{prefix}bytes"):
            units[spelling] = byte
        for spelling in (f"{prefix}bit", f"{prefix}bits", *(() if prefix in _BINARY else (f"{prefix}b",))):
            units[spelling] = bit
        for per in ("/s", "ps"):
            units[f"{prefix}B{per}"] = Unit(f"{prefix}B/s", BYTES_PER_SECOND, factor)
            for spelling in (f"{prefix}b{per}", f"{prefix}bit{per}"):
                units[spelling] = Unit(f"{prefix}bit/s", BYTES_PER_SECOND, factor / 8, bits=True)
        units[f"{prefix}byte/s"] = units[f"{prefix}bytes/s"] = units[f"{prefix}B/s"]
        units[f"{prefix}bits/s"] = units[f"{prefix}bit/s"]
    for prefix, factor in _DECIMAL.items():
        for spelling in (f"{prefix}FLOP", f"{prefix}FLOPs"):
            units[spelling] = Unit(f"{prefix}FLOP", FLOPS, factor)
        for spelling in (f"{prefix}FLOP/s", f"{prefix}FLOPs/s", f"{prefix}FLOPS"):
            units[spelling] = Unit(f"{prefix}FLOP/s", FLOPS_PER_SECOND, factor)
    for name, seconds in _TIMES.items():
        for spelling in (name, *_TIME_WORDS[name]):
            units[spelling] = Unit(name, SECONDS, seconds)
    for words, endings in ((_WORDS, _AFTER_WORDS | _FLOPS_AFTER_WORDS), (_BINARY_WORDS, _AFTER_WORDS)):
        for word, prefix in words.items():
            for ending, name in endings.items():
                units[word + ending] = units[prefix + name]
    for spelling in ("%", "percent", "per cent", "pct"):
        units[spelling] = Unit("%", SHARE, 0.01)
    for spelling in ("x", "×", "times"):
        units[spelling] = Unit("x", COUNT, 1)
    return units


_UNITS = _all_units()
# Small letters are taken as bytes: 38.5 gb is a lazy 38.5 GB, while Gb is a gigabit
_LAZY = {spelling.lower(): unit for spelling, unit in reversed(_UNITS.items()) if not unit.bits}
_LADDERS = {
    BYTES: ("B", "KB", "MB", "GB", "TB", "PB", "EB"),
    BYTES_PER_SECOND: ("B/s", "KB/s", "MB/s", "GB/s", "TB/s", "PB/s"),
    FLOPS: ("FLOP", "KFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP", "ZFLOP"),
    FLOPS_PER_SECOND: ("FLOP/s", "KFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s", "EFLOP/s"),
    SECONDS: ("us", "ms", "s", "min", "h", "days", "years"),
}
# From which value in seconds each step of the ladder of times is used
_TIME_STEPS = {"us": 0.0, "ms": 1e-3, "s": 0.1, "min": 120, "h": 7200, "days": 2 * 86400, "years": 2 * 365.25 * 86400}
_PYTHON_FORMAT = re.compile(r"[+]?[,_]?(\.\d{1,2})?[defg%]?$")
_FORMAT = re.compile(r"(?P<number>[+]?[,_]?(?:\.\d{1,2}[defg]?|[defg](?=\s))?)\s*(?P<unit>[A-Za-z%×µμ/]*)$")


def find(text: str) -> Unit | None:
    """The unit written as `text`, or None.

    >>> find("GiB").factor, find("gb").name, find("Gb").name, find("steps")
    (1073741824, 'GB', 'Gbit', None)
    """
    exact = _UNITS.get(text) or _LAZY.get(text) or _UNITS.get(text[:1].upper() + text[1:])
    return exact or _LAZY.get(text.lower()) or _UNITS.get(text.lower())


def spellings() -> list[str]:
    """Every way in which a unit may be written, the longer before those that they begin with."""
    return sorted(_UNITS, key=len, reverse=True)


def measure_of(unit: str) -> str:
    """What a figure in this unit measures: bytes, seconds, a share …; a noun such as steps is a count."""
    found = find(unit) if unit else None
    return found.measures if found else COUNT


def is_format(text: str) -> bool:
    """Whether `text` is one of the formats above."""
    return _read(text) is not None


def accepted_formats() -> str:
    return "B, GB, GiB, s, ms, FLOP, B/s, %, x, a number format such as , or .2f, or both as in .1f GB"


def _read(text: str) -> tuple[str, Unit | None] | None:
    """A format's number part and unit."""
    text = text.strip()
    if not text or (_PYTHON_FORMAT.match(text) and text != "%"):
        return text, None
    match = _FORMAT.match(text)
    unit = _UNITS.get(match["unit"]) if match else None
    return (match["number"], unit) if match and unit else None


def show(value: Any, form: str = "") -> str:
    """`value` (in base units: bytes, seconds, a share of 1) as people read it. Raises ValueError for an unknown form.

    >>> show(13476e6, "B"), show(38.5e9, "GB"), show(3 / 11, "%"), show(1.96875, "x"), show(126), show(303e6, ".1f MB")
    ('13.5 GB', '38.5 GB', '27.3%', '1.97x', '126', '303.0 MB')
    """
    read = _read(form)
    if read is None:
        raise ValueError(f"{form!r} is no format; accepted: {accepted_formats()}")
    if isinstance(value, (list, tuple)):
        return ", ".join(show(item, form) for item in value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return "" if value is None else str(value)
    number_format, unit = read
    if abs(value) > 1e300:
        return str(value)
    if unit is None:
        return _number(value, number_format)
    if form.strip() in AUTOMATIC:
        unit = _step(float(value), unit)
    number = _number(value / unit.factor, number_format)
    return number + unit.name if unit.name in ("%", "x") else f"{number} {unit.name}"


def one_of(noun: str) -> str:
    """A noun in the singular: what a count of one is followed by.

    >>> one_of("steps"), one_of("micro-batches"), one_of("copies"), one_of("GPU")
    ('step', 'micro-batch', 'copy', 'GPU')
    """
    for plural, singular in (("ches", "ch"), ("ies", "y"), ("s", "")):
        if noun.endswith(plural) and not noun.endswith("ss"):
            return noun.removesuffix(plural) + singular
    return noun


# Formats that choose the prefix themselves
AUTOMATIC = {"B": BYTES, "B/s": BYTES_PER_SECOND, "FLOP": FLOPS, "FLOP/s": FLOPS_PER_SECOND, "s": SECONDS}


def base(measure: str) -> Unit | None:
    """The unit in which values of this measure are kept; None for counts and shares."""
    return next((_UNITS[name] for name, measures in AUTOMATIC.items() if measures == measure), None)


def natural(value: float, form: str) -> Unit | None:
    """The unit in which `show` prints `value` in this format; None where it prints a bare number."""
    read = _read(form)
    if read is None or read[1] is None:
        return None
    return _step(value, read[1]) if form.strip() in AUTOMATIC else read[1]


def _step(value: float, unit: Unit) -> Unit:
    """The unit of the ladder in which `value` reads best."""
    ladder = [_UNITS[name] for name in _LADDERS[unit.measures]]
    if unit.measures == SECONDS:
        return next((step for step in reversed(ladder) if abs(value) >= _TIME_STEPS[step.name]), ladder[0])
    # 999.9996 KB would print as 1,000 KB: the next step is taken a little early
    return next((step for step in reversed(ladder) if abs(value) >= step.factor * 0.9999), ladder[0])


def _number(value: float, form: str) -> str:
    # A comma alone is what a bare number gets anyway
    if form and form != ",":
        try:
            return _exponent(format(int(value) if form.endswith("d") else value, form))
        except (ValueError, OverflowError):
            return str(value)
    if value == 0:
        return "0"
    if abs(value) < 1e15 and value == int(value):
        return f"{int(value):,}"
    if not 1e-4 <= abs(value) < 1e15:
        return _exponent(f"{value:.3g}")
    # Four digits where they say all there is to say (26.25), three where they would be cut anyway (13.476)
    exact = abs(float(f"{value:.4g}") - value) <= abs(value) * 1e-12
    digits = 4 if exact else 3
    return _fixed(value, digits)


def _exponent(figure: str) -> str:
    """A figure with its exponent as people write it: 8.4e22 for Python's 8.4e+22."""
    return re.sub(r"e(?:\+|(-))0*(?=\d)", lambda sign: f"e{sign[1] or ''}", figure)


def _fixed(value: float, digits: int) -> str:
    """`value` in so many significant digits (whole numbers in full), without an exponent and without final zeros."""
    from math import floor, log10

    rounded = float(f"{value:.{digits}g}")
    if abs(rounded) >= 10 ** (digits - 1):
        return f"{round(value):,}"
    places = max(0, digits - 1 - floor(log10(abs(rounded))))
    text = f"{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
