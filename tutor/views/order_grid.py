"""The grid of one of two orders that are compared: with the slot that is looked at, and what is wrong in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from simlib.pipeline.operations import BACKWARD, FORWARD, parse_operation
from tutor.views import operations, palette
from tutor.views.layout import Line, flow, note
from tutor.views.picture import Cell, Mark, Role, Run, cell
from tutor.views.slot_grid import SlotGrid

_NEVER = "×"


@dataclass(frozen=True, eq=False)
class OrderGrid(SlotGrid):
    """A slot grid whose ranks hold the model stages that they should, wherever an order puts its operations."""

    placed: Sequence[Sequence[int]] = ()  # each rank's model stages
    at: int | None = None  # the slot that is looked at
    differing: frozenset[Cell] = frozenset()
    stuck: Cell | None = None  # the operation that can never start
    run: tuple[int, int] = (0, 0)  # operations that run before nobody can go on, and all there are
    overfull: Cell | None = None  # the operation with which more is held than need be
    held: tuple[int, int] = (0, 0)  # what is held with it, and the most that is needed

    def with_marks(self) -> OrderGrid:
        """With all that is wrong marked."""
        overlay = dict.fromkeys(self.differing, Mark(Role.DIFFERENCE))
        for place, sign in ((self.overfull, palette.PEAK), (self.stuck, _NEVER)):
            if place is not None:
                overlay[place] = Mark(Role.OVER, sign)
        return replace(self, overlay=overlay)

    def ruler(self, start: int, stop: int | None) -> Iterator[tuple[int, Run]]:
        at = self.at if self.at is not None and self.at < self.slots else None
        if at is None:
            yield from super().ruler(start, stop)
            return
        here = f"[{at}]"
        # Over the number of the slot, as far as there is room behind it
        first = max(0, min(self._column(at) + min(1, self.per_slot - 1) - 1, self.columns() - len(here)))
        told = False
        for column, run in super().ruler(start, stop):
            if not told and column > first:
                yield first, Run(here, Role.CURSOR)
                told = True
            if column + len(run.text) < first or column > first + len(here):
                yield column, run
        if not told:
            yield first, Run(here, Role.CURSOR)

    def marked_text(self, bare: str, role: Role, mark: Mark, rank: int) -> tuple[str, Role]:
        if mark.role is Role.OVER:
            return f"{mark.text}{bare}", mark.role
        return super().marked_text(bare, role, mark, rank)

    def spoken_marks(self) -> list[str]:
        said = []
        for place in sorted(self.overlay):
            at = dict(place)
            rank, slot = int(at["rank"]), int(at["slot"])
            text = self.spoken_at(rank, slot)
            given = self.overlay[place].text
            if self.overlay[place].role is Role.DIFFERENCE and given is not None:
                yours = operations.spoken(parse_operation(given), self.stages_of(rank)) if given else "nothing"
                said.append(f"{self.row_name(rank)}, slot {slot}: yours {yours}, expected {text}")
                continue
            if place == self.stuck:
                what = "can never start"
            elif place == self.overfull:
                what = f"holds {self.held[0]} activations; {self.held[1]} are enough"
            else:
                what = "differs first"
            said.append(f"{self.row_name(rank)}, slot {slot}: {text} {what}")
        return said

    def operation_at(self, rank: int, slot: int) -> str:
        """What a rank does in a slot, as the picture writes it."""
        found = self._at(rank, slot)
        return self._label(rank, found) if slot < self.slots else palette.IDLE

    def spoken_at(self, rank: int, slot: int) -> str:
        """The same in words."""
        found = self._at(rank, slot).operation if slot < self.slots else None
        return "idle" if found is None else operations.spoken(found, self.stages_of(rank))

    def held_at(self, rank: int, slot: int) -> int:
        """Activations that a rank holds in a slot: of what has gone forward, and is not back yet."""
        timeline, now = self.timeline, (slot + 0.5) * self._length
        rows = list(zip(timeline.orders[rank], timeline.starts[rank], timeline.ends[rank], strict=True))
        if self.stuck is not None and dict(self.stuck)["rank"] == rank:
            rows.pop()
        begun = sum(step.parts[0].kind == FORWARD and start <= now for step, start, _ in rows)
        return begun - sum(step.parts[0].kind == BACKWARD and end <= now for step, _, end in rows)

    def place_of(self, rank: int, position: int) -> Cell | None:
        """The cell in which a rank's operation starts; None where the row is shorter."""
        starts = self.timeline.starts[rank]
        return cell(rank=rank, slot=self._slot(starts[position])) if 0 <= position < len(starts) else None

    @cached_property
    def _stages(self) -> list[list[int]]:
        known = [sorted({part.stage for step in row for part in step.parts}) for row in self.timeline.orders]
        placed = [list(stages) for stages in self.placed]
        return placed if all(set(own) <= set(stages) for own, stages in zip(known, placed, strict=True)) else known

    def _counts(self) -> list[Line]:
        if self.stuck is None:
            return super()._counts()
        ran, every = self.run
        return [note(f"stands still after {ran} of {every} operations", Role.PLAIN)]

    def _foot(self, width: int) -> list[Line]:
        signs: list[Line] = []
        if self.stuck is not None:
            signs.append([Run(f"{_NEVER}n", Role.OVER), *note(" can never start")])
        if self.overfull is not None:
            said = f" {self.held[0]} held, {self.held[1]} are enough"
            signs.append([Run(f"{palette.PEAK}n", Role.OVER), *note(said)])
        return [*super()._foot(width), *flow(signs, width)]
