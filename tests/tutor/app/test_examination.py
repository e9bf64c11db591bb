"""The examination in the app: one problem after another, one try each, left and taken up again, and its page."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from tutor.answers.families import member
from tutor.answers.judge import truth
from tutor.answers.tables import show_rows
from tutor.app.main import TutorApp
from tutor.app.places import PLACES
from tutor.app.profile import Profile
from tutor.app.screens.examination import ExaminationDoor, ExaminationScreen
from tutor.app.screens.examination_page import ExaminationPage
from tutor.app.screens.home import Home
from tutor.app.screens.lesson import LessonScreen
from tutor.app.widgets.live_view import LiveView
from tutor.course.load import load
from tutor.examination.draw import draw
from tutor.examination.room import Examination
from tutor.permissions import own_machine
from tutor.progress.store import Store
from tutor.study import Study

Shown = Callable[..., str]
Play = Callable[..., None]
SIZES = [(80, 24), (40, 12)]


@pytest.fixture
def sat(exam_course: Path, tmp_path: Path) -> Iterator[Study]:
    """A learner at a course with an examination."""
    store = Store(tmp_path / "state" / "progress.db")
    yield Study(load(exam_course), store, tmp_path / "exercises", own_machine())
    store.close()


@pytest.fixture
def play(sat: Study) -> Play:
    def run(scenario: Callable[[Pilot[Any]], Awaitable[None]], size: tuple[int, int] = (80, 24)) -> None:
        async def main() -> None:
            app = TutorApp(sat, Profile())
            async with app.run_test(size=size, notifications=True) as pilot:
                await pilot.pause()
                await scenario(pilot)

        asyncio.run(main())

    return run


async def settle(pilot: Pilot[Any]) -> None:
    for _ in range(3):
        await pilot.pause()


async def press(pilot: Pilot[Any], *keys: str) -> None:
    await pilot.press(*keys)
    await settle(pilot)


async def skip(pilot: Pilot[Any], times: int = 1) -> None:
    for _ in range(times):
        await press(pilot, "f3", "f3")


async def open_examination(pilot: Pilot[Any]) -> None:
    """Its entry is the last of the lessons."""
    assert isinstance(pilot.app.screen, Home)
    await press(pilot, "end", *["up"] * len(PLACES), "enter")


@pytest.mark.parametrize("size", SIZES)
def test_from_the_home_screen_to_the_page(play: Play, shown: Shown, sat: Study, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "end", *["up"] * len(PLACES))
        assert "The end" in shown(pilot.app)
        assert "not begun" in shown(pilot.app)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, ExaminationDoor)
        assert Examination(sat).sitting() is None  # nothing begins before Enter
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, ExaminationScreen)
        room = Examination(sat)
        for number in (1, 2, 10):
            assert f"{number}/10" in shown(pilot.app)
            sitting = room.sitting()
            assert sitting is not None
            for asked in sitting.problems[2:9] if number == 2 else ():
                room.answer(sitting, asked, None)  # in another window
            await press(pilot, "f3")
            assert "Leave it unanswered?" in shown(pilot.app)
            await press(pilot, "f3")
        assert isinstance(pilot.app.screen, ExaminationPage)
        assert "0 of 10 right" in shown(pilot.app)
        assert "Not yet firm" in shown(pilot.app)
        await press(pilot, "end")
        assert "Go back to Lesson six" in " ".join(shown(pilot.app).split())
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, Home)
        await press(pilot, "end", *["up"] * len(PLACES))
        assert "0 of 10 right last time" in shown(pilot.app)

    play(scenario, size)


def test_an_answer_is_read_back_given_once_and_not_judged(play: Play, shown: Shown, sat: Study) -> None:
    sitting = Examination(sat).begin(4)
    first = sitting.problems[0]
    assert first.question.kind == "number"

    async def scenario(pilot: Pilot[Any]) -> None:
        await open_examination(pilot)
        await press(pilot, "1", "4", "enter")
        assert "Your answer: 14 steps" in shown(pilot.app)
        assert Examination(sat).again(sitting).answers == {}
        # Typed on: it has to be read back again
        await press(pilot, "0", "enter")
        assert "Your answer: 140 steps" in shown(pilot.app)
        await press(pilot, "enter")
        assert "2/10" in shown(pilot.app)
        assert "ight" not in shown(pilot.app)

    play(scenario)
    assert Examination(sat).again(sitting).answers == {1: "140"}


def test_what_is_no_answer_is_no_try(play: Play, shown: Shown, sat: Study) -> None:
    sitting = Examination(sat).begin(4)

    async def scenario(pilot: Pilot[Any]) -> None:
        await open_examination(pilot)
        await press(pilot, "x", "enter")
        assert "That does not count as a try." in shown(pilot.app)
        await press(pilot, "enter")
        assert "1/10" in shown(pilot.app)

    play(scenario)
    assert Examination(sat).again(sitting).answers == {}


def test_leaving_keeps_answers_and_what_is_half_typed(play: Play, shown: Shown, sat: Study) -> None:
    Examination(sat).begin(4)

    async def scenario(pilot: Pilot[Any]) -> None:
        await open_examination(pilot)
        await skip(pilot)
        problem = pilot.app.screen.asked.question  # type: ignore[attr-defined]
        await press(pilot, *("1" if problem.kind != "number" else "77"), "escape")
        assert isinstance(pilot.app.screen, Home)
        await press(pilot, "end", *["up"] * len(PLACES))
        assert "1 of 10 answered" in shown(pilot.app)
        await press(pilot, "enter")
        assert "2/10" in shown(pilot.app)
        assert problem.kind != "number" or "77" in shown(pilot.app)

    play(scenario)


def test_pictures_stand_still_and_their_cells_are_filled_in(play: Play, shown: Shown, sat: Study) -> None:
    room = Examination(sat)
    seed = next(seed for seed in range(100) if _has(sat, seed, "three-b"))
    sitting = room.begin(seed)
    asked = next(asked for asked in sitting.problems if asked.question.id == "three-b")
    for other in sitting.problems[: asked.number - 1]:
        room.answer(sitting, other, None)

    async def scenario(pilot: Pilot[Any]) -> None:
        await open_examination(pilot)
        live = pilot.app.screen.query_one(LiveView)
        await press(pilot, "shift+tab")
        assert live.has_focus
        before = dict(live.model.given)
        await press(pilot, "right", "right", "down", "space", "m", "e")
        assert live.model.given == before
        assert live.model.given["seed"] == member(asked.question, asked.seed)["seed"]
        await press(pilot, "enter")
        rows = truth(sat.course, asked.question, asked.seed).value
        table = pilot.app.screen.focused
        assert table is not None
        table.post_message(events.Paste(show_rows(rows)))
        await settle(pilot)
        await press(pilot, "enter")
        assert "Your answer: " in shown(pilot.app)
        await press(pilot, "enter")
        for other in room.again(sitting).problems[asked.number + 1 :]:
            room.answer(sitting, other, None)
        await skip(pilot)
        assert isinstance(pilot.app.screen, ExaminationPage)
        assert "1 of 10 right" in shown(pilot.app)

    play(scenario)


def _has(study: Study, seed: int, problem: str) -> bool:
    return problem in [one.problem for one in draw(study.course, seed)]


def test_two_windows_do_not_clash(play: Play, shown: Shown, sat: Study) -> None:
    room = Examination(sat)
    sitting = room.begin(4)

    async def scenario(pilot: Pilot[Any]) -> None:
        await open_examination(pilot)
        for asked in sitting.problems[:2]:
            room.answer(sitting, asked, None)  # in the other window
        await press(pilot, "5", "enter", "enter")
        assert "3/10" in shown(pilot.app)
        assert "elsewhere meanwhile" in shown(pilot.app)

    play(scenario)
    assert room.again(sitting).answers == {1: None, 2: None}


def test_the_page_is_saved_and_leads_back_to_steps(play: Play, shown: Shown, sat: Study) -> None:
    room = Examination(sat)
    sitting = room.begin(4)
    for asked in sitting.problems:
        room.answer(sitting, asked, None)
    result = room.end(sitting)

    async def scenario(pilot: Pilot[Any]) -> None:
        await open_examination(pilot)
        assert "Last time: 0 of 10" in shown(pilot.app)
        await press(pilot, "l")
        assert isinstance(pilot.app.screen, ExaminationPage)
        await press(pilot, "s", "s")
        await press(pilot, "2")
        assert isinstance(pilot.app.screen, LessonScreen)
        assert pilot.app.screen.step.id == result.problems[1].back[0].step
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, ExaminationPage)
        await press(pilot, "n")
        assert isinstance(pilot.app.screen, ExaminationDoor)

    play(scenario)
    saved = sorted(path.name for path in sat.exercise_folder.iterdir())
    assert len(saved) == 2
    assert all(name.startswith("examination-") for name in saved)


def test_broken_off_before_its_page(play: Play, shown: Shown, sat: Study) -> None:
    room = Examination(sat)
    sitting = room.begin(4)
    for asked in sitting.problems:
        room.answer(sitting, asked, None)

    async def scenario(pilot: Pilot[Any]) -> None:
        await open_examination(pilot)
        assert isinstance(pilot.app.screen, ExaminationPage)

    play(scenario)
    assert room.last() is not None


def test_hints_and_answers_are_not_to_be_had(play: Play, shown: Shown, sat: Study) -> None:
    Examination(sat).begin(4)

    async def scenario(pilot: Pilot[Any]) -> None:
        await open_examination(pilot)
        await press(pilot, "f2")
        assert "int" not in shown(pilot.app).replace("into", "")
        await press(pilot, "f1")
        assert "reveal" not in shown(pilot.app).lower()

    play(scenario)
    assert sat.store.events(kind="hint") == []


def test_a_key_of_the_home_screen_and_the_palette_lead_there(play: Play, shown: Shown, sat: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "ctrl+p")
        assert "The final examination  (x)" in shown(pilot.app)
        await press(pilot, "escape", "x")
        assert isinstance(pilot.app.screen, ExaminationDoor)

    play(scenario)


@pytest.mark.parametrize("where", ["door", "problem", "page"])
def test_every_binding_stands_in_help_and_palette(
    play: Play, sat: Study, where: str, all_listed: Callable[[Pilot[Any]], Awaitable[None]]
) -> None:
    screens = {"door": ExaminationDoor, "problem": ExaminationScreen, "page": ExaminationPage}
    if where != "door":
        sitting = Examination(sat).begin(4)
        for asked in sitting.problems if where == "page" else ():
            Examination(sat).answer(sitting, asked, None)

    async def scenario(pilot: Pilot[Any]) -> None:
        await open_examination(pilot)
        assert isinstance(pilot.app.screen, screens[where])
        await all_listed(pilot)

    play(scenario)
