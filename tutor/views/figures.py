"""Numbers as the pictures write them: short, without noise in the last digits."""

from __future__ import annotations

from collections.abc import Sequence

from tutor import units

# Decimal multiples of a byte, as memory and traffic are quoted in the field
_UNITS = (("PB", 10**15), ("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("KB", 10**3), ("B", 1))


def number(value: int | float) -> str:
    """A cell's number: whole numbers whole, others to six digits.

    >>> number(303), number(2.0), number(0.1 + 0.2)
    ('303', '2', '0.3')
    """
    if isinstance(value, int):
        return str(value)
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    return f"{value:.6g}"


def percent(fraction: float) -> str:
    """A fraction as a percentage to three digits.

    >>> percent(1 / 4), percent(3 / 35), percent(1)
    ('25%', '8.57%', '100%')
    """
    return f"{100 * fraction:.3g}%" if fraction < 0.9995 else f"{100 * fraction:.0f}%"


def byte_unit(largest: float) -> tuple[str, int]:
    """The unit in which `largest` bytes is a number of at most three digits before the point, and its size.

    >>> byte_unit(112e9)
    ('GB', 1000000000)
    """
    return next((unit for unit in _UNITS if abs(largest) >= unit[1]), _UNITS[-1])


def in_unit(count: float, size: int) -> str:
    """`count` bytes in a unit of `size` bytes, to four digits.

    >>> in_unit(26.25e9, 10**9), in_unit(112e9, 10**9), in_unit(14e9, 10**9)
    ('26.25', '112', '14')
    """
    scaled = count / size
    return f"{scaled:.0f}" if abs(scaled) >= 1000 else f"{scaled:.4g}"


def in_bytes(count: float) -> str:
    """A byte count with its unit.

    >>> in_bytes(32), in_bytes(13.476e9)
    ('32 B', '13.5 GB')
    """
    return units.show(count, "B")


def in_unit_or_own(count: float, size: int) -> str:
    """Bytes in units of `size` bytes; a count that would hardly be seen there in a unit of its own.

    >>> in_unit_or_own(13476e6, 10**9), in_unit_or_own(24, 10**9)
    ('13.48', '24 B')
    """
    return in_unit(count, size) if count >= size / 1000 or count == 0 else in_bytes(count)


def in_table_bytes(count: float) -> str:
    """A byte count with its unit, in as many digits as the tables give: what stands beside one must agree with it.

    >>> in_table_bytes(14.9499e9), in_table_bytes(26.25e9), in_table_bytes(16)
    ('14.95 GB', '26.25 GB', '16 B')
    """
    name, size = byte_unit(count)
    return f"{in_unit(count, size)} {name}"


def each(counts: Sequence[int]) -> str:
    """Bytes of several workers: one figure where they are equal, else the least and the most.

    >>> each([32, 32]), each([24, 40, 32])
    ('32 B', '24 B to 40 B')
    """
    least, most = min(counts), max(counts)
    return in_bytes(least) if least == most else f"{in_bytes(least)} to {in_bytes(most)}"
