"""A step that is being left while its picture still has something queued."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot

from tutor.app.screens.lesson import LessonScreen
from tutor.app.widgets.picture_view import PictureView

Play = Callable[..., None]


def test_a_queued_resize_of_a_picture_that_loses_its_children_does_no_harm(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        await pilot.pause()
        screen = pilot.app.screen
        assert isinstance(screen, LessonScreen)
        live = screen.view.live
        # Children are taken away one by one: the picture first, and then the rest
        await live.query_one(PictureView).remove()
        assert live.children
        live.on_resize()
        await live.remove_children()
        live.on_resize()
        await live.remove()
        live.on_resize()

    for size in ((80, 24), (120, 30)):
        play(scenario, size)
