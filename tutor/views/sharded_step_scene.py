"""The scene of one sharded step: gradients reduce-scattered, everybody's own shard updated, weights all-gathered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simlib.collectives import ring_all_gather, ring_reduce_scatter
from simlib.errors import BadArgument
from simlib.optimizers import Sgd
from tutor.views import limits
from tutor.views.figures import each, number
from tutor.views.ring_table import RingTable
from tutor.views.scene import Scene
from tutor.views.travelling import travelling
from tutor.views.worker_values import arrays, check_result

if TYPE_CHECKING:
    import numpy.typing as npt

    from simlib.collectives import Step, Trace

    Array = npt.NDArray[Any]

GRADIENTS, WEIGHTS = "gradients", "weights"
_FREED = {
    GRADIENTS: "each keeps the mean of its own shard alone",
    WEIGHTS: "the layer has run: each keeps its own shard alone",
}


@dataclass(frozen=True, eq=False)
class Frame:
    """What one table, of gradients or of weights, shows after a step."""

    phase: str
    table: str  # "gradients" or "weights"
    state: list[Array]  # every worker's whole array
    held: npt.NDArray[np.bool_]  # (workers, chunks)
    finished: npt.NDArray[np.bool_]
    step: Step | None = None  # the messages, if any
    before: tuple[Array, ...] = ()


class ShardedStepScene(Scene):
    """One step of ZeRO on an array of weights, a frame a step."""

    def __init__(self, gradients: list[Array], stage: int, rule: Sgd) -> None:
        self.stage = stage
        self.rule = rule
        self.gradients = gradients
        self.workers = len(gradients)
        # Round numbers, of which one sees what was taken away
        self.weights = np.array([100.0 * (place + 1) for place in range(gradients[0].size)])
        self._reduced = ring_reduce_scatter([gradient.astype(float) for gradient in gradients], op="mean")
        self.bounds = self._reduced.chunk_bounds
        self.frames = list(self._numbered())
        self.last_step = len(self.frames) - 1

    def picture(self, step: int) -> RingTable:
        frame = self.frames[step]
        return RingTable(
            bounds=self.bounds,
            state=frame.state,
            held=frame.held,
            finished=frame.finished,
            step=frame.step,
            digits=self._digits,
            moves=self.workers > 1,
            before=frame.before,
            most_messages=self.workers if self.workers > 1 else 1,
            payload_columns=len(f"chunk {self.workers - 1}"),
            title=frame.table,
            lacks=self.stage > 1,
            at_rest="nothing is sent" if step else "nothing sent yet",
            when=f"{f'after step {step}' if step else 'at the start'}, {frame.table}",
        )

    def between(self, step: int) -> Iterator[RingTable]:
        return travelling(self.picture(step - 1), self.picture(step)) if step else iter(())

    def caption(self, step: int) -> str:
        frame = self.frames[step]
        sent = f"each sent {each(self._sent[step])}"
        if step == 0:
            return f"start, stage {self.stage}: {self._what(0)}"
        same = [at for at, other in enumerate(self.frames) if other.phase == frame.phase]
        place = f"{frame.phase} {same.index(step) + 1} of {len(same)}" if len(same) > 1 else frame.phase
        return f"step {step} of {self.last_step} ({place}): {self._what(step)}; {sent}"

    def data(self) -> dict[str, Any]:
        return {
            "workers": self.workers,
            "stage": self.stage,
            "learning_rate": self.rule.learning_rate,
            "steps": [
                {
                    "phase": frame.phase,
                    "step": at,
                    "table": frame.table,
                    "transfers": [
                        {"from": move.source, "to": move.destination, "chunk": move.chunk, "bytes": move.bytes}
                        for move in (frame.step.transfers if frame.step is not None else ())
                    ],
                    "state": self._rows(frame),
                }
                for at, frame in enumerate(self.frames)
                if at
            ],
            "weights": self._rows(self.frames[-1]),
            "bytes_sent": self._sent[-1],
        }

    # The frames

    def _frames(self) -> Iterator[Frame]:
        old = [self.weights] * self.workers
        own = np.eye(self.workers, dtype=bool)
        every, none = np.ones_like(own), np.zeros_like(own)
        if self.stage == 3:
            yield Frame("start", WEIGHTS, old, own, none)
            for run in ("forward", "backward"):
                yield from self._gathered(f"all-gather for {run}", ring_all_gather(self._shards(self.weights)))
                yield Frame(f"free after {run}", WEIGHTS, old, own, none)
        else:
            start = self._reduced
            yield Frame("start", GRADIENTS, _flat(start, 0), start.held(0), start.finished(0))
        yield from self._scattered()
        if self.stage > 1:
            yield Frame("free", GRADIENTS, _flat(self._reduced, self._reduced.last_step), own, own)
        new = self._updated()
        if self.stage == 3:
            yield Frame("update", WEIGHTS, [new] * self.workers, own, own)
            return
        state = [self._mixed(new, row) for row in own]
        yield Frame("update", WEIGHTS, state, every, own)
        gathering = ring_all_gather(self._shards(new))
        for step in gathering.steps:
            there, before = gathering.held(step.number), state
            state = [self._mixed(new, row) for row in there]
            yield Frame("all-gather", WEIGHTS, state, every, there, step, tuple(before))

    def _gathered(self, phase: str, trace: Trace) -> Iterator[Frame]:
        """Stage 3: shards alone are there before, whole weights after."""
        none = np.zeros((self.workers, self.workers), dtype=bool)
        for step in trace.steps:
            before = tuple(_flat(trace, step.number - 1))
            yield Frame(phase, WEIGHTS, _flat(trace, step.number), trace.held(step.number), none, step, before)

    def _scattered(self) -> Iterator[Frame]:
        trace = self._reduced
        for step in trace.steps:
            at, before = step.number, tuple(_flat(trace, step.number - 1))
            yield Frame("reduce-scatter", GRADIENTS, _flat(trace, at), trace.held(at), trace.finished(at), step, before)

    def _numbered(self) -> Iterator[Frame]:
        """The frames, their messages counted through."""
        for at, frame in enumerate(self._frames()):
            yield frame if frame.step is None else replace(frame, step=replace(frame.step, number=at))

    def _updated(self) -> Array:
        """The new weights, each shard updated by its owner from the mean of its gradients."""
        new = []
        for shard, gradient in zip(self._shards(self.weights), self._reduced.result, strict=True):
            new.append(self.rule.apply(self.rule.start(shard), gradient).master)
        return np.concatenate(new)

    def _shards(self, whole: Array) -> list[Array]:
        return [whole[first:stop] for first, stop in self.bounds]

    def _mixed(self, new: Array, fresh: npt.NDArray[np.bool_]) -> Array:
        """The old weights with the new ones in the chunks that are `fresh`."""
        mixed = self.weights.copy()
        for (first, stop), here in zip(self.bounds, fresh, strict=True):
            if here:
                mixed[first:stop] = new[first:stop]
        return mixed

    def _rows(self, frame: Frame) -> list[list[float | None]]:
        rows: list[list[float | None]] = []
        for array, held in zip(frame.state, frame.held, strict=True):
            row: list[float | None] = [*array.tolist()]
            for (first, stop), here in zip(self.bounds, held, strict=True):
                if not here:
                    row[first:stop] = [None] * (stop - first)
            rows.append(row)
        return rows

    # What is said

    def _what(self, step: int) -> str:
        frame = self.frames[step]
        if frame.phase == "start":
            own = "each worker has its shard of the weights"
            return own if self.stage == 3 else "each worker has gradients of its own samples"
        if frame.phase == "update":
            rate = self.rule.learning_rate
            times = "" if rate == 1 else f"{number(rate)} times "
            return f"each takes {times}the mean gradient from its own shard of the weights"
        if frame.phase.startswith("free"):
            return _FREED[frame.table]
        if frame.table == GRADIENTS:
            last = self.frames[step + 1].phase != frame.phase
            return "each has the mean of its own shard" if last else "each adds what arrives"
        last = step == self.last_step or self.frames[step + 1].phase != frame.phase
        return "each has all weights" if last else "each keeps what arrives"

    @cached_property
    def _digits(self) -> int:
        shown = {value for frame in self.frames for array in frame.state for value in array.tolist()}
        return max(len(number(value)) for value in shown)

    @cached_property
    def _sent(self) -> list[list[int]]:
        """Bytes that each worker has sent, after each frame."""
        totals: list[list[int]] = []
        now = [0] * self.workers
        for frame in self.frames:
            now = list(now)
            for move in frame.step.transfers if frame.step is not None else ():
                now[move.source] += move.bytes
            totals.append(now)
        return totals


def _flat(trace: Trace, step: int) -> list[Array]:
    return [array.reshape(-1) for array in trace.state(step)]


def build(given: Mapping[str, Any]) -> ShardedStepScene:
    """The scene for these parameters. Raises BadArgument."""
    gradients = arrays({**given, "dtype": "float64"}, 3)
    workers, length = len(gradients), gradients[0].size
    if workers * workers * length > limits.MOST_FRAMES:
        raise BadArgument("length", length, f"less, with {workers} workers: every step keeps all their numbers")
    scene = ShardedStepScene(gradients, given["stage"], Sgd(given["learning_rate"]))
    check_result(scene.frames[-1].state, "float64")
    return scene
