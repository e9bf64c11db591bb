"""A few rows of text that change: captions, complaints, verdicts. Empty, it takes no room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from tutor.app.widgets.lines import MEASURE, Lines, Row, flow_rows, text_rows
from tutor.app.widgets.prose import coloured, no_picture

if TYPE_CHECKING:
    from tutor.views.terms import Wording

Spoken = Text | str | Sequence[Text]


class Said(Lines):
    """Shows texts under one another.

    A `str` is Markdown of the course; what a learner typed comes as Text, never as markup. A sequence
    of Texts flows: as many on a row as there is room for.
    """

    def __init__(self, *, measure: int = MEASURE, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._texts: Sequence[Spoken] = ()
        self._measure = measure
        # The terms of the picture beside it, which have its colours in Markdown
        self.wording: Callable[[int], Wording | None] = no_picture
        self.display = False

    def say(self, *texts: Spoken) -> None:
        """Shows these texts instead of what was there."""
        before, self._texts = self._texts, [text for text in texts if text]
        if not before and not self._texts:
            return  # nothing said, as before: what stands below need not be laid out again
        self.display = bool(self._texts)
        self.changed()

    def rows(self, width: int) -> list[Row]:
        console = self.app.console
        width = min(width, self._measure)
        rows: list[Row] = []
        for text in self._texts:
            if isinstance(text, str):
                from tutor.app.markdown import markdown_rows

                rows += markdown_rows(console, text, width, coloured(self.app, self.wording(width)))
            elif isinstance(text, Text):
                rows += text_rows(console, text, width)
            else:
                rows += flow_rows(console, text, width)
        return rows

    @property
    def text(self) -> str:
        """What it says, without styles: for tests and for the help."""
        return "\n".join(_plain(text) for text in self._texts)


def _plain(text: Spoken) -> str:
    if isinstance(text, str):
        return text
    return text.plain if isinstance(text, Text) else "   ".join(item.plain for item in text)
