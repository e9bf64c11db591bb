"""What every view returns: a picture made of text runs, whose cells can be asked about and marked.

A picture knows nothing of terminals. It hands out rows of `Run`s; a run names its role (what it
means), and an edge (Textual strips, ANSI, SVG, plain ASCII) turns roles into colours and glyphs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from tutor.views.figures import number

# A cell's coordinates, sorted by name: (("chunk", 0), ("worker", 1)). Hashable, so it can key an overlay.
Cell = tuple[tuple[str, int | str], ...]
# What a cell holds: a number, an operation such as "0F1", or nothing yet.
CellValue = int | float | str | None


def cell(**coordinates: int | str) -> Cell:
    """The cell with these coordinates.

    >>> cell(worker=1, chunk=0)
    (('chunk', 0), ('worker', 1))
    """
    return tuple(sorted(coordinates.items()))


class Role(StrEnum):
    """What a run of text means. The palette gives each role a colour, an attribute and, where it helps, a glyph."""

    PLAIN = "plain"
    QUIET = "quiet"  # rulers, units, captions
    HEAD = "head"  # row and column heads
    IDLE = "idle"  # a slot in which nothing happens
    SENT = "sent"  # this step's payload where it left
    RECEIVED = "received"  # and where it arrived
    FINISHED = "finished"  # a value that will not change any more
    ABSENT = "absent"  # a piece that this worker does not hold
    FORWARD = "forward"
    BACKWARD = "backward"
    INPUT_GRADIENT = "input-gradient"
    WEIGHT_GRADIENT = "weight-gradient"
    WEIGHTS = "weights"
    GRADIENTS = "gradients"
    OPTIMIZER = "optimizer"
    ACTIVATIONS = "activations"
    COMPUTE = "compute"  # time or power that goes into arithmetic
    CAPACITY = "capacity"  # the line that a card's memory draws
    OVER = "over"  # past that line
    PEAK = "peak"  # the most that is held at any time
    # Which rank something is on: six colours, then again from the first
    RANK_0 = "rank-0"
    RANK_1 = "rank-1"
    RANK_2 = "rank-2"
    RANK_3 = "rank-3"
    RANK_4 = "rank-4"
    RANK_5 = "rank-5"
    # Which group of ranks
    GROUP_0 = "group-0"
    GROUP_1 = "group-1"
    GROUP_2 = "group-2"
    GROUP_3 = "group-3"
    # Marks, laid over a picture by an overlay
    YOURS = "yours"
    ENGINE = "engine"
    DIFFERENCE = "difference"
    CURSOR = "cursor"
    BLANK = "blank"  # a cell to be filled in by the learner


class Run(NamedTuple):
    """A stretch of one row: its text (no control characters), its role, and the cell it shows, if any."""

    text: str
    role: Role = Role.PLAIN
    cell: Cell | None = None


class Size(NamedTuple):
    columns: int
    rows: int


@dataclass(frozen=True)
class Mark:
    """What an overlay puts on one cell: another role, and other text where the cell shows something else."""

    role: Role
    text: str | None = None


Overlay = Mapping[Cell, Mark]


class Picture(ABC):
    """An immutable picture. Rows and columns count terminal cells; every glyph is one cell wide.

    A width asks for a layout: a picture fills it as far as it has something to show, never pads
    itself out, and may be wider (the caller then scrolls, with `head_columns` and `head_rows` fixed).
    The last `foot_rows(width)` rows are notes on the grid above: they fit the width and scroll neither way.
    """

    head_columns: int = 0
    head_rows: int = 0
    # What the picture calls a coordinate, where that is not the coordinate's name
    called: Mapping[str, str] = MappingProxyType({})

    def foot_rows(self, width: int) -> int:
        """How many rows at the bottom belong to no column of the grid: transfers, legend, counts."""
        return 0

    @abstractmethod
    def size(self, width: int) -> Size:
        """Columns and rows of the layout for `width` columns."""

    @abstractmethod
    def line(self, row: int, width: int, start: int = 0, stop: int | None = None) -> list[Run]:
        """The runs of `row` in the layout for `width`, cut to columns `start` to `stop` (default: all of them).

        A cut is exactly that part of the whole row, blanks included; the whole row may end before the
        picture's last column.
        """

    @abstractmethod
    def cells(self) -> Mapping[Cell, CellValue]:
        """Every cell that can be asked about or marked, in reading order, with the value it holds."""

    @abstractmethod
    def words(self) -> list[str]:
        """The picture as sentences and small tables that a screen reader reads sensibly, one line each."""

    def written(self, place: Cell, value: CellValue) -> str:
        """`value` as this picture writes it in the cell `place`: rounded, in its unit; nothing for None."""
        return "" if value is None else value if isinstance(value, str) else number(value)

    @abstractmethod
    def marked(self, overlay: Overlay) -> Picture:
        """The same picture with these cells marked. Cells that the picture does not have are ignored."""


def cut(runs: list[Run], start: int, stop: int | None) -> list[Run]:
    """The part of `runs` between columns `start` and `stop`, with roles and cells kept.

    >>> cut([Run("abc"), Run("def", Role.HEAD)], 2, 5)
    [Run(text='c', role=<Role.PLAIN: 'plain'>, cell=None), Run(text='de', role=<Role.HEAD: 'head'>, cell=None)]
    """
    kept: list[Run] = []
    column = 0
    for run in runs:
        end = column + len(run.text)
        if (stop is None or column < stop) and end > start:
            text = run.text[max(0, start - column) : None if stop is None else stop - column]
            kept.append(run if text == run.text else run._replace(text=text))
        column = end
    return kept
