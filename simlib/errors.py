"""The one error of the engine: an argument that nothing can be computed from."""

from __future__ import annotations

from reprlib import Repr

_short = Repr()
_short.maxstring = _short.maxother = 60
_short.maxlist = _short.maxtuple = _short.maxdict = 6


class BadArgument(ValueError):
    """An argument that cannot be computed with, named with its value and what would be accepted.

    >>> raise BadArgument("workers", 0, "a whole number from 1 to 1024")
    Traceback (most recent call last):
    ...
    simlib.errors.BadArgument: workers is 0; accepted: a whole number from 1 to 1024
    """

    def __init__(self, name: str, value: object, accepted: str) -> None:
        self.name = name
        self.value = value
        self.accepted = accepted
        try:
            # An array's repr has several lines; an error has one
            shown = " ".join(_short.repr(value).split())
        except ValueError:
            shown = "too long to show"  # Python writes no whole number of more than 4,300 digits
        super().__init__(f"{name} is {shown}; accepted: {accepted}")


def whole_number(name: str, value: object, least: int = 1, most: int | None = None) -> int:
    """`value` as an int from `least` to `most` (both included); raises BadArgument otherwise.

    A float that is a whole number counts as one, so 7e9 parameters are accepted. A bool does not.

    >>> whole_number("params", 7e9)
    7000000000
    """
    accepted = (
        f"a whole number from {least:,} to {most:,}" if most is not None else f"a whole number, {least:,} or more"
    )
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadArgument(name, value, accepted)
    # inf and nan have no int; a fraction is not rounded behind the caller's back
    if value != value or value in (float("inf"), float("-inf")) or int(value) != value:
        raise BadArgument(name, value, accepted)
    number = int(value)
    if number < least or (most is not None and number > most):
        raise BadArgument(name, value, accepted)
    return number


def positive_number(name: str, value: object, *, zero: bool = False) -> float:
    """`value` as a finite float above zero (or zero too, with `zero=True`); raises BadArgument otherwise."""
    accepted = "a finite number, 0 or more" if zero else "a finite number above 0"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadArgument(name, value, accepted)
    try:
        number = float(value)
    except OverflowError:
        raise BadArgument(name, value, accepted) from None
    if number != number or number == float("inf") or number < 0 or (number == 0 and not zero):
        raise BadArgument(name, value, accepted)
    return number


def one_of(name: str, value: object, choices: tuple[str, ...]) -> str:
    """`value` if it is one of `choices`; raises BadArgument that lists them otherwise."""
    if not isinstance(value, str) or value not in choices:
        raise BadArgument(name, value, ", ".join(choices))
    return value
