"""What each rank of a pipeline holds, slot by slot, on the time axis of its slot grid: the peak marked."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from simlib.pipeline.memory import Held, held_on
from simlib.pipeline.timeline import Timeline
from tutor.views import marks, palette
from tutor.views.cell_map import LookedUp
from tutor.views.picture import Cell, CellValue, Overlay, Role, Run, cell

_MOST_SPOKEN = 20  # stretches of a rank that are read out


@dataclass(frozen=True, eq=False)
class HeldRows:
    """A row a rank. Cells are cell(rank=, slot=): how many activations the rank holds in the slot.

    A rank is followed through time when it is first looked at.
    """

    timeline: Timeline
    slots: int
    slot: float  # how long a slot lasts
    _seen: dict[int, Held] = field(init=False, repr=False, default_factory=dict)

    def held(self, rank: int) -> Held:
        """What a rank holds over time."""
        if rank not in self._seen:
            self._seen[rank] = held_on(self.timeline, rank)
        return self._seen[rank]

    @property
    def ranks(self) -> int:
        return len(self.timeline.orders)

    def cells(self) -> Mapping[Cell, CellValue]:
        """What each rank holds in each slot."""

        def places() -> Iterator[Cell]:
            return (cell(rank=rank, slot=slot) for rank in range(self.ranks) for slot in range(self.slots))

        return LookedUp(("rank", "slot"), self._value, places, self.ranks * self.slots)

    @property
    def label_columns(self) -> int:
        """Columns of the longest count, with the sign of the peak before it."""
        return 1 + len(str(max(self.timeline.peak_activations)))

    def row(
        self, rank: int, columns: int, start: int, stop: int | None, overlay: Overlay, hidden: bool
    ) -> Iterator[tuple[int, Run]]:
        """The runs of a rank between two columns, each with its column; a slot takes `columns`.

        `hidden` shows marked cells alone: the counts would tell what the learner is asked for.
        """
        held = self.held(rank)
        last = self.slots if stop is None else min(self.slots, -(-stop // columns))
        for slot in range(start // columns, last):
            place = cell(rank=rank, slot=slot)
            at, first, count = self._at(held, slot)
            text, role = self._drawn(held, count)
            offset = (slot - first) * columns
            end = self._first(held, at + 1) if at + 1 < len(held.times) else self.slots
            shown = text.ljust((end - first) * columns, _fill(held, count))[offset : offset + columns]
            if hidden:
                shown, role = " " * columns, Role.PLAIN
            mark = overlay.get(place)
            if mark is not None:
                marked, role = marks.shown(str(count), role, mark, self.label_columns - 1)
                shown = f" {marked}".ljust(columns)[:columns]
            yield slot * columns, Run(shown, role, place)

    def spoken(self, rank: int) -> str:
        """A row in words: "slot 0: 1; slots 1 to 3: 2; …"."""
        held = self.held(rank)
        parts = []
        for at, count in enumerate(held.counts):
            first = self._first(held, at)
            last = (self._first(held, at + 1) if at + 1 < len(held.times) else self.slots) - 1
            if last >= first:
                parts.append(f"{f'slot {first}' if first == last else f'slots {first} to {last}'}: {count}")
        more = len(parts) - _MOST_SPOKEN
        return "; ".join(parts[:_MOST_SPOKEN]) + (f"; and {more} more stretches" if more > 0 else "")

    def _drawn(self, held: Held, count: int) -> tuple[str, Role]:
        if count == held.peak:
            return f"{palette.PEAK}{count}", Role.PEAK
        return f" {count}", Role.PLAIN if count else Role.QUIET

    def _at(self, held: Held, slot: int) -> tuple[int, int, int]:
        """Which stretch a slot is in, that stretch's first slot, and its count."""
        # Half a slot in, so that a rounded time on the border does not matter
        at = bisect_right(held.times, (slot + 0.5) * self.slot) - 1
        return at, self._first(held, at), held.counts[at]

    def _first(self, held: Held, at: int) -> int:
        return min(round(held.times[at] / self.slot), self.slots)

    def _value(self, rank: int, slot: int) -> CellValue:
        if not (0 <= rank < self.ranks and 0 <= slot < self.slots):
            raise IndexError
        return self._at(self.held(rank), slot)[2]


def _fill(held: Held, count: int) -> str:
    if count == held.peak:
        return palette.SENT_LINE
    return palette.RULE if count else " "
