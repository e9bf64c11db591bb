"""A learner's run and the engine's, step by step: both at the same step, and what is different between them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum

from tutor.views.beside import Beside
from tutor.views.picture import Picture


class Side(StrEnum):
    """What is looked at where there is no room for both."""

    DIFFERENCE = "difference"
    YOURS = "yours"
    ENGINE = "engine"


class Comparison(ABC):
    """Steps count from `first_step` to `last_step`; it opens at `opens_at`, with `side` where both do not fit."""

    first_step: int = 1
    last_step: int
    opens_at: int
    side: Side = Side.DIFFERENCE
    unit: str = "step"

    @abstractmethod
    def picture(self, step: int, side: Side) -> Picture:
        """One side at this step, its differing cells marked; both numbers in each such cell for the difference."""

    @abstractmethod
    def caption(self, step: int) -> str:
        """One line: where this is, and how much differs."""

    def spoken(self, step: int) -> str:
        """The same in words alone, for who listens."""
        return self.caption(step)

    @abstractmethod
    def titles(self, step: int) -> tuple[str, str]:
        """What the learner's picture is called, and the engine's."""

    def both(self, step: int) -> Beside:
        """The learner's picture and the engine's."""
        return Beside(self.picture(step, Side.YOURS), self.picture(step, Side.ENGINE), self.titles(step))

    def within(self, step: int) -> int:
        """The nearest step that there is."""
        return min(max(self.first_step, step), self.last_step)
