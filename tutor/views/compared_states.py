"""A collective step by step: the engine's workers, and what a learner's function says of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tutor.views import marks
from tutor.views.collectives import CollectiveScene
from tutor.views.comparison import Comparison, Side
from tutor.views.figures import number
from tutor.views.own_table import OwnTable
from tutor.views.picture import Cell, Mark, Picture, Role, cell
from tutor.views.ring_table import RingTable

State = list[npt.NDArray[Any]]
# Relative: what is lost when sums of floats are added in another order
_TOLERANCE = 1e-5


class ComparedStates(Comparison):
    """`states` has the learner's workers after step 1, 2, …; None for a step of which nothing is known."""

    def __init__(self, scene: CollectiveScene, states: Sequence[Any], opens_at: int) -> None:
        """Raises ValueError for states of another form than the engine's."""
        self._scene = scene
        shapes: list[tuple[int, ...]] = [array.reshape(-1).shape for array in scene.trace.state(0)]
        self._states = [None if state is None else _arrays(state, shapes) for state in states]
        self.last_step = max(scene.last_step, len(states))
        if not self.last_step or not states:
            raise ValueError("there is no step to compare")
        self.opens_at = self.within(opens_at)

    def picture(self, step: int, side: Side) -> Picture:
        if side is Side.YOURS:
            return self._own(step)
        table = self._engine(step)
        yours = self._at(step)
        overlay: dict[Cell, Mark] = {}
        for worker, chunk, index in self._differing(step):
            text = None
            if side is Side.DIFFERENCE and yours is not None:
                text = self._written(yours[worker][table.bounds[chunk][0] + index], table, worker, chunk, index)
            overlay[cell(worker=worker, chunk=chunk, index=index)] = Mark(Role.DIFFERENCE, text)
        return table.marked(overlay)

    def caption(self, step: int) -> str:
        name = self._scene.place(step) if step <= self._scene.last_step else f"step {step}"
        if self._at(step) is None:
            ends = step > len(self._states)
            return f"{name}: your list ends with step {len(self._states)}" if ends else f"{name}: the engine's alone"
        if step > self._scene.last_step:
            return f"{name}: the engine is done after step {self._scene.last_step}"
        differing = self._differing(step)
        if not differing:
            return f"{name}: the same"
        worker, chunk, _ = differing[0]
        count = sum(len(row) for row in self._engine(step).state)
        verb = "differs" if len(differing) == 1 else "differ"
        return f"{name}: {len(differing)} of {count} numbers {verb}, the first on worker {worker}, in chunk {chunk}"

    def titles(self, step: int) -> tuple[str, str]:
        return f"yours after step {step}", f"the engine's after step {min(step, self._scene.last_step)}"

    # What there is at a step

    def _at(self, step: int) -> State | None:
        return self._states[step - 1] if 0 < step <= len(self._states) else None

    def _engine(self, step: int) -> RingTable:
        return self._scene.picture(min(step, self._scene.last_step))

    def _own(self, step: int) -> OwnTable:
        engine = self._engine(step)
        last = next((at for at in range(step, 0, -1) if self._at(at) is not None), 0)
        state = self._at(last) or [array.reshape(-1) for array in self._scene.trace.state(0)]
        before = self._at(last - 1) if last > 1 else [array.reshape(-1) for array in self._scene.trace.state(0)]
        here = last == step
        return OwnTable(
            bounds=engine.bounds,
            state=state,
            held=np.ones_like(engine.held),
            finished=np.zeros_like(engine.held),
            step=None,
            digits=max(engine.digits, self._widest),
            moves=True,
            before=before if here and before is not None else (),
            remark="" if here else _missing(last),
            when=f"after step {step}",
            overlay={
                cell(worker=worker, chunk=chunk, index=index): Mark(Role.DIFFERENCE)
                for worker, chunk, index in self._differing(step)
            },
        )

    @cached_property
    def _widest(self) -> int:
        """Columns of the learner's widest number, so that no column moves from step to step."""
        rows = (row for state in self._states if state is not None for row in state)
        values = (value for row in rows for value in row.tolist())
        return max((len(number(value) if math.isfinite(value) else str(value)) for value in values), default=1)

    @lru_cache(maxsize=4)  # noqa: B019  both pictures and the caption ask for the same step
    def _differing(self, step: int) -> list[tuple[int, int, int]]:
        """(worker, chunk, index) of the numbers that differ, in reading order."""
        own = self._at(step)
        if own is None:
            return []
        engine = self._engine(step)
        found = []
        for worker, (yours, right) in enumerate(zip(own, engine.state, strict=True)):
            wrong = _wrong(yours, right)
            for chunk, (first, stop) in enumerate(engine.bounds):
                found += [(worker, chunk, int(index)) for index in np.flatnonzero(wrong[first:stop])]
        return found

    @staticmethod
    def _written(value: Any, table: RingTable, worker: int, chunk: int, index: int) -> str:
        """The learner's number, in full where it would read like the engine's."""
        plain = value.item()
        if plain != plain or plain in (float("inf"), float("-inf")):
            return str(plain)
        right = table.value(worker, chunk, index)
        short = number(plain)
        return marks.one_line(str(plain) if right is not None and short == number(right) else short)


def _missing(last: int) -> str:
    """What a picture says where the learner's list has no state, the last one being that of step `last`."""
    return f"as your list ends, at step {last}" if last else "of yours nothing is known here"


def _wrong(yours: npt.NDArray[Any], right: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    if yours.dtype.kind in "iu" and right.dtype.kind in "iu":
        return np.asarray(yours != right)
    return np.asarray(~np.isclose(yours, right, rtol=_TOLERANCE, atol=_TOLERANCE * float(np.abs(right).max(initial=0))))


def _arrays(state: Any, shapes: list[tuple[int, ...]]) -> State:
    arrays = [np.asarray(row) for row in state]
    if [array.shape for array in arrays] != shapes or any(array.dtype.kind not in "iuf" for array in arrays):
        raise ValueError("a state is not a row of numbers for each worker")
    return arrays
