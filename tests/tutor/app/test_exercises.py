"""The list of exercises: how each stands, opening its step, and beginning its file again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from tutor.app.exercise_states import BEGUN, FAILING, NOT_BEGUN, exercises, open_state
from tutor.app.screens.exercises import Exercises
from tutor.app.screens.home import Home
from tutor.app.screens.lesson import LessonScreen
from tutor.progress.store import Event
from tutor.study import Study

Play = Callable[..., None]
Shown = Callable[..., str]
EXERCISE = "all_sums"


async def press(pilot: Pilot[Any], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await pilot.pause()


@pytest.mark.parametrize(
    ("kinds", "there", "state"),
    [
        ([], False, NOT_BEGUN),
        (["start"], True, BEGUN),
        (["start", "check"], True, FAILING),
        (["start", "check", "reset", "start"], True, BEGUN),
        ([], True, BEGUN),  # a file that came from elsewhere
        (["start"], False, NOT_BEGUN),  # a file that was taken away
        (["check"], False, FAILING),  # a file of another name was checked
        (["start", "hint"], True, BEGUN),
    ],
)
def test_what_happened_last_says_how_it_stands(kinds: list[str], there: bool, state: str) -> None:
    assert open_state([Event(str(at), at, kind, EXERCISE, {}) for at, kind in enumerate(kinds)], there) == state


def test_solved_and_revealed_stay_so(study: Study) -> None:
    assert [each.state for each in exercises(study)] == [NOT_BEGUN]
    study.reveal(EXERCISE)
    study.start(EXERCISE)
    study.store.add("check", EXERCISE, right=False)
    assert [each.state for each in exercises(study)] == ["revealed"]


def test_an_exercise_has_its_own_title(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "e")
        assert "Sums for everybody  Demo" in shown(pilot.app)
        assert "Write it" not in shown(pilot.app)

    play(scenario)


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
def test_the_list_opens_the_step_and_shows_what_has_changed(
    play: Play, shown: Shown, study: Study, size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "e")
        assert isinstance(pilot.app.screen, Exercises)
        assert "· not begun" in shown(pilot.app)
        assert "all_sums.py, not there yet" in shown(pilot.app)
        await press(pilot, "enter")
        screen = pilot.app.screen
        assert isinstance(screen, LessonScreen)
        assert screen.step.exercise is not None
        assert screen.step.exercise.id == EXERCISE
        study.start(EXERCISE)
        await press(pilot, "escape")
        assert "~ begun" in shown(pilot.app)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, Home)

    play(scenario, size)


def test_a_file_is_begun_again_only_when_that_is_confirmed_and_is_kept(play: Play, shown: Shown, study: Study) -> None:
    path = study.start(EXERCISE).path
    task = path.read_text()
    path.write_text("mine = 1\n")

    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "e", "r")
        assert "r again: yes" in shown(pilot.app)
        assert path.read_text() == "mine = 1\n"
        # Another key in between takes the question back
        await press(pilot, "down", "r")
        assert path.read_text() == "mine = 1\n"
        await press(pilot, "escape", "e", "r")
        assert path.read_text() == "mine = 1\n"
        pilot.app.drafts.keep(EXERCISE, "mine = 2\n")
        await press(pilot, "r")
        assert "Kept: all_sums.backup-1.py, all_sums.unsaved-1.py." in shown(pilot.app)
        assert pilot.app.drafts[EXERCISE] == ""

    play(scenario)
    assert path.read_text() == task
    assert path.with_suffix(".backup-1.py").read_text() == "mine = 1\n"
    assert path.with_suffix(".unsaved-1.py").read_text() == "mine = 2\n"


def test_what_is_not_there_cannot_be_begun_again(play: Play, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "e", "r", "r")

    play(scenario)
    assert not list(study.store.events(kind="reset"))
