"""A lesson, step by step: reading on, going back and leaving, with the keys on what is asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from textual.pilot import Pilot

from tutor.app.screens.home import Home
from tutor.app.screens.lesson import LessonScreen
from tutor.app.widgets.choice import Choice
from tutor.app.widgets.live_view import LiveView
from tutor.app.widgets.step_view import StepView
from tutor.study import Study

Play = Callable[..., None]
Shown = Callable[..., str]
OpenStep = Callable[[Pilot[Any], int], Awaitable[LessonScreen]]


def test_with_enter_and_arrows_alone_a_picture_moves_and_a_question_is_answered(
    play: Play, shown: Shown, study: Study
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        await pilot.pause()
        assert "worker 1    10        20        30" in shown(pilot.app)
        await pilot.press("right")
        await pilot.pause()
        assert "worker 1   →11        20→       30" in shown(pilot.app)
        await pilot.press("enter")
        await pilot.pause()
        # Enter alone is no answer
        await pilot.press("enter")
        await pilot.pause()
        assert "Choose with ↑ and ↓, then Enter." in shown(pilot.app)
        await pilot.press("down", "down", "enter")
        await pilot.pause()
        assert "Each column was added up." in shown(pilot.app)
        assert "1 of 4 solved" in shown(pilot.app)
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.screen.step.id == "demo-number"

    play(scenario)
    assert study.standing("demo-sum").tries == 1


def test_the_text_scrolls_and_reading_on_leads_to_the_next_step(play: Play, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 1)
        assert screen.view.scroll_offset.y == 0
        await pilot.press("pagedown")
        await pilot.pause()
        assert screen.view.scroll_offset.y > 0
        await pilot.press("g")
        await pilot.pause()
        assert screen.view.scroll_offset.y == 0
        await pilot.press("j", "j", "k")
        await pilot.pause()
        assert screen.view.scroll_offset.y == 1
        await pilot.press("G")
        await pilot.pause()
        assert screen.view.scroll_offset.y == screen.view.max_scroll_y

    play(scenario, size=(60, 14))


def test_the_keys_are_on_the_next_step_before_it_is_drawn(play: Play, open_step: OpenStep) -> None:
    """A focus that comes a turn later costs a second frame."""

    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 1)
        gone = screen.focused
        assert gone is screen.view.live
        for step in screen.lesson.steps[1:3]:
            await screen.go_to(screen.lesson, step)
            assert screen.focused is not gone
            assert screen.focused in screen.view.walk_children(with_self=True)
            assert screen.view.asked in (None, *screen.view.walk_children())

    play(scenario)


def test_enter_shows_the_picture_before_it_leaves_it(play: Play, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 1)
        live = screen.view.live
        assert not screen.can_view_entire(live)
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.focused is live
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app.focused, Choice)
        assert screen.can_view_entire(pilot.app.focused)

    play(scenario, size=(80, 15))


def test_a_step_that_is_only_read_ends_the_lesson_at_the_lessons(play: Play, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 6)
        assert isinstance(pilot.app.focused, StepView)
        assert screen.step.id == "demo-end"
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Home)

    play(scenario)


def test_steps_back_stop_at_the_first(play: Play, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 2)
        await pilot.press("f7")
        await pilot.pause()
        assert screen.step.id == "demo-choice"
        await pilot.press("p")
        await pilot.pause()
        assert screen.step.id == "demo-choice"
        await pilot.press("n")
        await pilot.pause()
        assert screen.step.id == "demo-number"

    play(scenario)


def test_the_step_is_remembered_as_soon_as_it_is_open(play: Play, study: Study, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 3)
        where = study.where()
        assert where is not None
        assert where[1].id == "demo-table"

    play(scenario)


def test_in_a_wide_window_the_picture_stands_beside_the_text(play: Play, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 1)
        live, asked = screen.view.live, screen.view.asked
        assert live.region.x > asked.region.x + asked.region.width - 5
        assert live.region.y <= asked.region.y
        await pilot.press("right")
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert live.region.x < 5
        assert live.region.bottom <= asked.region.y
        assert live.model.step == 1
        assert pilot.app.focused is live

    play(scenario, size=(120, 30))


def test_live_view_is_the_first_to_have_the_keys(play: Play, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 1)
        assert isinstance(pilot.app.focused, LiveView)
        await pilot.press("tab")
        assert isinstance(pilot.app.focused, Choice)
        await pilot.press("shift+tab")
        assert isinstance(pilot.app.focused, LiveView)

    play(scenario)


def test_the_chosen_option_is_in_sight_in_a_small_window(play: Play, shown: Shown, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 1)
        await pilot.press("enter")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        for number, text in enumerate(("What they started with", "The sums of all columns", "One number each"), 1):
            await pilot.press(str(number))
            await pilot.pause()
            assert f"► {number} {text}" in shown(pilot.app)

    play(scenario, size=(40, 12))
