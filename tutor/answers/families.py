"""Families of questions: the numbers that a member's prompt, answer and wrong answers are about."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tutor.course.model import Question


def count_members(question: Question) -> int:
    """How many members a question has: 1 for one that varies nothing."""
    return math.prod(len(values) for values in question.vary.values())


def member(question: Question, seed: int | None = None) -> dict[str, float | str]:
    """The variables of one member: what `given` fixes, and one value of each list of `vary`.

    Without a seed it is the first of each list, as the lesson shows it. Seeds one after another go
    through all members before any comes again.
    """
    total = count_members(question)
    rest = 0 if seed is None else (seed * _stride(total)) % total
    chosen: dict[str, float | str] = dict(question.given)
    for name, values in question.vary.items():
        rest, index = divmod(rest, len(values))
        chosen[name] = values[index]
    return chosen


def members(question: Question, most: int | None = None) -> Iterator[tuple[int, dict[str, float | str]]]:
    """Seeds and variables of every member, or of `most` of them spread over the whole family."""
    total = count_members(question)
    for seed in range(total if most is None else min(total, most)):
        yield seed, member(question, seed)


def _stride(total: int) -> int:
    """A step through `total` members that meets each once and takes neighbours far apart."""
    stride = max(1, round(total * 0.618))
    while math.gcd(stride, total) != 1:
        stride += 1
    return stride
