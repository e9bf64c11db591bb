"""An exercise in its lesson: what to write, where the file is, and what the check says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget

from tutor.app.checking import Checking
from tutor.app.learner_file import short
from tutor.app.outside_editor import edit_outside, editor_name
from tutor.app.theme import words
from tutor.app.widgets.keys import take_keys
from tutor.app.widgets.said import Said
from tutor.app.widgets.verdict import VerdictView
from tutor.checker.verdict import CheckResult
from tutor.checker.watch import Watch
from tutor.course.model import CourseError, Exercise
from tutor.progress.standing import OPEN, SOLVED
from tutor.progress.store import ProgressError
from tutor.study import NotAllowed, Unknown

if TYPE_CHECKING:
    from textual.timer import Timer

    from tutor.app.main import TutorApp
    from tutor.app.screens.editor import EditorScreen
    from tutor.study import Study

_LOOK_SECONDS = 0.7
_EDITING_SECONDS = 2.0  # behind the app's own editor, where saving needs no look at the disk
_KEYS = ("← → goes through the steps of both", "v shows the other side")
_LAST_SECONDS = 0.3  # for a check that is running when the panel goes


class ExercisePanel(Vertical, can_focus=True):
    """Enter does what comes next: write the file, edit it, and when it is right go on."""

    BINDINGS: ClassVar = [
        Binding("enter", "write", "write the file", id="exercise.write"),
        Binding("enter", "open", "edit", id="exercise.open", tooltip="edit the file here"),
        Binding("enter", "go_on", "go on", id="exercise.go_on", tooltip="go on to the next step"),
        Binding("s", "begin", "Write the exercise's file", show=False, id="exercise.start"),
        Binding("e", "edit", "Edit the file here", show=False, id="exercise.edit_here"),
        Binding("o", "edit_outside", "your editor", id="exercise.edit_outside", tooltip="open it in $EDITOR"),
        Binding("f5,c", "check", "check", id="exercise.check", tooltip="check the file"),
        Binding("right", "turn(1)", "step", key_display="←→", id="exercise.on", tooltip="a step of the picture on"),
        Binding("left", "turn(-1)", "A step of the picture back", show=False, id="exercise.back"),
        Binding("v", "switch", "other side", id="exercise.side", tooltip="yours, the engine's, or the difference"),
        Binding("w", "printed", "What the file printed", show=False, id="exercise.printed"),
        Binding("h,shift+left", "pan(-8)", "Picture to the left", show=False, id="exercise.pan_left"),
        Binding("l,shift+right", "pan(8)", "Picture to the right", show=False, id="exercise.pan_right"),
        Binding("f2", "hint", "hint", id="exercise.hint", tooltip="the next hint"),
        Binding("f3", "reveal", "Reveal the solution", show=False, id="exercise.reveal"),
    ]

    class GoOn(Message):
        """The exercise is done and the learner presses Enter once more."""

    class Settled(Message):
        """The exercise has just been solved, or its solution shown."""

    class Spoke(Message):
        """There is something new to read in the panel."""

    if TYPE_CHECKING:

        @property
        def app(self) -> TutorApp: ...  # type: ignore[override]

    def __init__(self, study: Study, exercise: Exercise, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.exercise = exercise
        self._study = study
        self._path = study.exercise_path(exercise.id)
        self._watch = Watch(self._path)
        self._checking = Checking(study)
        self._editor: EditorScreen | None = None
        self._looking: Timer | None = None
        self._hints: list[str] = []
        self._file = Said(classes="file")
        self._hinted = Said(classes="hints")
        self._verdict = VerdictView(classes="feedback", keys=_KEYS, printed_key="w shows them all")
        self._confirming = False
        self._in_sight: Widget = self

    @property
    def in_sight(self) -> Widget:
        """What there is to be read now: a verdict, the picture that is gone through, or all of it."""
        return self._in_sight

    def compose(self) -> ComposeResult:
        from tutor.answers.texts import exercise_text

        prompt = Said(classes="prompt")
        try:
            prompt.say(exercise_text(self.exercise, self.exercise.prompt))
        except CourseError as error:
            prompt.say(Text(f"This exercise cannot be shown: {error}"))
        yield prompt
        yield self._file
        yield self._hinted
        yield self._verdict

    def on_mount(self) -> None:
        self._say_where()
        self._look_every(_LOOK_SECONDS)

    def on_unmount(self) -> None:
        self._checking.end(_LAST_SECONDS)

    def take_focus(self) -> None:
        """Puts the keys here."""
        take_keys(self)

    # The file

    @property
    def started(self) -> bool:
        """Whether the file is there."""
        return self._path.exists()

    @property
    def _state(self) -> str:
        return self._study.standing(self.exercise.id).state

    def _say_where(self) -> None:
        style = words(self.app)
        text = Text.assemble(("File  ", style.quiet), (short(self._path), style.strong))
        if not self.started:
            text.append("   not there yet: Enter writes it")
        elif self._state == SOLVED:
            text.append("   solved", style.right)
        elif self.app.drafts[self.exercise.id]:
            text.append("   with changes that are not saved: e shows them")
        lines = [text]
        if self.started:
            self._checking.prepare(self.exercise.id)
            lines.append(
                Text(f"e edits it here, {self._outside()}or use any editor: saving it checks it.", style.quiet)
            )
        self._file.say(*lines)
        self.refresh_bindings()

    def _outside(self) -> str:
        """What `o` does, or what makes it do something."""
        if self._may_edit_outside():
            return f"o opens it with {editor_name().split()[0]} ($EDITOR), "
        return "o in your own once $EDITOR names it, " if self._study.permissions.external_editor else ""

    def _may_edit_outside(self) -> bool:
        return self._study.permissions.external_editor and bool(editor_name())

    def _look_every(self, seconds: float) -> None:
        if self._looking is not None:
            self._looking.stop()
        self._looking = self.set_interval(seconds, self._look)

    def _look(self) -> None:
        """Checks the file when it was saved in another window."""
        if self._watch.changed():
            self._say_where()
            self.action_check()

    def looked_again(self) -> None:
        """The file may have been changed while this was not in sight."""
        self._say_where()
        self._look()

    def action_begin(self) -> None:
        """Writes the file, never over one that is there."""
        style = words(self.app)
        try:
            started = self._study.start(self.exercise.id)
        except (OSError, ProgressError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            self._tell(Text(f"{short(self._path)} could not be written: {why}", style.wrong))
            return
        self._watch.seen()
        self._tell(Text("" if started.created else "The file was there already, and is as it was.", style.quiet))
        self._say_where()

    def action_write(self) -> None:
        """Writes the file."""
        self.action_begin()

    def action_open(self) -> None:
        """Opens the file in the app's own editor."""
        self.action_edit()

    def action_edit(self) -> None:
        """Opens the file in the app's own editor."""
        from tutor.app.screens.editor import EditorScreen

        if not self.started:
            self.action_begin()
        if self.started:
            self._editor = EditorScreen(self.exercise, self._path, self.action_check)
            self._look_every(_EDITING_SECONDS)
            self.app.push_screen(self._editor, self._editor_closed)

    def _editor_closed(self, _: None) -> None:
        self._editor = None
        self._look_every(_LOOK_SECONDS)
        self.looked_again()

    def action_edit_outside(self) -> None:
        """Opens the file in $EDITOR."""
        if not self.started:
            self.action_begin()
        problem = edit_outside(self.app, self._path) if self.started else None
        if problem:
            self._tell(Text(problem, words(self.app).wrong))
        self.looked_again()

    # The check

    def action_check(self) -> None:
        """Checks the file as it is on the disk."""
        style = words(self.app)
        if not self.started:
            self._tell(Text("There is no file to check yet: Enter writes it.", style.quiet))
            return
        self._watch.seen()
        self._tell(Text("Checking…", style.quiet))
        self._checking.start(self._path, self.exercise.id, self._report)

    def _report(self, found: CheckResult | str) -> None:
        """Called from the check's thread."""
        self.post_message(Checked(found))

    def on_checked(self, event: Checked) -> None:
        event.stop()
        style = words(self.app)
        if self._editor is not None:
            self._editor.show_found(event.found)
        if isinstance(event.found, str):
            self._tell(Text(event.found, style.wrong))
            return
        self._verdict.show(event.found, self.exercise)
        self._in_sight = self._verdict
        self.refresh_bindings()
        if event.found.passed:
            self.post_message(self.Settled())
        self._say_where()
        self.post_message(self.Spoke())

    def _tell(self, line: Text) -> None:
        self._verdict.say(line)
        self._in_sight = self
        self.post_message(self.Spoke())

    # What is compared, and what was printed

    def action_turn(self, by: int) -> None:
        """A step of the learner's and of the engine's picture on, or back."""
        self._verdict.compared.turn(by)
        self._in_sight = self._verdict.compared
        self.post_message(self.Spoke())

    def action_switch(self) -> None:
        """The difference, the learner's or the engine's."""
        self._verdict.compared.switch()
        self._in_sight = self._verdict.compared
        self.post_message(self.Spoke())

    def action_pan(self, columns: int) -> None:
        """Moves a picture that is wider than its window."""
        self._verdict.pan(columns)

    def action_printed(self) -> None:
        """All that the file printed."""
        from tutor.app.screens.printed import Printed

        self.app.push_screen(Printed(self.exercise.title, self._verdict.printed))

    # Help

    def action_hint(self) -> None:
        """Shows the next hint."""
        style = words(self.app)
        said = self._hinted
        try:
            hint = self._study.hint(self.exercise.id)
        except Unknown:
            said.say(Text("There are no hints for this exercise.", style.quiet))
            return
        except (CourseError, ProgressError) as error:
            said.say(Text(str(error), style.wrong))
            return
        if hint.text not in self._hints:
            self._hints.append(hint.text)
        first = hint.number - len(self._hints) + 1
        said.say(*(f"**Hint {number} of {hint.of}:** {text}" for number, text in enumerate(self._hints, first)))
        self.post_message(self.Spoke())

    def action_reveal(self) -> None:
        """Shows the solution; the exercise then counts as revealed, unless it is solved."""
        from tutor.app.screens.solution import Solution

        style = words(self.app)
        if self._state == OPEN and not self._confirming:
            self._confirming = True
            self._tell(
                Text("Reveal the solution? The exercise then counts as revealed. F3 again reveals it.", style.strong)
            )
            return
        try:
            revealed = self._study.reveal(self.exercise.id)
        except (OSError, CourseError, NotAllowed, ProgressError) as error:
            self._tell(Text(str(error), style.wrong))
            return
        self._confirming = False
        self.app.push_screen(Solution(self.exercise.title, revealed.answer, revealed.why))
        self.post_message(self.Settled())
        self._say_where()

    def action_go_on(self) -> None:
        """The exercise is done."""
        self.post_message(self.GoOn())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What there is to do depends on how far the exercise is."""
        done = self._state != OPEN
        if action == "begin":
            return not self.started
        if action in ("write", "open", "go_on"):
            # What Enter does
            return {"write": not done and not self.started, "open": not done and self.started, "go_on": done}[action]
        if action == "edit_outside":
            return self._may_edit_outside()
        if action in ("turn", "switch", "pan", "printed"):
            return self._verdict.can(action)
        return True


class Checked(Message):
    """A check has ended: its verdict, or one line that says why there is none."""

    def __init__(self, found: CheckResult | str) -> None:
        super().__init__()
        self.found = found
