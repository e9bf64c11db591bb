"""Small tools for laying out runs on rows: widths, alignment, and wrapping notes at a width."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tutor import units
from tutor.views.picture import Role, Run

Line = list[Run]


def length(runs: Iterable[Run]) -> int:
    """How many columns the runs take.

    >>> length([Run("ab"), Run("c")])
    3
    """
    return sum(len(run.text) for run in runs)


def space(columns: int) -> Line:
    """A run of blanks, or nothing where there is nothing to fill."""
    return [Run(" " * columns)] if columns > 0 else []


def right(runs: Line, columns: int) -> Line:
    """The runs with blanks before them, `columns` wide in all (unless they are wider)."""
    return [*space(columns - length(runs)), *runs]


def left(runs: Line, columns: int) -> Line:
    """The runs with blanks after them, `columns` wide in all (unless they are wider)."""
    return [*runs, *space(columns - length(runs))]


def trimmed(runs: Line) -> Line:
    """The runs without the blanks at the end of the row.

    >>> trimmed([Run("a "), Run("   ")])
    [Run(text='a', role=<Role.PLAIN: 'plain'>, cell=None)]
    """
    kept = list(runs)
    while kept and not kept[-1].text.rstrip():
        kept.pop()
    if kept:
        kept[-1] = kept[-1]._replace(text=kept[-1].text.rstrip())
    return kept


def flow(items: Sequence[Line], width: int, gap: int = 3) -> list[Line]:
    """The items one after another, `gap` blanks between them, on as many rows as `width` asks for.

    An item wider than `width` is broken between words, so no row is wider than `width` unless a word is.
    """
    rows: list[Line] = []
    row: Line = []
    for item in items:
        if row and length(row) + gap + length(item) > width:
            rows.append(row)
            row = []
        if row:
            row = [*row, *space(gap), *item]
        elif length(item) <= width:
            row = list(item)
        else:
            *full, row = broken(item, width)
            rows.extend(full)
    if row:
        rows.append(row)
    return rows


def broken(runs: Line, width: int) -> list[Line]:
    """One long item broken between its words; a word keeps its role and cell, a figure its unit.

    >>> [row[0].text for row in broken([Run("each sent 0 B to 32 B")], 20)]
    ['each sent 0 B to', '32 B']
    """
    rows: list[Line] = [[]]
    for run in runs:
        # Blanks stay with the word before them, so that the words can be put together again
        for word in _words(run.text):
            if length(rows[-1]) + len(word.rstrip()) > width and length(rows[-1]):
                rows[-1] = trimmed(rows[-1])
                rows.append([])
            rows[-1].append(run._replace(text=word))
    rows[-1] = trimmed(rows[-1])
    return [merged(row) for row in rows]


def merged(runs: Iterable[Run]) -> Line:
    """The runs with neighbours of the same role and cell joined: fewer style changes to send."""
    out: Line = []
    for run in runs:
        if out and run.text and out[-1].role == run.role and out[-1].cell == run.cell:
            out[-1] = out[-1]._replace(text=out[-1].text + run.text)
        elif run.text:
            out.append(run)
    return out


def columns_of(rows: Iterable[Line]) -> int:
    """The widest row."""
    return max((length(row) for row in rows), default=0)


def note(text: str, role: Role = Role.QUIET) -> Line:
    """One run as a row or an item."""
    return [Run(text, role)]


def _words(text: str) -> list[str]:
    words: list[str] = []
    for piece in text.split(" "):
        if words and words[-1][-2:-1].isdigit() and units.find(piece.rstrip(".,;:)")):
            # A figure stays with its unit
            words[-1] += piece + " "
        else:
            words.append(piece + " ")
    words[-1] = words[-1][:-1]
    return words


def compose(pieces: Iterable[tuple[int, Run]], columns: int, start: int, stop: int | None) -> Line:
    """A row of `columns` columns, cut to `start` to `stop`: runs at their columns, in order, and blanks between them.

    Pieces that lie outside may be left out, so a row of thousands of cells costs only what is looked at.

    >>> [run.text for run in compose([(0, Run("ab")), (4, Run("cd"))], 9, 1, 8)]
    ['b', '  ', 'cd', '  ']
    """
    stop = columns if stop is None else min(stop, columns)
    out: Line = []
    at = start
    for column, run in pieces:
        if column >= stop:
            break
        text = run.text[max(0, at - column) : stop - column]
        if not text:
            continue
        out += space(column - at)
        out.append(run if text == run.text else run._replace(text=text))
        at = max(at, column) + len(text)
    return [*out, *space(stop - at)]
