"""The instructor's board as a screen: who is stuck comes first, and what learners write stays mere signs."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from tutor.app.class_board import BoardApp
from tutor.app.profile import Profile
from tutor.app.screens.help import key_rows
from tutor.classroom.folder import SHARED, ClassFolder, Settings
from tutor.classroom.records import opened
from tutor.course.load import load
from tutor.progress.store import Store

COURSE = load()
RING = COURSE.lessons[2]
STEP = next(step for step in RING.steps if step.question is not None and step.question.wrong)
assert STEP.question is not None
QUESTION = STEP.question
BELIEF = QUESTION.wrong[0].misconception
HOSTILE = "\x1b[2J\x1b]0;x\x07[red]no markup[/red]\u202e"
Scenario = Callable[[Pilot[Any]], Awaitable[None]]


@pytest.fixture
def folder(tmp_path: Path) -> ClassFolder:
    made = ClassFolder(tmp_path / "class")
    made.make(Settings(shape=SHARED, question=QUESTION.id))
    for name, wrong in (("ada", 0), ("bob", 2), ("eve", 3), ("zed", None)):
        made.add(name)
        if wrong is None:
            continue
        store = Store(made.places(name).database)
        store.add("opened", STEP.id, lesson=RING.id)
        for _ in range(wrong):
            text = HOSTILE if name == "eve" else "4"
            store.add("answer", QUESTION.id, text=text, right=False, misconception=BELIEF)
        store.close()
    files = made.places("eve").exercises
    files.mkdir()
    (files / "ring_all_reduce.py").write_text(f"x = '{HOSTILE}'\n", encoding="utf-8")
    return made


def play(folder: ClassFolder, scenario: Scenario, profile: Profile | None = None) -> None:
    async def main() -> None:
        app = BoardApp(opened([str(folder.path)]), COURSE, profile)
        async with app.run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            await scenario(pilot)

    asyncio.run(main())


async def settled(pilot: Pilot[Any]) -> None:
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def shown(app: App[Any]) -> str:
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


def test_who_is_stuck_comes_first_with_what_they_believe(folder: ClassFolder) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        text = shown(pilot.app)
        places = [text.index(f"{name:16}") for name in ("eve", "bob", "ada", "zed")]
        assert places == sorted(places)
        assert "4 learners" in text
        assert "2 stuck" in text
        assert COURSE.misconceptions[BELIEF][:50] in text
        assert f"{QUESTION.id}: 0 right of 2 who tried" in text
        assert "Most had wrong" in text

    play(folder, scenario)


def test_it_follows_the_class_and_keeps_the_chosen_learner(folder: ClassFolder) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("down", "down")
        assert "► ada" in shown(pilot.app)
        store = Store(folder.places("zed").database)
        store.add("opened", STEP.id, lesson=RING.id)
        for _ in range(4):
            store.add("answer", QUESTION.id, text="4", right=False, misconception="")
        store.close()
        folder.remove("bob")
        await pilot.press("r")
        await settled(pilot)
        text = shown(pilot.app)
        assert "► ada" in text
        assert text.index("zed ") < text.index("eve ")
        assert "bob" not in text

    play(folder, scenario)


def test_one_learners_work_is_mere_signs(folder: ClassFolder) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        await settled(pilot)
        listed = shown(pilot.app)
        assert "ring_all_reduce.py" in listed
        assert "wrong ␛[2J" in listed
        await pilot.press("enter")
        await settled(pilot)
        file = shown(pilot.app)
        assert "x = '␛[2J␛]0;x␇[red]no markup[/red]<U+202E>'" in file
        await pilot.press("escape", "down", "enter")
        await settled(pilot)
        answer = shown(pilot.app)
        assert "text: ␛[2J" in answer
        assert not any(sign in listed + file + answer for sign in "\x1b\x07\u202e")
        await pilot.press("escape", "escape")
        await settled(pilot)
        assert "4 learners" in shown(pilot.app)

    play(folder, scenario)


def test_a_class_that_goes_away_is_said(folder: ClassFolder) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        (folder.path / "class.toml").unlink()
        await pilot.press("r")
        await settled(pilot)
        assert "is no class" in " ".join(shown(pilot.app).split())

    play(folder, scenario)


def test_a_mistake_of_the_boards_own_is_one_line(
    folder: ClassFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_arguments: object) -> None:
        raise RuntimeError("a mistake")

    app = BoardApp(opened([str(folder.path)]), COURSE)

    async def main() -> None:
        async with app.run_test() as pilot:
            await settled(pilot)
            monkeypatch.setattr(app.screen, "show", fail)
            await pilot.press("r")
            await settled(pilot)

    with pytest.raises(Exception, match="a mistake"):
        asyncio.run(main())
    said = " ".join(capsys.readouterr().err.split())
    assert said.startswith("The board has failed")
    assert "Traceback" not in said
    assert app.return_code == 3


def test_a_learners_app_does_not_have_it() -> None:
    """Neither loaded nor reachable: the session's app never imports the board."""
    program = "import sys, tutor.app.main, tutor.app.screens.lesson, tutor.app.commands, tutor.study\n"
    program += "print([name for name in sys.modules if 'class_board' in name or name.startswith('tutor.classroom')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_shared_class_says_what_its_records_are_worth(folder: ClassFolder) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        assert "Progress is trusted less" in shown(pilot.app)

    play(folder, scenario)


async def colours(pilot: Pilot[Any]) -> set[tuple[str | None, str | None]]:
    """Those of every cell with a sign in it: of it, and behind it."""
    await settled(pilot)
    return {
        (segment.style.color.name if segment.style.color else None, segment.style.bgcolor.name)
        for strip in pilot.app.screen._compositor.render_strips()
        for segment in strip
        if segment.text.strip() and segment.style and segment.style.bgcolor
    }


def test_it_has_a_light_theme_and_the_dark_one_again(folder: ClassFolder) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        dark = await colours(pilot)
        await pilot.press("t")
        light = await colours(pilot)
        assert not dark & light
        assert {behind for _, behind in light} >= {"#ffffff"}
        await pilot.press("t")
        assert await colours(pilot) == dark

    play(folder, scenario)


def test_a_terminal_of_few_colours_keeps_to_them(folder: ClassFolder) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        before = pilot.app.theme
        await pilot.press("t")
        await settled(pilot)
        assert pilot.app.theme == before
        assert not any("colours" in what for _, what in key_rows(pilot.app.screen))

    play(folder, scenario, Profile(few_colours=True))


@pytest.mark.parametrize("keys", [[], ["enter"], ["enter", "enter"]])
def test_every_binding_stands_in_help_and_palette(folder: ClassFolder, keys: list[str], all_listed: Scenario) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        for key in keys:
            await pilot.press(key)
            await settled(pilot)
        await all_listed(pilot)

    play(folder, scenario)


def test_the_palette_does_what_a_key_does(folder: ClassFolder) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        before = pilot.app.theme
        await pilot.press("ctrl+p")
        await pilot.pause(0.3)
        await pilot.press(*"light or dark")
        await pilot.pause(0.3)
        await pilot.press("enter")
        await pilot.pause(0.3)
        assert pilot.app.theme != before

    play(folder, scenario)
