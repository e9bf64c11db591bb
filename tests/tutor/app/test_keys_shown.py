"""The row of keys and the help name the keys that work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

Play = Callable[..., None]
Shown = Callable[..., str]


async def at_step(pilot: Pilot[Any], number: int, *, task: bool = True) -> Any:
    """Opens the demo lesson at a step, from 1; the keys go to what is asked, or stay on the picture."""
    await pilot.press("enter")
    await pilot.pause()
    screen = pilot.app.screen
    await screen.action_step(number - 1)
    await pilot.pause()
    if task:
        screen.view.focus_task()
        await pilot.pause()
    return screen


def keys(text: str) -> str:
    return text.splitlines()[-1]


@pytest.mark.parametrize(("number", "key"), [(1, "?"), (2, "F1"), (3, "?"), (5, "?")])
def test_the_key_of_help_is_one_that_opens_it_here(play: Play, shown: Shown, number: int, key: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await at_step(pilot, number)
        assert keys(shown(pilot.app)).endswith(f"{key} help")
        await pilot.press("f1" if key == "F1" else "question_mark")
        await pilot.pause()
        assert pilot.app.screen is not screen

    play(scenario)


def test_the_editors_take_a_question_mark_and_name_f1(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await at_step(pilot, 5)
        await pilot.press("e")
        await pilot.pause()
        assert keys(shown(pilot.app)).endswith("F1 help")
        await pilot.press("escape", "f7", "f7")
        await pilot.pause()
        await pilot.press("down", "e")
        await pilot.pause()
        assert keys(shown(pilot.app)).endswith("F1 help")

    play(scenario)
