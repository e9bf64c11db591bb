"""Fractions as they are said: an eighth, two thirds, three quarters, half, 1/8th."""

from __future__ import annotations

import re

_COUNTED = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_PARTS = {
    "half": 2,
    "halve": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
    "eleventh": 11,
    "twelfth": 12,
    "sixteenth": 16,
    "twentieth": 20,
    "hundredth": 100,
    "thousandth": 1000,
}
_HOW_MANY = {"a": 1, "an": 1, **{word: number for number, word in enumerate(_COUNTED, 1)}}
# Alone, only half and quarter are fractions: a third is a share, the third is a place in a row
_SAID = re.compile(
    rf"(?:(?P<many>\d+|{'|'.join(sorted(_HOW_MANY, key=len, reverse=True))})[\s-]+(?P<part>{'|'.join(_PARTS)})s?"
    r"|(?P<alone>half|quarter))\b(?!\s*\d)",
    re.I,
)
_ORDINAL = re.compile(r"(?<=/)(\s*\d+)(?:st|nd|rd|th)s?\b", re.I)


def in_figures(text: str) -> str:
    """`text` with a fraction that is said in words at its start in figures, and 1/8th as 1/8.

    >>> in_figures("an eighth of it"), in_figures("two-thirds"), in_figures("half"), in_figures("1/8th")
    ('(1/8) of it', '(2/3)', '(1/2)', '1/8')
    >>> in_figures("third"), in_figures("8 steps")
    ('third', '8 steps')
    """
    said = _SAID.match(text)
    if said is None:
        return _ORDINAL.sub(r"\1", text)
    many, part = (said["many"] or "a").lower(), (said["part"] or said["alone"]).lower()
    return f"({_HOW_MANY.get(many) or int(many)}/{_PARTS[part]}){text[said.end() :]}"
