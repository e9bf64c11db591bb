"""A course that `new-lesson` has begun opens in the app, from its first step to its last."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tutor.app.main import TutorApp
from tutor.authoring.new_lesson import write_lesson
from tutor.course.load import load
from tutor.permissions import own_machine
from tutor.progress.store import Store
from tutor.study import Study


def test_a_lesson_that_has_just_been_begun_opens(tmp_path: Path, shown: Callable[..., str]) -> None:
    write_lesson(tmp_path / "course" / "two-phases")
    store = Store(tmp_path / "state" / "progress.db")
    study = Study(load(tmp_path / "course"), store, tmp_path / "exercises", own_machine())

    async def main() -> None:
        app: TutorApp = TutorApp(study)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            assert "Two phases" in shown(app)
            await pilot.press("enter")
            await pilot.pause()
            said = {
                1: "48 B",
                2: "ring of 8 workers take?",
                3: "Write two_phases_mean(arrays)",
                4: "nobody waits for a",
            }
            for number, words in said.items():
                assert words in shown(app), number
                await app.screen.action_step(1)  # type: ignore[attr-defined]
                await pilot.pause()
            await pilot.press("slash", *"two_phases_mean")
            await pilot.pause()
            hits: list[Any] = app.screen.found.hits  # type: ignore[attr-defined]
            assert (hits[0].kind, hits[0].step) == ("exercise", "two-phases-write-it")

    asyncio.run(main())
    store.close()
