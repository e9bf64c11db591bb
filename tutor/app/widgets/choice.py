"""Answering by choosing one of several options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.binding import Binding

from tutor.app.theme import words
from tutor.app.widgets.answer import Answered, Drafted
from tutor.app.widgets.in_order import run_own_binding
from tutor.app.widgets.keys import take_keys
from tutor.app.widgets.lines import MEASURE, Lines, Row, bring_rows_into_sight, text_rows
from tutor.course.model import Option
from tutor.views.palette import DONE

_WRONG = "×"
_NOBODY = -1


class Choice(Lines, can_focus=True):
    """Options under one another. None is chosen at first, so that Enter alone answers nothing."""

    DEFAULT_CSS = "Choice { height: auto; }"
    NOTHING_YET = "Choose with ↑ and ↓, then Enter."
    BINDINGS: ClassVar = [
        Binding("down", "move(1)", "choose", key_display="↑↓", id="choice.down", tooltip="option below"),
        Binding("up", "move(-1)", "Option above", show=False, id="choice.up"),
        Binding("enter", "answer", "answer", id="choice.answer", tooltip="answer with the marked option"),
        Binding("enter", "go_on", "go on", id="choice.go_on"),
    ]

    def __init__(self, options: Sequence[Option], tried: Sequence[str], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._options = options
        self._tried = set(tried)
        self._right = ""
        self._done = False
        self.chosen = _NOBODY

    @property
    def text(self) -> str:
        """The id of the chosen option, or nothing."""
        return self._options[self.chosen].id if self.chosen != _NOBODY else ""

    def rows(self, width: int) -> list[Row]:
        rows: list[Row] = []
        for number, option in enumerate(self._options):
            rows += self._option_rows(number, option, min(width, MEASURE))
        return rows

    def _option_rows(self, number: int, option: Option, width: int) -> list[Row]:
        style = words(self.app)
        chosen = number == self.chosen
        sign = DONE if option.id == self._right else _WRONG if option.id in self._tried else str(number + 1)
        look = style.strong if chosen or option.id == self._right else style.plain
        if option.id in self._tried and not chosen:
            look = style.quiet
        rows = text_rows(self.app.console, Text(option.text, look), width - 4)
        colour = style.right if sign == DONE else style.wrong if sign == _WRONG else style.quiet
        mark = Segment("► " if chosen else "  ", style.focus)
        first: Row = [mark, Segment(f"{sign} ", colour), *rows[0]]
        return [first, *([Segment("    "), *row] for row in rows[1:])]

    def action_move(self, by: int) -> None:
        """Chooses the option below or above."""
        if self.chosen == _NOBODY:
            self._choose(0 if by > 0 else len(self._options) - 1)
        else:
            self._choose((self.chosen + by) % len(self._options))

    def action_answer(self) -> None:
        """Answers with the chosen option."""
        self.post_message(Answered(self.text))

    def action_go_on(self) -> None:
        """The question is done."""
        self.post_message(Answered(""))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is something to choose as long as the question is open."""
        return self._done if action == "go_on" else not (self._done and action in ("move", "answer"))

    async def on_key(self, event: events.Key) -> None:
        """A digit chooses the option with that number."""
        if await run_own_binding(self, event):
            return
        if not self._done and event.key.isdecimal() and 1 <= int(event.key) <= len(self._options):
            event.stop()
            self._choose(int(event.key) - 1)

    def on_click(self, event: events.Click) -> None:
        """A click chooses; Enter answers."""
        row = event.y
        for number, option in enumerate(self._options):
            row -= len(self._option_rows(number, option, min(self.size.width, MEASURE)))
            if row < 0:
                self._choose(number)
                return

    def _choose(self, number: int) -> None:
        if self._done:
            return
        self.chosen = number
        self.changed()
        rows = [len(self._option_rows(*each, min(self.size.width, MEASURE))) for each in enumerate(self._options)]
        bring_rows_into_sight(self, sum(rows[:number]), rows[number])
        self.post_message(Drafted(self.text))

    def restore(self, draft: str) -> None:
        ids = [option.id for option in self._options]
        self.chosen = ids.index(draft) if draft in ids else _NOBODY
        self.changed()

    def wrong(self, text: str, difference: dict[str, Any] | None) -> None:
        self._tried.add(text)
        self.changed()

    def settle(self, solved: bool) -> None:
        """The panel says the answer in words; `mark_right` shows which option it is."""
        self._done = True
        self.chosen = _NOBODY
        self.changed()

    def mark_right(self, option: str) -> None:
        """Shows which option is right."""
        self._right = option
        self._tried.discard(option)
        self.changed()

    def take_focus(self) -> None:
        take_keys(self)
