"""The playground: every picture there is, with everything that can be changed in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll

from tutor.app.screens.base import TutorScreen
from tutor.app.theme import words
from tutor.app.widgets.lines import Row
from tutor.app.widgets.live_view import LiveView
from tutor.app.widgets.menu import Entry, Menu
from tutor.app.widgets.rules import TitleRule
from tutor.views.live_model import LiveModel
from tutor.views.topics import TOPICS, topic

if TYPE_CHECKING:
    from tutor.views.scene import Topic

_WIDEST = 100
_TALL = 20  # rows from which on the picture has the height that is left, and all that can be changed above it


class Topics(Menu):
    """The pictures, a row each, by what they are of."""

    def __init__(self) -> None:
        super().__init__(id="topics")

    def entries(self, width: int) -> list[Entry]:
        return [Entry(known.name, [self._row(known, min(width, _WIDEST))]) for known in TOPICS.values()]

    def _row(self, known: Topic, width: int) -> Row:
        style = words(self.app)
        name, _, about = known.title.partition(": ")
        about = f"  {about}"
        room = max(0, width - cell_len(name))
        about = about if cell_len(about) <= room else f"{set_cell_size(about, max(0, room - 1)).rstrip()}…"
        return [Segment(name, style.strong), Segment(about, style.quiet)]


class Playground(TutorScreen):
    """The list of pictures."""

    CSS_PATH = "playground.tcss"
    AUTO_FOCUS = "Topics"
    HELP: ClassVar[str] = """
Every picture of the course, and some that are in no lesson. **Enter** opens the marked one, with everything that
can be changed in it. The command `show` draws the same pictures on the command line.
"""
    BINDINGS: ClassVar = [
        Binding("escape", "back", "lessons", id="playground.back", tooltip="back to the lessons"),
        Binding("q", "app.quit", "Quit", show=False, id="playground.quit"),
    ]

    def names(self) -> tuple[str, str, str]:
        return "Playground", "", f"{len(TOPICS)} pictures"

    def compose_body(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            yield Topics()

    @on(Menu.Opened)
    def _open(self, event: Menu.Opened) -> None:
        event.stop()
        self.app.push_screen(PlayedPicture(topic(event.entry)))

    def action_back(self) -> None:
        """Back to the lessons."""
        self.dismiss()


class FreeView(LiveView):
    """A live picture that leads on to nothing: it has the screen to itself."""

    BINDINGS: ClassVar = [
        Binding("s", "save", "save", id="live.save", tooltip="save the picture as an SVG in your folder"),
    ]

    @property
    def fills(self) -> bool:
        return self.screen.has_class("-tall")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is no question to go on to."""
        return action != "go_on" and super().check_action(action, parameters)


class PlayedPicture(TutorScreen):
    """One picture, as large as the window."""

    CSS_PATH: ClassVar = ["lesson.tcss", "playground.tcss"]
    AUTO_FOCUS = "FreeView"
    VERTICAL_BREAKPOINTS = [(_TALL, "-tall")]  # noqa: RUF012  not a ClassVar where it is declared
    HELP: ClassVar[str] = """
One picture with everything that can be changed in it, in the row above it. **Left** and **right** change what is
marked there, **up** and **down** mark something else; **e** types a value, and what cannot be is said. **Space**
plays the steps. A picture larger than the window moves with **h**, **l** and the **shifted** arrow keys. **s**
saves what is shown as an SVG in your folder, **m** hides what is changed seldom.
"""
    BINDINGS: ClassVar = [
        Binding("escape", "back", "pictures", id="picture.back", tooltip="back to the list of pictures"),
        Binding("n", "other(1)", "Next picture", show=False, id="picture.next"),
        Binding("p", "other(-1)", "Picture before", show=False, id="picture.previous"),
        Binding("pagedown", "page(1)", "A page down", show=False, id="picture.page_down"),
        Binding("pageup", "page(-1)", "A page up", show=False, id="picture.page_up"),
        Binding("q", "app.quit", "Quit", show=False, id="picture.quit"),
    ]

    def __init__(self, known: Topic) -> None:
        super().__init__()
        self.set_class(self.app.size.height >= _TALL, "-tall", update=False)
        self._topic = known
        self.live = self._view()

    def _view(self) -> FreeView:
        model = LiveModel(self._topic, {})
        model.show_all = self.app.size.height >= _TALL
        return FreeView(model)

    def names(self) -> tuple[str, str, str]:
        name, _, about = self._topic.title.partition(": ")
        return name, about, ""

    def compose_body(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            yield self.live

    async def action_other(self, by: int) -> None:
        """The picture after this one in the list, or before."""
        names = list(TOPICS)
        self._topic = topic(names[(names.index(self._topic.name) + by) % len(names)])
        self.query_one(TitleRule).show(*self.names())
        with self.app.batch_update():
            await self.live.remove()
            self.live = self._view()
            await self.query_one(VerticalScroll).mount(self.live)
        self.live.focus()

    def action_page(self, pages: int) -> None:
        """Moves the whole by nearly a page, where it is larger than the window."""
        scroll = self.query_one(VerticalScroll)
        scroll.scroll_relative(y=pages * max(1, scroll.size.height - 2), animate=False)

    def action_back(self) -> None:
        """Back to the list."""
        self.dismiss()
