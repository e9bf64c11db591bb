"""What `show` and `plan` have alike: how wide, in which signs, and the picture as a file."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

from tutor.cli.output import BadUsage, colours, say, unicode_works, width
from tutor.permissions import own_machine
from tutor.views.palette import Background
from tutor.views.picture import Picture

_NARROWEST, _WIDEST = 20, 1_000
_SLIDE = 100  # columns of an SVG where nothing else is said


class Drawing:
    """How pictures are drawn, as the options say. Raises BadUsage for an option that cannot be used."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self.columns = _columns(options.get("width"))
        self.ascii_only = "ascii" in options or not unicode_works()
        self.background: Background = "light" if "light" in options else "dark"
        self.file = options.get("svg")
        self._slide = self.columns if "width" in options else _SLIDE
        if self.file == "":
            raise BadUsage("--svg needs the name of a file")
        if self.file is not None and not own_machine().any_file:
            raise BadUsage("--svg is off here")

    def text(self, picture: Picture, width: int | None = None) -> str:
        """The picture as lines for standard output."""
        from tutor.views.terminal import text

        return text(
            picture,
            self.columns if width is None else width,
            colours=colours(),
            background=self.background,
            ascii_only=self.ascii_only,
        )

    def signs(self, words: str) -> str:
        """A sentence in the signs that are asked for."""
        from tutor.views.ascii import spelled

        return spelled(words) if self.ascii_only else words

    def say(self, picture: Picture, caption: str = "") -> None:
        """Prints the picture, below its caption."""
        if caption:
            say(textwrap.fill(self.signs(caption), self.columns))
        say(self.text(picture))

    def save(self, picture: Picture, title: str, caption: str) -> None:
        """Writes the SVG to the file that was named, never over one that is there."""
        from tutor.views.svg import svg

        assert self.file is not None
        drawing = svg(picture, title=title, caption=caption, width=self._slide, background=self.background)
        try:
            with Path(self.file).open("x", encoding="utf-8") as file:
                file.write(drawing)
        except FileExistsError:
            raise BadUsage(f"{self.file} exists and is left as it is; accepted: a new name") from None


def _columns(text: str | None) -> int:
    if text is None:
        return width()
    if not text.isascii() or not text.isdigit() or not _NARROWEST <= int(text[:9]) <= _WIDEST:
        raise BadUsage(f"--width is {text[:60]!r}; accepted: a whole number from {_NARROWEST} to {_WIDEST:,}")
    return int(text)
