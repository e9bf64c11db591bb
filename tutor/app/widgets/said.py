"""A few rows of text that change: captions, complaints, verdicts. Empty, it takes no room."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from tutor.app.widgets.lines import MEASURE, Lines, Row, text_rows


class Said(Lines):
    """Shows texts under one another. A `str` is Markdown of the course; what a learner typed comes as Text."""

    def __init__(self, *, measure: int = MEASURE, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._texts: Sequence[Text | str] = ()
        self._measure = measure
        self.display = False

    def say(self, *texts: Text | str) -> None:
        """Shows these texts instead of what was there."""
        self._texts = [text for text in texts if text]
        self.display = bool(self._texts)
        self.changed()

    def rows(self, width: int) -> list[Row]:
        console = self.app.console
        width = min(width, self._measure)
        rows: list[Row] = []
        for text in self._texts:
            if isinstance(text, str):
                from tutor.app.markdown import markdown_rows

                rows += markdown_rows(console, text, width)
            else:
                rows += text_rows(console, text, width)
        return rows

    @property
    def text(self) -> str:
        """What it says, without styles: for tests and for the help."""
        return "\n".join(text if isinstance(text, str) else text.plain for text in self._texts)
