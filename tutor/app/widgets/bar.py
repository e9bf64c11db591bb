"""How far a lesson is, drawn in cells that differ in more than colour."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.segment import Segment

from tutor.app.theme import Words

if TYPE_CHECKING:
    from tutor.study import LessonStanding

SOLVED, SHOWN, OPEN = "█", "▒", "─"


def bar(solved: int, revealed: int, total: int, width: int, style: Words) -> list[Segment]:
    """`width` cells: solved ones full, those whose answer was shown half, the rest a line.

    Whatever has begun shows at least one cell, and only a finished lesson fills the bar.
    """
    if not total:
        return [Segment(OPEN * width, style.line)]
    full = _cells(solved, total, width)
    half = min(_cells(revealed, total, width), width - full)
    if solved + revealed < total and full + half == width:
        half, full = (half - 1, full) if half else (half, full - 1)
    return [
        Segment(SOLVED * full, style.right),
        Segment(SHOWN * half, style.quiet),
        Segment(OPEN * (width - full - half), style.line),
    ]


def _cells(part: int, total: int, width: int) -> int:
    return 0 if not part else max(1, round(width * part / total))


def how_far(solved: int, revealed: int, total: int) -> str:
    """The same in words."""
    if not total:
        return "nothing to solve"
    text = f"{solved} of {total} solved"
    return text + (f", {revealed} revealed" if revealed else "")


def widest(standings: Iterable[LessonStanding]) -> int:
    """Columns of the longest of these words: bars before them stand under one another."""
    return max((len(how_far(each.solved, each.revealed, each.total)) for each in standings), default=0)
