"""What a learner keeps believing, read off the record: beliefs that met them in wrong answers, and how often."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tutor.practice.memory import PRACTICE
from tutor.progress.store import Event

_ANSWERS = ("answer", PRACTICE)


@dataclass
class Belief:
    """How often it was behind a wrong answer, and how often a problem that could have shown it was right since."""

    times: int = 0
    right_since: int = 0

    @property
    def held(self) -> bool:
        """Whether it may still be believed."""
        return self.times > self.right_since


class Beliefs:
    """The beliefs of one learner. `meets` names, for an item, the beliefs that its wrong answers can show."""

    def __init__(self, events: Iterable[Event], meets: dict[str, frozenset[str]]) -> None:
        self._meets = meets
        self._found: dict[str, Belief] = {}
        for event in events:
            if event.kind in _ANSWERS:
                self.take_in(event)

    def take_in(self, event: Event) -> None:
        """One more answer."""
        belief = event.detail.get("misconception")
        if isinstance(belief, str):
            found = self._found.setdefault(belief, Belief())
            found.times, found.right_since = found.times + 1, 0
        elif event.detail.get("right") is True:
            for name in self._meets.get(event.item, frozenset()):
                if name in self._found:
                    self._found[name].right_since += 1

    def times(self, belief: str) -> int:
        """How often it was behind a wrong answer."""
        return self._found[belief].times if belief in self._found else 0

    def found(self) -> list[tuple[str, Belief]]:
        """All that were behind a wrong answer, the most frequent first."""
        return sorted(self._found.items(), key=lambda each: -each[1].times)

    def held(self) -> set[str]:
        """Those that may still be believed."""
        return {name for name, found in self._found.items() if found.held}
