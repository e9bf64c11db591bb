"""How well each skill is remembered, read off the record: FSRS says when it should be practised again."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from fsrs import Card, Rating, Scheduler

from tutor.practice import PRACTICE as PRACTICE
from tutor.progress.store import Event

AGAIN, HARD, GOOD = Rating.Again.value, Rating.Hard.value, Rating.Good.value
# Without chance: the same record always gives the same days. What comes again within a session, the session decides
_SCHEDULER = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)


class Memory:
    """The state of every skill that has been practised."""

    def __init__(self, events: Iterable[Event]) -> None:
        self._cards: dict[str, Card] = {}
        self._wrong: set[str] = set()  # skills whose last answer was wrong
        for event in events:
            if event.kind == PRACTICE:
                self.take_in(event)

    def take_in(self, event: Event) -> None:
        """One more answer. A record that holds something else under this kind is passed over."""
        rating = event.detail.get("rating")
        if rating not in (AGAIN, HARD, GOOD):
            return
        card = self._cards.get(event.item) or Card(card_id=0, due=_moment(event.at))
        # A clock that was set back must not make time run backwards
        now = max(_moment(event.at), card.last_review or _moment(event.at))
        self._cards[event.item], _ = _SCHEDULER.review_card(card, Rating(rating), now)
        (self._wrong.add if rating == AGAIN else self._wrong.discard)(event.item)

    @property
    def count(self) -> int:
        """How many skills have been practised."""
        return len(self._cards)

    def knows(self, skill: str) -> bool:
        """Whether the skill has been practised before."""
        return skill in self._cards

    def is_due(self, skill: str, at: float) -> bool:
        """Whether it should be practised now."""
        return skill in self._cards and self._cards[skill].due <= _moment(at)

    def due_at(self, skill: str) -> float:
        """When it should be practised next, in seconds since 1970."""
        return self._cards[skill].due.timestamp()

    def retrievability(self, skill: str, at: float) -> float:
        """How likely it is to be remembered, 0 to 1."""
        return _SCHEDULER.get_card_retrievability(self._cards[skill], _moment(at))

    def was_wrong(self, skill: str) -> bool:
        """Whether the last answer to it was wrong."""
        return skill in self._wrong


def _moment(at: float) -> datetime:
    return datetime.fromtimestamp(max(0.0, min(at, 4e9)), UTC)
