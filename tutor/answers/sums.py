"""Sums of sizes or times, each with its unit: 28 GB + 10.5 GB, 10 us + 20 us, 84 GB / 8 + 28 GB."""

from __future__ import annotations

import re

from tutor import units
from tutor.units import COUNT, SHARE, Unit

# Over a word it says what a size is of (38.5 GB/GPU), and 1e-6 has no unit called e
_OPERATOR = r"\s*(?:[-+*)]|/(?!\s*[A-Za-z]))"
_UNIT = re.compile(rf"(?<=[\d.)])\s*(?![eE][-+]?\d)(?P<name>[A-Za-zµμ]+(?:/s\b)?)(?={_OPERATOR}|\s*$)")
_GOES_ON = re.compile(_OPERATOR)


def in_base_units(text: str, measure: str) -> tuple[str, Unit] | None:
    """`text` with every unit as a factor (bytes, seconds, …), and its first unit; None where it is no such sum.

    Every summand has one unit, so that 28 GB + 10.5 is none: nobody can tell what the second number counts.

    >>> in_base_units("10 us + 20 us", units.SECONDS)[0]
    '10*1e-06 + 20*1e-06'
    >>> in_base_units("28 GB + 10.5", units.BYTES), in_base_units("28 GB", units.BYTES)
    (None, None)
    """
    if measure in (COUNT, SHARE):
        return None
    found = [(match, units.find(match["name"])) for match in _UNIT.finditer(text)]
    if not any(_GOES_ON.match(text, match.end()) for match, _ in found):
        return None
    named = [unit for _, unit in found if unit is not None and unit.measures == measure]
    if len(named) < len(found) or any(len(_UNIT.findall(summand)) != 1 for summand in _summands(text)):
        return None
    factors = iter(named)
    return _UNIT.sub(lambda _: f"*{next(factors).factor!r}", text), named[0]


def _summands(text: str) -> list[str]:
    """What stands between the plus and minus signs outside all brackets."""
    parts, depth = [""], 0
    for place, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        before = text[:place].rstrip()
        # The sign of an exponent (1e-6) or of a number (* -3) parts nothing
        if character in "+-" and depth == 0 and before and before[-1] not in "+-*/(" and not _exponent(text, place):
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _exponent(text: str, place: int) -> bool:
    return bool(re.search(r"\d\.?[eE]$", text[:place])) and text[place + 1 : place + 2].isdigit()
