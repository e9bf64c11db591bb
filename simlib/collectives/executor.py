"""The one executor: carries out any plan of moves on one array of (workers, chunks, width).

Nothing here knows an algorithm. A step's transfers are carried out together, as a few NumPy calls on
strided views: ranks that send "to the right" or "to the partner 4 further" lie at constant distances
in memory, so their chunks can be added where they are, without being gathered first.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from simlib.collectives.layout import Array
from simlib.collectives.plan import Indices, Moves, Plan

COMBINE: dict[str, np.ufunc] = {"sum": np.add, "mean": np.add, "max": np.maximum}
_MOST_VIEWS = 16  # more pieces than this, and one gather is cheaper


class Replay:
    """What every worker holds while a plan is carried out, one step at a time."""

    def __init__(self, plan: Plan, start: Array, contributions: Indices, op: str) -> None:
        self.step = 0
        self._moves: Iterator[Moves] = plan()
        self._chunks = start.shape[1]
        self._op = op
        # (workers, chunks, width): every worker's chunks after `step` steps
        self.values = start.copy()
        self._cells = self.values.reshape(
            start.shape[0] * start.shape[1], start.shape[2]
        )  # one row per worker and chunk
        # Which transfer of the current step writes a cell: shows cells that are read and written at once
        self._writer = np.full(len(self._cells), -1, dtype=np.intp)
        self._tally = Tally(plan, contributions) if op == "mean" else None
        if self._tally:
            self._divide(self._tally.complete(np.arange(len(self._cells))))

    def advance(self, step: int) -> None:
        """Carry out the plan up to and including `step`."""
        # A GPU that overflows says nothing either; infinities and NaNs show in the values
        with np.errstate(all="ignore"):
            while self.step < step:
                self._carry_out(next(self._moves))
                self.step += 1

    def _carry_out(self, moves: Moves) -> None:
        sent = moves.sources * self._chunks + moves.chunks
        received = moves.destinations * self._chunks + moves.into
        transfer = np.arange(len(sent))
        self._writer[received] = transfer
        alone = bool((self._writer[received] == transfer).all())  # no cell receives twice
        apart = bool((self._writer[sent] < 0).all())  # no cell is read and written
        self._writer[received] = -1

        # What is sent is what was there before the step
        before, source = self._cells, sent
        if not apart and len(sent) > len(self._cells):
            before = self._cells.copy()
        elif not apart:
            before, source = self._cells[sent], transfer
        for turn in [transfer] if alone else _turns(received):
            part = slice(None) if alone else turn
            self._combine(before, source[part], received[part], moves.adds[part])
        if self._tally:
            self._tally.count(moves)
            self._divide(self._tally.complete(received[moves.adds]))

    def _combine(self, before: Array, source: Indices, target: Indices, adds: npt.NDArray[np.bool_]) -> None:
        """Add or copy cells `source` of `before` into cells `target`, each of which occurs once."""
        for adding, some in ((True, adds), (False, ~adds)):
            if not some.any():
                continue
            s, t = (source, target) if some.all() else (source[some], target[some])
            runs = _runs(s, t)
            if runs is None:
                self._cells[t] = COMBINE[self._op](self._cells[t], before[s]) if adding else before[s]
                continue
            for first, stop in runs:
                arriving, there = _strided(before, s[first:stop]), _strided(self._cells, t[first:stop])
                if adding:
                    COMBINE[self._op](there, arriving, out=there)
                else:
                    there[...] = arriving

    def _divide(self, complete: Indices) -> None:
        """The sum of all workers' numbers becomes their mean."""
        if len(complete):
            self._cells[complete] = self._cells[complete] / len(self.values)


class Tally:
    """The book-keeping of a plan, without the values.

    `contributions[w, c]` counts the workers whose arrays are in worker w's chunk c: 0 where it holds nothing.
    `origin[w, c]` is the chunk that lies in slot c of worker w: c itself, but in an all-to-all.
    """

    def __init__(self, plan: Plan, contributions: Indices) -> None:
        self.step = 0
        self.contributions = contributions.copy()
        self.origin = np.broadcast_to(np.arange(contributions.shape[1]), contributions.shape).copy()
        self._moves: Iterator[Moves] = plan()

    def advance(self, step: int) -> None:
        """Count up to and including `step`."""
        while self.step < step:
            self.count(next(self._moves))
            self.step += 1

    def count(self, moves: Moves) -> None:
        """Count one step's moves."""
        arrived = self.contributions[moves.sources, moves.chunks]
        self.origin[moves.destinations, moves.into] = self.origin[moves.sources, moves.chunks]
        adds, copies = moves.adds, ~moves.adds
        self.contributions[moves.destinations[copies], moves.into[copies]] = arrived[copies]
        np.add.at(self.contributions, (moves.destinations[adds], moves.into[adds]), arrived[adds])

    def complete(self, cells: Indices) -> Indices:
        """Those of `cells` (worker x chunks + chunk) that hold something of every worker, each once."""
        return np.unique(cells[self.contributions.reshape(-1)[cells] == len(self.contributions)])


def _turns(received: Indices) -> list[Indices]:
    """The transfers one turn after another, in their order, such that no cell receives twice in a turn."""
    order = np.argsort(received, kind="stable")
    ordered = received[order]
    first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    position = np.arange(len(ordered)) - np.repeat(first, np.diff(np.r_[first, len(ordered)]))
    turn = np.empty(len(received), dtype=np.intp)
    turn[order] = position
    by_turn = np.argsort(turn, kind="stable")
    return np.split(by_turn, np.flatnonzero(np.diff(turn[by_turn])) + 1)


def _runs(source: Indices, target: Indices) -> list[tuple[int, int]] | None:
    """(start, stop) of the stretches in which both columns advance by constant strides; None if they are many."""
    ahead, along = source[1:] - source[:-1], target[1:] - target[:-1]
    turns = (np.flatnonzero((ahead[1:] != ahead[:-1]) | (along[1:] != along[:-1])) + 2).tolist()
    if len(turns) > 2 * _MOST_VIEWS:
        return None
    runs, first = [], 0
    for turn in turns:
        # A stretch has at least two members, which give its stride
        if turn >= first + 2:
            runs.append((first, turn))
            first = turn
    if first < len(source):
        runs.append((first, len(source)))
    return runs


def _strided(cells: Array, indices: Indices) -> Array:
    """Rows of `cells` at evenly spaced `indices`, as a view."""
    first, count = int(indices[0]), len(indices)
    if count == 1:
        return cells[first : first + 1]
    stride = int(indices[1]) - first
    if stride == 0:
        return np.broadcast_to(cells[first], (count, cells.shape[1]))
    stop = first + stride * count
    return cells[first : stop if stop >= 0 else None : stride]
