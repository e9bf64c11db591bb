"""The row of keys and the help name the keys that work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from tutor.study import Study

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


def test_tab_and_numbers_are_named_in_the_help(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await at_step(pilot, 1)
        await pilot.press("f1")
        await pilot.pause()
        text = " ".join(shown(pilot.app).split())
        assert "Tab leads from the picture to the question" in text
        assert "the option's number chooses one" in text
        assert "Tab From the picture to the question, and back" in text
        await pilot.press("escape", "tab")
        await pilot.pause()
        assert screen.view.live.has_focus

    play(scenario, (80, 60))


def test_hint_and_answer_are_there_while_the_keys_are_on_the_picture(play: Play, shown: Shown, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await at_step(pilot, 1, task=False)
        assert screen.view.live.has_focus
        await pilot.press("f2")
        await pilot.pause()
        assert "Hint 1 of 2" in shown(pilot.app)
        await pilot.press("shift+tab")
        await pilot.pause()
        assert screen.view.live.has_focus
        await pilot.press("f3")
        await pilot.pause()
        assert "F3 again: yes" in shown(pilot.app)
        await pilot.press("f3")
        await pilot.pause()
        assert study.standing("demo-sum").state == "revealed"
        assert "0 of 4 solved, 1 revealed" in shown(pilot.app)
        await pilot.press("shift+tab")
        await pilot.pause()
        assert screen.view.live.has_focus
        assert screen.check_action("help_out", ("hint",)) is False

    play(scenario)


def test_the_palette_finds_the_hint_from_the_picture_and_lists_nothing_twice(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await at_step(pilot, 1, task=False)
        await pilot.press("ctrl+p")
        await pilot.pause(0.3)
        options = pilot.app.screen.query_one("CommandList")
        names = [str(options.get_option_at_index(number).prompt) for number in range(options.option_count)]
        what = [name.partition("  (")[0] for name in names]
        assert "The next hint" in what
        assert what.count("Quit") == 1
        assert len(what) == len(set(what))

    play(scenario)


def test_the_palette_says_when_nothing_matches(play: Play, shown: Shown, until: Any) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await at_step(pilot, 1)
        await pilot.press("ctrl+p")
        await pilot.pause(0.3)
        await pilot.press(*"zzqx")
        await until(pilot, lambda: "No matches" in shown(pilot.app), 60)

    play(scenario)


def test_typing_a_value_names_its_own_keys(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await at_step(pilot, 1, task=False)
        await pilot.press("down", "e")
        await pilot.pause()
        row = keys(shown(pilot.app))
        assert "Enter set" in row
        assert "Esc cancel" in row
        assert "lessons" not in row
        await pilot.press("f1")
        await pilot.pause()
        assert "Leave the value as it was" in shown(pilot.app)
        await pilot.press("escape", "9", "escape")
        await pilot.pause()
        assert pilot.app.screen is screen
        assert screen.view.live.has_focus
        assert screen.view.live.model.is_lessons

    play(scenario, (80, 60))


def test_one_note_at_a_time(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("ctrl+c", "ctrl+c", "ctrl+c")
        await pilot.pause()
        assert len(pilot.app._notifications) == 1

    play(scenario)
