"""The messages of one step: as a few rows under a table, and as sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tutor.views import palette
from tutor.views.figures import number
from tutor.views.layout import Line, flow, left, note, trimmed
from tutor.views.picture import Role, Run

if TYPE_CHECKING:
    import numpy.typing as npt

    from simlib.collectives import Step, Transfer

_MOST_ROWS = 3
_GAP = 3
_MOST_VALUES = 12  # read out; of more, only how many there are


@dataclass(frozen=True)
class TransferRows:
    """The messages of a step in at most three rows, laid out alike for every step of a trace.

    With more messages than the rows hold, the first ones and the last stand for all.
    """

    named: bool  # "worker 0 → worker 1: chunk 0", or "0 → 1: chunk 0" where that is too long
    item: int  # columns that one message takes
    a_row: int  # messages in a row
    rows: int
    columns: int  # of the fullest row

    @classmethod
    def of(cls, most: int, last: int, width: int) -> TransferRows:
        """The layout for at most `most` messages a step, the highest rank or chunk being `last`."""
        for named in (True, False):
            worker = "worker " if named else ""
            item = len(f"{worker}{last} {palette.ARROW} {worker}{last}: chunk {last}")
            a_row = max(1, min(most, (width + _GAP) // (item + _GAP)))
            rows = max(1, -(-most // a_row))
            if rows <= _MOST_ROWS:
                break
        return cls(named, item, a_row, min(rows, _MOST_ROWS), a_row * (item + _GAP) - _GAP)

    def lines(self, transfers: Sequence[Transfer]) -> list[Line]:
        """The rows for these messages, as many as for any other step."""
        items = [self._item(move) for move in transfers]
        room = self.rows * self.a_row
        if len(items) > room:
            more = note(f"and {len(items) - room + 2} more")
            items = [*items[: room - 2], left(more, self.item), items[-1]] if room > 2 else items[:room]
        laid = [flow(items[at : at + self.a_row], self.columns, _GAP) for at in range(0, len(items), self.a_row)]
        lines = [trimmed(line) for row in laid for line in row]
        return lines + [note("") for _ in range(self.rows - len(lines))]

    def _item(self, move: Transfer) -> Line:
        worker = "worker " if self.named else ""
        runs = [
            Run(f"{worker}{move.source} "),
            Run(palette.ARROW, Role.SENT),
            Run(f" {worker}{move.destination}: chunk {move.chunk}"),
        ]
        return left(runs, self.item)


def spoken_transfers(step: Step, bounds: Sequence[tuple[int, int]], before: Sequence[npt.NDArray[Any]]) -> list[str]:
    """One sentence a message: "step 2: worker 0 sends chunk 2, value 303, to worker 1, which adds it"."""
    return [
        f"step {step.number}: worker {move.source} sends chunk {move.chunk}, "
        f"{_values(before[move.source][slice(*bounds[move.chunk])].tolist())}, to worker {move.destination}, "
        f"which {'adds' if move.action == 'add' else 'keeps'} it"
        for move in step.transfers
    ]


def _values(values: Sequence[int | float]) -> str:
    if not values:
        return "which is empty"
    if len(values) > _MOST_VALUES:
        return f"{len(values)} values"
    return f"value{'s' if len(values) > 1 else ''} {' '.join(number(value) for value in values)}"
