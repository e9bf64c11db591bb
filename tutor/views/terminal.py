"""A picture as text for a terminal or a pipe: colours as far as there are any, wide ones in panels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain, count
from typing import Literal, get_args

from tutor.views import palette
from tutor.views.ascii import to_ascii
from tutor.views.layout import Line, left, merged, trimmed
from tutor.views.palette import Background, Style
from tutor.views.picture import Picture, Role

# "mono" has bold, underline and reverse but no colour; "none" has no escape sequence at all
Colours = Literal["truecolour", "256", "16", "mono", "none"]
_LEVELS = (0, 95, 135, 175, 215, 255)  # of the 6 x 6 x 6 cube of 256-colour terminals


def text(
    picture: Picture,
    width: int,
    *,
    colours: Colours | str = "none",
    background: Background = "dark",
    ascii_only: bool = False,
) -> str:
    """The picture as lines joined by line feeds, without a final one.

    A picture wider than `width` comes in panels below each other, each with the row heads again;
    what stands under the grid comes once, at the end. Raises ValueError for unknown `colours`.
    """
    if colours not in get_args(Colours):
        raise ValueError(f"colours is {colours!r}; accepted: {', '.join(get_args(Colours))}")
    paint = _painter(colours, background, to_ascii if ascii_only else lambda text: text)
    return "\n".join(paint(line) for line in lines(picture, width))


def lines(picture: Picture, width: int) -> Iterator[Line]:
    """The rows that `text` writes, as runs."""
    size = picture.size(width)
    body = size.rows - picture.foot_rows(width)
    if size.columns <= width:
        yield from (picture.line(row, width) for row in range(size.rows))
        return
    head = picture.head_columns
    for start, stop in _panels(picture, width, body):
        if start > head:
            yield []
        for row in range(body):
            yield [*left(picture.line(row, width, 0, head), head), *picture.line(row, width, start, stop)]
    yield from (picture.line(row, width) for row in range(body, size.rows))


def _panels(picture: Picture, width: int, body: int) -> Iterator[tuple[int, int]]:
    """(start, stop) columns of each panel: as much as fits beside the heads, cut between cells."""
    columns = max((_end(picture.line(row, width)) for row in range(body)), default=0)
    start = picture.head_columns
    room = max(1, width - start)
    while start < columns:
        stop = start + room
        if stop < columns:
            stop = _between_cells(picture, width, body, start, stop)
        yield start, stop
        start = stop


def _between_cells(picture: Picture, width: int, body: int, start: int, stop: int) -> int:
    """The last column from `start` to `stop` where no cell and no word is cut, or `stop` where there is none."""
    at = stop
    moved = True
    while moved and at > start:
        moved = False
        for row in range(body):
            begin = _cut_thing(picture.line(row, width, start, stop + 1), at - start)
            if begin is not None:
                at, moved = start + begin, True
    return at if at > start else stop


def _cut_thing(runs: Line, at: int) -> int | None:
    """Where the thing begins that a cut at column `at` would go through: a cell with its signs, or a word."""
    column, begin, cell = 0, 0, None
    for run in runs:
        if run.cell is None or run.cell != cell:
            begin = column
        cell = run.cell
        end = column + len(run.text)
        if column < at < end and run.text.strip():
            return begin if run.cell is not None or " " not in run.text[: at - column] else None
        if column == at and run.cell is not None and begin < at:
            return begin
        column = end
    return None


def _end(runs: Line) -> int:
    return sum(len(run.text) for run in trimmed(runs))


def _painter(colours: str, background: Background, encode: Callable[[str], str]) -> Callable[[Line], str]:
    def paint(line: Line) -> str:
        runs = merged(run._replace(cell=None) for run in trimmed(line))
        if colours == "none":
            return "".join(encode(run.text) for run in runs).rstrip()
        return "".join(_coloured(encode(run.text), _codes(run.role, colours, background)) for run in runs)

    return paint


def _coloured(text: str, codes: str) -> str:
    return f"\x1b[{codes}m{text}\x1b[0m" if codes and text.strip() else text


@lru_cache(maxsize=512)
def _codes(role: Role, colours: str, background: Background) -> str:
    """The SGR parameters of a role, joined by semicolons."""
    style = palette.style(role, background)
    codes = ["1"] if style.bold else []
    if style.underline:
        codes.append("4")
    many = colours in ("truecolour", "256")
    if style.reverse and not (many and style.background):
        codes.append("7")
    codes += _colour_codes(style, colours)
    return ";".join(codes)


def _colour_codes(style: Style, colours: str) -> list[str]:
    if colours == "16" and style.ansi is not None:
        return [str(30 + style.ansi if style.ansi < 8 else 82 + style.ansi)]
    if colours not in ("truecolour", "256"):
        return []
    codes = []
    for kind, colour in ((38, style.foreground), (48, style.background)):
        if colour is not None:
            red, green, blue = palette.rgb(colour)
            exact = f"{kind};2;{red};{green};{blue}"
            codes.append(exact if colours == "truecolour" else f"{kind};5;{nearest_of_256(colour)}")
    return codes


@lru_cache(maxsize=256)
def nearest_of_256(colour: str) -> int:
    """The colour of the 256-colour cube and grey ramp that is nearest to "#rrggbb".

    >>> nearest_of_256("#ffffff"), nearest_of_256("#000000"), nearest_of_256("#808080")
    (231, 16, 244)
    """
    wanted = palette.rgb(colour)
    cube = (
        (16 + 36 * r + 6 * g + b, (_LEVELS[r], _LEVELS[g], _LEVELS[b]))
        for r in range(6)
        for g in range(6)
        for b in range(6)
    )
    greys = zip(count(232), ((level, level, level) for level in range(8, 248, 10)), strict=False)
    return min(
        chain(cube, greys),
        key=lambda entry: sum((have - want) ** 2 for have, want in zip(entry[1], wanted, strict=True)),
    )[0]
