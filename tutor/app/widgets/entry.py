"""A row to type in that neither blinks nor outlives the screen it stands on."""

from __future__ import annotations

from textual import events
from textual.screen import Screen
from textual.widgets import Input

from tutor.app.widgets.in_order import run_own_binding


class LineInput(Input):
    """Textual's input. Its screen would keep it for ever, through a subscription that is never ended."""

    def __init__(
        self, value: str = "", placeholder: str = "", *, select_on_focus: bool = False, classes: str | None = None
    ) -> None:
        super().__init__(value, placeholder, compact=True, select_on_focus=select_on_focus, classes=classes)
        self.cursor_blink = False
        self._on_screen: Screen[object] | None = None

    async def _on_key(self, event: events.Key) -> None:
        if not await run_own_binding(self, event):
            await super()._on_key(event)

    def on_mount(self) -> None:
        self._on_screen = self.screen

    def on_unmount(self) -> None:
        if self._on_screen is not None:
            self._on_screen.text_selection_started_signal.unsubscribe(self)
            self._on_screen = None
