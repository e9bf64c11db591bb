"""A live picture in a lesson: what the keys turn, type and play in it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input

from tutor.app.screens.lesson import LessonScreen
from tutor.app.widgets.picture_view import PictureView

Play = Callable[..., None]
Shown = Callable[..., str]
OpenStep = Callable[[Pilot[Any], int], Awaitable[LessonScreen]]


def test_up_and_down_choose_what_left_and_right_turn(play: Play, shown: Shown, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 1)
        assert "◄ step 0 of 4 ►" in shown(pilot.app)
        await pilot.press("down")
        await pilot.pause()
        assert "◄ workers 3 ►" in shown(pilot.app)
        await pilot.press("right")
        await pilot.pause()
        assert "worker 3" in shown(pilot.app)
        await pilot.press("r")
        await pilot.pause()
        assert "worker 3" not in shown(pilot.app)
        await pilot.press("up", "right", "left", "left")
        await pilot.pause()
        assert "◄ step 0 of 4 ►" in shown(pilot.app)

    play(scenario)


def test_values_are_typed_and_a_bad_one_is_answered_under_it(play: Play, shown: Shown, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 1)
        await pilot.press("down", "down", "e")
        await pilot.pause()
        editor = pilot.app.focused
        assert isinstance(editor, Input)
        assert editor.value == "1 2 3; 10 20 30; 100 200 300"
        await pilot.press(*"1 2;")
        await pilot.press("space", "3")
        await pilot.press("enter")
        await pilot.pause()
        assert editor.value == "1 2; 3"
        assert "values[1] is [3]; accepted: 2 numbers" in shown(pilot.app)
        await pilot.press("space", "4", "enter")
        await pilot.pause()
        assert pilot.app.focused is screen.view.live
        assert screen.view.live.model.given["values"] == [[1, 2], [3, 4]]
        assert "values 1 2; 3 4" in shown(pilot.app)
        await pilot.press("e", "9", "escape")
        await pilot.pause()
        assert pilot.app.focused is screen.view.live
        assert isinstance(pilot.app.screen, LessonScreen)
        assert screen.view.live.model.given["values"] == [[1, 2], [3, 4]]

    play(scenario)


def test_space_plays_to_the_end_and_stops(play: Play, until: Any, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 1)
        live = screen.view.live
        await pilot.press("space")
        assert live.model.step == 1
        await until(pilot, lambda: live.model.step == 2)
        await pilot.press("space")
        stopped = live.model.step
        await pilot.pause(1.0)
        assert live.model.step == stopped
        live.model.go(3)
        await pilot.press("space")
        assert live.model.step == 4
        await pilot.press("space")
        assert live.model.step == 0

    play(scenario)


def test_without_motion_space_moves_one_step(play: Play, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 1)
        await pilot.press("f9", "space")
        await pilot.pause(1.0)
        assert screen.view.live.model.step == 1

    play(scenario)


def test_a_picture_without_steps_cannot_be_played(play: Play, shown: Shown, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 4)
        assert "◄ params 7e9 ►" in shown(pilot.app)
        assert "Space" not in shown(pilot.app)
        await pilot.press("right", "down", "right")
        await pilot.pause()
        assert "params 13e9  ◄ gpus 16 ►" in shown(pilot.app)
        await pilot.press("m")
        await pilot.pause()
        assert "optimizer-bytes" in shown(pilot.app)
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.screen.step.id == "demo-write"

    play(scenario)


def test_one_step_redraws_only_the_rows_that_change(play: Play, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 1)
        view = screen.query_one(PictureView)
        await pilot.press("right")
        await pilot.pause()
        drawn: list[int] = []
        render_line = view.render_line
        view.render_line = lambda y: (drawn.append(y), render_line(y))[1]  # type: ignore[method-assign]
        await pilot.press("right")
        await pilot.pause()
        rows = view.picture.size(view.size.width).rows
        assert 0 < len(set(drawn)) < rows
        assert 0 not in drawn

    play(scenario)
