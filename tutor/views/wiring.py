"""How the workers of a collective are joined, drawn before and behind their names: servers, trees, this step's way.

server 0 ┌ worker 0 → 2≈       worker 0 ←┬──┐
         └ worker 1 → 3≈       worker 1 ─┘  │
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from simlib.errors import BadArgument
from tutor.views import heads, palette
from tutor.views.figures import in_bytes
from tutor.views.layout import Line, left, length, space
from tutor.views.picture import Role, Run
from tutor.views.transfers import messages
from tutor.views.tree_lanes import TreeLanes, trees_of

if TYPE_CHECKING:
    from simlib.collectives import Step, Trace

_MOST_NAMED = 2  # receivers that are named beside a sender
_WIDEST = 38  # columns; beyond, servers are numbers without a name
_WIDEST_FIXED = 40  # columns that a window can spare


@dataclass(frozen=True)
class Wiring:
    """Servers and trees of one trace, row by row."""

    trace: Trace
    trees: tuple[TreeLanes, ...]
    per_server: int | None  # workers in a server; None where no servers are drawn

    @classmethod
    def of(cls, trace: Trace, nodes: int | None) -> Wiring:
        """The wiring of a trace, with its workers on `nodes` servers. Raises BadArgument unless those divide them."""
        workers = trace.world_size
        if nodes is not None and workers % nodes:
            raise BadArgument("nodes", nodes, f"a divisor of the number of workers ({workers})")
        return cls(trace, trees_of(trace), None if nodes is None else workers // nodes)

    @cached_property
    def columns(self) -> int:
        """Columns of everything before the table."""
        return length(self._before(0)) + self._name_columns + self._behind_columns + 2

    @property
    def fixed_columns(self) -> int:
        """How many of them stay in sight when the table is scrolled: all, or the names alone where trees are wide."""
        names = length(self._before(0)) + self._name_columns + 1
        return self.columns if self.columns < _WIDEST_FIXED else names

    def head(self, title: str) -> Line:
        """The first row: what the table's columns are, and which tree is which."""
        blank = "server" if self.per_server is not None and not self._long else ""
        row = [*left([Run(blank, Role.QUIET)], length(self._before(0))), Run(title, Role.QUIET)]
        if len(self.trees) > 1:
            row = left(row, length(self._before(0)) + self._name_columns + 1)
            for number, columns in enumerate(self._tree_columns):
                row += left([Run(f"tree {number}", Role.QUIET)], columns + 1)
        return row

    def row(self, worker: int, step: Step | None) -> Line:
        """What stands before a worker's values; `step` are the messages to draw, None for none."""
        key = worker, step.number if step is not None else 0
        if key not in self._rows:
            self._rows[key] = self._row(worker, step)
        return self._rows[key]

    def _row(self, worker: int, step: Step | None) -> Line:
        row = [*self._before(worker), *left([heads.head(f"worker {worker}")], self._name_columns)]
        if self.trees:
            for number, tree in enumerate(self.trees):
                row += space(1) + left(tree.row(worker, self._pairs(step, number)), self._tree_columns[number])
        elif self.per_server is not None:
            row += self._sends(worker, step)
        return row

    def legend(self) -> list[Line]:
        """What its signs mean."""
        items: list[Line] = []
        if self.trees:
            items.append([Run(palette.BACK_ARROW, Role.RECEIVED), Run(" arrives over this line", Role.QUIET)])
        elif self._crosses_ever:
            items.append([Run(palette.OVER_NETWORK, Role.SENT), Run(" over the network", Role.QUIET)])
        return items

    def words(self) -> list[str]:
        """Servers and trees in sentences."""
        lines = []
        if self.per_server is not None:
            size = self.per_server
            for server in range(self.trace.world_size // size):
                last = (server + 1) * size - 1
                whom = f"worker {last}" if size == 1 else f"workers {server * size} to {last}"
                lines.append(f"server {server}: {whom}")
        name = "tree {}" if len(self.trees) > 1 else "tree"
        return lines + [f"{name.format(number)}: {tree.words()}" for number, tree in enumerate(self.trees)]

    def counted(self, step: int) -> str:
        """How many bytes went over the network up to a step, and how many stayed inside servers; "" without servers."""
        if self.per_server is None:
            return ""
        inside, between = self._so_far[step]
        return f"so far {in_bytes(between)} between servers, {in_bytes(inside)} inside them"

    @cached_property
    def _rows(self) -> dict[tuple[int, int], Line]:
        """The rows drawn so far: a window that scrolls asks for them again and again."""
        return {}

    # Servers

    def _server(self, worker: int) -> int:
        return worker // (self.per_server or 1)

    @cached_property
    def _long(self) -> bool:
        """Whether servers are called "server 0" in each row, and not by their number alone."""
        last = self._server(self.trace.world_size - 1)
        return len(f"server {last}   ") + self._name_columns + self._behind_columns + 2 <= _WIDEST

    def _before(self, worker: int) -> Line:
        if self.per_server is None:
            return []
        server, place = divmod(worker, self.per_server)
        last = self._server(self.trace.world_size - 1)
        width = len(f"server {last} ") if self._long else len("server ")
        name = f"server {server}" if self._long else str(server)
        up, down = place > 0, place < self.per_server - 1
        sign = palette.JOINTS[
            "".join(("" if up and down else "lr" if not up and not down else "r", "u" * up, "d" * down))
        ]
        return [*left([Run("" if up else name, Role.HEAD)], width), Run(f"{sign} ", Role.QUIET)]

    @cached_property
    def _name_columns(self) -> int:
        return len(f"worker {self.trace.world_size - 1}")

    # What moves

    @cached_property
    def _tree_columns(self) -> list[int]:
        named = len("tree 0") if len(self.trees) > 1 else 0
        return [max(tree.columns, named) for tree in self.trees]

    @cached_property
    def _behind_columns(self) -> int:
        if self.trees:
            return sum(columns + 1 for columns in self._tree_columns)
        if self.per_server is None:
            return 0
        workers = range(self.trace.world_size)
        return max((length(self._sends(worker, step)) for step in self.trace.steps for worker in workers), default=0)

    def _pairs(self, step: Step | None, tree: int) -> set[tuple[int, int]]:
        """Who sends to whom over a tree in this step."""
        if step is None:
            return set()
        chunks = len(self.trace.chunk_bounds) // len(self.trees)
        of_tree = step.chunks // chunks == tree
        return set(zip(step.sources[of_tree].tolist(), step.destinations[of_tree].tolist(), strict=True))

    def _sends(self, worker: int, step: Step | None) -> Line:
        """To whom a worker sends in this step: " → 2≈" where that is over the network."""
        receivers = [] if step is None else self._receivers(step).get(worker, [])
        if not receivers:
            return []
        crosses = any(self._server(other) != self._server(worker) for other in receivers)
        whom = [Run(f"{len(receivers)} others")]
        if len(receivers) <= _MOST_NAMED:
            whom = [run for other in receivers for run in (*space(1), Run(str(other), palette.of_rank(other)))][1:]
        return [
            Run(f" {palette.ARROW} ", Role.SENT),
            *whom,
            *([Run(palette.OVER_NETWORK, Role.SENT)] if crosses else []),
        ]

    def _receivers(self, step: Step) -> dict[int, list[int]]:
        if step.number not in self._receivers_of:
            found: dict[int, list[int]] = {}
            for message in messages(step):
                found.setdefault(message.source, []).append(message.destination)
            self._receivers_of[step.number] = found
        return self._receivers_of[step.number]

    @cached_property
    def _receivers_of(self) -> dict[int, dict[int, list[int]]]:
        return {}

    @cached_property
    def _crosses_ever(self) -> bool:
        return self._so_far[-1][1] > 0

    @cached_property
    def _so_far(self) -> list[tuple[int, int]]:
        """(inside servers, between servers) bytes after each step."""
        totals = [(0, 0)]
        size = self.per_server or self.trace.world_size
        for step in self.trace.steps:
            crossing = step.sources // size != step.destinations // size
            inside, between = (int(step.bytes[which].sum()) for which in (~crossing, crossing))
            totals.append((totals[-1][0] + inside, totals[-1][1] + between))
        return totals
