"""Scenes of the collectives, step by step, by any of their algorithms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from tutor.views.figures import each, number
from tutor.views.ring_table import RingTable
from tutor.views.scene import Scene
from tutor.views.transfers import messages, named
from tutor.views.travelling import travelling
from tutor.views.wiring import Wiring

if TYPE_CHECKING:
    import numpy.typing as npt

    from simlib.collectives import Step, Trace

_DONE = {
    "all-reduce": "all hold the {op}",
    "reduce-scatter": "each holds its slice of the {op}",
    "all-gather": "all hold every piece",
    "broadcast": "all hold the array",
    "all-to-all": "each holds its chunk of everybody's array",
}
_START = {"all-gather": "one piece each", "broadcast": "{root} holds them"}
# What one does with what arrives, and what several do
_ACTION = {
    "sum": ("adds what arrives", "add what arrives"),
    "mean": ("adds what arrives", "add what arrives"),
    "max": ("keeps the larger", "keep the larger"),
}
_KEEP = ("keeps what arrives", "keep what arrives")
# Above this, the widest number is not looked for: six digits, sign, point and exponent always fit
_MANY_VALUES = 50_000
_WIDEST_FLOAT = len("-1.23457e-05")


class CollectiveScene(Scene):
    """A trace of a collective, one picture a step, its workers on `nodes` servers if any are to be drawn."""

    def __init__(self, trace: Trace, nodes: int | None = None) -> None:
        self.trace = trace
        self.last_step = trace.last_step
        wiring = Wiring.of(trace, nodes)
        self._wiring = wiring if wiring.trees or wiring.per_server is not None else None

    def picture(self, step: int) -> RingTable:
        trace = self.trace
        return RingTable(
            bounds=self._columns,
            state=self._state(step),
            held=trace.held(step),
            finished=None if trace.collective in ("all-gather", "broadcast") else trace.finished(step),
            step=trace.steps[step - 1] if step else None,
            digits=self._digits,
            moves=self.last_step > 0,
            before=self._state(step - 1) if step else (),
            most_messages=max((len(sent) for sent in self._messages), default=1),
            payload_columns=self._payload_columns,
            wiring=self._wiring,
            lengths=self._lengths[step] if self._lengths else {},
            remark="" if self._wiring is None else self._wiring.counted(step),
        )

    def between(self, step: int) -> Iterator[RingTable]:
        return travelling(self.picture(step - 1), self.picture(step)) if step else iter(())

    def caption(self, step: int) -> str:
        trace = self.trace
        if step == 0:
            count = len(trace.chunk_bounds)
            values = trace.chunk_bounds[-1][1]
            root = next((worker for worker, holds in enumerate(map(all, trace.held(0).tolist())) if holds), 0)
            held = _START.get(trace.collective, "nothing sent yet").format(root=f"worker {root}")
            return (
                f"start: {_count(trace.world_size, 'worker')}, {_count(values, 'value')} "
                f"in {_count(count, 'chunk')}, {held}"
            )
        now = trace.steps[step - 1]
        what = _DONE[trace.collective].format(op=trace.op) if step == self.last_step else self._action(now)
        return f"{self.place(step)}: {what}; each sent {each(self._sent[step])}"

    def place(self, step: int) -> str:
        """Which step it is, also of its phase."""
        now = self.trace.steps[step - 1]
        phase = [other.number for other in self.trace.steps if other.phase == now.phase]
        return f"step {step} of {self.last_step} ({now.phase} {phase.index(step) + 1} of {len(phase)})"

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

    def _action(self, step: Step) -> str:
        """What those who receive something in this step do with it."""
        if step.adds.any() and not step.adds.all():
            return "what goes up is added, what comes down is kept"
        receivers = set(step.destinations.tolist())
        one, several = _ACTION[self.trace.op or "sum"] if step.adds.all() else _KEEP
        if len(receivers) == self.trace.world_size:
            return f"each {one}"
        return f"worker {receivers.pop()} {one}" if len(receivers) == 1 else f"those who receive {several}"

    def values(self, name: str) -> list[list[int | float]]:
        held = ([value for value in row if value is not None] for row in self._rows(0))
        return [row for row in held if row]

    def _rows(self, step: int) -> list[list[int | float | None]]:
        """Every worker's whole array, None where it holds nothing."""
        rows = [array.reshape(-1).tolist() for array in self.trace.state(step)]
        if self._lengths:
            return rows
        for row, held in zip(rows, self.trace.held(step), strict=True):
            for (first, stop), here in zip(self.trace.chunk_bounds, held, strict=True):
                if not here:
                    row[first:stop] = [None] * (stop - first)
        return rows

    @lru_cache(maxsize=3)  # noqa: B019  a step's picture needs its state and the one before
    def _state(self, step: int) -> list[npt.NDArray[Any]]:
        """Every worker's array, its chunks where the columns of the table are."""
        arrays = [array.reshape(-1) for array in self.trace.state(step)]
        return self._spread(arrays, step) if self._lengths else arrays

    # All-to-all may leave chunks of unequal length in one column

    @cached_property
    def _lengths(self) -> list[dict[tuple[int, int], int]]:
        """After each step, how many values are in (worker, chunk); empty where columns are full."""
        bounds, workers = self.trace.chunk_bounds, range(self.trace.world_size)
        sizes = [stop - first for first, stop in bounds]
        if self.trace.collective != "all-to-all" or len(set(sizes)) == 1:
            return []
        after = [{(worker, chunk): size for worker in workers for chunk, size in enumerate(sizes)}]
        for step in self.trace.steps:
            after.append(after[-1] | {(move.destination, move.into): sizes[move.chunk] for move in step.transfers})
        return after

    @cached_property
    def _columns(self) -> tuple[tuple[int, int], ...]:
        """(start, stop) of each chunk's column."""
        bounds = self.trace.chunk_bounds
        if not self._lengths:
            return bounds
        widest = max(stop - first for first, stop in bounds)
        return tuple((chunk * widest, (chunk + 1) * widest) for chunk in range(len(bounds)))

    def _spread(self, arrays: list[npt.NDArray[Any]], step: int) -> list[npt.NDArray[Any]]:
        import numpy as np

        rows = []
        for worker, array in enumerate(arrays):
            row = np.zeros(self._columns[-1][1], dtype=array.dtype)
            at = 0
            for chunk, (first, _) in enumerate(self._columns):
                count = self._lengths[step][worker, chunk]
                row[first : first + count] = array[at : at + count]
                at += count
            rows.append(row)
        return rows

    # What is the same in every step, so that nothing moves from one to the next

    @cached_property
    def _messages(self) -> list[list[tuple[int, ...]]]:
        """The chunks of each message, step by step."""
        return [[message.chunks for message in messages(step)] for step in self.trace.steps]

    @cached_property
    def _payload_columns(self) -> int:
        payloads = {chunks for sent in self._messages for chunks in sent}
        return max((len(named(chunks, "chunk")) for chunks in payloads), default=0)

    @cached_property
    def _digits(self) -> int:
        """Columns of the widest number in any step, so that no column moves from step to step."""
        trace = self.trace
        many = trace.world_size * trace.chunk_bounds[-1][1] * (self.last_step + 1) > _MANY_VALUES
        if many and trace.start.dtype.kind == "f":
            return _WIDEST_FLOAT
        widest = 1
        for step in range(self.last_step + 1):
            for array in _together(self._state(step)):
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


def _together(arrays: Sequence[npt.NDArray[Any]]) -> Sequence[npt.NDArray[Any]]:
    """The same values in one array where they are few: NumPy takes longer to begin than to look through them."""
    import numpy as np

    return [np.concatenate(arrays)] if sum(array.size for array in arrays) <= _MANY_VALUES else arrays


def _count(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"
