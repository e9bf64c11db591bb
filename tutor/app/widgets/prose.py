"""A piece of a lesson's text."""

from __future__ import annotations

from tutor.app.widgets.lines import MEASURE, Lines, Row


class Prose(Lines):
    """A piece of the lesson's text."""

    DEFAULT_CSS = "Prose { padding: 0 1; }"

    def __init__(self, source: str, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.source = source

    def update(self, source: str) -> None:
        """Shows another text."""
        self.source = source
        self.changed()

    def rows(self, width: int) -> list[Row]:
        from tutor.app.markdown import markdown_rows

        return markdown_rows(self.app.console, self.source, min(width, MEASURE))
