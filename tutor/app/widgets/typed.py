"""Answering by typing: a number with its unit, or whatever a question has no other way of asking for."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.reactive import var
from textual.widgets import Input

from tutor.app.widgets.answer import Answered, Drafted
from tutor.app.widgets.entry import LineInput
from tutor.app.widgets.in_order import run_own_binding
from tutor.app.widgets.keys import take_keys
from tutor.app.widgets.said import Said


class Entry(LineInput):
    """Enter answers; once the question is done nothing more can be typed, and Enter goes on."""

    BINDINGS: ClassVar = [
        Binding("enter", "submit", "answer", id="typed.answer"),
        Binding("enter", "go_on", "go on", id="typed.go_on"),
    ]
    done = var(False)

    async def action_go_on(self) -> None:
        """Goes on: the value is empty then."""
        await self.action_submit()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return not self.done and super().check_consume_key(key, character)

    async def _on_key(self, event: events.Key) -> None:
        if self.done:
            # Input's own handlers would run after this one
            event.prevent_default()
            await run_own_binding(self, event)
        else:
            await super()._on_key(event)

    def _on_paste(self, event: events.Paste) -> None:
        if self.done:
            event.prevent_default()
            event.stop()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enter says what it does."""
        if action in ("submit", "go_on"):
            return (action == "go_on") == self.done
        return True


class Typed(Horizontal):
    """One row to type in."""

    DEFAULT_CSS = """
    Typed { height: 1; }
    Typed .label { width: 8; }
    Typed Input { width: 1fr; max-width: 60; }
    """
    NOTHING_YET = "Type your answer, then Enter."

    def __init__(self, expects: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.entry = Entry(placeholder=expects)

    def compose(self) -> ComposeResult:
        from rich.text import Text

        label = Said(classes="label")
        label.say(Text("Answer"))
        yield label
        yield self.entry

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.refresh_bindings()
        self.post_message(Drafted(event.value))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(Answered(event.value.strip()))

    def restore(self, draft: str) -> None:
        with self.prevent(Input.Changed):
            self.entry.value = draft
        self.entry.cursor_position = len(draft)

    def wrong(self, text: str, difference: dict[str, Any] | None) -> None:
        """The wrong answer stays, marked: typing replaces it, an arrow key begins to mend it."""
        self.entry.action_select_all()

    def settle(self, solved: bool) -> None:
        self.entry.done = True
        self.entry.placeholder = ""
        with self.prevent(Input.Changed):
            self.entry.value = ""

    def take_focus(self) -> None:
        take_keys(self.entry)
