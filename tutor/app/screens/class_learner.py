"""One learner's files and answers. Everything here is the learner's own: it is drawn sign by sign, never as markup."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from rich.cells import set_cell_size
from rich.segment import Segment
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll

from tutor.app.screens.base import TutorScreen
from tutor.app.theme import words
from tutor.app.widgets.lines import Row
from tutor.app.widgets.menu import Entry, Menu
from tutor.app.widgets.said import Said
from tutor.classroom.folder import NoClass
from tutor.classroom.standing import ago, typed_in
from tutor.safe_text import visible

if TYPE_CHECKING:
    from tutor.classroom.records import Records, Source
    from tutor.progress.store import Event

_MOST_ANSWERS, _MOST_LINES, _MOST_SIGNS = 200, 2_000, 20_000
_KINDS = ("answer", "check", "hint", "reveal", "practice")


class Work(Menu):
    """A row for each file, then one for each answer, the latest first."""

    def __init__(self, events: list[Event]) -> None:
        super().__init__(id="work")
        self.events = [event for event in reversed(events) if event.kind in _KINDS][:_MOST_ANSWERS]
        self.files: dict[str, Source] = {}

    def show(self, files: dict[str, Source]) -> None:
        """Lists these files above the answers."""
        self.files = files
        self.changed()

    def entries(self, width: int) -> list[Entry]:
        now = time.time()
        style = words(self.app)
        entries = []
        for name, source in self.files.items():
            row: Row = [Segment(set_cell_size(visible(name), 40), style.strong)]
            row.append(Segment(f" {len(source.data):>8,} bytes  {ago(now - source.changed)} ago", style.quiet))
            entries.append(Entry(f"file {name}", [row]))
        for number, event in enumerate(self.events):
            right = event.detail.get("right")
            said, look = ("right", style.right) if right is True else ("", style.plain)
            said, look = ("wrong", style.wrong) if right is False else (said, look)
            row = [
                Segment(f"{ago(now - event.at):>7} ", style.quiet),
                Segment(f"{event.kind:8} {set_cell_size(visible(event.item[:60]), 28)} ", style.plain),
                Segment(f"{said:6}", look),
            ]
            room = max(0, width - sum(segment.cell_length for segment in row))
            row.append(Segment(set_cell_size(visible(typed_in(event)[:200]), room), style.plain))
            entries.append(Entry(f"event {number}", [row]))
        return entries


class LearnerScreen(TutorScreen):
    """What one learner has answered and written."""

    CSS_PATH = "class_board.tcss"
    BINDINGS: ClassVar = [Binding("escape,q", "close", "back", key_display="Esc", id="learner.back")]
    HELP: ClassVar[str] = """
The learner's exercise files, and below them what they answered, checked and asked for, the latest first. **Enter**
shows a file or an answer whole. Signs that would move a terminal's cursor are shown as signs.
"""

    def __init__(self, learner: str, records: Records) -> None:
        super().__init__()
        self._learner, self._records = learner, records
        self._work = Work(records.records.get(learner, []))
        self._said = Said()

    def names(self) -> tuple[str, str, str]:
        return "Class", self._learner, ""

    def compose_body(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            yield self._said
            yield self._work

    def on_mount(self) -> None:
        self._work.focus()
        trouble = self._records.troubles.get(self._learner)
        if trouble:
            self._said.say(Text(visible(trouble), words(self.app).wrong))
        elif not self._work.events:
            self._said.say(Text("Nothing answered yet.", words(self.app).quiet))
        self.run_worker(self._read, thread=True)

    def _read(self) -> None:
        try:
            files = self._records.sources(self._learner)
        except (NoClass, OSError):
            return  # gone meanwhile: the board says so
        if self.is_attached:
            self.app.call_from_thread(self._work.show, files)

    @on(Menu.Opened)
    def _open(self, event: Menu.Opened) -> None:
        event.stop()
        kind, _, what = event.entry.partition(" ")
        if kind == "file":
            text = self._work.files[what].data.decode("utf-8", "replace")
            self.app.push_screen(ReadScreen(self._learner, what, text))
            return
        one = self._work.events[int(what)]
        lines = [f"{one.kind} of {one.item}", time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(one.at)), ""]
        lines += [f"{name}: {value}" for name, value in one.detail.items()]
        self.app.push_screen(ReadScreen(self._learner, one.item, "\n".join(lines)))

    def action_close(self) -> None:
        """Back to the class."""
        self.dismiss()


class ReadScreen(TutorScreen):
    """A text of a learner's, to be read."""

    CSS_PATH = "class_board.tcss"
    BINDINGS: ClassVar = [
        Binding("escape,q,enter", "close", "back", key_display="Esc", id="read.back"),
        Binding("down,j", "scroll(1)", "scroll", key_display="↑↓", id="read.down"),
        Binding("up,k", "scroll(-1)", "Up", show=False, id="read.up"),
        Binding("pagedown", "scroll(15)", "Page down", show=False, id="read.page_down"),
        Binding("pageup", "scroll(-15)", "Page up", show=False, id="read.page_up"),
    ]
    HELP: ClassVar[str] = "A file or an answer, as the learner wrote it."

    def __init__(self, learner: str, what: str, text: str) -> None:
        super().__init__()
        self._names = ("Class", f"{learner}: {visible(what[:60])}", "")
        self._lines = visible(text[:_MOST_SIGNS], lines=True).split("\n")[:_MOST_LINES]

    def names(self) -> tuple[str, str, str]:
        return self._names

    def compose_body(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            said = Said(measure=10_000)
            said.say(*(Text(line or " ") for line in self._lines))
            yield said

    def action_scroll(self, rows: int) -> None:
        """Moves the text."""
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)

    def action_close(self) -> None:
        """Back to the learner."""
        self.dismiss()
