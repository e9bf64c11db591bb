"""A live picture with its handles: the learner turns them, and the picture follows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input

from simlib.errors import BadArgument
from tutor.app.theme import look_of, words
from tutor.app.widgets.entry import LineInput
from tutor.app.widgets.handle_bar import HandleBar
from tutor.app.widgets.passing import Passing
from tutor.app.widgets.picture_view import PictureView
from tutor.app.widgets.said import Said
from tutor.views.live_model import STEP, LiveModel
from tutor.views.picture import Cell, Mark, Overlay, Picture, Role

if TYPE_CHECKING:
    from tutor.app.main import TutorApp

PLAY_SECONDS = 0.8
_PASS_SECONDS = 0.2  # of each picture between two steps
_FILL_SECONDS = 0.1
_HELD_SECONDS = 0.3
_LEAST_ROWS = 6


@dataclass(frozen=True)
class Blanks:
    """Cells of the lesson's picture that stay covered from one step on: the learner is to fill them in there."""

    step: int
    overlay: Overlay


class ValueEditor(LineInput):
    """Where a value of the picture is typed: Enter sets it, Escape leaves the picture as it is."""

    BINDINGS: ClassVar = [
        Binding("enter", "submit", "set", id="value.set", tooltip="set this value"),
        Binding("escape", "cancel", "cancel", id="value.cancel", tooltip="leave the value as it was"),
    ]

    class Cancelled(Message):
        """The value stays as it was."""

    def action_cancel(self) -> None:
        """Closes the row."""
        self.post_message(self.Cancelled())


class LiveView(Vertical, can_focus=True):
    """Left and right turn the chosen handle, up and down choose another one."""

    BINDINGS: ClassVar = [
        Binding("right", "turn(1)", "change", key_display="←→", id="live.more", tooltip="turn what is marked on"),
        Binding("left", "turn(-1)", "Turn what is marked back", show=False, id="live.less"),
        Binding("enter", "go_on", "go on", id="live.go_on", tooltip="go on to the question"),
        Binding("down", "select(1)", "what", key_display="↑↓", id="live.next_handle", tooltip="mark what comes next"),
        Binding("up", "select(-1)", "Mark what comes before", show=False, id="live.previous_handle"),
        Binding("space", "play", "play", id="live.play", tooltip="play the picture, or stop"),
        Binding("e", "type", "Type a value for what is marked", show=False, id="live.type"),
        Binding("m", "more", "More, or fewer, of what can be changed", show=False, id="live.all"),
        Binding("r", "reset", "Back to the picture as it was", show=False, id="live.reset"),
        Binding("s", "save", "Save the picture as an SVG in your folder", show=False, id="live.save"),
        Binding("h,shift+left", "pan(-8, 0)", "Picture to the left", show=False, id="live.pan_left"),
        Binding("l,shift+right", "pan(8, 0)", "Picture to the right", show=False, id="live.pan_right"),
        Binding("shift+up", "pan(0, -4)", "Picture up", show=False, id="live.pan_up"),
        Binding("shift+down", "pan(0, 4)", "Picture down", show=False, id="live.pan_down"),
    ]

    class GoOn(Message):
        """The learner has seen enough of the picture."""

    class Moved(Message):
        """The picture shows something else; it should be in sight."""

    if TYPE_CHECKING:

        @property
        def app(self) -> TutorApp: ...  # type: ignore[override]

    def __init__(self, model: LiveModel, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.model = model
        self.blanks: Blanks | None = None
        self._playing: Timer | None = None
        self._bar = HandleBar(classes="handles")
        self._editor = ValueEditor(classes="typed", select_on_focus=True)
        self._complaint = Said(classes="complaint")
        self._view = PictureView(self._picture())
        self._changed_at = -_HELD_SECONDS
        self._passing = Passing(self, self._view.show, self._draw)
        self._caption = Said(classes="caption")

    def compose(self) -> ComposeResult:
        self._editor.display = False
        yield self._bar
        yield self._editor
        yield self._complaint
        yield self._view
        # Below, so that a caption of two rows moves nothing that is looked at
        yield self._caption

    def on_mount(self) -> None:
        self._draw()

    # Drawing

    def _picture(self) -> Picture:
        picture = self.model.picture
        blanks = self.blanks
        if blanks is None or not self._is_covered:
            return picture
        if self.model.step == blanks.step:
            return picture.marked(blanks.overlay)
        # A later step shows what the learner is to find, or follows from it
        return picture.marked({place: Mark(Role.BLANK) for place in blanks.overlay})

    @property
    def _is_covered(self) -> bool:
        """Whether something of what is shown is for the learner to find."""
        return self.blanks is not None and self.model.is_lessons and self.model.step >= self.blanks.step

    def _draw(self, between: Iterable[Picture] = (), seconds: float = 0) -> None:
        """Shows the picture, those on the way to it first, each for so many seconds."""
        passes = self._passing.begin(between, seconds)
        handles = self.model.handles()
        chosen = self.model.selected
        self._bar.display = not self.model.fixed
        self._bar.show(handles, chosen.name if chosen else "", self.has_focus)
        if not passes:
            self._view.show(self._picture())
        self.call_after_refresh(self.on_resize)
        style = words(self.app)
        self._caption.say(Text(self.model.caption, style.quiet))

    def on_resize(self) -> None:
        """Beside the text, or alone, the picture has the window's height, less what stands above and below it."""
        if not self.is_attached:
            return
        picture = self._view
        if self.fills:
            others = [child for child in self.children if child.display and child is not picture]
            taken = sum(child.outer_size.height + child.styles.margin.height for child in others)
            picture.styles.max_height = max(_LEAST_ROWS, self.size.height - taken - picture.styles.margin.height)
        else:
            picture.styles.clear_rule("max_height")

    @property
    def fills(self) -> bool:
        """Whether its height is given, and the picture has what is left of it."""
        return self.screen.has_class("-wide")

    def cover(self, blanks: Blanks | None) -> None:
        """Covers cells of the lesson's picture, or uncovers them."""
        self.blanks = blanks
        self._draw()

    def bring_into_sight(self, place: Cell) -> None:
        """Scrolls a picture that is larger than its window to this cell."""
        self._view.bring_into_sight(place)

    def show_lessons(self, step: int) -> None:
        """The lesson's own picture, at this step."""
        if not self.model.is_lessons:
            self.model.reset()
        self.model.go(step)
        self._draw()

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        if not has_focus:
            self._stop()
        if self.is_mounted:
            self._draw()

    # Turning

    def action_turn(self, by: int) -> None:
        """Turns the chosen handle."""
        self._stop()
        self._change(lambda: self.model.turn(by))

    def action_select(self, by: int) -> None:
        """Chooses another handle."""
        self.model.select(by)
        self._complain("")
        self._draw()
        self.post_message(self.Moved())

    def action_reset(self) -> None:
        """The lesson's picture again."""
        self._stop()
        self._change(self.model.reset)

    def action_more(self) -> None:
        """All that can be changed, or what is at hand."""
        self.model.show_all = not self.model.show_all
        self._draw()
        self.post_message(self.Moved())

    def action_pan(self, columns: int, rows: int) -> None:
        """Moves a picture that is larger than its window."""
        self._view.pan(columns, rows)

    def action_save(self) -> None:
        """Writes what is shown to a new file in the learner's folder."""
        from tutor.app.learner_file import NotSaved, short
        from tutor.app.saved_picture import save_picture

        model = self.model
        stem = f"{model.topic.name}-step-{model.step}" if model.scene.last_step else model.topic.name
        folder = self.app.study.exercise_folder
        try:
            file = save_picture(
                self._picture(),
                folder,
                stem,
                title=model.topic.title,
                caption=model.caption,
                background="light" if look_of(self.app) == "light" else "dark",
            )
        except NotSaved as error:
            self.app.say(f"Not saved: {error}")
        else:
            self.app.say(f"Saved: {short(file)}")

    def action_go_on(self) -> None:
        """On to the question."""
        self._stop()
        self.post_message(self.GoOn())

    def _change(self, what: Callable[[], None]) -> None:
        before = self.model.scene, self.model.step + 1
        now = time.monotonic()
        # A key that is held down goes from step to step
        held, self._changed_at = now - self._changed_at < _HELD_SECONDS, now
        try:
            what()
        except BadArgument as error:
            self._complain(str(error))
        else:
            self._complain("")
            if not held and before == (self.model.scene, self.model.step):
                self._draw(self._between(), _PASS_SECONDS)
            else:
                self._draw()
        self.post_message(self.Moved())

    def _between(self) -> Iterable[Picture]:
        """What is seen on the way to the step, unless that would tell what is asked."""
        return self.model.scene.between(self.model.step) if self.app.moves_between and not self._is_covered else ()

    def _complain(self, line: str) -> None:
        style = words(self.app)
        self._complaint.say(Text(line, style.wrong))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What has no steps and does not fill cannot be played; one that stands still can be looked at, and no more."""
        if self.model.fixed:
            return action in ("go_on", "pan")
        return action != "play" or self.model.scene.last_step > 0 or self._can_fill

    @property
    def _can_fill(self) -> bool:
        return self.model.scene.fills and self.app.motion and not self._is_covered

    # Playing

    def action_play(self) -> None:
        """Plays the steps one after another, or fills the picture, or stops; without motion, one step a press."""
        if self._passing.going and not self.model.scene.last_step:
            self._draw()
            return
        if not self.model.scene.last_step:
            self._draw(self._between(), _FILL_SECONDS)
            return
        if self._playing is not None:
            self._stop()
            return
        if self.model.step == self.model.scene.last_step:
            self.model.go(0)
            self._draw()
            self.post_message(self.Moved())
        else:
            self._next_step()
        if self.app.motion and self.model.step < self.model.scene.last_step:
            self._playing = self.set_interval(PLAY_SECONDS, self._next_step)

    def _next_step(self) -> None:
        self._change(lambda: self.model.go(self.model.step + 1))
        if self.model.step >= self.model.scene.last_step:
            self._stop_playing()

    def _stop(self) -> None:
        if self._passing.going:
            self._draw()
        self._stop_playing()

    def _stop_playing(self) -> None:
        if self._playing is not None:
            self._playing.stop()
            self._playing = None

    # Typing a value

    def action_type(self) -> None:
        """Edits the chosen handle's value."""
        chosen = self.model.selected
        if chosen is None:
            return
        self._stop()
        editor = self._editor
        editor.value = str(self.model.step) if chosen.name == STEP else chosen.text
        editor.border_title = chosen.label
        editor.placeholder = chosen.help
        editor.display = True
        editor.focus()

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        try:
            self.model.type(event.value)
        except BadArgument as error:
            self._complain(str(error))
            return
        self._complain("")
        self._close_editor()

    @on(ValueEditor.Cancelled)
    def _cancelled(self, event: ValueEditor.Cancelled) -> None:
        event.stop()
        self._complain("")
        self._close_editor()

    def _close_editor(self) -> None:
        self._editor.display = False
        self.focus()
        self._draw()
