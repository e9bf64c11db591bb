"""Ranks by name: worker 2, rank 2 and GPU 2 are one thing, and have one colour wherever they are named."""

from __future__ import annotations

import re

from tutor.views import palette
from tutor.views.layout import Line
from tutor.views.picture import Cell, Role, Run

_A_RANK = re.compile(r"(?:worker|rank|GPU) (\d+)")


def of_name(name: str) -> Role | None:
    """The role of the rank that has this name; None where it is no rank's.

    >>> of_name("worker 1"), of_name("stage 1")
    (<Role.RANK_1: 'rank-1'>, None)
    """
    found = _A_RANK.fullmatch(name)
    return palette.of_rank(int(found[1])) if found else None


def head(name: str, place: Cell | None = None) -> Run:
    """What a row or a column is called, as heads are, but for a rank, which has a colour of its own."""
    return Run(name, of_name(name) or Role.HEAD, place)


def coloured(text: str, role: Role = Role.PLAIN) -> Line:
    """The text with the ranks that it names in their colours.

    >>> [run.text for run in coloured("of rank 2: 8 B")]
    ['of ', 'rank 2', ': 8 B']
    """
    runs: Line = []
    at = 0
    for found in _A_RANK.finditer(text):
        runs += [Run(text[at : found.start()], role)] if found.start() > at else []
        runs.append(Run(found[0], palette.of_rank(int(found[1]))))
        at = found.end()
    return [*runs, Run(text[at:], role)] if at < len(text) else runs
