"""Steps, lessons and editors that one has left are not kept in memory."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Awaitable, Callable
from typing import Any

from textual.pilot import Pilot
from textual.screen import Screen

from tutor.app.screens.editor import Code

Play = Callable[..., None]
Visit = Callable[[Pilot[Any], int], Awaitable[Screen[Any]]]


def test_steps_that_are_left_are_not_kept(play: Play, visit: Visit) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await visit(pilot, 1)
        left = []
        for by in (1, 1, 1, 1, 1, -1, -1, -1, -1, -1):
            left += [weakref.ref(screen.view), *(weakref.ref(widget) for widget in screen.view.query("*"))]
            # With what they had drawn, which Textual's own cache would keep
            left += [weakref.ref(widget._styles_cache) for widget in screen.view.query("*")]
            await screen.action_step(by)
            await pilot.pause()
        await pilot.press("right", "enter", "down")
        await pilot.pause()
        gc.collect()
        kept = [ref() for ref in left if ref() is not None]
        assert not kept, kept

    play(scenario)


def test_a_lesson_that_is_left_is_not_kept(play: Play, visit: Visit) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        left = weakref.ref(await visit(pilot, 1))
        await pilot.press("escape")
        await pilot.pause()
        await pilot.press("down", "up")
        await pilot.pause()
        gc.collect()
        assert left() is None

    play(scenario)


def test_an_editor_that_is_closed_is_not_kept(play: Play, until: Any, visit: Visit) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await visit(pilot, 5)
        await pilot.press("e")
        await pilot.pause()
        left = [weakref.ref(pilot.app.screen), weakref.ref(pilot.app.screen.query_one(Code))]
        await pilot.press("x", "escape")
        await pilot.pause()
        await pilot.press("down", "up")
        # The timer of the draft it has left knows it for another half second
        await until(pilot, lambda: gc.collect() >= 0 and [ref() for ref in left] == [None, None])

    play(scenario)
