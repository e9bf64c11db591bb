"""The two rows of chrome: where one is, at the top, and which keys do what, at the bottom."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.app import App
from textual.screen import Screen

from tutor.app.theme import words
from tutor.app.widgets.lines import Lines, Row

_MOST_KEYS = 5
SIGNS = {"question_mark": "?", "slash": "/", "space": " "}  # keys that are called otherwise than what they write


class TitleRule(Lines):
    """A line with names in it: `── The ring ── 2 of 14  Three workers ────── 3 of 9 solved ──`."""

    DEFAULT_CSS = "TitleRule { height: 1; }"

    def __init__(self, left: str, middle: str = "", right: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._parts = (left, middle, right)

    def show(self, left: str, middle: str = "", right: str = "") -> None:
        """Puts other names into the line."""
        self._parts = (left, middle, right)
        self.changed()

    def rows(self, width: int) -> list[Row]:
        style = words(self.app)
        left, middle, right = self._parts
        if middle and len(left) + len(middle) + len(right) + 16 > width:
            right = ""  # where one is counts more than how far one is
        row = [Segment("── ", style.line), Segment(left, style.strong), Segment(" ──", style.line)]
        if middle:
            row += [Segment(f" {middle} ", style.plain)]
        end = [Segment(f" {right} ", style.quiet), Segment("──", style.line)] if right else []
        room = width - sum(segment.cell_length for segment in row) - sum(segment.cell_length for segment in end)
        if room < 2 and middle:
            # A long title gives way before the counts do
            kept = max(0, cell_len(middle) + room - 3)
            row[-1] = Segment(f" {set_cell_size(middle, kept).rstrip()}… " if kept > 8 else " ", style.plain)
            room = width - sum(segment.cell_length for segment in row) - sum(segment.cell_length for segment in end)
        return [[*row, Segment("─" * max(0, room), style.line), *end]]


def key_name(app: App[object], key: str) -> str:
    """A key as it is printed on a keyboard."""
    names = {
        "enter": "Enter",
        "escape": "Esc",
        "space": "Space",
        "question_mark": "?",
        "slash": "/",
        "pagedown": "PgDn",
        "pageup": "PgUp",
        "home": "Home",
        "end": "End",
        "left": "←",
        "right": "→",
        "up": "↑",
        "down": "↓",
        "tab": "Tab",
    }
    modifier, plus, plain = key.rpartition("+")
    plain = names.get(plain, plain.upper() if plain[:1] == "f" and plain[1:].isdigit() else plain)
    return f"{modifier}{plus}{plain}"


class KeyBar(Lines):
    """The keys that matter here and now: at most five, those nearest to the focus first."""

    DEFAULT_CSS = "KeyBar { height: 1; dock: bottom; padding: 0 1; }"

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_updated)

    def _bindings_updated(self, _screen: Screen[object]) -> None:
        self.changed()

    def keys(self) -> list[tuple[str, str]]:
        """What is shown: keys and what they do."""
        shown: dict[tuple[int, str], tuple[str, str]] = {}
        for key, active in self.screen.active_bindings.items():
            binding = active.binding
            sign = SIGNS.get(key, key)
            typed = len(sign) == 1 and active.node is not self.screen.focused and self._is_typed(key, sign)
            if binding.show and active.enabled and not typed:
                name = binding.key_display or key_name(self.app, key)
                shown.setdefault((id(active.node), binding.action), (name, binding.description))
        return list(shown.values())

    def _is_typed(self, key: str, character: str) -> bool:
        """Whether this key writes its character where the keys go now."""
        focused = self.screen.focused
        return focused is not None and focused.check_consume_key(key, character)

    def rows(self, width: int) -> list[Row]:
        style = words(self.app)
        help_key = ("F1" if self._is_typed("question_mark", "?") else "?", "help")
        keys = [item for item in self.keys() if item[1] != "help"][: _MOST_KEYS - 1]
        # Where there is no room for all, the help still says them
        while keys and sum(len(key) + len(what) + 4 for key, what in [*keys, help_key]) - 3 > width:
            keys.pop()
        row: Row = []
        for key, what in [*keys, help_key]:
            row += [Segment("   " if row else ""), Segment(key, style.focus), Segment(f" {what}", style.quiet)]
        return [row]
