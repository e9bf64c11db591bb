"""Motion: what passes between two steps, off with one key, off over SSH, and never in the way of a key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from tutor.app.main import TutorApp
from tutor.app.profile import Profile
from tutor.app.screens.playground import PlayedPicture
from tutor.app.widgets.live_view import LiveView
from tutor.app.widgets.picture_view import PictureView
from tutor.settings import NAME, Settings, write
from tutor.study import Study
from tutor.views.curtain import Curtain
from tutor.views.topics import topic

Play = Callable[..., None]


@pytest.fixture
def moving(study: Study, play: Play) -> Play:
    """Plays with motion on, which it is not by itself where nobody watches."""
    write(study.store.file.with_name(NAME), Settings(motion="on"))
    return play


async def opened(pilot: Pilot[Any], name: str) -> tuple[LiveView, PictureView]:
    await pilot.app.push_screen(PlayedPicture(topic(name)))
    await pilot.pause()
    return pilot.app.screen.query_one(LiveView), pilot.app.screen.query_one(PictureView)


def now(view: PictureView) -> list[str]:
    assert view.picture is not None
    lines = range(view.picture.size(80).rows)
    return ["".join(run.text for run in view.picture.line(row, 80)) for row in lines]


def step(live: LiveView) -> list[str]:
    """The rows of the step that the model is at."""
    lines = range(live.model.picture.size(80).rows)
    return ["".join(run.text for run in live.model.picture.line(row, 80)) for row in lines]


def test_chunks_travel_before_the_step_is_there(moving: Play, until: Any) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        live, view = await opened(pilot, "all-reduce")
        live.action_turn(1)
        assert live.model.step == 1
        assert now(view) != step(live)
        await until(pilot, lambda: now(view) == step(live))
        # Back, or to another picture, nothing travels
        live.action_turn(-1)
        assert now(view) == step(live)

    moving(scenario)


@pytest.mark.parametrize("key", ["right", "left", "down", "m", "r"])
def test_a_key_does_not_wait_for_what_travels(moving: Play, key: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        live, view = await opened(pilot, "all-reduce")
        live.action_turn(1)
        passing = view.picture
        assert live._passing.going
        await pilot.press(key)
        assert view.picture is not passing
        if key == "right":
            assert live.model.step == 2
        else:
            assert not live._passing.going
            assert now(view) == step(live)

    moving(scenario)


def test_nothing_travels_while_a_key_is_held_down(moving: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        live, view = await opened(pilot, "all-reduce")
        live.action_turn(1)
        assert now(view) != step(live)
        live.action_turn(1)
        assert live.model.step == 2
        assert now(view) == step(live)

    moving(scenario)


def test_a_pipeline_fills_and_stops_where_one_likes(moving: Play, until: Any) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        live, view = await opened(pilot, "pipeline")
        live.action_play()
        assert isinstance(view.picture, Curtain)
        live.action_play()
        assert view.picture is live.model.picture
        live.action_play()
        first = view.picture
        await until(pilot, lambda: view.picture is not first)
        assert isinstance(view.picture, Curtain)
        await until(pilot, lambda: view.picture is live.model.picture)

    moving(scenario)


def test_playing_shows_the_way_to_every_step_the_last_one_too(moving: Play, until: Any) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        live, view = await opened(pilot, "all-reduce")
        live.model.go(live.model.scene.last_step - 1)
        live.action_play()
        assert live.model.step == live.model.scene.last_step
        assert live._passing.going
        await until(pilot, lambda: now(view) == step(live))

    moving(scenario)


def test_f9_stops_all_motion(moving: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        live, view = await opened(pilot, "all-reduce")
        await pilot.press("f9")
        live.action_turn(1)
        assert now(view) == step(live)
        await pilot.app.pop_screen()
        live, view = await opened(pilot, "pipeline")
        assert live.check_action("play", ()) is False

    moving(scenario)


@pytest.mark.parametrize(("motion", "moves"), [("auto", False), ("on", True), ("off", False)])
def test_over_ssh_nothing_moves_unless_it_is_told_to(study: Study, play: Play, motion: Any, moves: bool) -> None:
    write(study.store.file.with_name(NAME), Settings(motion=motion))

    async def scenario(pilot: Pilot[Any]) -> None:
        live, view = await opened(pilot, "all-reduce")
        live.action_turn(1)
        assert (now(view) != step(live)) == moves

    play(scenario, profile=Profile(remote=True))


def test_ssh_is_seen_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    from tutor.app.profile import terminal_profile

    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    assert Settings().moves(terminal_profile().remote)
    monkeypatch.setenv("SSH_CONNECTION", "10.0.0.1 5022 10.0.0.2 22")
    assert not Settings().moves(terminal_profile().remote)


def test_screenshots_show_where_it_ends(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        assert isinstance(pilot.app, TutorApp)
        assert pilot.app.motion
        live, view = await opened(pilot, "all-reduce")
        live.action_turn(1)
        assert now(view) == step(live)

    play(scenario)


def test_what_is_asked_is_not_shown_on_the_way(moving: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        await pilot.pause()
        await pilot.app.screen.action_step(2)  # type: ignore[attr-defined]
        await pilot.pause()
        live = pilot.app.screen.query_one(LiveView)
        assert live.blanks is not None
        live.show_lessons(live.blanks.step - 1)
        live.action_turn(1)
        assert live.model.step == live.blanks.step
        assert not live._passing.going

    moving(scenario)
