"""The instructor's board as an app of its own: no learner's session has a way to it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import App
from textual.binding import Binding
from textual.filter import Monochrome, NoColor
from textual.screen import Screen

from tutor.app import theme
from tutor.app.ascii_filter import AsciiFilter
from tutor.app.profile import Profile
from tutor.app.screens.class_board import BoardScreen

if TYPE_CHECKING:
    from textual.driver import Driver

    from tutor.classroom.records import Records
    from tutor.course.model import Course


class BoardApp(App[None]):
    """Who is where in the class; it only reads."""

    CSS_PATH: ClassVar = ["app.tcss", "screens/class_board.tcss"]
    TITLE = "worldsize"
    ENABLE_COMMAND_PALETTE = True
    COMMANDS: ClassVar = {lambda: _actions()}  # noqa: PLW0108  defined further down
    BINDINGS: ClassVar = [
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True, id="board.quit"),
        Binding("ctrl+c", "how_to_quit", "How to quit", show=False, system=True, id="board.how_to_quit"),
        Binding("f1,question_mark", "help", "help", key_display="?", id="board.help", tooltip="help on this screen"),
        Binding("ctrl+p", "command_palette", "everything", show=False, priority=True, id="board.palette"),
    ]

    def __init__(self, records: Records, course: Course, profile: Profile | None = None) -> None:
        self.profile = profile or Profile()
        super().__init__()
        self._records, self._course = records, course
        self.register_theme(theme.many_colours)
        self.register_theme(theme.light_colours)
        self.register_theme(theme.few_colours)
        few = self.profile.few_colours
        self.theme = theme.FEW_COLOURS if few else theme.MANY_COLOURS
        self.console.push_theme(theme.markdown_theme(theme.look_of(self)))
        if self.no_color:
            self._filters = [one for one in self._filters if not isinstance(one, Monochrome)] + [NoColor()]
        if self.profile.ascii_only:
            self._filters.append(AsciiFilter())

    def get_driver_class(self) -> type[Driver]:
        from tutor.app.driver import TerminalDriver

        return TerminalDriver

    def get_default_screen(self) -> Screen[None]:
        return BoardScreen(self._records, self._course)

    def action_help(self) -> None:
        """Explains the screen."""
        from tutor.app.screens.help import Help

        if not isinstance(self.screen, Help):
            self.push_screen(Help(self.screen))

    def action_command_palette(self) -> None:
        """Lists everything that can be done here."""
        from tutor.app.commands import Palette

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette(placeholder="What would you like to do?"))

    def action_colours(self) -> None:
        """Dark or light, until the board is left."""
        self.theme = theme.MANY_COLOURS if self.theme == theme.LIGHT else theme.LIGHT
        self.console.pop_theme()
        self.console.push_theme(theme.markdown_theme(theme.look_of(self)))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A terminal of few colours keeps to its own."""
        return action != "colours" or not self.profile.few_colours

    def action_how_to_quit(self) -> None:
        """ctrl+c stops programs elsewhere: here it says what does."""
        self.notify("ctrl+q quits.", markup=False, timeout=4)

    def move_on(self) -> None:
        """Another screen comes: a line about the one before goes."""
        self.clear_notifications()

    def _fatal_error(self) -> None:
        """An error of the tutor's own: one line, and no traceback."""
        self._return_code = 3
        if not self._exit_renderables:
            kind = type(sys.exc_info()[1] or self._exception).__name__
            line = f"The board has failed ({kind}), and is sorry. Nothing of the class was changed; --plain may do."
            self._exit_renderables.append(Text(line))
        self._close_messages_no_wait()

    def keep_everything(self) -> None:
        """Nothing is written here."""

    def leave_soon(self, status: int) -> None:
        """Ends the app from a signal handler."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self.exit, None, status)


def _actions() -> type:
    from tutor.app.commands import Actions

    return Actions
