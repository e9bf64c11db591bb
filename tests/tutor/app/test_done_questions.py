"""A question that is done stays done: nothing more can be typed, and Enter goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from tutor.study import Study

Play = Callable[..., None]
Shown = Callable[..., str]


async def to_the_number(pilot: Pilot[Any]) -> Any:
    await pilot.press("enter")
    await pilot.pause()
    await pilot.app.screen.action_step(1)
    await pilot.pause()
    return pilot.app.screen


@pytest.mark.parametrize("answers", [["14"], ["8", "9", "10"]])
def test_a_number_that_is_solved_or_shown_takes_no_more_answers(
    play: Play, shown: Shown, study: Study, answers: list[str]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await to_the_number(pilot)
        for answer in answers:
            await pilot.press(*answer, "enter")
            await pilot.pause()
        assert "Enter goes on." in shown(pilot.app)
        tries = study.standing("demo-steps").tries
        await pilot.press("minus", "2")
        pilot.app.post_message(events.Paste("-2"))
        await pilot.pause()
        assert pilot.app.focused.value == ""
        assert "Enter go on" in shown(pilot.app).splitlines()[-1]
        await pilot.press("enter")
        await pilot.pause()
        assert screen.step.id == "demo-table"
        assert study.standing("demo-steps").tries == tries

    play(scenario)
