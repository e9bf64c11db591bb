"""A schedule's order, and the one that a learner's function returned, slot by slot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from simlib.pipeline import Schedule
from simlib.pipeline.partial import time_as_far_as_it_runs
from simlib.pipeline.timeline import Timeline
from tutor.views.comparison import Comparison, Side
from tutor.views.order_grid import OrderGrid
from tutor.views.picture import Cell, Mark, Picture, Role

Rows = Sequence[Sequence[str]]
_MOST_TOLD = 3  # ranks that a caption speaks of


class ComparedOrders(Comparison):
    """A step is a slot. The learner's order runs as far as it can."""

    first_step = 0
    unit = "slot"
    side = Side.YOURS

    def __init__(self, timed: Schedule, orders: Rows, caps: bool = True) -> None:
        """`caps`: whether holding more activations than the schedule does is marked.

        Raises BadArgument (a ValueError) for rows that are none, and for as good as no operation.
        """
        if len(orders) != len(timed.orders):
            raise ValueError("there is not a row for each rank")
        self._right: list[list[str]] = [[str(step) for step in row] for row in timed.orders]
        self._rows = [list(row) for row in orders]
        placed = [sorted({part.stage for step in row for part in step.parts}) for row in timed.orders]
        own, stopped = time_as_far_as_it_runs(self._rows, timed.chunks)
        self._stopped, self._caps = stopped, caps
        yours, engine = (OrderGrid(timeline, placed=placed) for timeline in (own, timed.timeline))
        self._engine = replace(engine, differing=self._firsts(engine))
        stuck = None if stopped is None else yours.place_of(stopped.rank, len(own.starts[stopped.rank]) - 1)
        overfull = self._overfull(timed.timeline) if caps else None
        self._yours = replace(
            yours,
            differing=self._firsts(yours),
            stuck=stuck,
            run=(sum(map(len, own.orders)) - (stuck is not None), sum(map(len, self._rows))),
            overfull=None if overfull is None else yours.place_of(*overfull[:2]),
            held=(0, 0) if overfull is None else overfull[2:],
        )
        if not (self._yours.differing or stuck or overfull):
            self.side = Side.DIFFERENCE  # the learner's rows end before: in them there is nothing to see
        self.last_step = max(yours.slots, engine.slots) - 1
        firsts = [int(dict(place)["slot"]) for place in (*self._yours.differing, *self._engine.differing)]
        self.opens_at = min(firsts, default=0)

    def picture(self, step: int, side: Side) -> Picture:
        if side is Side.DIFFERENCE:
            overlay: dict[Cell, Mark] = {}
            for rank, position in self._places.items():
                place = self._engine.place_of(rank, position)
                if place is not None:
                    row = self._rows[rank]
                    overlay[place] = Mark(Role.DIFFERENCE, row[position] if position < len(row) else "")
            return replace(self._engine, at=step, overlay=overlay)
        return replace(self._yours if side is Side.YOURS else self._engine, at=step).with_marks()

    def caption(self, step: int) -> str:
        return self._told(step, OrderGrid.operation_at)

    def spoken(self, step: int) -> str:
        return self._told(step, OrderGrid.spoken_at)

    def _told(self, step: int, what: Callable[[OrderGrid, int, int], str]) -> str:
        told = []
        for rank in range(len(self._rows)):
            yours, right = (what(grid, rank, step) for grid in self._grids)
            if yours != right:
                told.append(f"{self._engine.row_name(rank)} yours {yours}, expected {right}")
        rest = f" and {len(told) - _MOST_TOLD} more" if len(told) > _MOST_TOLD else ""
        said = "; ".join(told[:_MOST_TOLD]) + rest if told else "the same"
        ranks = range(len(self._rows))
        own, enough = (" ".join(str(grid.held_at(rank, step)) for rank in ranks) for grid in self._grids)
        held = "" if own == enough or not self._caps else f"; held {own}, the engine {enough}"
        return f"slot {step} of {self.last_step}: {said}{held}"

    def titles(self, step: int) -> tuple[str, str]:
        return "yours, as far as it runs" if self._stopped else "yours", "the engine's"

    @property
    def _grids(self) -> tuple[OrderGrid, OrderGrid]:
        return self._yours, self._engine

    @cached_property
    def _places(self) -> dict[int, int]:
        """For each rank whose row differs, the first place at which it does."""
        places = {}
        for rank, (right, row) in enumerate(zip(self._right, self._rows, strict=True)):
            if right != row:
                pairs = zip(right, row, strict=False)
                shorter = min(len(right), len(row))
                places[rank] = next((at for at, (one, other) in enumerate(pairs) if one != other), shorter)
        return places

    def _firsts(self, grid: OrderGrid) -> frozenset[Cell]:
        found = (grid.place_of(rank, position) for rank, position in self._places.items())
        return frozenset(place for place in found if place is not None)

    def _overfull(self, right: Timeline) -> tuple[int, int, int, int] | None:
        """(rank, position, held, enough) of the first operation with which a rank holds more than it need ever hold."""
        for rank, row in enumerate(self._rows):
            held = 0
            for position, step in enumerate(row):
                held += 1 if "F" in step else -1
                if held > right.peak_activations[rank]:
                    return rank, position, held, right.peak_activations[rank]
        return None
