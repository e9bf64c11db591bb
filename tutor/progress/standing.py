"""Where a learner stands, read off the record: what is solved, what was revealed, how far each lesson is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tutor.progress.store import Event

OPEN, SOLVED, REVEALED = "open", "solved", "revealed"


@dataclass(frozen=True)
class ItemStanding:
    """One question or exercise. Once revealed it stays revealed: seeing the answer is not solving."""

    state: str = OPEN
    tries: int = 0
    wrong: int = 0
    hints: int = 0


def standings(events: Iterable[Event]) -> Mapping[str, ItemStanding]:
    """The standing of every item that the record speaks of.

    Members of a family and fresh seeds of an exercise count for the item itself.
    """
    state: dict[str, str] = {}
    tries: dict[str, int] = {}
    wrong: dict[str, int] = {}
    hints: dict[str, int] = {}
    for event in events:
        item = event.item
        if event.kind in ("answer", "check"):
            right = bool(event.detail.get("right"))
            tries[item] = tries.get(item, 0) + 1
            wrong[item] = wrong.get(item, 0) + (not right)
            if right and state.get(item, OPEN) == OPEN:
                state[item] = SOLVED
        elif event.kind == "reveal" and state.get(item, OPEN) == OPEN:
            state[item] = REVEALED
        elif event.kind == "hint":
            hints[item] = hints.get(item, 0) + 1
    items = state.keys() | tries.keys() | hints.keys()
    return {
        item: ItemStanding(state.get(item, OPEN), tries.get(item, 0), wrong.get(item, 0), hints.get(item, 0))
        for item in items
    }
