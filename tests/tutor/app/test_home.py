"""The first screen."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tutor.app.places import PLACES
from tutor.app.screens.home import Home, where_to_go_on
from tutor.app.screens.lesson import LessonScreen
from tutor.permissions import own_machine
from tutor.study import Study

COURSE = Path(__file__).parent / "course"


def test_lessons_with_how_far_they_are(play: Callable[..., None], shown: Callable[..., str], study: Study) -> None:
    study.answer("demo-sum", "sums")
    study.reveal("demo-steps")

    async def scenario(pilot: Pilot[Any]) -> None:
        text = shown(pilot.app)
        assert "A course for tests" in text
        assert "A lesson with a step of every kind." in text
        assert "1 of 4 solved, 1 revealed" in text
        assert "████▒▒▒▒────────" in text
        assert "nothing to solve" in text

    play(scenario)


def test_the_greeting_is_in_sight_though_not_all_lessons_are(
    play: Callable[..., None], shown: Callable[..., str], study: Study
) -> None:
    lesson = study.lesson("demo")
    study.open_step(lesson, lesson.steps[0])

    async def scenario(pilot: Pilot[Any]) -> None:
        greeting = "Move the pictures, predict, write it, have it checked. No GPU needed."
        assert greeting in shown(pilot.app)
        assert PLACES[-1].title not in shown(pilot.app)
        await pilot.press("end")
        await pilot.pause()
        assert greeting not in shown(pilot.app)
        await pilot.press("home")
        await pilot.pause()
        assert greeting in shown(pilot.app)

    play(scenario, size=(80, 12))


def test_enter_alone_opens_the_first_lesson(play: Callable[..., None]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, LessonScreen)
        assert pilot.app.screen.step.id == "demo-choice"

    play(scenario)


def test_enter_goes_on_where_one_was(play: Callable[..., None], shown: Callable[..., str], study: Study) -> None:
    lesson = study.lesson("demo")
    study.open_step(lesson, lesson.steps[3])

    async def scenario(pilot: Pilot[Any]) -> None:
        assert "Continue  Demo, step 4 of 6: A picture without steps" in shown(pilot.app)
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.screen.step.id == "demo-bytes"
        await pilot.press("escape", "down", "down", "enter")
        await pilot.pause()
        assert pilot.app.screen.lesson.id == "second"
        # A lesson chosen from the list opens where one left that lesson
        await pilot.press("escape", "home", "down", "enter")
        await pilot.pause()
        assert pilot.app.screen.step.id == "demo-bytes"

    play(scenario)


def test_enter_goes_on_with_the_exercise_worked_on_last(
    play: Callable[..., None], shown: Callable[..., str], study: Study
) -> None:
    lesson = study.lesson("demo")
    study.open_step(lesson, lesson.steps[-1])
    study.store.add("check", "all_sums", right=False)
    found = study.course.step_of("all_sums")
    assert found is not None
    step = found[1]

    async def scenario(pilot: Pilot[Any]) -> None:
        assert f"Continue  Demo, step {lesson.steps.index(step) + 1} of 6: {step.title}" in shown(pilot.app)
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.screen.step.id == step.id

    play(scenario)


def test_an_exercise_that_ends_a_lesson_is_gone_on_with_until_it_is_right(study: Study) -> None:
    lesson, second = study.course.lessons
    found = study.course.step_of("all_sums")
    assert found is not None
    short = replace(lesson, steps=lesson.steps[: lesson.steps.index(found[1]) + 1])
    ends = Study(replace(study.course, lessons=(short, second)), study.store, study.exercise_folder, own_machine())
    ends.open_step(short, short.steps[-1])
    study.store.add("check", "all_sums", right=False)
    assert where_to_go_on(ends) == (short, short.steps[-1])
    study.store.add("check", "all_sums", right=True)
    assert where_to_go_on(ends) == (second, second.steps[0])


def test_behind_the_end_of_a_lesson_enter_goes_on_to_the_next(
    play: Callable[..., None], shown: Callable[..., str], study: Study
) -> None:
    lesson = study.lesson("demo")
    study.open_step(lesson, lesson.steps[-1])

    async def scenario(pilot: Pilot[Any]) -> None:
        assert "Continue  Second, step 1 of 1: Two ranks" in shown(pilot.app)
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.screen.lesson.id == "second"
        # The course ends with this one
        await pilot.press("escape")
        await pilot.pause()
        assert "Continue  Second, step 1 of 1: Two ranks" in shown(pilot.app)

    play(scenario)


def test_what_the_record_has_to_tell_is_said(
    play: Callable[..., None], shown: Callable[..., str], study: Study
) -> None:
    study.store.notices.append("Your progress file was damaged [bold]. It was set aside.")

    async def scenario(pilot: Pilot[Any]) -> None:
        assert "Your progress file was damaged [bold]. It was set aside." in shown(pilot.app)

    play(scenario)


def test_choosing_stays_within_the_list(play: Callable[..., None]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        menu = pilot.app.screen.query_one("#lessons")
        await pilot.press("up")
        assert menu.chosen == 0
        last = 1 + len(PLACES)
        await pilot.press(*["j"] * last, "j", "down")
        assert menu.chosen == last
        await pilot.press("g")
        assert menu.chosen == 0
        await pilot.press("end")
        assert menu.chosen == last

    play(scenario)


def test_a_click_opens_a_lesson(play: Callable[..., None]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.click("#lessons", offset=(10, 5))
        await pilot.pause()
        assert pilot.app.screen.lesson.id == "second"

    play(scenario)


def test_q_quits(play: Callable[..., None]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        assert isinstance(pilot.app.screen, Home)
        await pilot.press("q")
        await pilot.pause()
        assert pilot.app.return_code == 0

    play(scenario)


def test_the_first_frame_waits_for_no_numpy(tmp_path: Path) -> None:
    code = f"""
import asyncio, sys
from pathlib import Path
from tutor.course.load import load
from tutor.permissions import own_machine
from tutor.progress.store import Store
from tutor.permissions import own_machine
from tutor.study import Study
from tutor.app.profile import Profile
from tutor.app.main import TutorApp
import tutor.app.preload
tutor.app.preload.preload = lambda **how: print(*sys.modules)
store = Store(Path({str(tmp_path)!r}) / "p.db")
study = Study(load(Path({str(COURSE)!r})), store, Path({str(tmp_path)!r}), own_machine())
async def main():
    async with TutorApp(study, Profile()).run_test() as pilot:
        await pilot.pause()
asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    assert "tutor.app.screens.home" in modules
    for late in (
        "numpy",
        "simlib.collectives",
        "rich.markdown",
        "tutor.app.screens.lesson",
        "tutor.examination.room",
        "argparse",
    ):
        assert late not in modules, f"{late} is loaded before the first frame"


def test_what_is_chosen_is_in_sight_in_a_small_window(play: Callable[..., None], shown: Callable[..., str]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("end")
        await pilot.pause()
        assert f"► {PLACES[-1].title}" in shown(pilot.app)
        await pilot.press(*["up"] * len(PLACES))
        await pilot.pause()
        assert "► Second" in shown(pilot.app)
        assert "Another lesson." in shown(pilot.app)
        await pilot.press("home")
        await pilot.pause()
        assert "► Demo" in shown(pilot.app)

    play(scenario, size=(40, 12))


def test_back_at_home_enter_goes_on_where_one_was(play: Callable[..., None]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("down", "enter")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.screen.lesson.id == "second"

    play(scenario)


def test_in_a_low_window_only_the_chosen_lesson_says_what_it_is_about(
    play: Callable[..., None], shown: Callable[..., str], study: Study
) -> None:
    lesson = study.lesson("demo")
    study.open_step(lesson, lesson.steps[0])
    about = {"Demo": "A lesson with a step of every kind.", "Second": "Another lesson."}

    async def scenario(pilot: Pilot[Any]) -> None:
        for chosen in ("", "Demo", "Second"):
            text = shown(pilot.app)
            for title, sentence in about.items():
                assert title in text
                assert (sentence in text) == (title == chosen)
            await pilot.press("down")
            await pilot.pause()

    play(scenario, size=(80, 12))


@pytest.mark.parametrize("keys", [[], ["r"]])
def test_the_bars_stand_under_one_another(
    play: Callable[..., None], shown: Callable[..., str], study: Study, keys: list[str]
) -> None:
    study.reveal("demo-steps")

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press(*keys)
        await pilot.pause()
        rows = shown(pilot.app).splitlines()
        demo = next(row for row in rows if "0 of 4 solved, 1 revealed" in row and "Demo" in row)
        second = next(row for row in rows if "nothing to solve" in row)
        assert demo.index("▒") == second.index("─")

    play(scenario)


def test_how_far_one_is_shows_where_it_has_a_row_of_its_own(
    play: Callable[..., None], shown: Callable[..., str], study: Study
) -> None:
    """In a window with too little room for title and bar side by side, and too few rows for what each is about."""
    study.answer("demo-sum", "sums")
    study.reveal("demo-steps")

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("end")
        assert "1 of 4 solved, 1 revealed" in shown(pilot.app)

    play(scenario, (44, 12))


def test_the_mark_stays_where_it_is_after_help_and_a_search(
    play: Callable[..., None], shown: Callable[..., str]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("down")
        await pilot.pause()
        assert "► Second" in shown(pilot.app)
        for key in ("question_mark", "slash", "ctrl+p"):
            await pilot.press(key)
            await pilot.pause()
            await pilot.press("escape")
            await pilot.pause()
            assert "► Second" in shown(pilot.app), key

    play(scenario)
