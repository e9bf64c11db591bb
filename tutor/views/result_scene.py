"""What a learner's function returned beside what it should have: the checker's picture of results without a topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tutor.views.result_table import ResultRow, ResultTable
from tutor.views.scene import Scene

TOPIC = "result"


@dataclass(frozen=True)
class ResultScene(Scene):
    """The rows around the first difference. No topic of `show`: there is nothing to see before a check."""

    table: ResultTable
    wrong: int  # of all numbers, also of those that are not shown
    numbers: int

    def picture(self, step: int) -> ResultTable:
        return self.table

    def caption(self, step: int) -> str:
        if self.numbers == 1:
            return "The number in your result differs."
        some = "All" if self.wrong == self.numbers else f"{self.wrong:,} of"
        return f"{some} {self.numbers:,} numbers in your result {'differs' if self.wrong == 1 else 'differ'}."

    def data(self) -> dict[str, Any]:
        rows = [
            {"part": row.part, "row": row.row, "expected": list(row.expected), "yours": list(row.yours)}
            for row in self.table.rows
        ]
        return {"rows": rows, "wrong": self.wrong, "numbers": self.numbers}


def build(given: Mapping[str, Any]) -> ResultScene:
    """The scene of the parameters that `tutor.checker.drawn.picture_of` makes."""
    rows = [ResultRow(**row) for row in given["rows"]]
    above, below = (tuple(given[name]) for name in ("above", "below"))
    return ResultScene(ResultTable(rows, above, below), given["wrong"], given["numbers"])
