"""A piece of a lesson's text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tutor.app.widgets.lines import MEASURE, Lines, Row

if TYPE_CHECKING:
    from textual.app import App

    from tutor.app.markdown import Coloured
    from tutor.views.terms import Wording


def no_picture(_width: int) -> None:
    """The text is about no picture."""


class Prose(Lines):
    """A piece of the lesson's text. What it says of a picture has the picture's colours."""

    DEFAULT_CSS = "Prose { padding: 0 1; }"

    def __init__(
        self,
        source: str,
        wording: Callable[[int], Wording | None] = no_picture,
        *,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """`wording` gives the terms of the picture that the text is about, for this width."""
        super().__init__(id=id, classes=classes)
        self.source = source
        self._wording = wording

    def update(self, source: str) -> None:
        """Shows another text."""
        self.source = source
        self.changed()

    def rows(self, width: int) -> list[Row]:
        from tutor.app.markdown import markdown_rows

        look = coloured(self.app, self._wording(width))
        return markdown_rows(self.app.console, self.source, min(width, MEASURE), look)


def coloured(app: App[Any], wording: Wording | None) -> Coloured | None:
    """How the terms of a picture look in text, in the theme that the app has now; None without a picture."""
    from tutor.app.markdown import Coloured
    from tutor.app.theme import look_of, role_style

    look = look_of(app)
    return None if wording is None else Coloured(wording, lambda role: role_style(role, look))
