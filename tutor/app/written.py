"""Runs of text as what to write to a terminal: each where it belongs, with as few bytes as it takes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

# In longer frames the text is more than the styles, and its order does not matter
_MOST_SORTED = 200
_SEEN_IN_BLANKS = ("4", "7", "9", "21", "51", "52", "53")  # underlined, reversed, struck and framed
# A vertical tab goes down in its column, and no terminal driver adds a return to it, as to a line feed
_DOWN = "\x1b[B" if os.name == "nt" else "\v"


class Look(NamedTuple):
    """How a cell looks, as parameters of SGR."""

    attributes: str
    foreground: str
    background: str


PLAIN = Look("", "", "")


class Run(NamedTuple):
    """Text of one look, to be written in one go."""

    look: Look
    row: int
    column: int
    text: str


def written(runs: list[Run], width: int) -> str:
    """What to write for these runs, on a terminal of so many columns; any of their orders draws the same."""
    as_they_are = _in_order(runs, width)
    if len(runs) >= _MOST_SORTED:
        return as_they_are
    by_look = _in_order(sorted(_with_blanks_beside_others(runs)), width)
    return min(as_they_are, by_look, key=len)


def blank_of(look: Look) -> Look:
    """How a blank in this look looks: of most looks only the background is seen."""
    return look if seen_in_blanks(look.attributes) else Look("", "", look.background)


@lru_cache(64)
def seen_in_blanks(attributes: str) -> bool:
    """Whether a blank shows one of these, as underlining."""
    return any(attribute in _SEEN_IN_BLANKS for attribute in attributes.split(";"))


def fits(sign: str, look: Look, writing: Look) -> bool:
    """Whether a sign of this look can be written while the terminal writes in another."""
    if look == writing:
        return True
    return sign == " " and look == Look("", "", writing.background) and not seen_in_blanks(writing.attributes)


def go_to(row: int, column: int) -> str:
    """From anywhere to this cell."""
    return f"\x1b[{row + 1};{column + 1}H" if column else f"\x1b[{row + 1}H"


def _with_blanks_beside_others(runs: list[Run]) -> Iterator[Run]:
    """Blanks can be written in any look of their background: in that of the nearest run, on the way to it."""
    hosts = [run for run in runs if run.text.strip(" ") and not seen_in_blanks(run.look.attributes)]
    for run in runs:
        fitting = [one for one in hosts if fits(" ", run.look, one.look)] if not run.text.strip(" ") else []
        if fitting:
            nearest = min(fitting, key=lambda one: (abs(one.row - run.row), abs(one.column - run.column)))
            run = run._replace(look=nearest.look)
        yield run


def _in_order(runs: Iterable[Run], width: int) -> str:
    """The runs in this order: where to go, how to write where that changes, and the text."""
    out: list[str] = []
    look = PLAIN
    at: tuple[int, int] | None = None
    for run in runs:
        out.append(_way(at, run.row, run.column))
        if not fits(" " if not run.text.strip(" ") else run.text, run.look, look):
            out.append(_change(look, run.look))
            look = run.look
        out.append(run.text)
        end = run.column + len(run.text)
        # At the right edge terminals differ in where the cursor is
        at = (run.row, end) if end < width else None
    if look != PLAIN:
        out.append("\x1b[m")
    return "".join(out)


def _way(at: tuple[int, int] | None, row: int, column: int) -> str:
    """The shortest way to a cell."""
    if at is None or row < at[0]:
        return go_to(row, column)
    return min(_down_and_along(row - at[0], at[1], column), go_to(row, column), key=len)


@lru_cache(4096)
def _down_and_along(down: int, start: int, column: int) -> str:
    """From a column to another, some rows further down."""
    back = start - column
    ways = [f"\r{_right(column)}", _right(-back) if back <= 0 else min("\b" * back, f"\x1b[{back}D", key=len)]
    return _DOWN * down + min(ways, key=len)


def _right(columns: int) -> str:
    return "" if not columns else "\x1b[C" if columns == 1 else f"\x1b[{columns}C"


@lru_cache(4096)
def _change(before: Look, now: Look) -> str:
    """From one look to another with as few parameters as it takes."""
    if before == now:
        return ""
    if now == PLAIN:
        return "\x1b[m"
    added: list[str] = []
    if before.attributes != now.attributes:
        if before.attributes == "1":
            added.append("22")
        elif before.attributes:
            added.append("0")
            before = PLAIN
        added += [now.attributes] if now.attributes else []
    if before.foreground != now.foreground:
        added.append(now.foreground or "39")
    if before.background != now.background:
        added.append(now.background or "49")
    return f"\x1b[{';'.join(added)}m"
