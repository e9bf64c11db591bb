"""What every screen of the app has: a title row, a body, a row of keys, and help on itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.screen import Screen

from tutor.app.widgets.rules import KeyBar, TitleRule

if TYPE_CHECKING:
    from tutor.app.main import TutorApp


class TutorScreen(Screen[None]):
    """Subclasses give `compose_body`, `names` and `HELP`."""

    HELP: ClassVar[str] = ""  # Markdown: what this screen is for
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012  not a ClassVar where it is declared

    if TYPE_CHECKING:

        @property
        def app(self) -> TutorApp: ...  # type: ignore[override]

    def compose(self) -> ComposeResult:
        yield TitleRule(*self.names())
        yield from self.compose_body()
        yield KeyBar()

    def compose_body(self) -> ComposeResult:
        """The widgets between title and keys."""
        raise NotImplementedError

    def names(self) -> tuple[str, str, str]:
        """What the title row says: on the left, after it, and on the right."""
        raise NotImplementedError
