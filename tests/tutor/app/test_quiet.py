"""While nobody does anything nothing runs: no timer of any screen, and nothing that blinks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

Play = Callable[..., None]
SCREENS = {
    "home": [],
    "picture": ["enter"],
    "question": ["enter", "enter"],
    "number": ["enter", "f8", "enter"],
    "editor": ["enter", *["f8"] * 4, "e"],
    "help": ["enter", "f1"],
    "look up": ["f4"],
    "everything": ["ctrl+p"],
}


@pytest.mark.parametrize("screen", SCREENS)
def test_no_timer_runs(play: Play, until: Any, screen: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        for key in SCREENS[screen]:
            await pilot.press(key)
            await pilot.pause()

        def running() -> list[str]:
            app = pilot.app
            nodes = [app, app.screen, *app.screen.walk_children()]
            timers = [timer for node in nodes for timer in node._timers]
            return [timer.name for timer in timers if timer._active.is_set() and not timer._task.done()]

        # What waits for a moment, such as a draft to be kept, is over soon
        await until(pilot, lambda: not running())

    play(scenario)
