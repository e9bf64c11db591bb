"""The app: which screen is open, and what must not be lost when it ends."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import App
from textual.binding import Binding
from textual.filter import Monochrome, NoColor
from textual.screen import Screen

from tutor import settings
from tutor.app import theme
from tutor.app.ascii_filter import AsciiFilter
from tutor.app.drafts import Drafts
from tutor.app.frames import OnlyChanges, Shown, in_one_piece, only_changes
from tutor.app.mended import mend
from tutor.app.profile import Profile
from tutor.app.screens.home import Home
from tutor.app.stylesheet import ParsedOnce
from tutor.app.terminal_check import too_small
from tutor.course.model import CourseError
from tutor.progress.store import ProgressError

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual import events
    from textual.driver import Driver

    from tutor.search import Search
    from tutor.study import Study

mend()


class TutorApp(App[None]):
    """One learner's session at one course."""

    # The first screen is not pushed, so its styles come with the app
    CSS_PATH: ClassVar = ["app.tcss", "screens/home.tcss"]
    TITLE = "worldsize"
    ENABLE_COMMAND_PALETTE = True
    COMMANDS: ClassVar = {lambda: _actions()}  # noqa: PLW0108  defined further down
    # The keys of Textual's own that are not said anywhere else
    BINDINGS: ClassVar = [
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True, id="app.quit"),
        Binding("ctrl+c", "how_to_quit", "How to quit", show=False, system=True, id="app.how_to_quit"),
        Binding("ctrl+z", "suspend_process", "Back to the shell for a while", show=False, id="app.suspend"),
        Binding("f1,question_mark", "help", "help", key_display="?", id="app.help", tooltip="help on this screen"),
        Binding("slash,f4", "look_up", "look up", id="app.look_up", tooltip="look up a term, or search"),
        Binding("f9", "motion", "Motion on or off", show=False, id="app.motion"),
        Binding("ctrl+p", "command_palette", "everything", show=False, priority=True, id="app.palette"),
    ]

    def __init__(self, study: Study, profile: Profile | None = None) -> None:
        self.profile = profile or Profile()
        super().__init__()
        self.study = study
        self._shown = Shown()
        self._settings_file = study.store.file.with_name(settings.NAME)
        self.settings, notice = settings.read(self._settings_file)
        if notice:
            study.store.notices.append(notice)
        self.motion = self.settings.moves(self.profile.remote)
        self._is_complaint = False  # the line in the corner
        self.drafts = Drafts(study.store, self.set_timer, self.complain)
        if not study.permissions.external_editor:
            self.bind("ctrl+z", "no_shell", show=False)  # said, but nowhere listed
        self.register_theme(theme.many_colours)
        self.register_theme(theme.light_colours)
        self.register_theme(theme.few_colours)
        # Set by its watcher, a theme has everything parsed and laid out a second time
        self.set_reactive(App.theme, self._theme_wanted)
        dark = self.current_theme.dark
        self.set_class(dark, "-dark-mode", update=False)
        self.set_class(not dark, "-light-mode", update=False)
        self._refresh_truecolor_filter(self.ansi_theme)
        self.stylesheet = ParsedOnce(variables=self.get_css_variables())
        self.console.push_theme(theme.markdown_theme(theme.look_of(self)))
        if self.no_color:
            # Textual greys colours out, and would turn the terminal's own into black on black
            self._filters = [filter for filter in self._filters if not isinstance(filter, Monochrome)] + [NoColor()]
        if self.profile.ascii_only:
            self._filters.append(AsciiFilter())

    # Settings

    @property
    def themes_offered(self) -> list[str]:
        """The themes that can be chosen on this terminal, our own first."""
        if self.profile.few_colours:
            return [theme.FEW_COLOURS]
        ours = [theme.MANY_COLOURS, theme.LIGHT, theme.FEW_COLOURS]
        return ours + [name for name, found in self.available_themes.items() if name not in ours and not found.ansi]

    @property
    def _theme_wanted(self) -> str:
        offered = self.themes_offered
        # One that is not there any more, or not on this terminal, gives way
        return self.settings.theme if self.settings.theme in offered else offered[0]

    @property
    def moves_between(self) -> bool:
        """Whether pictures pass between one step and the next: for the eye, and not for one that takes screenshots."""
        return self.motion and (self.settings.motion == "on" or not self.is_headless)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theme.own_variables(self.current_theme.dark)

    def use(self, wanted: settings.Settings) -> None:
        """Puts settings to use, and remembers them."""
        self.settings = wanted
        self.motion = wanted.moves(self.profile.remote)
        if self.theme != self._theme_wanted:
            self.theme = self._theme_wanted
            self.console.pop_theme()
            self.console.push_theme(theme.markdown_theme(theme.look_of(self)))
        try:
            settings.write(self._settings_file, wanted)
        except settings.NotKept as error:
            self.complain(f"In use, but {error}")

    def get_driver_class(self) -> type[Driver]:
        from tutor.app.driver import TerminalDriver

        return TerminalDriver

    def get_default_screen(self) -> Screen[None]:
        return Home(self.study)

    def on_mount(self) -> None:
        self.app_resume_signal.subscribe(self, self._draw_again)
        self.call_after_refresh(self._first_frame_is_out)

    def _first_frame_is_out(self) -> None:
        from tutor.app.preload import preload

        preload(puts_off=self.profile.remote)

    def _draw_again(self, _app: App[None]) -> None:
        """After the shell, or another program, has had the terminal."""
        self._shown.forget()
        self.refresh(layout=True)

    def _display(self, screen: Screen[None], renderable: RenderableType | None) -> None:
        frame = only_changes(renderable, self._shown, self.size)
        if not isinstance(frame, OnlyChanges) or self._driver is None or self._driver.is_headless:
            super()._display(screen, frame)
        elif self._running and not self._closed and not self._batch_count:
            try:
                sent = frame.render_segments(self.console)
            except Exception as error:
                self._handle_exception(error)
                return
            cursor = getattr(self.focused, "cursor_screen_offset", None)  # of a field in which one types
            if sent:
                self._driver.write(in_one_piece(sent, cursor, self._sync_available))
                self._driver.flush()

    def on_resize(self, event: events.Resize) -> None:
        # The terminal may have cut off or moved what it showed
        self._shown.forget()
        from tutor.app.screens.small import TooSmall

        small = too_small(event.size.width, event.size.height) is not None
        if small and not isinstance(self.screen, TooSmall):
            self.push_screen(TooSmall())
        elif not small and isinstance(self.screen, TooSmall):
            self.screen.dismiss()

    # Actions

    def action_command_palette(self) -> None:
        """Lists everything that can be done here."""
        from tutor.app.commands import Palette

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette(placeholder="What would you like to do?"))

    def action_help(self) -> None:
        """Explains the screen."""
        from tutor.app.screens.help import Help

        if not isinstance(self.screen, Help):
            self.push_screen(Help(self.screen))

    def action_look_up(self) -> None:
        """The terms of the course, those of the open step first; and a search of everything."""
        from tutor.app.screens.base import TutorScreen
        from tutor.app.screens.lesson import LessonScreen
        from tutor.app.screens.look_up import LookUp

        here = self.screen
        if isinstance(here, LessonScreen):
            self.push_screen(LookUp(self.study, self.search, here.lesson, here.step))
        elif isinstance(here, TutorScreen) and not isinstance(here, LookUp):
            self.push_screen(LookUp(self.study, self.search))

    @cached_property
    def search(self) -> Search:
        """Made once: it reads the whole course."""
        from tutor.search import Search

        try:
            return Search(self.study.course, self.study.glossary())
        except CourseError as error:
            self.complain(f"No glossary: {error}")
            return Search(self.study.course, ())

    def action_how_to_quit(self) -> None:
        """ctrl+c stops programs elsewhere: here it says what does."""
        self.say("ctrl+q quits. Nothing is lost: you come back to this step.")

    def action_suspend_process(self) -> None:
        """Back to the shell for a while, where there is one that the learner may have."""
        if self.study.permissions.external_editor:
            super().action_suspend_process()

    def action_no_shell(self) -> None:
        """What ctrl+z does where it is not offered."""
        self.say("There is no shell here. ctrl+q leaves.")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In a class there is no shell to go back to."""
        return action != "suspend_process" or self.study.permissions.external_editor

    def action_motion(self) -> None:
        """Whether pictures play by themselves once they are started; over SSH they do not unless told to."""
        self.use(replace(self.settings, motion="off" if self.motion else "on"))
        self.say(
            "Motion is on: Space plays a picture." if self.motion else "Motion is off: Space moves a picture by a step."
        )
        self.screen.refresh_bindings()

    def say(self, line: str) -> None:
        """Shows a line for a moment, in a corner; the one before goes, and this one with what it is about."""
        self.clear_notifications()
        self.notify(line, markup=False, timeout=4)
        self._is_complaint = False

    def complain(self, line: str) -> None:
        """Shows what went wrong, for as long wherever the learner goes: it may be said on the way out."""
        self.say(line)
        self._is_complaint = True

    def move_on(self) -> None:
        """Another screen or step comes: a line about the one before goes."""
        if not self._is_complaint:
            self.clear_notifications()

    # Ends

    def keep_everything(self) -> None:
        """Writes what is half typed, if that is possible."""
        self.drafts.flush()

    def leave_soon(self, status: int) -> None:
        """Ends the app from a signal handler or another thread."""
        loop = self._loop
        if loop is not None:
            loop.call_soon_threadsafe(self.exit, None, status)

    async def action_quit(self) -> None:
        """Leaves; what is half typed is kept."""
        self.exit()

    async def on_unmount(self) -> None:
        with suppress(Exception):
            self.keep_everything()

    def _fatal_error(self) -> None:
        """An error of the tutor's own: its traceback goes to a file, the learner gets one line."""
        import traceback

        with suppress(Exception):
            self.keep_everything()
        error = sys.exc_info()[1]
        if isinstance(error, ProgressError):
            self._end_with(str(error))
            return
        where = self.study.store.file.with_name("crash.txt")
        try:
            where.write_text(traceback.format_exc(), encoding="utf-8")
            said = f"The tutor has failed, and is sorry. What you did is kept. Details: {where}"
        except OSError:
            said = "The tutor has failed, and is sorry. What you did is kept."
        self._end_with(said)

    def _end_with(self, line: str) -> None:
        """Ends with one line on the terminal that the learner comes back to."""
        self._return_code = 3  # as the command line says that something could not be carried out
        # Errors may come in a row: the first says why
        if not self._exit_renderables:
            self._exit_renderables.append(Text(line))
        self._close_messages_no_wait()


def _actions() -> type:
    from tutor.app.commands import Actions

    return Actions
