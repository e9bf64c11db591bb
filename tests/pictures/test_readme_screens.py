"""The screens that the README shows, drawn by the app itself with the course that comes with it.

After a change that is meant to change them, `python tests/pictures/test_readme_screens.py` draws them anew.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tutor.app.main import TutorApp
from tutor.course.load import load
from tutor.permissions import own_machine
from tutor.progress.store import Store
from tutor.study import Study

HERE = Path(__file__).parent / "screens"
README = Path(__file__).parents[2] / "README.md"
COURSE = load()

Scene = Callable[[Pilot[Any], Study], Awaitable[None]]


async def pressed(pilot: Pilot[Any], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await pilot.pause()


def at(step_id: str, *keys: str) -> Scene:
    """A step of a lesson, after these keys."""

    async def scene(pilot: Pilot[Any], study: Study) -> None:
        from tutor.app.screens.lesson import LessonScreen

        found = COURSE.find_step(step_id)
        assert found is not None
        await pilot.app.push_screen(LessonScreen(study, *found))
        await pilot.pause()
        await pressed(pilot, *keys)

    return scene


async def home(pilot: Pilot[Any], study: Study) -> None:
    await pressed(pilot, "down", "down")


async def playground(pilot: Pilot[Any], study: Study) -> None:
    from tutor.app.screens.playground import PlayedPicture
    from tutor.views.topics import topic

    await pilot.app.push_screen(PlayedPicture(topic("schedules")))
    await pilot.pause()


# File: columns and rows, and what is done
SCREENS: dict[str, tuple[tuple[int, int], Scene]] = {
    "home.svg": ((80, 24), home),
    "lesson.svg": ((80, 24), at("ring-first-look", "right")),
    "wide.svg": ((130, 30), at("zero-floor")),
    "playground.svg": ((100, 28), playground),
}


def drawn(name: str) -> str:
    (columns, rows), scene = SCREENS[name]

    async def play() -> str:
        with tempfile.TemporaryDirectory() as folder:
            store = Store(Path(folder, "progress.db"))
            study = Study(COURSE, store, Path(folder, "exercises"), own_machine())
            app = TutorApp(study)
            async with app.run_test(size=(columns, rows)) as pilot:
                await pilot.pause()
                await scene(pilot, study)
                await pilot.pause()
                shot = app.export_screenshot()
            store.close()
            return shot

    return asyncio.run(play())


@pytest.mark.parametrize("name", SCREENS)
def test_the_screen_is_what_the_app_draws_today(name: str) -> None:
    assert (HERE / name).read_text(encoding="utf-8") == drawn(name)


def test_the_readme_shows_these_screens() -> None:
    shown = set(re.findall(r"tests/pictures/screens/([\w.-]+)", README.read_text(encoding="utf-8")))
    assert shown == SCREENS.keys() == {path.name for path in HERE.glob("*.svg")}


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for name in SCREENS:
        (HERE / name).write_text(drawn(name), encoding="utf-8")
