"""The app's own editor for an exercise's file: what is written is kept as it is typed, saving checks it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container, VerticalScroll
from textual.widgets import TextArea

from tutor.app.code_colours import NAME, code_theme
from tutor.app.learner_file import NotSaved, read_text, write_text
from tutor.app.screens.base import TutorScreen
from tutor.app.theme import words
from tutor.app.widgets.rules import TitleRule
from tutor.app.widgets.verdict import VerdictView
from tutor.checker import Unreadable
from tutor.checker.verdict import CheckResult
from tutor.checker.watch import Watch

if TYPE_CHECKING:
    from pathlib import Path

    from tutor.course.model import Exercise

_KEYS = ("F7 F8 goes through the steps of both", "F9 shows the other side")


class Code(TextArea):
    """A text area whose undo cannot bring the app down, and which goes when its screen goes."""

    def on_unmount(self) -> None:
        # The app would keep it for ever, to tell it of other themes
        watchers = getattr(self.app, "__watchers", {}).get("theme", [])
        watchers[:] = [watcher for watcher in watchers if watcher[0] is not self]

    def undo(self) -> None:
        self._guarded(super().undo)

    def redo(self) -> None:
        self._guarded(super().redo)

    def _guarded(self, what: Callable[[], None]) -> None:
        before = self.text
        try:
            what()
        except Exception:
            # Undoing a paste of several lines fails in this version: the text stays, its history goes
            self.load_text(before)


class Below(VerticalScroll):
    """The place of the verdict; the row of keys learns when it has grown too long for it."""

    def watch_virtual_size(self, *_: object) -> None:
        if self.is_attached:
            self.screen.refresh_bindings()


class EditorScreen(TutorScreen):
    """The file on the left or above, the verdict beside or below it."""

    CSS_PATH = "editor.tcss"
    HELP: ClassVar[str] = """
Your file. **ctrl+s** saves it and checks it; **Esc** goes back to the lesson, and what is not saved yet is
kept for the next time. **F6** reads on where the verdict is longer than its place. **F7** and **F8** go through the
steps of a picture, yours beside the engine's, **F9** shows the other side of it, **F10** all that your file printed.
You may also edit the file in any other editor: saving it there checks it too.
"""
    BINDINGS: ClassVar = [
        Binding("ctrl+s", "save", "save and check", id="editor.save"),
        Binding("escape", "back", "back", id="editor.back", priority=True),
        Binding("f5", "save", "Save and check", show=False, id="editor.check"),
        Binding("f6", "read(1)", "read on", priority=True, id="editor.read", tooltip="a page of the verdict on"),
        Binding(
            "shift+f6,f18", "read(-1)", "A page of the verdict back", show=False, priority=True, id="editor.back_up"
        ),
        Binding("f8", "turn(1)", "step", key_display="F7 F8", priority=True, id="editor.on", tooltip="a step on"),
        Binding("f7", "turn(-1)", "A step of the picture back", show=False, priority=True, id="editor.step_back"),
        Binding("f9", "switch", "side", priority=True, id="editor.side", tooltip="yours, the engine's, the difference"),
        Binding("f10", "printed", "What the file printed", show=False, priority=True, id="editor.printed"),
        Binding("ctrl+r", "reload", "Take the file from the disk", show=False, id="editor.reload"),
    ]

    def __init__(self, exercise: Exercise, path: Path, check: Callable[[], None]) -> None:
        super().__init__()
        self._exercise = exercise
        self._path = path
        self._check = check
        self._watch = Watch(self._path)
        self._saved = ""
        self._warned = False  # that the file was changed elsewhere
        self._dropping = False  # asked whether what is not saved may go
        self.code = Code(language="python", show_line_numbers=True, soft_wrap=True, tab_behavior="indent", compact=True)
        self.code.cursor_blink = False
        self._verdict = VerdictView(keys=_KEYS, printed_key="F10 shows them all")
        self._below = Below(id="verdict", can_focus=False)
        self._below.display = False

    def names(self) -> tuple[str, str, str]:
        return self._path.name, "", "saved" if self._is_saved() else "not saved"

    def compose_body(self) -> ComposeResult:
        with Container(id="work"):
            yield self.code
            with self._below:
                yield self._verdict

    def on_mount(self) -> None:
        self.code.register_theme(code_theme(self.app))
        self.code.theme = NAME
        self._load(self._on_disk())
        draft = self.app.drafts[self._exercise.id]
        if draft and draft != self._saved:
            self.code.load_text(draft)
            self._tell("This is what you had not saved. ctrl+s saves it, ctrl+r takes the file from the disk instead.")
        self._show_state()
        self.code.focus()

    def _on_disk(self) -> str | None:
        try:
            return read_text(self._path)
        except Unreadable as error:
            self._tell(str(error), bad=True)
            self.code.read_only = True
            return None

    def _load(self, text: str | None) -> None:
        if text is not None:
            self._saved = text
            self._watch.seen()
            self.code.load_text(text)

    def _is_saved(self) -> bool:
        return not self.is_mounted or self.code.text == self._saved

    @on(TextArea.Changed)
    def _typed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self.code.read_only:
            return
        self._warned = self._dropping = False
        self.app.drafts.keep(self._exercise.id, "" if self._is_saved() else self.code.text)
        self._show_state()

    def _show_state(self) -> None:
        self.query_one(TitleRule).show(*self.names())

    # Actions

    def action_save(self) -> None:
        """Saves the file and checks it."""
        if self.code.read_only:
            return
        if self._watch.changed() and not self._warned:
            if self._is_saved():
                self._take_the_file()
                self._check()
                return
            self._warned = True
            self._tell(
                "The file was changed elsewhere meanwhile. ctrl+s again writes yours over it, ctrl+r takes that one.",
                bad=True,
            )
            return
        text = self.code.text
        try:
            write_text(self._path, text)
        except NotSaved as error:
            self._tell(str(error), bad=True)
            return
        self._saved = text
        self._watch.seen()
        self.app.drafts.keep(self._exercise.id, "")
        self._show_state()
        self._tell("Checking…")
        self._check()

    def action_reload(self) -> None:
        """Takes the file as it is on the disk; asks first where that drops something."""
        if self._is_saved() or self._warned or self._dropping:
            self._take_the_file()
            return
        self._dropping = True
        self._tell("ctrl+r again drops what is not saved, and takes the file from the disk.", bad=True)

    def _take_the_file(self) -> None:
        self.code.read_only = False
        text = self._on_disk()
        self._load(text)
        self.app.drafts.keep(self._exercise.id, "")
        self._show_state()
        if text is not None:
            self._tell("This is the file as it is on the disk.")

    def action_read(self, pages: int) -> None:
        """Moves the verdict by nearly a page; from its end, back to its beginning."""
        below = self._below
        if pages > 0 and below.scroll_offset.y >= below.max_scroll_y:
            below.scroll_home(animate=False)
        else:
            below.scroll_relative(y=pages * max(1, below.size.height - 2), animate=False)

    def action_turn(self, by: int) -> None:
        """A step of the learner's and of the engine's picture on, or back."""
        self._verdict.compared.turn(by)
        self._show_compared()

    def action_switch(self) -> None:
        """The difference, the learner's or the engine's."""
        self._verdict.compared.switch()
        self._show_compared()

    def _show_compared(self) -> None:
        """What is gone through is in sight, or its top."""
        below, compared = self._below, self._verdict.compared
        self.call_after_refresh(
            below.scroll_to_widget, compared, animate=False, top=compared.size.height > below.size.height
        )

    def action_printed(self) -> None:
        """All that the file printed."""
        from tutor.app.screens.printed import Printed

        self.app.push_screen(Printed(self._exercise.title, self._verdict.printed))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The verdict can be read on where it is longer than its place; its picture may have steps and sides."""
        if action in ("turn", "switch", "printed"):
            return bool(self._below.display) and self._verdict.can(action)
        return action != "read" or bool(self._below.display and self._below.max_scroll_y)

    def action_back(self) -> None:
        """Back to the lesson; what is not saved is kept."""
        self.dismiss()

    def show_found(self, found: CheckResult | str) -> None:
        """What the check of the saved file has found."""
        if isinstance(found, CheckResult):
            if self._is_saved() and self._watch.changed():
                self._take_the_file()  # saved elsewhere: a verdict stands under the text that it is about
            self._below.display = True
            self._verdict.show(found, self._exercise)
            self.refresh_bindings()
        else:
            self._tell(found, bad=True)

    def _tell(self, line: str, bad: bool = False) -> None:
        style = words(self.app)
        self._below.display = True
        self._verdict.say(Text(line, style.wrong if bad else style.quiet))
