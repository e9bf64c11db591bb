"""Answering in the picture: the learner fills in the cells that are asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.binding import Binding

from tutor.answers import cells
from tutor.answers.tables import read_rows
from tutor.answers.verdict import NotUnderstood
from tutor.app.theme import words
from tutor.app.widgets.answer import Answered, Drafted
from tutor.app.widgets.in_order import run_own_binding
from tutor.app.widgets.keys import take_keys
from tutor.app.widgets.lines import MEASURE, Lines, Row, text_rows
from tutor.app.widgets.live_view import Blanks
from tutor.views.picture import Cell, Mark, Role

if TYPE_CHECKING:
    from tutor.app.widgets.live_view import LiveView

_LONGEST = 12
_UNFILLED = "?"
_BEFORE = "{}?"  # a blank that shows what its cell held before
_SEPARATORS = ";,|"  # part cells of a table that is typed on the command line
_NOT_IN_A_CELL = frozenset(f" {_UNFILLED}[]")


class Table(Lines, can_focus=True):
    """The row under a question whose answer is written into the live picture above.

    Arrows go from cell to cell, what is typed goes into the cell, Enter goes to the next empty one and
    answers when there is none. After a wrong answer Enter leads from a cell that was changed to the next one
    first: a table that is mended halfway costs no try. Where `may_be_idle`, an empty cell is an answer too,
    and Enter asks once before it takes it for one.
    """

    DEFAULT_CSS = "Table { height: auto; }"
    NOTHING_YET = "Fill in every cell that is asked for."
    BINDINGS: ClassVar = [
        Binding("right", "move(0, 1)", "cell", key_display="←→↑↓", id="table.right", tooltip="cell on the right"),
        Binding("left", "move(0, -1)", "Cell on the left", show=False, id="table.left"),
        Binding("down", "move(1, 0)", "Cell below", show=False, id="table.down"),
        Binding("up", "move(-1, 0)", "Cell above", show=False, id="table.up"),
        Binding("space", "next_cell", "Next cell", show=False, id="table.next"),
        Binding("home", "edge(0)", "First cell", show=False, id="table.first"),
        Binding("end", "edge(-1)", "Last cell", show=False, id="table.last"),
        Binding("enter", "answer", "next, then answer", id="table.answer", tooltip="next empty cell, or answer"),
        Binding("enter", "answer_idle", "answer", id="table.answer_idle", tooltip="answer; empty cells are idle"),
        Binding("enter", "go_on", "go on", id="table.go_on"),
        Binding("backspace", "rub_out", "Rub out", show=False, id="table.rub_out"),
        Binding("delete", "clear", "Empty the cell", show=False, id="table.clear"),
    ]

    def __init__(
        self,
        live: LiveView,
        step: int,
        rows: Sequence[Sequence[Cell]],
        may_be_idle: bool,
        called: Mapping[str, str],
        *,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._live = live
        self._step = step
        self._rows = [list(row) for row in rows]
        self._cells = [place for row in rows for place in row]
        self._may_be_idle = may_be_idle
        self._called = called  # what the picture calls a coordinate: its ranks stages
        self._texts: dict[Cell, str] = {}
        self._wrong: set[Cell] = set()
        self._here = self._cells[0]
        self._replace = True  # the next character typed replaces what is in the cell
        self._note = ""
        self._confirming = False
        self._done = False
        self._judged = False  # a wrong answer was given
        self._changed = False  # this cell, since the cursor came to it

    @property
    def text(self) -> str:
        """The answer as it is typed elsewhere: rows parted by `;`."""
        return self._written("." if self._may_be_idle else _UNFILLED)

    def _written(self, empty: str) -> str:
        return "; ".join(" ".join(self._texts.get(place) or empty for place in row) for row in self._rows)

    def rows(self, width: int) -> list[Row]:
        style = words(self.app)
        if self._done:
            return [[Segment("The picture shows the answer.", style.quiet)]]
        if not self.has_focus:
            return [[Segment("Enter: fill in the blanks of the picture", style.quiet)]]
        filled = sum(1 for place in self._cells if self._texts.get(place))
        typed = self._texts.get(self._here, "")
        before = self._before().get(self._here, "")
        row = [
            Segment(f"{cells.name(self._here, self._cells, self._called)}: ", style.plain),
            Segment(f" {typed}_ ", style.here),
            *([Segment(f"   {before} at step {self._live.model.lesson_step}", style.quiet)] if before else []),
            Segment(f"   {filled} of {len(self._cells)} filled in", style.quiet),
        ]
        note = text_rows(self.app.console, Text(self._note, style.wrong), min(width, MEASURE)) if self._note else []
        return [row, *note]

    # The picture

    def on_mount(self) -> None:
        self._draw_over()

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        if not self.is_mounted:
            return
        if has_focus and not self._done:
            self._live.show_lessons(self._step)
        self._replace = True
        self._draw_over()

    def _draw_over(self) -> None:
        """Draws blanks, what was typed, and the cursor over the lesson's picture."""
        self._live.cover(None if self._done else Blanks(self._step, self._overlay()))
        self.changed()

    def _overlay(self) -> Mapping[Cell, Mark]:
        overlay = {}
        before = self._before()
        for place in self._cells:
            typed = self._texts.get(place, "")
            if place == self._here and self.has_focus:
                overlay[place] = Mark(Role.CURSOR, typed)
            elif place in self._wrong:
                overlay[place] = Mark(Role.YOURS, f"×{typed}")
            elif typed:
                overlay[place] = Mark(Role.YOURS, typed)
            else:
                overlay[place] = Mark(Role.BLANK, _BEFORE.format(before[place]) if place in before else None)
        return overlay

    def _before(self) -> Mapping[Cell, str]:
        """What the cells held where the lesson's picture opens, before the step that is asked for, as it writes it."""
        model = self._live.model
        # Not one step before: where the end is asked for, that would give half of the answer away
        if self._may_be_idle or model.lesson_step >= self._step or not model.is_lessons:
            return {}
        picture = model.scene.picture(model.lesson_step)
        held = picture.cells()
        values = {place: held[place] for place in self._cells if held.get(place) is not None}
        return {place: picture.written(place, value) for place, value in values.items()}

    # Keys

    def action_move(self, rows: int, columns: int) -> None:
        """To the cell beside, above or below; past a row's end to the next row."""
        if self._done:
            return
        if columns:
            at = self._cells.index(self._here) + columns
            self._go(self._cells[at % len(self._cells)])
            return
        row, column = next(
            (number, row.index(self._here)) for number, row in enumerate(self._rows) if self._here in row
        )
        target = self._rows[(row + rows) % len(self._rows)]
        self._go(target[min(column, len(target) - 1)])

    def action_edge(self, number: int) -> None:
        """To the first or the last cell."""
        if not self._done:
            self._go(self._cells[number])

    def action_next_cell(self) -> None:
        """To the cell after this one."""
        self.action_move(0, 1)

    def action_rub_out(self) -> None:
        """Takes back the last character."""
        self._replace = False
        self._write(self._texts.get(self._here, "")[:-1])

    def action_clear(self) -> None:
        """Empties the cell."""
        self._write("")

    def action_answer(self) -> None:
        """To the next empty cell; the answer, when there is none."""
        empty = [place for place in self._cells if not self._texts.get(place)]
        if self._unreadable([self._here] if empty else self._cells):
            return
        after = self._cells.index(self._here)
        if not empty:
            if self._judged and self._changed and self._here != self._cells[-1]:
                self._go(self._cells[after + 1])
                self._say("Changed. Enter again answers.")
            else:
                self.post_message(Answered(self.text))
            return
        self._go(next((place for place in empty if self._cells.index(place) > after), empty[0]))

    def action_answer_idle(self) -> None:
        """The answer; asks first when cells are empty, which then count as idle."""
        if self._unreadable(self._cells):
            return
        empty = sum(1 for place in self._cells if not self._texts.get(place))
        if empty and not self._confirming:
            are = "1 cell is empty and counts" if empty == 1 else f"{empty} cells are empty and count"
            self._say(f"{are} as idle. Enter again answers.")
            self._confirming = True
            return
        self._say("")
        self.post_message(Answered(self.text))

    def _unreadable(self, places: Sequence[Cell]) -> bool:
        """Whether one of these cells holds what is no value: then the cursor goes there and the row says so."""
        for place in places:
            typed = self._texts.get(place, "")
            try:
                if typed:
                    read_rows(typed, [1], words=self._may_be_idle)
            except NotUnderstood as error:
                self._go(place)
                self._say(str(error))
                return True
        return False

    def action_go_on(self) -> None:
        """The question is done."""
        self.post_message(Answered(""))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There are cells to fill as long as the question is open."""
        if action == "go_on":
            return self._done
        if action in ("answer", "answer_idle"):
            return not self._done and (action == "answer_idle") == self._may_be_idle
        return not self._done

    def check_consume_key(self, key: str, character: str | None) -> bool:
        if self._done or character is None or not character.isprintable():
            return False
        return character not in _NOT_IN_A_CELL

    async def on_key(self, event: events.Key) -> None:
        """A printable character goes into the cell; the first one replaces what was there."""
        if await run_own_binding(self, event):
            return
        character = event.character
        if character is None or not self.check_consume_key(event.key, character):
            return
        event.stop()
        event.prevent_default()
        if character in _SEPARATORS:
            self.action_next_cell()
            return
        kept = "" if self._replace else self._texts.get(self._here, "")
        self._replace = False
        self._write(kept + character)

    def on_paste(self, event: events.Paste) -> None:
        """A whole table fills all cells, wherever the cursor is; less than that fills the cells from here on."""
        event.stop()
        typed = [text for text in re.split(r"[\s;,|\[\]]+", event.text) if text]
        if self._done or not typed:
            return
        start = 0 if len(typed) == len(self._cells) else self._cells.index(self._here)
        places = self._cells[start:]
        if len(typed) > len(places):
            self._say(f"{len(typed)} values were pasted, and there are {len(places)} cells from here on.")
            return
        for place, text in zip(places, typed, strict=False):
            self._texts[place] = "" if text == _UNFILLED else text[:_LONGEST]
            self._wrong.discard(place)
        self._go(places[len(typed) - 1])
        self._drafted()

    def _go(self, place: Cell) -> None:
        self._here = place
        self._replace = True
        self._changed = False
        self._say("")
        self._draw_over()
        self._live.bring_into_sight(place)

    def _say(self, note: str) -> None:
        self._confirming = False
        self._note = note
        self.changed()

    def _write(self, text: str) -> None:
        if self._done:
            return
        self._texts[self._here] = text[:_LONGEST]
        self._changed = True
        self._wrong.discard(self._here)
        self._say("")
        self._drafted()

    def _drafted(self) -> None:
        self._draw_over()
        # A dot that was typed is not a cell that is still empty
        self.post_message(Drafted(self._written(_UNFILLED) if any(self._texts.values()) else ""))

    # What the question's panel asks for

    def restore(self, draft: str) -> None:
        rows = [row.split() for row in draft.split(";")]
        if [len(row) for row in rows] == [len(row) for row in self._rows]:
            typed = [text for row in rows for text in row]
            self._texts = {place: text for place, text in zip(self._cells, typed, strict=True) if text != _UNFILLED}
        self._draw_over()

    def wrong(self, text: str, difference: dict[str, Any] | None) -> None:
        self._judged = True
        self._changed = False
        place = self._at(difference)
        if place is not None:
            self._wrong.add(place)
            self._go(place)
        self._draw_over()

    def settle(self, solved: bool) -> None:
        self._done = True
        self._live.show_lessons(self._step)
        self._draw_over()

    def take_focus(self) -> None:
        take_keys(self)

    def _at(self, difference: dict[str, Any] | None) -> Cell | None:
        """The asked cell with the coordinates that a verdict names."""
        if difference is None:
            return None
        return next(
            (place for place in self._cells if all(difference.get(name) == value for name, value in place)), None
        )
