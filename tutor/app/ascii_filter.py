"""The whole screen in ASCII, for terminals that draw nothing else: pictures, borders and scrollbars alike."""

from __future__ import annotations

from functools import lru_cache

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from tutor.views.ascii import GLYPHS, to_ascii

# What the app and Textual's widgets draw beyond the pictures' own glyphs
_CHROME = {
    **dict.fromkeys("─━═╌┄▔▁", "-"),
    **dict.fromkeys("│┃║▌▐▎▏▕▊", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯┏┓┗┛", "+"),
    **dict.fromkeys("█▇▆▅▄▃▂▉▋▍▀■", "#"),
    "▒": "%",
    "░": ".",
    "►": ">",
    "▶": ">",
    "◄": "<",
    "◀": "<",
    "▲": "^",
    "▼": "v",
    "←": "<",
    "↑": "^",
    "↓": "v",
    "•": "*",
    "…": "~",
    "’": "'",
    "‘": "'",
    "“": '"',
    "”": '"',
}
_TABLE = str.maketrans({**_CHROME, **GLYPHS})


@lru_cache(4096)
def _plain(text: str) -> str:
    return text if text.isascii() else to_ascii(text.translate(_TABLE))


class AsciiFilter(LineFilter):
    """Turns every character of a drawn line into one ASCII character."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [Segment(_plain(text), style, control) for text, style, control in segments]
