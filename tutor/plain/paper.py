"""Where plain mode writes: wrapped lines one after another, with no escape sequence and no cursor movement."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from tutor.plain.markdown import paragraphs
from tutor.printing import colours, say, unicode_works, width, written
from tutor.safe_text import visible
from tutor.views.picture import Picture

_LEAST = 20  # columns; narrower ones break every word


class Paper:
    """Writes to standard output. A picture is said in words, or drawn where `drawn`."""

    def __init__(self, *, drawn: bool = False) -> None:
        self._drawn = drawn
        self._blank = True  # nothing yet, or a blank line: no second one

    @property
    def draws(self) -> bool:
        """Whether pictures are drawn, and not said."""
        return self._drawn

    def blank(self) -> None:
        """Parts what follows from what stands before."""
        if not self._blank:
            say()
            self._blank = True

    def line(self, text: str) -> None:
        """One line as it is, such as a line of code: never wrapped."""
        say(visible(text))
        self._blank = False

    def say(self, text: str, first: str = "", rest: str | None = None) -> None:
        """Words wrapped to the width; `first` stands before them, `rest` (by default blanks) before further lines."""
        rest = " " * len(first) if rest is None else rest
        columns = max(_LEAST, width())
        for words in written(visible(text, lines=True)).splitlines() or [""]:
            lines = textwrap.wrap(
                words,
                columns,
                initial_indent=first,
                subsequent_indent=rest,
                break_long_words=False,
                break_on_hyphens=False,
            )
            for line in lines:
                say(line)
                self._blank = False

    def markdown(self, source: str, first: str = "") -> None:
        """Prose without its marks; `first` stands before its first words."""
        for paragraph in paragraphs(source):
            if not paragraph.close:
                self.blank()
            if paragraph.code:
                self.line(" " * paragraph.indent + paragraph.text)
                continue
            self.say(first + paragraph.text, " " * paragraph.indent + paragraph.mark)
            first = ""

    def together(self, *sources: str) -> None:
        """Short texts in Markdown, each from a new line and none parted from the others."""
        for source in sources:
            for paragraph in paragraphs(source):
                if paragraph.code:
                    self.line(" " * paragraph.indent + paragraph.text)
                else:
                    self.say(paragraph.text, " " * paragraph.indent + paragraph.mark)

    def picture(self, picture: Picture, caption: str) -> None:
        """A picture with its caption."""
        if self._drawn:
            from tutor.views.terminal import text

            self.say(caption)
            say(text(picture, width(), colours=colours(), ascii_only=not unicode_works()))
            self._blank = False
            return
        self.say(caption, rest="  ")
        self.listed(picture.words())

    def listed(self, lines: Iterable[str]) -> None:
        """One thing a line, further lines of each set in."""
        for line in lines:
            self.say(line, rest="  ")
