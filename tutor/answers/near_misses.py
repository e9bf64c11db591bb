"""Slips that any question with a unit invites, told by the factor between what was typed and what is right."""

from __future__ import annotations

from dataclasses import dataclass

from tutor import units
from tutor.answers.numbers import Reading, TypedNumber
from tutor.units import BYTES, BYTES_PER_SECOND, COUNT, SECONDS, SHARE

# How close a factor has to be to count as this slip; 1.024 and 1.0737 are well apart
_CLOSE = 0.004
# Digits from which a factor is hardly chance; with fewer it has to be exact
_TELLING = 3
_EXACT = 1e-6


@dataclass(frozen=True)
class NearMiss:
    say: str
    misconception: str | None = None  # an id that courses may have in their list


def near_miss(typed: TypedNumber, right: float, unit: str) -> NearMiss | None:
    """The slip that leads from `right` (in base units) to what was typed for a question in `unit`, if it is one."""
    if right == 0:
        return None
    measure = units.measure_of(unit)
    for reading in typed.readings:
        found = _slip(reading, reading.value / right, right, measure, bare=typed.bare)
        if found:
            return found
    return None


def _slip(reading: Reading, factor: float, right: float, measure: str, *, bare: bool) -> NearMiss | None:
    if _is(factor, -1):
        return NearMiss("The size is right, the sign is not.")
    if measure in (BYTES, BYTES_PER_SECOND):
        found = _binary(reading, factor, right) or _bits(reading, factor, measure)
        if found:
            return found
    if measure in (SHARE, COUNT):
        found = _percentage(reading, factor, right, bare=bare)
        return found if found or measure == SHARE or abs(right) < 1000 else _thousands(factor, "the zeros", (1000,))
    if measure == SECONDS:
        for name, size in (("minutes", 60), ("hours", 3600), ("days", 86400)):
            if _is(factor, size) or _is(factor, 1 / size):
                return NearMiss(f"This is off by the factor between seconds and {name}.")
    return _thousands(factor, "the prefix of the unit")


def _binary(reading: Reading, factor: float, right: float) -> NearMiss | None:
    typed_binary = reading.unit is not None and "i" in reading.unit.name and not reading.unit.bits
    own = reading.unit.factor if reading.unit else 1
    for power, prefix in enumerate("KMGTP", 1):
        # Nobody has a dozen gigabytes in mind as petabytes or as kilobytes
        if not 0.01 <= abs(right) / 1000**power <= 1e5 and own not in (1000**power, 1024**power):
            continue
        ratio = 1024**power / 1000**power
        binary, decimal = f"{prefix}iB", f"{prefix}B"
        sizes = f"1 {binary} is 2**{10 * power} bytes, 1 {decimal} is 1e{3 * power}"
        if _is(factor, 1 / ratio) and typed_binary:
            return NearMiss(f"You divided by {ratio:.4g} once too often: {sizes}.", "gib-for-gb")
        if _is(factor, 1 / ratio):
            say = f"This is the number of {binary}, and {sizes}. Write {binary}, or give it in {decimal}."
            return NearMiss(say, "gib-for-gb")
        if _is(factor, ratio) and typed_binary:
            say = f"This is the number of {decimal}, and {sizes}. Write {decimal}, or give it in {binary}."
            return NearMiss(say, "gib-for-gb")
        if _is(factor, ratio):
            taken = f"You took 2**{10 * power} bytes for 1 {decimal}. That is 1 {binary}"
            return NearMiss(f"{taken}; 1 {decimal} is 1e{3 * power} bytes.", "gib-for-gb")
    return None


def _bits(reading: Reading, factor: float, measure: str) -> NearMiss | None:
    if reading.unit and reading.unit.bits and _is(factor, 1 / 8):
        return NearMiss("That many bytes, but you wrote bits: eight bits are one byte.", "bits-for-bytes")
    way = next((way for way in (8, 1 / 8) if _is(factor, way)), None)
    if way is None or (reading.step is not None and reading.digits < _TELLING and not _is(factor, way, _EXACT)):
        return None
    # Links are sold in bits. Elsewhere eight GPUs lead to an eighth too: a question, and no belief to be counted
    if way == 8:
        said = "This is eight times too much. Did you count bits? A byte has eight of them."
    else:
        said = "This is an eighth of it. Did you divide by eight, as from bits to bytes?"
    return NearMiss(said, "bits-for-bytes" if measure == BYTES_PER_SECOND else None)


def _percentage(reading: Reading, factor: float, right: float, *, bare: bool) -> NearMiss | None:
    if _is(factor, 100) and abs(right) <= 1:
        how = "Write it with %, or as a share of 1." if bare else "Write it with %."
        return NearMiss(f"This is the percentage, but it is read as a share of 1. {how}", "percent-for-share")
    if _is(factor, 0.01) and reading.unit is not None and reading.unit.measures == SHARE:
        return NearMiss("This is the share of 1, not the percentage: leave the % out.", "percent-for-share")
    return None


def _thousands(factor: float, look_at: str, bases: tuple[int, ...] = (1000, 1024)) -> NearMiss | None:
    for base in bases:
        for power in (1, 2, 3, 4):
            for exact, way in ((float(base) ** power, "too much"), (float(base) ** -power, "too little")):
                if _is(factor, exact):
                    say = f"The digits are right, but it is {base**power:,} times {way}: check {look_at}."
                    return NearMiss(say, "wrong-prefix")
    return None


def _is(factor: float, wanted: float, close: float = _CLOSE) -> bool:
    return abs(factor - wanted) <= close * abs(wanted)
