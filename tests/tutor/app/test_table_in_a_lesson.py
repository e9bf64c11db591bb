"""A table that is filled in inside its picture."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from textual import events
from textual.pilot import Pilot

from tutor.app.screens.lesson import LessonScreen
from tutor.study import Study

Play = Callable[..., None]
Shown = Callable[..., str]
OpenStep = Callable[[Pilot[Any], int], Awaitable[LessonScreen]]


def test_a_table_is_filled_in_inside_the_picture(play: Play, shown: Shown, study: Study, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 3)
        await pilot.press("enter")
        await pilot.pause()
        assert screen.view.live.model.step == 1
        assert "[__]" in shown(pilot.app)
        assert "worker 0, chunk 0" in shown(pilot.app)
        await pilot.press("1", "right", "2", "down", "2", "left", "1", "1")
        await pilot.pause()
        text = shown(pilot.app)
        assert "(1)" in text
        assert "[11]" in text
        assert "4 of 4 filled in" in text
        await pilot.press("enter")
        await pilot.pause()
        text = shown(pilot.app)
        assert "Not right." in text
        assert "Worker 1 has sent chunk 1: add it." in text
        # The cursor stands on the first wrong cell, which stays marked when one leaves it
        assert "[2]" in text
        await pilot.press("down")
        await pilot.pause()
        assert "(×2)" in shown(pilot.app)
        await pilot.press("up", "backspace", "2", "2", "down", "delete", "2", "0", "enter")
        await pilot.pause()
        text = shown(pilot.app)
        assert "Right" in text
        assert "What arrives is added." in text
        assert "11→" not in text
        assert "→11" in text
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.screen.step.id == "demo-bytes"

    play(scenario)
    assert study.standing("demo-rows").state == "solved"


def test_enter_goes_to_the_next_blank_until_there_is_none(play: Play, study: Study, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 3)
        await pilot.press("enter", "1", "enter", "2", "2", "enter", "1", "1", "enter")
        assert study.standing("demo-rows").tries == 0
        await pilot.press("2", "0", "enter")
        await pilot.pause()

    play(scenario)
    assert study.standing("demo-rows").state == "solved"


def test_a_half_filled_table_comes_back_and_covers_only_its_step(
    play: Play, shown: Shown, study: Study, open_step: OpenStep
) -> None:
    async def leave(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 3)
        await pilot.press("enter", "1", "enter", "2", "2", "escape")

    async def come_back(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        await pilot.pause()
        assert "10" in shown(pilot.app)
        await pilot.press("right")
        await pilot.pause()
        text = shown(pilot.app)
        assert "(1)" in text
        assert "(22)" in text
        assert "10?" in text
        assert "11" not in text
        await pilot.press("down", "right")
        await pilot.pause()
        assert "10?" not in shown(pilot.app)

    play(leave)
    assert study.store.draft("demo-rows") == "1 22; ? ?"
    play(come_back)


def test_a_pasted_table_fills_the_cells(play: Play, study: Study, open_step: OpenStep) -> None:

    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 3)
        await pilot.press("enter")
        pilot.app.post_message(events.Paste("1 22; 11 20"))
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()

    play(scenario)
    assert study.standing("demo-rows").state == "solved"


def test_a_revealed_table_shows_the_picture(play: Play, shown: Shown, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 3)
        await pilot.press("enter", "f3", "f3")
        await pilot.pause()
        text = shown(pilot.app)
        assert "The answer: 1 22; 11 20" in text
        assert "→22" in text
        assert "The picture shows the answer." in text

    play(scenario)
