"""Keys that arrive together, as they do over a slow line, and answers given again."""

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


def at_once(pilot: Pilot[Any], *keys: tuple[str, str | None]) -> None:
    for key, character in keys:
        pilot.app.post_message(events.Key(key, character))


def test_keys_that_arrive_together_keep_their_order(play: Play, study: Study, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 3)
        await pilot.press("enter")
        await pilot.pause()
        right = ("right", None)
        at_once(pilot, ("1", "1"), right, ("2", "2"), ("9", "9"), ("backspace", None), ("2", "2"), right)
        at_once(pilot, ("1", "1"), ("1", "1"), right, ("2", "2"), ("0", "0"), ("enter", "\r"))
        await pilot.pause()

    play(scenario)
    assert study.standing("demo-rows").state == "solved"


def test_enter_pressed_twice_is_one_try(play: Play, shown: Shown, study: Study, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 2)
        at_once(pilot, ("7", "7"), ("enter", "\r"), ("enter", "\r"), ("enter", "\r"), ("enter", "\r"))
        await pilot.pause()
        assert "That is the answer you gave before." in shown(pilot.app)
        await pilot.press("8", "enter")
        await pilot.pause()
        assert "One try left" in shown(pilot.app)

    play(scenario)
    assert study.standing("demo-steps").tries == 2


def test_an_answer_given_again_keeps_what_was_said_to_it(
    play: Play, shown: Shown, study: Study, open_step: OpenStep
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 1)
        await pilot.press("enter", "1", "enter", "enter", "enter")
        await pilot.pause()
        text = shown(pilot.app)
        assert "Not right." in text
        assert "They have received something." in text
        assert text.count("That is the answer you gave before.") == 1

    play(scenario)
    assert study.standing("demo-sum").tries == 1


def test_a_number_in_another_form_is_the_same_answer(
    play: Play, shown: Shown, study: Study, open_step: OpenStep
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 2)
        await pilot.press("7", "enter")
        await pilot.pause()
        await pilot.press("ctrl+u", *"14", "slash", "2", "enter")
        await pilot.pause()
        assert "That is the answer you gave before." in shown(pilot.app)

    play(scenario)
    assert study.standing("demo-steps").tries == 1
