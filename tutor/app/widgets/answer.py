"""What all ways of answering have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from textual.message import Message


@dataclass
class Drafted(Message):
    """The answer that is being written has changed."""

    text: str


@dataclass
class Answered(Message):
    """The learner gives this answer; empty where there is nothing to judge yet."""

    text: str


class AnswerWidget(Protocol):
    """A widget in which a question is answered. It posts Drafted and Answered."""

    NOTHING_YET: str  # what to say when Enter comes with nothing to judge

    def restore(self, draft: str) -> None:
        """Shows what was half written."""

    def wrong(self, text: str, difference: dict[str, Any] | None) -> None:
        """Shows that this answer was wrong, and where."""

    def settle(self, solved: bool) -> None:
        """Shows the right answer, where it can: the question is done."""

    def take_focus(self) -> None:
        """Takes the keys."""
