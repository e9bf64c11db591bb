"""What every screen of the app has: a title row, a body, a row of keys, and help on itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.screen import Screen

from tutor.app.widgets.rules import KeyBar, TitleRule

if TYPE_CHECKING:
    from tutor.app.main import TutorApp


WIDE = 110  # columns from which on a picture stands beside the text


class TutorScreen(Screen[None]):
    """Subclasses give `compose_body`, `names` and `HELP`."""

    HELP: ClassVar[str] = ""  # Markdown: what this screen is for
    HORIZONTAL_BREAKPOINTS = [(WIDE, "-wide")]  # noqa: RUF012  not a ClassVar where it is declared

    if TYPE_CHECKING:

        @property
        def app(self) -> TutorApp: ...  # type: ignore[override]

    def __init__(self) -> None:
        super().__init__()
        # The breakpoint would set it a frame later
        self.set_class(self.app.size.width >= WIDE, "-wide", update=False)

    def compose(self) -> ComposeResult:
        yield TitleRule(*self.names())
        yield from self.compose_body()
        yield KeyBar()

    def on_screen_suspend(self) -> None:
        self.app.move_on()

    def compose_body(self) -> ComposeResult:
        """The widgets between title and keys."""
        raise NotImplementedError

    def names(self) -> tuple[str, str, str]:
        """What the title row says: on the left, after it, and on the right."""
        raise NotImplementedError
