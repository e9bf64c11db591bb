"""What a quantity is, how its arguments are read, and how its worked line is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import floor, log10
from typing import Any

from simlib.errors import BadArgument

Result = int | float | list[Any] | None

WHOLE, NUMBER, FLAG, WORD, NUMBERS = "whole", "number", "flag", "word", "numbers"

_REQUIRED: Any = object()


class _Missing:
    def __repr__(self) -> str:
        return "missing"


_MISSING = _Missing()
_KINDS = {
    WHOLE: "a whole number",
    NUMBER: "a number",
    FLAG: "true or false",
    WORD: "a word",
    NUMBERS: "a list of numbers",
}
_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


@dataclass(frozen=True)
class Parameter:
    """An argument of a quantity. `kind` is "whole", "number", "flag", "word" or "numbers" (a list)."""

    name: str
    kind: str
    help: str
    symbol: str = ""  # how formulas write it
    given: Any = field(default=_REQUIRED, repr=False)
    unit: str = ""  # "B", "s", "B/s" or "FLOP/s"; empty for counts, shares and words

    @property
    def required(self) -> bool:
        """Whether it has to be given."""
        return self.given is _REQUIRED

    @property
    def default(self) -> Any:
        """Its value where it is not given; None where it has to be."""
        return None if self.required else self.given


@dataclass(frozen=True)
class Outcome:
    """A computed value where the formula depends on the arguments, or needs figures that are no arguments."""

    value: Result
    formula: str = ""  # this case's formula; empty for the quantity's own
    symbols: Mapping[str, Any] = field(default_factory=dict)  # figures besides the arguments
    worked: str = ""  # the worked line, where it is no formula with numbers in


@dataclass(frozen=True)
class Quantity:
    """A figure that can be asked for by name."""

    name: str
    parameters: tuple[Parameter, ...]
    unit: str  # "B", "s", "B/s", "FLOP", "FLOP/s"; empty for counts, shares and factors
    formula: str
    source: str
    help: str
    compute: Callable[..., Result | Outcome] = field(repr=False)


@dataclass(frozen=True)
class Value:
    """A quantity computed: `worked` is the formula with the numbers in, ending in the value."""

    name: str
    arguments: Mapping[str, Any]
    value: Result
    unit: str
    formula: str
    worked: str


REGISTRY: dict[str, Quantity] = {}


def define(
    name: str, *parameters: Parameter, unit: str = "", formula: str, source: str
) -> Callable[[Callable[..., Result | Outcome]], Callable[..., Result | Outcome]]:
    """Enter the decorated function into the registry; its docstring is the quantity's help."""

    def enter(compute: Callable[..., Result | Outcome]) -> Callable[..., Result | Outcome]:
        text = " ".join((compute.__doc__ or "").split())
        REGISTRY[name] = Quantity(name, parameters, unit, formula, source, text, compute)
        return compute

    return enter


def find(name: str) -> Quantity:
    """The quantity called `name`. Raises BadArgument that names the nearest ones."""
    if isinstance(name, str) and name in REGISTRY:
        return REGISTRY[name]
    raise BadArgument("quantity", name, f"{_nearest(str(name), list(REGISTRY))} (all: calc --list)")


def compute(quantity: Quantity, given: Mapping[str, Any]) -> Value:
    """`quantity` for the arguments `given`. Raises BadArgument for an argument that is missing, unknown or wrong."""
    known = {parameter.name: parameter for parameter in quantity.parameters}
    for name, value in given.items():
        if name not in known:
            accepted = f"{quantity.name} takes {', '.join(known)}" if known else f"{quantity.name} takes no arguments"
            raise BadArgument(name, value, accepted)
    arguments = {}
    for parameter in quantity.parameters:
        if parameter.name in given:
            arguments[parameter.name] = read(parameter, given[parameter.name])
        elif parameter.required:
            raise BadArgument(parameter.name, _MISSING, f"{_KINDS[parameter.kind]}: {parameter.help}")
        else:
            arguments[parameter.name] = parameter.given
    try:
        outcome = quantity.compute(**arguments)
    except (OverflowError, ZeroDivisionError):
        raise BadArgument("arguments", dict(given), "numbers of a size that can be computed with") from None
    if not isinstance(outcome, Outcome):
        outcome = Outcome(outcome)
    value = plain(outcome.value)
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        raise BadArgument("arguments", dict(given), "numbers of a size that can be computed with")
    formula = outcome.formula or quantity.formula
    worked = outcome.worked or _worked(quantity, formula, arguments, outcome, value)
    return Value(quantity.name, arguments, value, quantity.unit, formula, worked)


def read(parameter: Parameter, value: Any) -> Any:
    """`value`, as a number, a bool or text, in the parameter's kind. Raises BadArgument."""
    match parameter.kind:
        case "flag":
            word = str(value).strip().lower() if isinstance(value, (str, bool, int)) else ""
            if word not in _TRUE + _FALSE:
                raise BadArgument(parameter.name, value, _KINDS[FLAG])
            return word in _TRUE
        case "word":
            if not isinstance(value, str):
                raise BadArgument(parameter.name, value, parameter.help)
            return value.strip()
        case "numbers":
            items = re.split(r"[,\s]+", value.strip(" []()")) if isinstance(value, str) else value
            if not isinstance(items, Sequence) or isinstance(items, bytes):
                raise BadArgument(parameter.name, value, f"{_KINDS[NUMBERS]}: {parameter.help}")
            return [_number(f"{parameter.name}[{place}]", item, parameter) for place, item in enumerate(items)]
        case _:
            return _number(parameter.name, value, parameter)


def _number(name: str, value: Any, parameter: Parameter) -> int | float:
    what = _KINDS[WHOLE if parameter.kind == WHOLE else NUMBER]
    number = value
    if isinstance(value, str):
        try:
            number = int(value)
        except ValueError:
            try:
                number = float(value)
            except ValueError:
                raise BadArgument(name, value, f"{what}: {parameter.help}") from None
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise BadArgument(name, value, f"{what}: {parameter.help}")
    if number != number or abs(number) > 1e100:
        raise BadArgument(name, value, f"{what} of at most 1e100: {parameter.help}")
    if number == int(number):
        return int(number)
    if parameter.kind == WHOLE:
        raise BadArgument(name, value, f"{what}: {parameter.help}")
    return number


def plain(value: Result) -> Result:
    """A float that is a whole number as an int, so that it prints and compares as one."""
    if isinstance(value, float) and abs(value) < 1e300 and value == int(value):
        return int(value)
    return value


def written(number: Any) -> str:
    """A figure as it stands in a worked line.

    >>> written(7_000_000_000), written(16777216), written(0.0523), written(1.5e-6)
    ('7e9', '16,777,216', '0.0523', '1.5e-6')
    >>> written(38.5e9), written(0)
    ('38.5e9', '0')
    """
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return str(number)
    if number == int(number) and abs(number) < 1e15 and (int(number) % 10**6 or number == 0):
        return f"{int(number):,}"
    if 1e-3 <= abs(number) < 1e6:
        return f"{number:.6g}"
    # Powers of a thousand, as in 13.476e9 bytes and 5e-6 seconds
    thousands = floor(log10(abs(number)) / 3) * 3
    mantissa = f"{number / 10.0**thousands:.6g}"
    return f"{mantissa}e{thousands}" if float(mantissa) < 1000 else f"{number:.5e}"


def _worked(quantity: Quantity, formula: str, arguments: Mapping[str, Any], outcome: Outcome, value: Result) -> str:
    symbols = {parameter.symbol or parameter.name: arguments[parameter.name] for parameter in quantity.parameters}
    symbols |= outcome.symbols
    with_numbers = re.sub(
        r"[A-Za-z_]\w*", lambda match: written(symbols[match[0]]) if match[0] in symbols else match[0], formula
    )
    ending = f"{written(value)} {quantity.unit}".strip()
    parts = [formula] if with_numbers == formula else [formula, with_numbers]
    return " = ".join(parts if parts[-1] == ending else [*parts, ending])


def _nearest(name: str, names: list[str]) -> str:
    """The names closest to `name`, of the same family if nothing else is near."""
    family, _, last = name.partition(".")
    near = get_close_matches(name, names, n=3, cutoff=0.6)
    near += [other for other in names if other.startswith(f"{family}.") or (last and other.endswith(f".{last}"))]
    return ", ".join(list(dict.fromkeys(near))[:4] or sorted(names)[:4])
