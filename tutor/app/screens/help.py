"""Help on the screen below: what it is for, and every key that works there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from rich.segment import Segment
from textual.app import ComposeResult
from textual.binding import ActiveBinding, Binding
from textual.containers import VerticalScroll
from textual.screen import Screen

from tutor.app.screens.base import TutorScreen
from tutor.app.theme import words
from tutor.app.widgets.lines import Lines, Row
from tutor.app.widgets.prose import Prose
from tutor.app.widgets.rules import key_name


class Keys(Lines):
    """Keys and what they do, one a row."""

    DEFAULT_CSS = "Keys { padding: 1 1 0 1; }"

    def __init__(self, screen: Screen[object]) -> None:
        super().__init__()
        self._rows = list(key_rows(screen))

    def rows(self, width: int) -> list[Row]:
        style = words(self.app)
        widest = max((len(keys) for keys, _ in self._rows), default=0)
        return [
            [Segment(f"{keys:<{widest}}", style.focus), Segment(f"  {what}", style.plain)] for keys, what in self._rows
        ]


def key_rows(screen: Screen[object]) -> Iterator[tuple[str, str]]:
    """The keys that work on `screen` now, those that do the same together, with what they do."""
    keys: dict[tuple[int, str], list[str]] = {}
    what: dict[tuple[int, str], str] = {}
    for key, active in own_bindings(screen):
        same = (id(active.node), active.binding.action)
        keys.setdefault(same, []).append(key_name(screen.app, key))
        what[same] = full_description(active.binding)
    for same, names in keys.items():
        yield ", ".join(names), what[same]


def own_bindings(screen: Screen[object]) -> list[tuple[str, ActiveBinding]]:
    """The bindings of the app's own that work on `screen` now: Textual's have no id."""
    return [
        (key, active)
        for key, active in screen.active_bindings.items()
        if active.enabled and active.binding.id and active.binding.description
    ]


def full_description(binding: Binding) -> str:
    """What a key does, as a sentence says it; the key row has less room."""
    text = binding.tooltip or binding.description
    return text[:1].upper() + text[1:]


class Help(TutorScreen):
    """What can be done on the screen below."""

    CSS_PATH = "help.tcss"
    BINDINGS: ClassVar = [
        Binding("escape,q,enter,question_mark,f1", "close", "back", key_display="Esc", id="help.close"),
        Binding("down,j", "scroll(1)", "Down", show=False, id="help.down"),
        Binding("up,k", "scroll(-1)", "Up", show=False, id="help.up"),
        Binding("pagedown", "scroll(15)", "Page down", show=False, id="help.page_down"),
        Binding("pageup", "scroll(-15)", "Page up", show=False, id="help.page_up"),
    ]

    def __init__(self, below: Screen[object]) -> None:
        super().__init__()
        self._about = below.HELP if isinstance(below, TutorScreen) else ""
        self._keys = Keys(below)

    def names(self) -> tuple[str, str, str]:
        return "Help", "", ""

    def compose_body(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            if self._about:
                yield Prose(self._about)
            yield self._keys

    def action_close(self) -> None:
        """Back to the screen below."""
        self.dismiss()

    def action_scroll(self, rows: int) -> None:
        """Moves the text."""
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)
