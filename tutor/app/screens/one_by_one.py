"""Problems that stand in no lesson, one after another: what the examination and practice have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container

from tutor.app.screens.base import TutorScreen
from tutor.app.widgets.live_view import LiveView
from tutor.app.widgets.rules import TitleRule

if TYPE_CHECKING:
    from tutor.app.widgets.step_view import StepView


class OneByOne(TutorScreen):
    """Shows one problem at a time. Subclasses set `view` before the screen is shown."""

    CSS_PATH: ClassVar = ["lesson.tcss", "examination.tcss"]
    AUTO_FOCUS = ""
    BINDINGS: ClassVar = [
        Binding("tab", "app.focus_next", "From the picture to the question, and back", show=False, id="problems.tab"),
        Binding("down", "scroll(1)", "Text down", show=False, id="problems.down"),
        Binding("up", "scroll(-1)", "Text up", show=False, id="problems.up"),
        Binding("pagedown", "page(1)", "Text a page down", show=False, id="problems.page_down"),
        Binding("pageup", "page(-1)", "Text a page up", show=False, id="problems.page_up"),
    ]

    view: StepView

    def compose_body(self) -> ComposeResult:
        with Container(id="step"):
            yield self.view

    async def show_next(self, view: StepView) -> None:
        """Shows this problem in place of the one before."""
        self.app.move_on()
        self.query_one(TitleRule).show(*self.names())
        with self.app.batch_update():
            place = self.query_one("#step")
            await place.remove_children()
            self.view = view
            await place.mount(view)

    def take_focus(self) -> None:
        """Puts the keys where the answer goes."""
        if not self.view.focus_task():
            self.view.take_focus()

    @on(LiveView.GoOn)
    def _from_picture(self, event: LiveView.GoOn) -> None:
        event.stop()
        self.view.focus_task()

    def action_scroll(self, rows: int) -> None:
        """Moves the text by a row."""
        self.view.keep_in_sight(None)
        self.view.scroll_relative(y=rows, animate=False)

    def action_page(self, pages: int) -> None:
        """Moves the text by nearly a page."""
        self.view.keep_in_sight(None)
        self.view.scroll_relative(y=pages * max(1, self.view.size.height - 2), animate=False)
