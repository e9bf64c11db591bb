"""What the screens look like. When a change is meant: pytest tests/tutor/app/test_snapshots.py --snapshot-update."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tutor.app.main import TutorApp
from tutor.app.profile import Profile
from tutor.app.theme import LIGHT
from tutor.settings import NAME, Settings, write
from tutor.study import Study

Compare = Callable[..., bool]
Before = Callable[[Pilot[Any]], Awaitable[None]]


@pytest.fixture(autouse=True)
def _same_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths below ~ are shown short, and no editor of this machine is named."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)


def at(step: int, *keys: str) -> Before:
    """Opens the first lesson at a step and presses keys there."""

    async def before(pilot: Pilot[Any]) -> None:
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        screen = pilot.app.screen
        await screen.action_step(step - 1 - screen.lesson.steps.index(screen.step))
        await pilot.pause()
        for key in keys:
            await pilot.press(key)
            await pilot.pause()

    return before


def test_home(snap_compare: Compare, study: Study) -> None:
    study.answer("demo-sum", "sums")
    study.reveal("demo-steps")
    study.open_step(study.lesson("demo"), study.lesson("demo").steps[2])
    assert snap_compare(TutorApp(study), terminal_size=(80, 24))


@pytest.mark.parametrize(
    ("name", "step", "keys"),
    [
        ("picture", 1, ["right"]),
        ("choice", 1, ["right", "enter", "down", "enter"]),
        ("number", 2, ["7", "enter", "f2"]),
        ("table", 3, ["enter", "1", "right", "2", "down"]),
        ("bytes", 4, ["down", "right"]),
        ("help", 1, ["f1"]),
    ],
)
def test_a_lesson(snap_compare: Compare, study: Study, name: str, step: int, keys: list[str]) -> None:
    assert snap_compare(TutorApp(study), terminal_size=(80, 24), run_before=at(step, *keys))


def test_a_lesson_in_a_wide_window(snap_compare: Compare, study: Study) -> None:
    before = at(1, "right", "enter", "down", "down", "enter")
    assert snap_compare(TutorApp(study), terminal_size=(120, 30), run_before=before)


def test_a_lesson_in_a_small_window(snap_compare: Compare, study: Study) -> None:
    assert snap_compare(TutorApp(study), terminal_size=(40, 12), run_before=at(1, "right"))


def test_a_lesson_in_the_terminals_own_colours(snap_compare: Compare, study: Study) -> None:
    app = TutorApp(study, Profile(few_colours=True))
    assert snap_compare(app, terminal_size=(80, 24), run_before=at(1, "right"))


@pytest.mark.parametrize(("name", "size"), [("below", (80, 30)), ("beside", (120, 30))])
def test_a_verdict_in_the_editor(
    snap_compare: Compare, study: Study, until: Any, name: str, size: tuple[int, int]
) -> None:
    study.start("all_sums")

    async def before(pilot: Pilot[Any]) -> None:
        await at(5, "e", "ctrl+s")(pilot)
        verdict = pilot.app.screen.query_one("VerdictView .words")
        await until(pilot, lambda: "Not right" in verdict.text)
        await pilot.pause()

    assert snap_compare(TutorApp(study), terminal_size=size, run_before=before)


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("practice", ["p"]),
        ("playground", ["v", "down"]),
        ("picture", ["v", "enter", "right", "down"]),
        ("exercises", ["e"]),
        ("progress", ["r"]),
        ("settings", ["s", "down", "down", "down", "down"]),
    ],
)
def test_a_screen_beside_the_lessons(
    snap_compare: Compare, study: Study, until: Any, name: str, keys: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Noon, when the day has the same name nearly everywhere
    monkeypatch.setattr(study.store, "_clock", lambda: 1_800_014_400.0)
    study.answer("demo-sum", "sums")
    study.start("all_sums")
    study.answer("demo-steps", "7")

    async def before(pilot: Pilot[Any]) -> None:
        await pilot.pause()
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
        if name in ("practice", "progress"):
            said = pilot.app.screen._due if name == "practice" else pilot.app.screen._practised  # type: ignore[attr-defined]
            await until(pilot, lambda: "due today" in said.text)
            await pilot.pause()

    assert snap_compare(TutorApp(study), terminal_size=(80, 24), run_before=before)


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("terms", ["slash"]),
        ("found", ["slash", *"worker"]),
        ("palette", ["ctrl+p", "down"]),
    ],
)
def test_what_opens_over_the_lessons(
    snap_compare: Compare, study: Study, until: Any, name: str, keys: list[str]
) -> None:
    async def before(pilot: Pilot[Any]) -> None:
        await pilot.pause()
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
        await pilot.pause(0.5)

    assert snap_compare(TutorApp(study), terminal_size=(80, 24), run_before=before)


@pytest.mark.parametrize("size", [(40, 12), (120, 40)], ids=["small", "wide"])
@pytest.mark.parametrize(("name", "keys"), [("home", []), ("exercises", ["e"]), ("picture", ["v", "enter", "right"])])
def test_other_windows(snap_compare: Compare, study: Study, name: str, keys: list[str], size: tuple[int, int]) -> None:
    study.answer("demo-sum", "sums")

    async def before(pilot: Pilot[Any]) -> None:
        await pilot.pause()
        await pilot.press(*keys)
        await pilot.pause()

    assert snap_compare(TutorApp(study), terminal_size=size, run_before=before)


def test_the_light_theme(snap_compare: Compare, study: Study) -> None:
    write(study.store.file.with_name(NAME), Settings(theme=LIGHT))
    assert snap_compare(TutorApp(study), terminal_size=(80, 24), run_before=at(1, "right"))
