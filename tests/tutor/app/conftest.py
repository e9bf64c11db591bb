"""A course with a step of every kind, a learner at it, and a way to drive the app without a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from tutor.app.main import TutorApp
from tutor.app.profile import Profile
from tutor.course.load import load
from tutor.permissions import own_machine
from tutor.progress.store import Store
from tutor.study import Study

COURSE = Path(__file__).parent / "course"
Scenario = Callable[[Pilot[Any]], Awaitable[None]]
Play = Callable[..., None]


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    """A learner who has just begun."""
    store = Store(tmp_path / "state" / "progress.db")
    yield Study(load(COURSE), store, tmp_path / "exercises", own_machine())
    store.close()


@pytest.fixture
def play(study: Study) -> Play:
    """Runs a scenario on the app, in a window of 80x24 unless told otherwise."""

    def run(scenario: Scenario, size: tuple[int, int] = (80, 24), profile: Profile | None = None) -> None:
        async def main() -> None:
            app = TutorApp(study, profile or Profile())
            async with app.run_test(size=size, notifications=True) as pilot:
                await pilot.pause()
                await scenario(pilot)

        asyncio.run(main())

    return run


@pytest.fixture
def shown() -> Callable[[App[Any]], str]:
    """What a person sees."""

    def text(app: App[Any]) -> str:
        return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())

    return text


@pytest.fixture
def until() -> Callable[..., Awaitable[None]]:
    """Waits until something has become true."""

    async def wait(pilot: Pilot[Any], true: Callable[[], object], patience: int = 400) -> None:
        for _ in range(patience):
            if true():
                return
            await pilot.pause(0.05)
        raise AssertionError("it did not come")

    return wait
