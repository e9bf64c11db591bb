"""A picture that the learner has changed, and a question about the lesson's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tutor.app.main import TutorApp
from tutor.app.profile import Profile
from tutor.app.widgets.live_view import LiveView
from tutor.app.widgets.picture_view import PictureView
from tutor.course.load import load
from tutor.course.model import CHOICE, NUMBER, Question
from tutor.permissions import own_machine
from tutor.progress.store import Store
from tutor.study import Study

Play = Callable[..., None]


def ask(study: Study, **fields: Any) -> None:
    """Gives the first step's question other fields."""
    lesson = study.course.lessons[0]
    step = lesson.steps[0]
    blocks = tuple(replace(each, **fields) if isinstance(each, Question) else each for each in step.blocks)
    changed = replace(lesson, steps=(replace(step, blocks=blocks), *lesson.steps[1:]))
    study.course = replace(study.course, lessons=(changed, *study.course.lessons[1:]))


@pytest.mark.parametrize(("kind", "brought_back"), [(NUMBER, True), (CHOICE, False)])
@pytest.mark.parametrize("key", ["enter", "tab"])
def test_a_number_of_the_picture_is_asked_beside_the_lessons_picture(
    play: Play, study: Study, kind: str, brought_back: bool, key: str
) -> None:
    if kind == NUMBER:
        ask(study, kind=NUMBER, answer="cell step=4 worker=0 chunk=0", options=(), wrong=())

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        await pilot.pause()
        live = pilot.app.screen.query_one(LiveView)
        await pilot.press("down", "right")
        await pilot.pause()
        assert not live.model.is_lessons
        await pilot.press(key, key)
        await pilot.pause()
        assert live.model.is_lessons == brought_back

    play(scenario)


def test_a_picture_that_would_not_fit_the_window_of_the_one_before_is_drawn_whole(
    tmp_path: Path, shown: Callable[..., str]
) -> None:
    """Of 30 billion parameters the table has room for its words; of 70 billion it has a row more, and none."""
    store = Store(tmp_path / "progress.db")
    study = Study(load(), store, tmp_path / "exercises", own_machine())

    async def main() -> None:
        async with TutorApp(study, Profile()).run_test(size=(80, 24)) as pilot:
            await pilot.press("enter")
            await pilot.pause()
            await pilot.press(*["right"] * 3)
            await pilot.pause()
            text = shown(pilot.app)
            assert "params 70e9" in text
            pilot.app.screen.query_one(PictureView).refresh(layout=True)
            await pilot.pause()
            assert shown(pilot.app) == text

    asyncio.run(main())
    store.close()
