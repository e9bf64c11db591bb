"""A tree over workers, drawn beside their rows: a line from each child to its parent, one lane a level."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tutor.views import palette
from tutor.views.layout import Line, merged
from tutor.views.picture import Role, Run

if TYPE_CHECKING:
    from simlib.collectives import Trace

_WIDE, _NARROW = 3, 2  # columns of a lane
_MOST_WIDE = 16  # workers drawn with wide lanes


@dataclass(frozen=True)
class Joint:
    """A parent and its children of one level: their rows are joined by one line."""

    parent: int
    children: tuple[int, ...]

    @property
    def rows(self) -> range:
        """From the first row to the last, both included."""
        ends = (self.parent, *self.children)
        return range(min(ends), max(ends) + 1)


@dataclass(frozen=True)
class TreeLanes:
    """A tree, each joint in a lane to the right of all the joints below it.

    A row shows an arrow before the joint over which something arrives in this step.
    """

    workers: int
    joints: tuple[Joint, ...]

    @cached_property
    def parents(self) -> dict[int, int]:
        """The parent of every worker that has one."""
        return {child: joint.parent for joint in self.joints for child in joint.children}

    @property
    def root(self) -> int:
        """The worker without a parent."""
        return next(worker for worker in range(self.workers) if worker not in self.parents)

    @property
    def columns(self) -> int:
        return self._lane_columns * (1 + max(self._lanes.values(), default=-1))

    def row(self, worker: int, arrivals: AbstractSet[tuple[int, int]]) -> Line:
        """The lines of a worker's row. `arrivals` are this step's (source, destination) pairs."""
        runs: Line = []
        farthest = max((lane for joint, lane in self._lanes.items() if self._joins(joint, worker)), default=-1)
        for lane in range(1 + max(self._lanes.values(), default=-1)):
            here = next((joint for joint, at in self._lanes.items() if at == lane and worker in joint.rows), None)
            runs += self._lane(worker, here, lane <= farthest, lane < farthest, arrivals)
        return merged(runs)

    def words(self) -> str:
        """Who is under whom.

        >>> TreeLanes(3, (Joint(0, (1, 2)),)).words()
        'worker 0 is the root; under worker 0: 1, 2'
        """
        under: dict[int, list[int]] = {}
        for child, parent in sorted(self.parents.items()):
            under.setdefault(parent, []).append(child)
        said = [f"under worker {parent}: {', '.join(map(str, children))}" for parent, children in sorted(under.items())]
        return "; ".join([f"worker {self.root} is the root", *said])

    @property
    def _lane_columns(self) -> int:
        return _WIDE if self.workers <= _MOST_WIDE else _NARROW

    @cached_property
    def _lanes(self) -> dict[Joint, int]:
        """The lane of each joint: the first to the right of all those below it, and of others that it passes."""
        lanes: dict[Joint, int] = {}
        for joint in sorted(self.joints, key=lambda joint: (self._height(joint), len(joint.rows), joint.parent)):
            passed = [lane for other, lane in lanes.items() if _overlap(joint.rows, other.rows)]
            lanes[joint] = 1 + max(passed, default=-1)
        return lanes

    def _height(self, joint: Joint) -> int:
        """How many joints are on the longest way down from it."""
        below = [self._height(other) for other in self.joints if other.parent in joint.children]
        return 1 + max(below, default=-1)

    def _joins(self, joint: Joint, worker: int) -> bool:
        return worker == joint.parent or worker in joint.children

    def _lane(
        self, worker: int, joint: Joint | None, led: bool, goes_on: bool, arrivals: AbstractSet[tuple[int, int]]
    ) -> Line:
        """One lane of a row: the way to the joint, and the joint."""
        before = self._lane_columns - 1
        way = palette.JOINTS["lr"] * before if led else " " * before
        if joint is None or not (self._joins(joint, worker) or not led):
            # Nothing joins here: a line that passes by, if any, passes over
            return [Run(way + (palette.JOINTS["lr"] if goes_on else " "), Role.QUIET)]
        if not self._joins(joint, worker):
            return [Run(way + palette.JOINTS["ud"], Role.QUIET)]
        rows = joint.rows
        up, down = worker > rows[0], worker < rows[-1]
        sign = palette.JOINTS["l" + "r" * goes_on + "u" * up + "d" * down]
        others = joint.children if worker == joint.parent else (joint.parent,)
        if any((other, worker) in arrivals for other in others):
            return [
                Run(way[:-1], Role.QUIET),
                Run(palette.BACK_ARROW, Role.RECEIVED),
                Run(sign, Role.RECEIVED),
            ]
        if any((worker, other) in arrivals for other in others):
            return [Run(way, Role.QUIET), Run(sign, Role.SENT)]
        return [Run(way + sign, Role.QUIET)]


def trees_of(trace: Trace) -> tuple[TreeLanes, ...]:
    """The trees that a trace climbs, from who adds what is sent to whom; none where it does not."""
    if trace.algorithm not in ("tree", "double-tree") or trace.world_size < 2:
        return ()
    count = 2 if trace.algorithm == "double-tree" else 1
    chunks = len(trace.chunk_bounds) // count
    # For every tree, by (parent, step): a parent's children of one level send, or are sent to, at the same time
    found: list[dict[tuple[int, int], list[int]]] = [{} for _ in range(count)]
    known: list[set[int]] = [set() for _ in range(count)]
    for step in trace.steps:
        for move in step.transfers:
            tree = move.chunk // chunks
            child, parent = (move.source, move.destination)[:: 1 if move.action == "add" else -1]
            if child not in known[tree]:
                known[tree].add(child)
                found[tree].setdefault((parent, step.number), []).append(child)
    return tuple(
        TreeLanes(trace.world_size, tuple(Joint(parent, tuple(sorted(below))) for (parent, _), below in tree.items()))
        for tree in found
    )


def _overlap(one: range, other: range) -> bool:
    return one[0] <= other[-1] and other[0] <= one[-1]
