"""The palette (ctrl+p): everything that a key does on the screen below it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from textual.app import ComposeResult
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider, SearchIcon
from textual.widgets import Input, LoadingIndicator

from tutor.app.mended import keep_reverse
from tutor.app.screens.help import full_description, own_bindings
from tutor.app.widgets.rules import key_name


class Actions(Provider):
    """One command for each action of the screen's bindings, with its key."""

    def _commands(self) -> Iterator[tuple[str, Callable[[], object]]]:
        seen = set()
        for key, active in own_bindings(self.screen):
            binding = active.binding
            what = full_description(binding)
            if what in seen or binding.action.endswith("command_palette"):
                continue
            seen.add(what)
            run = partial(self.screen.app.run_action, binding.action, active.node)
            yield f"{what}  ({key_name(self.screen.app, key)})", run

    async def discover(self) -> Hits:
        for name, run in self._commands():
            yield DiscoveryHit(name, run)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for name, run in self._commands():
            if (score := matcher.match(name)) > 0:
                yield Hit(score, matcher.highlight(name), run)


keep_reverse(CommandList)


class Palette(CommandPalette):
    """Textual's palette without what blinks and what is no single cell wide."""

    def compose(self) -> ComposeResult:
        yield from super().compose()

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False
        for icon in self.query(SearchIcon):
            icon.display = False
        self.call_after_refresh(self._stand_still)

    def _stand_still(self) -> None:
        # It would be drawn sixteen times a second, hidden as it is; what is listed here is there at once
        self.query_one(LoadingIndicator).auto_refresh = None
