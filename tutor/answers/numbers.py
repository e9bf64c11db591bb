"""A number as a person types it, with or without a unit: 38.5 | 38,500 MB | 4*7+12*7/8 | 27.3 % | 1_000."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from math import isfinite

from tutor import units
from tutor.answers.spoken import in_figures
from tutor.answers.sums import in_base_units
from tutor.answers.verdict import NotUnderstood
from tutor.course import arithmetic
from tutor.course.arithmetic import NotArithmetic
from tutor.safe_text import visible
from tutor.units import COUNT, SHARE, Unit

LONGEST = 200  # characters of a typed number

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("−–—‒﹣－", "-"),
        **dict.fromkeys("·⋅∙✕✖∗", "*"),
        **dict.fromkeys("÷∕⁄", "/"),
        **dict.fromkeys("’‘´", "'"),
        "＋": "+",
        "％": "%",
        "^": "**",
    }
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_RAISED = re.compile("[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_FRACTION = re.compile("[¼½¾⅐-⅞]")
_BEFORE = re.compile(
    r"(?:=|~|≈|≃|#|about|approximately|approx\.?|circa|ca\.?|roughly|around|no\.|it is|it's"
    r"|(?:by )?(?:a )?factor(?: of)?|[x×](?=\s*\d))\s*",
    re.I,
)
_FOLD = re.compile(r"(?<=[\d)])[\s-]*fold\b", re.I)
_A_SECOND = re.compile(r"(?<=[A-Za-z])\s+(?:per|a)\s+(?:second|sec|s)\b", re.I)
_FULL_STOP = re.compile(r"(?<=[^\d.])[.!?]+$")
_RATIO = re.compile(r"(?<=\d)\s*:\s*(?=\d)")  # 9:1, 1:8
# What a number is called before it is said: chunk 6, stage 2, N = 6
_CALLED = re.compile(
    r"(?:(?:worker|rank|chunk|stage|step|slot|layer|bucket|gpu|micro-?batch|number|total|answer|bubble)s?"
    r"(?:\s+(?:is|number|no\.?))?\s*[:=#]?\s*|[a-z_]+\s*=\s*)(?=[-+(.\d])",
    re.I,
)
# The forms of one number, the stricter first: 38,500.5 | 38 500 | 38'500 | 1.234,5 | 38,5 | 1_000 | 3.85e10
_NUMBER = re.compile(
    r"(?P<grouped>[1-9]\d{0,2}(?:(?:,\d{3})+|(?: \d{3})+|(?:'\d{3})+)(?:\.\d+)?)(?![\d,'_])"
    r"|(?P<european>[1-9]\d{0,2}(?:(?:\.\d{3})+,\d+|(?:\.\d{3}){2,}))(?![\d,.'_])"
    r"|(?P<comma>\d+,\d+(?:[eE][+-]?\d+)?)(?![\d,.'_])"
    r"|(?P<plain>(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?)(?!\d|['_]\d|,\d)"
)
_OPERATOR = re.compile(r"\*\*|//|[-+*/()]|(?:[x×%](?=\s*[\d.(]))|,(?=\s)")
_FUNCTION = re.compile(rf"(?:{'|'.join(arithmetic.FUNCTIONS)})(?=\s*\()")
_SPACE = re.compile(r"\s*")
_OTHER_BASE = re.compile(r"(?<![\d.])0[xob][\da-f]", re.I)
# Words that may stand after a number or its unit and change nothing: 38.5 GB per GPU, 9 times as many, 27% of the total
_FILLER_WORDS = """
    per each a an the for on of in by every all altogether more less or so them it about approximately approx circa
    roughly around exactly total time as many much large long idle busy ideal here now memory model card array ring
    worker rank gpu node server chunk slice number value element parameter token sample batch micro-batch step slot cell
    stage layer bucket message copy hop call bit byte sent params param other
    collective all-reduce all-gather reduce-scatter sequence head link pair piece
"""
_FILLERS = frozenset(_FILLER_WORDS.split())
_EXAMPLES = {
    COUNT: "12, 1,200, 1.2e3 or 100/8",
    SHARE: "12.5%, 0.125 or 1/8",
    units.BYTES: "12.5 GB, 12.5e9, 11.6 GiB, 12,500 MB or 100/8 GB",
    units.SECONDS: "0.125 s, 125 ms or 1/8",
    units.FLOPS: "12.5 TFLOP or 1.25e13",
    units.BYTES_PER_SECOND: "12.5 GB/s, 1.25e10 or 100 Gbit/s",
    units.FLOPS_PER_SECOND: "12.5 TFLOP/s or 1.25e13",
}


@dataclass(frozen=True)
class Reading:
    """One way to take what was typed."""

    value: float  # in base units: bytes, seconds, a share of 1
    unit: Unit | None  # the unit in which it was typed, or is taken to be
    step: float | None  # what one more in the last typed digit is worth, in base units; None for arithmetic
    digits: int  # significant digits typed


@dataclass(frozen=True)
class TypedNumber:
    """What was typed, in every way in which it may be meant; the likeliest first."""

    readings: tuple[Reading, ...]
    bare: bool  # no unit was typed


def read_number(text: str, unit: str = "", natural: Unit | None = None) -> TypedNumber:
    """What was typed for a question in `unit`; `natural` is the unit in which its answer is shown.

    A number without a unit may be meant in the unit of the question, in the one its answer is shown
    in, or in the base unit (38.5e9 for 38.5 GB). Raises NotUnderstood with what would be accepted.
    """
    asked = units.find(unit) if unit else None
    measure = asked.measures if asked else COUNT
    tidy = _tidy(text, measure)
    if _OTHER_BASE.search(tidy):
        raise _not_understood(text, measure, "is no decimal number")
    added = in_base_units(tidy, measure)
    if added is not None:
        value = _worked_out(_numeric_part(added[0])[1], text, measure)
        return TypedNumber((Reading(value, added[1], None, 0),), bare=False)
    end, canonical, literals = _numeric_part(tidy)
    if not canonical:
        raise _not_understood(text, measure, "is no number")
    value = _worked_out(canonical, text, measure)
    typed_unit, factor = _unit_after(tidy[end:], text, unit, measure)
    step, digits = (
        _resolution(canonical) if literals == 1 and re.fullmatch(r"[-+]?[\d.eE+-]+", canonical) else (None, 0)
    )
    ways: list[tuple[float, Unit | None]] = []
    if typed_unit is not None or factor is not None:
        ways.append(((typed_unit.factor if typed_unit else 1.0) * (factor or 1.0), typed_unit))
    else:
        for way in (natural if asked and unit in units.AUTOMATIC else asked, asked):
            ways.append((way.factor, way) if way else (1.0, None))
        ways.append((1.0, units.base(measure)))
    # The first of two ways that come to the same
    different = {times: _reading(value, step, digits, times, way) for times, way in reversed(ways)}
    likeliest_first = [different[times] for times in dict.fromkeys(times for times, _ in ways)]
    readings = tuple(reading for reading in likeliest_first if isfinite(reading.value))
    if not readings:
        raise _not_understood(text, measure, "is too large")
    return TypedNumber(readings, bare=typed_unit is None)


def _worked_out(canonical: str, text: str, measure: str) -> float:
    try:
        return float(arithmetic.evaluate(arithmetic.parse(canonical), _no_name, _no_bracket))
    except NotArithmetic as error:
        raise _not_understood(text, measure, f"cannot be worked out: {error}") from None


def _reading(value: float, step: float | None, digits: int, factor: float, unit: Unit | None) -> Reading:
    return Reading(value * factor, unit, None if step is None else step * factor, digits)


def accepted(unit: str) -> str:
    """What may be typed for a question in `unit`, by examples that have nothing to do with its answer."""
    return f"a number such as {_EXAMPLES[units.measure_of(unit)]}"


def _not_understood(text: str, measure: str, what: str) -> NotUnderstood:
    shown = visible(text.strip())
    shown = shown if len(shown) <= 40 else f"{shown[:37]}…"
    return NotUnderstood(f"{shown!r} {what}; accepted: a number such as {_EXAMPLES[measure]}")


def _no_name(name: str) -> float:
    raise NotArithmetic(f"{name!r} is no number; put the numbers in")


def _no_bracket(_: str) -> float:
    raise NotArithmetic("square brackets mean nothing here")


def _tidy(text: str, measure: str) -> str:
    """`text` with the many signs of one meaning made one."""
    if not text.strip():
        raise NotUnderstood(f"nothing was typed; accepted: a number such as {_EXAMPLES[measure]}")
    if len(text) > LONGEST:
        raise NotUnderstood(f"longer than {LONGEST} characters; accepted: a number such as {_EXAMPLES[measure]}")
    text = _RAISED.sub(lambda match: f"**({match[0].translate(_SUPERSCRIPTS)})", text)
    text = _FRACTION.sub(lambda match: f"({unicodedata.normalize('NFKD', match[0])})", text)
    text = "".join(_plain_digit(character) for character in text.translate(_SIGNS)).strip()
    text = _FOLD.sub(" times", _FULL_STOP.sub("", text))
    if measure in (units.BYTES_PER_SECOND, units.FLOPS_PER_SECOND):
        text = _A_SECOND.sub("/s", text)
    if measure in (COUNT, SHARE):
        text = _RATIO.sub("/", text)
    for before in (_CALLED, _BEFORE):
        text = text[match.end() :] if (match := before.match(text)) else text
    return in_figures(text) if measure in (COUNT, SHARE) else text


def _plain_digit(character: str) -> str:
    if character.isascii():
        return character
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    return " " if character.isspace() else character


def _numeric_part(text: str) -> tuple[int, str, int]:
    """Where the arithmetic at the start of `text` ends, the arithmetic in plain form, how many numbers it has."""
    position, parts, literals = 0, [], 0
    while True:
        start = _SPACE.match(text, position).end()  # type: ignore[union-attr]
        number = _NUMBER.match(text, start)
        if number:
            parts.append(_plain_number(number))
            literals += 1
            position = number.end()
            continue
        other = _OPERATOR.match(text, start) or _FUNCTION.match(text, start)
        if other is None:
            return position, " ".join(parts).replace("- ", "-"), literals
        parts.append("*" if other[0] in "x×" else other[0])
        position = other.end()


def _plain_number(match: re.Match[str]) -> str:
    if match["grouped"]:
        return re.sub(r"[, ']", "", match["grouped"])
    if match["european"]:
        return match["european"].replace(".", "").replace(",", ".")
    if match["comma"]:
        return match["comma"].replace(",", ".")
    return match["plain"].replace("_", "")


def _resolution(number: str) -> tuple[float, int]:
    """What the last digit of a number counts, and how many digits are significant: 38.50 -> (0.01, 4)."""
    mantissa, _, exponent = number.lower().lstrip("+-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = len((whole + fraction).lstrip("0"))
    power = int(exponent or 0) - len(fraction)
    return (10.0**power if abs(power) < 300 else 0.0), digits


def _unit_after(text: str, typed: str, unit: str, measure: str) -> tuple[Unit | None, float | None]:
    """The unit in the words after a number, and a multiple such as billion; (None, None) when there is neither."""
    rest = _CARD.sub("cards", text.strip().rstrip(".!?"))
    if not rest:
        return None, None
    unclear = _not_understood(typed, measure, f"is not clear from {visible(rest[:20])!r} on")
    if any(character.isdigit() for character in rest) or len(rest) > 60:
        raise unclear
    words = rest.split()
    factor: float | None = None
    if words[0].lower() in units.MULTIPLES:
        factor = float(units.MULTIPLES[words[0].lower()])
        words = words[1:]
    elif measure == COUNT and words[0].upper() in _COUNT_SUFFIXES:
        factor = float(_COUNT_SUFFIXES[words[0].upper()])
        words = words[1:]
    found, after = _unit_in(words, measure) if words else (None, [])
    if found is None:
        if words and measure not in (COUNT, SHARE) and not _is_filler(words[0], unit):
            raise _not_understood(typed, measure, f"has {visible(words[0][:20])!r}, which is no unit of {measure}")
    elif found.measures != measure and not {found.measures, measure} <= {COUNT, SHARE}:
        # 3 times and 3x are 3, 27% of anything is 0.27; but bytes are no seconds
        wanted = "a share" if measure == SHARE else "a plain number" if measure == COUNT else measure
        raise _not_understood(typed, measure, f"is in {found.measures}; this asks for {wanted}")
    if not all(_is_filler(word, unit) for word in after):
        raise unclear
    if found is None and factor is not None:
        found = units.base(measure)  # 112 billion, of bytes
    return found, factor


def _is_filler(word: str, unit: str) -> bool:
    """Whether a word after a number says nothing more about it; the question's own noun, `steps`, among them."""
    parts = [part.strip(",;:()") for part in word.lower().split("/")]
    own = {unit.lower(), units.one_of(unit.lower())}
    return all(not part or part in _FILLERS or part in own or units.one_of(part) in _FILLERS for part in parts)


_CARD = re.compile(r"\b[ABHLV]\d{2,3}s?\b")  # 35 H100s
_PREFIX = re.compile(r"[KMGTPEZYkmgtp]i?")
_COUNT_SUFFIXES = {"K": 10**3, "M": 10**6, "B": 10**9, "G": 10**9, "T": 10**12}


def _unit_in(words: list[str], measure: str) -> tuple[Unit | None, list[str]]:
    """The unit that the first words name (`GB`, `per cent`, `GB/GPU`, `GB,`), and the words after it."""
    first = words[0]
    head, _, tail = first.partition("/")
    base = units.base(measure)
    if _PREFIX.fullmatch(first) and base and measure != units.SECONDS:
        return units.find(first + base.name), words[1:]  # 112 G, where bytes are asked for
    ways = [(" ".join(words[:2]), words[2:]), (first, words[1:]), (first.rstrip(",;:"), words[1:])]
    for name, after in [*ways, (head, [tail, *words[1:]])]:
        unit = units.find(name)
        if unit:
            # Small letters cannot say which is meant: teraflops are FLOPs, or FLOPs a second
            rate = units.find(f"{unit.name}/s") if unit.measures == units.FLOPS and name.endswith("s") else None
            return (rate if rate and measure == rate.measures else unit), after
    return None, words
