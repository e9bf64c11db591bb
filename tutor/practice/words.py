"""What is said of practice in the same words everywhere."""

from __future__ import annotations

NOTHING_LEFT = "Nothing more is due, and nothing is new: come back another day, or open another lesson."


def due_line(due: int) -> str:
    """How much is due, in a sentence.

    >>> due_line(1), due_line(3)
    ('1 thing is due today.', '3 things are due today.')
    """
    if not due:
        return "Nothing is due today."
    return f"{due} {'thing is' if due == 1 else 'things are'} due today."


def ordinal(number: int) -> str:
    """The number in a row.

    >>> [ordinal(number) for number in (2, 3, 11, 22)]
    ['second', 'third', '11th', '22nd']
    """
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return {2: "second", 3: "third"}.get(number, f"{number}{ending}")
