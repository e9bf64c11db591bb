"""A picture as a standalone SVG: a monospaced grid of text, good enough for a slide.

Every run stands at its own column, and fills and lines are drawn as shapes, so that the picture keeps
its columns whatever monospaced font is found. The same picture gives the same file.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from tutor.views import palette
from tutor.views.layout import Line, broken
from tutor.views.palette import PAGE, Background, Style
from tutor.views.picture import Picture, Role, Run

_CELL, _ROW, _SIZE, _MARGIN = 9.0, 21, 15, 24
_TITLE, _HEAD = 20, 28  # points of the title; how far down the first line of title and caption stand
_LEAST = 60  # columns of a picture that is narrower, for what stands above it
_FONT = "'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"
# How densely the fills cover, as their glyphs do in a terminal
_FILLS = {
    palette.WEIGHTS_FILL: "solid",
    palette.COMPUTE_FILL: "solid",
    palette.MLP_FILL: "low",
    palette.ACTIVATIONS_FILL: "solid",
    palette.SCORES_FILL: "denser",
    palette.GRADIENTS_FILL: "dense",
    palette.OPTIMIZER_FILL: "light",
}
# Distance and width of the gaps hatched into a fill, so that fills are told apart in print
_HATCH = {"denser": (7, 1.2), "dense": (5, 1.6), "light": (4, 2.6)}
# Where the strokes of the line glyphs run, below the top of the row
_LINES = {palette.RULE: (9,), palette.BACKWARD_GOES_ON: (7, 11), palette.SENT_LINE: (8, 9, 10)}
# In which directions the strokes of the others leave their middle
_JOINTS = {glyph: directions for directions, glyph in palette.JOINTS.items()}


def svg(
    picture: Picture, *, title: str = "", caption: str = "", width: int = 100, background: Background = "dark"
) -> str:
    """The SVG document, ending with a line feed.

    `title` stands above the picture and is what a screen reader says first, with the picture's
    sentences as the description; `caption` stands between the two.
    """
    size = picture.size(width)
    columns = max(size.columns, _LEAST)
    heads = list(_heads(title, caption, columns))
    top = _MARGIN + sum(down for *_, down in heads) + (8 if heads else 0)
    height = top + size.rows * _ROW + _MARGIN
    across = 2 * _MARGIN + columns * _CELL
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across:g} {height}" width="{across:g}" '
        f'height="{height}" role="img">',
        f"<title>{_escaped(title or caption or 'picture')}</title>",
        f"<desc>{_escaped('; '.join(picture.words()[:40]))}</desc>",
        *_patterns(background),
        f'<rect width="100%" height="100%" rx="8" fill="{PAGE[background]}"/>',
        f'<g font-family="{_FONT}" font-size="{_SIZE}" xml:space="preserve">',
    ]
    bottom = _MARGIN - 12
    for text, role, points, down in heads:
        bottom += down
        body.append(_words(text, _MARGIN, bottom, palette.style(role, background), background, points))
    for row in range(size.rows):
        body.extend(_row(picture.line(row, width), top + row * _ROW, background))
    return "\n".join([*body, "</g>", "</svg>"]) + "\n"


def _heads(title: str, caption: str, columns: int) -> Iterator[tuple[str, Role, int, int]]:
    """The lines above the picture, each with its role, its points and how far it stands below the one before.

    They never make the picture wider than it is: long ones take several lines.
    """
    for text, role, points, goes_on in ((title, Role.CAPACITY, _TITLE, 26), (caption, Role.QUIET, _SIZE, 20)):
        for number, line in enumerate(broken([Run(text)], columns * _SIZE // points) if text else []):
            yield "".join(run.text for run in line), role, points, goes_on if number else _HEAD


def _row(runs: Line, top: float, background: Background) -> Iterator[str]:
    column = 0
    for run in runs:
        x = _MARGIN + column * _CELL
        look = palette.style(run.role, background)
        if look.background is not None and run.text.strip():
            yield (
                f'<rect x="{x:g}" y="{top:g}" width="{len(run.text) * _CELL:g}" height="{_ROW - 2}" '
                f'fill="{look.background}"/>'
            )
        yield from _shapes_or_text(run, x, top, look, background)
        column += len(run.text)


def _shapes_or_text(run: Run, x: float, top: float, look: Style, background: Background) -> Iterator[str]:
    glyph = run.text[:1]
    ink = look.foreground or "currentColor"
    across = len(run.text) * _CELL
    if glyph in _FILLS and set(run.text) == {glyph}:
        name = _FILLS[glyph]
        high = (_ROW - 6) // (2 if name == "low" else 1)
        place = f'x="{x:g}" y="{top + _ROW - 4 - high:g}" width="{across:g}" height="{high}"'
        yield f'<rect {place} fill="{ink}"/>'
        if name in _HATCH:
            yield f'<rect {place} fill="url(#{name}-{background})"/>'
    elif run.text == palette.CAPACITY:
        yield f'<rect x="{x + _CELL / 2 - 1:g}" y="{top - 1:g}" width="2" height="{_ROW}" fill="{ink}"/>'
    elif glyph in _LINES and set(run.text) == {glyph}:
        for y in _LINES[glyph]:
            yield f'<rect x="{x:g}" y="{top + y:g}" width="{across:g}" height="1" fill="{ink}"/>'
    elif set(run.text) <= {*_JOINTS, " "} and run.text.strip():
        path = "".join(_joint(glyph, x + at * _CELL, top) for at, glyph in enumerate(run.text) if glyph != " ")
        yield f'<path d="{path}" stroke="{ink}" fill="none"/>'
    elif run.text.strip():
        indent = len(run.text) - len(run.text.lstrip())
        yield _words(run.text.strip(), x + indent * _CELL, top + _ROW - 6, look, background, _SIZE)


def _joint(glyph: str, x: float, top: float) -> str:
    """The strokes of a glyph that joins lines, to the edges of its cell."""
    across, down = x + _CELL / 2, top + 9.5
    ends = {"l": f"H{x:g}", "r": f"H{x + _CELL:g}", "u": f"V{top - 1:g}", "d": f"V{top + _ROW - 1:g}"}
    return "".join(f"M{across:g} {down:g}{ends[way]}" for way in _JOINTS[glyph])


def _words(text: str, x: float, y: float, look: Style, background: Background, points: int) -> str:
    weight = ' font-weight="bold"' if look.bold else ""
    line = ' text-decoration="underline"' if look.underline else ""
    size = "" if points == _SIZE else f' font-size="{points}"'
    length = f' textLength="{len(text) * _CELL * points / _SIZE:g}" lengthAdjust="spacingAndGlyphs"'
    ink = look.foreground or palette.style(Role.PLAIN, background).foreground
    return f'<text x="{x:g}" y="{y:g}" fill="{ink}"{weight}{line}{size}{length}>{_escaped(text)}</text>'


def _patterns(background: Background) -> Iterator[str]:
    yield "<defs>"
    for name, (step, line) in _HATCH.items():
        yield (
            f'<pattern id="{name}-{background}" width="{step}" height="{step}" patternUnits="userSpaceOnUse" '
            f'patternTransform="rotate(45)"><rect width="{line}" height="{step}" fill="{PAGE[background]}"/></pattern>'
        )
    yield "</defs>"


def _escaped(text: str) -> str:
    return escape(text, {'"': "&quot;"})
