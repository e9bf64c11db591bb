"""Settings: the colours, and whether pictures play by themselves. They are remembered."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll

from tutor.app.screens.base import TutorScreen
from tutor.app.theme import FEW_COLOURS, LIGHT, MANY_COLOURS, words
from tutor.app.widgets.menu import Entry, Menu
from tutor.app.widgets.said import Said
from tutor.settings import MOTIONS
from tutor.views.palette import DONE

if TYPE_CHECKING:
    from tutor.app.main import TutorApp

_OURS = {MANY_COLOURS: "our own, dark", LIGHT: "our own, light", FEW_COLOURS: "the terminal's own 16"}
_MOTIONS = {
    "auto": "on, but off over SSH",
    "on": "on: Space plays pictures",
    "off": "off: Space moves a step",
}
_GROUP = 9  # columns


class Choices(Menu):
    """Everything that can be chosen, a row each, with a tick at what is in use."""

    BINDINGS: ClassVar = [
        Binding("enter", "open", "use", id="choices.use", tooltip="take what is marked into use"),
    ]

    if TYPE_CHECKING:

        @property
        def app(self) -> TutorApp: ...  # type: ignore[override]

    def __init__(self) -> None:
        super().__init__(id="choices")

    def entries(self, width: int) -> list[Entry]:
        app = self.app
        found = [("Motion", f"motion {name}", _MOTIONS[name], name == app.settings.motion) for name in MOTIONS]
        found += [("Colours", f"theme {name}", _OURS.get(name, name), name == app.theme) for name in app.themes_offered]
        style = words(self.app)
        entries, before = [], ""
        for group, id, name, used in found:
            head = f"{group if group != before else '':<{_GROUP}}"
            before = group
            look = style.strong if used else style.plain
            row = [Segment(head, style.quiet), Segment(f"{DONE if used else ' '} ", style.right), Segment(name, look)]
            entries.append(Entry(id, [row]))
        return entries


class SettingsScreen(TutorScreen):
    """Enter takes what is marked into use at once."""

    CSS_PATH = "settings.tcss"
    AUTO_FOCUS = "Choices"
    HELP: ClassVar[str] = """
What you choose here is in use at once and is remembered: **Enter** takes what is marked. In a terminal of 16 colours
the app keeps to those; elsewhere it has a dark and a light theme of its own, and those of Textual. In every one of
them each thing that colour tells apart has a sign or a word as well. With motion the chunks of a step leave and arrive
before they are added, and Space plays the steps, or fills a pipeline. **F9** turns it on and off anywhere.
"""
    BINDINGS: ClassVar = [
        Binding("escape", "back", "lessons", id="settings.back", tooltip="back to the lessons"),
        Binding("q", "app.quit", "Quit", show=False, id="settings.quit"),
    ]

    def names(self) -> tuple[str, str, str]:
        return "Settings", "", ""

    def compose_body(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            yield Choices()
            if self.app.profile.few_colours:
                said = Said(id="few")
                said.say(Text("This terminal shows 16 colours or none: the app keeps to those.", words(self.app).quiet))
                yield said

    @on(Menu.Opened)
    async def _choose(self, event: Menu.Opened) -> None:
        event.stop()
        kind, _, name = event.entry.partition(" ")
        settings = self.app.settings
        if kind == "motion":
            self.app.use(replace(settings, motion=next(motion for motion in MOTIONS if motion == name)))
        else:
            self.app.use(replace(settings, theme="" if name == MANY_COLOURS else name))
        chosen = self.query_one(Choices).chosen
        # What is drawn has the colours of the theme before
        await self.recompose()
        choices = self.query_one(Choices)
        choices.chosen = chosen
        choices.focus()
        self.call_after_refresh(choices.scroll_chosen)

    def action_back(self) -> None:
        """Back to the lessons."""
        self.dismiss()
