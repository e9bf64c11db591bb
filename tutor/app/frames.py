"""What the terminal shows now, so that a frame sends the cells that differ and nothing else.

Textual draws a changed row, or the whole screen, again. Over a slow line that is what one waits for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple, cast

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.console import Console, RenderableType
from rich.style import Style
from textual._ansi_sequences import SYNC_END, SYNC_START
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.geometry import Offset, Size
from textual.strip import Strip

from tutor.app.written import PLAIN, Look, Run, blank_of, fits, go_to, written

# Up to so many cells between two changes are written again: going over them takes as many bytes
_BRIDGE = 4
_LONG = 1024

Cell = tuple[str, Look]


class Piece(NamedTuple):
    """A strip, and where it is to be drawn."""

    row: int
    column: int
    strip: Strip


class Shown:
    """The cells on the terminal, as far as they are known."""

    def __init__(self) -> None:
        self._rows: list[list[Cell | None]] = []
        self._size = Size(0, 0)

    def forget(self) -> None:
        """The terminal may show anything now."""
        self._size = Size(0, 0)

    def changes(self, pieces: Iterable[Piece], size: Size, colours: ColorSystem) -> str:
        """What to write to draw these pieces, which are taken to be shown from now on."""
        if size != self._size:
            self._size = size
            self._rows = [[None] * size.width for _ in range(size.height)]
        drawn = [(piece, _cells(piece.strip, colours)) for piece in pieces if 0 <= piece.row < size.height]
        before = {piece.row: list(self._rows[piece.row]) for piece, _ in drawn}
        for piece, cells in drawn:
            known: list[Cell | None] = [None] * piece.strip.cell_length if cells is None else [*cells]
            known = known[: size.width - piece.column]
            self._rows[piece.row][piece.column : piece.column + len(known)] = known
        if any(cells is None for _, cells in drawn):
            # Signs of two columns, and links: where they end is the terminal's business
            return "".join(f"{go_to(row, column)}{_rendered(strip, colours)}" for (row, column, strip), _ in drawn)
        runs = [run for row, shown in before.items() for run in _differing(row, shown, self._rows[row])]
        return written(runs, size.width)


class OnlyChanges(CompositorUpdate):
    """A frame of Textual's, written as its difference from what is shown."""

    def __init__(self, frame: LayoutUpdate | ChopsUpdate, shown: Shown, size: Size) -> None:
        self.frame = frame
        self._shown = shown
        self._size = size

    def render_segments(self, console: Console) -> str:
        """The bytes to write."""
        colours = console._color_system or ColorSystem.TRUECOLOR
        return self._shown.changes(pieces(self.frame), self._size, colours)


def only_changes(renderable: RenderableType | None, shown: Shown, size: Size) -> RenderableType | None:
    """A frame as its difference from what is shown; whatever else Textual displays, as it is."""
    frame: object = renderable
    if isinstance(frame, LayoutUpdate | ChopsUpdate):
        return cast("RenderableType", OnlyChanges(frame, shown, size))
    return renderable


def in_one_piece(sent: str, cursor: Offset | None, synchronised: bool) -> str:
    """What a frame sends, with the terminal's own cursor left at `cursor`: input methods and magnifiers look there.

    A terminal that can is told to show a long frame at once. A short one arrives at once.
    """
    if cursor is not None:
        sent += go_to(cursor.y, cursor.x)
    return f"{SYNC_START}{sent}{SYNC_END}" if synchronised and len(sent) > _LONG else sent


def pieces(frame: LayoutUpdate | ChopsUpdate) -> Iterator[Piece]:
    """What a frame draws, in its order."""
    if isinstance(frame, LayoutUpdate):
        for row, strips in enumerate(frame.strips, frame.region.y):
            column = frame.region.x
            for strip in strips:
                yield Piece(row, column, strip)
                column += strip.cell_length
        return
    for row, start, stop in frame.spans:
        for end, (column, drawn) in zip(frame.chop_ends[row], frame.chops[row].items(), strict=False):
            if drawn is not None and column <= stop and end > start:
                yield Piece(row, column, drawn if end <= stop else drawn.crop(0, stop - column))


def _differing(row: int, shown: list[Cell | None], now: list[Cell | None]) -> Iterator[Run]:
    """The runs of a row that bring it from `shown` to `now`; what is not known now is left as it is."""
    if shown == now:
        return
    start = end = -1  # of the run so far
    look = PLAIN
    for place, cell in enumerate(now):
        if cell == shown[place] or cell is None:
            continue
        if start >= 0 and place - end <= _BRIDGE:
            if _all_fit(now[end : place + 1], look):
                end = place + 1
                continue
            if _all_fit(now[start : place + 1], cell[1]):  # blanks so far
                end, look = place + 1, cell[1]
                continue
        if start >= 0:
            yield Run(look, row, start, _text(now[start:end]))
        start, end, look = place, place + 1, cell[1]
    if start >= 0:
        yield Run(look, row, start, _text(now[start:end]))


def _all_fit(cells: list[Cell | None], look: Look) -> bool:
    return all(cell and fits(*cell, look) for cell in cells)


def _text(cells: list[Cell | None]) -> str:
    return "".join(cell[0] for cell in cells if cell)


def _cells(strip: Strip, colours: ColorSystem) -> list[Cell] | None:
    """The cells of a strip; None where a sign takes another number of columns than one, or is a link."""
    cells: list[Cell] = []
    for text, style, control in strip:
        if control:
            continue
        if not text.isascii() and cell_len(text) != len(text):
            return None
        if style is not None and style.link:
            return None
        look, blank = (PLAIN, PLAIN) if style is None else _looks(style, colours)
        if look is blank:
            cells += [(sign, look) for sign in text]
        else:
            cells += [(sign, blank if sign == " " else look) for sign in text]
    return cells


@lru_cache(1024)
def _looks(style: Style, colours: ColorSystem) -> tuple[Look, Look]:
    """How a sign in this style looks, and how a blank does: of that only the background is seen."""
    codes = [code for code in style._make_ansi_codes(colours).split(";") if code]
    foreground = list(style.color.downgrade(colours).get_ansi_codes()) if style.color else []
    background = list(style.bgcolor.downgrade(colours).get_ansi_codes(foreground=False)) if style.bgcolor else []
    attributes = codes[: len(codes) - len(foreground) - len(background)]
    look = Look(";".join(attributes), _not_default(foreground), _not_default(background))
    return look, blank_of(look)


def _not_default(codes: list[str]) -> str:
    return "" if codes in (["39"], ["49"]) else ";".join(codes)


def _rendered(strip: Strip, colours: ColorSystem) -> str:
    drawn = ((text, style) for text, style, control in strip if not control)
    return "".join(text if style is None else style.render(text, color_system=colours) for text, style in drawn)
