"""Scenes of the collectives: all-reduce, reduce-scatter and all-gather, step by step."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from tutor.views.figures import each, number
from tutor.views.ring_table import RingTable
from tutor.views.scene import Scene

if TYPE_CHECKING:
    import numpy.typing as npt

    from simlib.collectives import Trace

_DONE = {
    "all-reduce": "every worker holds the {op}",
    "reduce-scatter": "every worker holds its slice of the {op}",
    "all-gather": "every worker holds all pieces",
}
_ACTION = {"sum": "adds what arrives", "mean": "adds what arrives", "max": "keeps the larger"}
# Above this, the widest number is not looked for: six digits, sign, point and exponent always fit
_MANY_VALUES = 50_000
_WIDEST_FLOAT = len("-1.23457e-05")


class CollectiveScene(Scene):
    """A trace of a collective, one picture a step."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.last_step = trace.last_step

    def picture(self, step: int) -> RingTable:
        trace = self.trace
        return RingTable(
            bounds=trace.chunk_bounds,
            state=self._state(step),
            held=trace.held(step),
            finished=None if trace.collective == "all-gather" else trace.finished(step),
            step=trace.steps[step - 1] if step else None,
            digits=self._digits,
            moves=self.last_step > 0,
            before=self._state(step - 1) if step else (),
            most_transfers=max((len(step.sources) for step in trace.steps), default=1),
        )

    def caption(self, step: int) -> str:
        trace = self.trace
        if step == 0:
            count = len(trace.chunk_bounds)
            values = trace.chunk_bounds[-1][1]
            held = "one piece each" if trace.collective == "all-gather" else "nothing sent yet"
            return (
                f"start: {_count(trace.world_size, 'worker')}, {_count(values, 'value')} "
                f"in {_count(count, 'chunk')}, {held}"
            )
        now = trace.steps[step - 1]
        phase = [other.number for other in trace.steps if other.phase == now.phase]
        if step == self.last_step:
            what = _DONE[trace.collective].format(op=trace.op)
        else:
            what = f"each {_ACTION[trace.op or 'sum'] if now.adds.any() else 'keeps what arrives'}"
        place = f"step {step} of {self.last_step} ({now.phase} {phase.index(step) + 1} of {len(phase)})"
        return f"{place}: {what}; each sent {each(self._sent[step])}"

    def data(self) -> dict[str, Any]:
        trace = self.trace
        return {
            "algorithm": trace.algorithm,
            "workers": trace.world_size,
            "steps": [
                {
                    "phase": step.phase,
                    "step": step.number,
                    "transfers": [
                        {"from": move.source, "to": move.destination, "chunk": move.chunk, "bytes": move.bytes}
                        for move in step.transfers
                    ],
                    "state": self._rows(step.number),
                }
                for step in trace.steps
            ],
            "result": [array.tolist() for array in trace.result],
            "bytes_sent": list(trace.bytes_sent),
        }

    def _rows(self, step: int) -> list[list[int | float | None]]:
        """Every worker's whole array, None where it holds nothing."""
        rows = [array.tolist() for array in self._state(step)]
        for row, held in zip(rows, self.trace.held(step), strict=True):
            for (first, stop), here in zip(self.trace.chunk_bounds, held, strict=True):
                if not here:
                    row[first:stop] = [None] * (stop - first)
        return rows

    @lru_cache(maxsize=3)  # noqa: B019  a step's picture needs its state and the one before
    def _state(self, step: int) -> list[npt.NDArray[Any]]:
        return [array.reshape(-1) for array in self.trace.state(step)]

    @cached_property
    def _digits(self) -> int:
        """Columns of the widest number in any step, so that no column moves from step to step."""
        trace = self.trace
        many = trace.world_size * trace.chunk_bounds[-1][1] * (self.last_step + 1) > _MANY_VALUES
        if many and trace.start.dtype.kind == "f":
            return _WIDEST_FLOAT
        widest = 1
        for step in range(self.last_step + 1):
            for array in self._state(step):
                if array.size and array.dtype.kind in "iu":
                    widest = max(widest, len(str(array.min())), len(str(array.max())))
                elif array.size:
                    widest = max(widest, *(len(number(value)) for value in array.tolist()))
        return widest

    @cached_property
    def _sent(self) -> list[list[int]]:
        """Bytes that each worker has sent, after each step."""
        totals = [[0] * self.trace.world_size]
        for step in self.trace.steps:
            now = list(totals[-1])
            for move in step.transfers:
                now[move.source] += move.bytes
            totals.append(now)
        return totals


def _count(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"
