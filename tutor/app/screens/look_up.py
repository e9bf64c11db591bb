"""Look up: the terms of the course, and whatever else has the words that are typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Input

from tutor.app.screens.base import TutorScreen
from tutor.app.screens.home import Home
from tutor.app.screens.lesson import LessonScreen
from tutor.app.theme import words
from tutor.app.widgets.entry import LineInput
from tutor.app.widgets.lines import MEASURE, Row, text_rows
from tutor.app.widgets.menu import Entry, Menu
from tutor.app.widgets.said import Said
from tutor.search import STEP, TERM, Hit, Search

if TYPE_CHECKING:
    from tutor.course.model import Lesson, Step
    from tutor.study import Study

_INDENT = "  "
_TALL = 20  # rows from which on there is room for blank ones


class Words(LineInput):
    """What is looked for. The keys that move the list are its own, so that they come in turn with those typed."""

    BINDINGS: ClassVar = [
        Binding("enter", "screen.open", "open", id="look_up.open", tooltip="open the step it leads to"),
        Binding("down", "screen.move(1)", "choose", key_display="↑↓", id="look_up.down", tooltip="entry below"),
        Binding("up", "screen.move(-1)", "Entry above", show=False, id="look_up.up"),
        Binding("pagedown", "screen.move(8)", "Some entries down", show=False, id="look_up.page_down"),
        Binding("pageup", "screen.move(-8)", "Some entries up", show=False, id="look_up.page_up"),
    ]


class Found(Menu, can_focus=False):
    """What was found, a row each; the chosen one says what it is."""

    def __init__(self) -> None:
        super().__init__(id="found")
        self.hits: Sequence[Hit] = ()
        self._first = 0  # how many stand apart from the others

    def show(self, hits: Sequence[Hit], first: int = 0) -> None:
        """Lists these instead, the first of them chosen; `first` of them stand apart from the others."""
        self.hits, self._first, self.chosen = hits, first, 0
        self.changed()
        self.scroll_chosen()

    def entries(self, width: int) -> list[Entry]:
        width = min(width, MEASURE)
        entries = []
        for number, hit in enumerate(self.hits):
            rows = self._rows(hit, width, number == self.chosen)
            entries.append(Entry(str(number), [*rows, []] if number + 1 == self._first else rows))
        return entries

    def scroll_chosen(self) -> None:
        if self.hits:
            super().scroll_chosen()

    def _rows(self, hit: Hit, width: int, chosen: bool) -> list[Row]:
        style = words(self.app)
        # Many lessons have a step called alike: the lesson tells them apart
        also = f"also {', '.join(hit.also)}" if chosen and hit.also else ""
        kind = {TERM: also, STEP: hit.where.partition(", step ")[0]}.get(hit.kind, hit.kind)
        kind = f"  {kind}" if kind else ""
        room = max(16, width - cell_len(kind))
        name = hit.name if cell_len(hit.name) <= room else f"{set_cell_size(hit.name, room - 1)}…"
        kind = set_cell_size(kind, max(0, min(cell_len(kind), width - cell_len(name))))
        head: Row = [Segment(name, style.strong), Segment(kind, style.quiet)]
        if not chosen:
            return [head]
        rows = [head]
        if hit.kind == TERM:
            from tutor.app.markdown import markdown_rows

            said = markdown_rows(self.app.console, hit.text, width - len(_INDENT))
            rows += [[Segment(_INDENT), *row] for row in said]
        elif hit.text:
            rows += text_rows(self.app.console, Text(hit.text, style.plain), width, _INDENT, _INDENT)
        if hit.where:
            rows += text_rows(self.app.console, Text(f"→ {hit.where}", style.quiet), width, _INDENT, _INDENT + "  ")
        return rows


class LookUp(TutorScreen):
    """One row to type in, and below it what has those words, best first."""

    CSS_PATH = "look_up.tcss"
    AUTO_FOCUS = "Words"
    VERTICAL_BREAKPOINTS = [(_TALL, "-tall")]  # noqa: RUF012  not a ClassVar where it is declared
    HELP: ClassVar[str] = """
The terms of the course: in a lesson those of the step you are at come first. **Type** some letters or words to
search the terms, the lessons, the engine's quantities and the pictures at once. **Up** and **down** choose, and
what is chosen says what it means. **Enter** opens the step that defines it, or that has the words; **Esc** there
leads back to where you were. Nothing half typed gets lost on the way.
"""
    BINDINGS: ClassVar = [
        Binding("escape,f4", "close", "back", id="look_up.close", tooltip="back to where you were"),
    ]

    def __init__(self, study: Study, search: Search, lesson: Lesson | None = None, step: Step | None = None) -> None:
        super().__init__()
        self.set_class(self.app.size.height >= _TALL, "-tall", update=False)
        self._study = study
        self._search = search
        self._at = (lesson, step)
        self.words = Words(placeholder="a term, or words to search for")
        self.found = Found()
        self._status = Said(id="status")

    def names(self) -> tuple[str, str, str]:
        return "Look up", "", ""

    def compose_body(self) -> ComposeResult:
        with Horizontal(id="words"):
            label = Said(classes="label")
            label.say(Text("Find"))
            yield label
            yield self.words
        yield self._status
        with VerticalScroll(can_focus=False):
            yield self.found

    def on_mount(self) -> None:
        self._look("")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._look(event.value)

    def _look(self, text: str) -> None:
        style = words(self.app)
        if text.strip():
            hits, own = self._search.find(text), 0
            said = self._count(hits, text)
        else:
            hits, own = self._search.terms(*self._at)
            said = f"{own} terms of this step, then all others." if own else "All terms, from A to Z."
            said = said if hits else "Type to search the lessons, the quantities and the pictures."
        self._status.say(Text(said, style.quiet))
        self.found.show(hits, own)

    def _count(self, hits: Sequence[Hit], text: str) -> str:
        if hits:
            return f"{len(hits)} found, the best first." if len(hits) > 1 else "One found."
        near = self._search.near(text)
        also = f" Did you mean {' or '.join(near)}?" if near else ""
        return f"Nothing has this.{also}"

    def action_move(self, by: int) -> None:
        """Chooses an entry below or above."""
        self.found.action_move(by)

    def action_open(self) -> None:
        """Opens the step that the chosen entry leads to."""
        if self.found.hits:
            self._go(self.found.hits[self.found.chosen])

    @on(Menu.Opened)
    def _clicked(self, event: Menu.Opened) -> None:
        event.stop()
        self._go(self.found.hits[int(event.entry)])

    def _go(self, hit: Hit) -> None:
        found = self._study.course.find_step(hit.step)
        if found is None:
            self.app.say("No step is about this one.")
            return
        lesson, step = found
        self.dismiss()
        below = self.app.screen
        if isinstance(below, Home):
            self.app.push_screen(LessonScreen(self._study, lesson, step))
        elif isinstance(below, LessonScreen):
            below.visit(lesson, step)
        else:
            self.app.push_screen(LessonScreen(self._study, lesson, step, visit=True))

    def action_close(self) -> None:
        """Back to where one was."""
        self.dismiss()
