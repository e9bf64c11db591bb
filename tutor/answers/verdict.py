"""What the tutor says of a typed answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class NotUnderstood(ValueError):
    """Text that is no answer to this kind of question: one line that says what would be. It is not a try."""


@dataclass(frozen=True)
class Verdict:
    """A judged answer."""

    question: str
    right: bool
    value: Any  # what was understood: a number in the question's unit, an option id, a list of rows
    understood: str  # the same as it would be read back to the learner: "38.5 GB"
    reason: str  # for a wrong answer what is known of the mistake, never the right value; for a right one the why
    misconception: str | None = None
    difference: dict[str, Any] | None = None  # table and grid: the first wrong cell's coordinates and what was typed
