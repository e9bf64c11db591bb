"""An exercise in its lesson and in the app's own editor."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from tutor.app.screens.editor import Code, EditorScreen
from tutor.app.screens.lesson import LessonScreen
from tutor.app.screens.solution import Solution
from tutor.app.widgets.exercise import ExercisePanel
from tutor.study import Study

Play = Callable[..., None]
Shown = Callable[..., str]
SOLUTION = Path(__file__).parent / "course" / "demo" / "exercises" / "all_sums" / "solution.py"


async def open_exercise(pilot: Pilot[Any]) -> ExercisePanel:
    await pilot.press("enter")
    await pilot.pause()
    # One that is begun is where one goes on
    screen = pilot.app.screen
    await screen.action_step(4 - screen.lesson.steps.index(screen.step))
    await pilot.pause()
    panel = pilot.app.screen.view.asked
    assert isinstance(panel, ExercisePanel)
    return panel


def test_enter_writes_the_file_and_then_edits_it(play: Play, shown: Shown, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_exercise(pilot)
        path = study.exercise_path("all_sums")
        assert "not there yet: Enter writes it" in shown(pilot.app).replace("\n▌ ", " ")
        await pilot.press("c")
        await pilot.pause()
        assert "There is no file to check yet" in shown(pilot.app)
        await pilot.press("enter")
        await pilot.pause()
        assert path.read_text().startswith("# exercise: all_sums")
        assert "e edits it here" in shown(pilot.app)
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, EditorScreen)

    play(scenario)


def test_a_file_that_exists_is_left_as_it_is(play: Play, shown: Shown, study: Study) -> None:
    path = study.exercise_path("all_sums")
    path.parent.mkdir(parents=True)
    path.write_text("mine = True\n")

    async def scenario(pilot: Pilot[Any]) -> None:
        panel = await open_exercise(pilot)
        panel.action_begin()
        await pilot.pause()
        assert "The file was there already, and is as it was." in shown(pilot.app)

    play(scenario)
    assert path.read_text() == "mine = True\n"


def test_a_wrong_file_is_answered_in_words_and_in_the_picture(
    play: Play, shown: Shown, study: Study, until: Any
) -> None:
    study.start("all_sums")

    async def scenario(pilot: Pilot[Any]) -> None:
        await open_exercise(pilot)
        await pilot.press("f5")
        await until(pilot, lambda: "Not right" in shown(pilot.app))
        await pilot.pause()
        text = shown(pilot.app)
        assert "worker 0, chunk 0: expected 11, yours 1" in text
        assert "× two workers, two numbers" in text
        assert "1≠11" in text

    play(scenario, size=(80, 40))
    assert study.standing("all_sums").wrong == 1


def test_saving_elsewhere_checks_the_file_and_enter_goes_on(play: Play, shown: Shown, study: Study, until: Any) -> None:
    path = study.start("all_sums").path

    async def scenario(pilot: Pilot[Any]) -> None:
        await open_exercise(pilot)
        path.write_text(SOLUTION.read_text())
        await until(pilot, lambda: "Right" in shown(pilot.app))
        await pilot.pause()
        text = shown(pilot.app)
        assert "all 2 cases" in text
        assert "An all-reduce does no more than this." in text
        assert "1 of 4 solved" in text
        assert "Enter go on" in text
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.screen.step.id == "demo-end"

    play(scenario)
    assert study.standing("all_sums").state == "solved"


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("def all_sums(arrays)\n", "syntax"),
        ("x = 1\n", "missing function"),
        ("def all_sums(arrays):\n    raise ValueError('[bold]no')\n", "[bold]no"),
        ("print('hello [red]')\ndef all_sums(arrays):\n    return arrays\n", "hello [red]"),
    ],
)
def test_what_a_broken_file_says_is_shown_as_it_is(
    play: Play, shown: Shown, study: Study, until: Any, source: str, says: str
) -> None:
    study.start("all_sums").path.write_text(source)

    async def scenario(pilot: Pilot[Any]) -> None:
        await open_exercise(pilot)
        await pilot.press("c")
        await until(pilot, lambda: "Not right" in shown(pilot.app))
        await until(pilot, lambda: says in shown(pilot.app))

    play(scenario, size=(80, 40))


def test_a_file_that_cannot_be_read_is_no_wrong_answer(play: Play, shown: Shown, study: Study, until: Any) -> None:
    path = study.exercise_path("all_sums")
    path.mkdir(parents=True)

    async def scenario(pilot: Pilot[Any]) -> None:
        await open_exercise(pilot)
        await pilot.press("c")
        await until(pilot, lambda: "Could not be checked" in shown(pilot.app))
        await pilot.press("e")
        await pilot.pause()
        assert "is a folder" in shown(pilot.app)
        await pilot.press("x", "ctrl+s", "escape")
        await pilot.pause()

    play(scenario)
    assert study.standing("all_sums").tries == 0
    assert path.is_dir()


def test_hints_and_the_solution(play: Play, shown: Shown, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_exercise(pilot)
        await pilot.press("f2")
        await pilot.pause()
        assert "Hint 1 of 1: numpy.sum adds along an axis." in shown(pilot.app)
        await pilot.press("f3")
        await pilot.pause()
        assert "The exercise then counts as revealed" in shown(pilot.app)
        await pilot.press("f3")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Solution)
        assert "total = np.sum(arrays, axis=0)" in shown(pilot.app)
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(pilot.app.screen, LessonScreen)

    play(scenario)
    assert study.standing("all_sums").state == "revealed"


# $EDITOR


def editor(folder: Path, script: str) -> str:
    program = folder / "editor"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return str(program)


@pytest.fixture
def _suspends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a terminal there is nothing to leave and come back to."""
    from contextlib import nullcontext

    monkeypatch.setattr(App, "suspend", lambda _app: nullcontext())


@pytest.mark.usefixtures("_suspends")
def test_the_learners_editor_opens_the_file_and_its_save_is_checked(
    play: Play, shown: Shown, study: Study, until: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", editor(tmp_path, f'cp "{SOLUTION}" "$2"; [ "$1" = --wait ]') + " --wait")

    async def scenario(pilot: Pilot[Any]) -> None:
        await open_exercise(pilot)
        await pilot.press("o")
        await until(pilot, lambda: "Right" in shown(pilot.app))

    play(scenario)


@pytest.mark.usefixtures("_suspends")
@pytest.mark.parametrize(
    ("command", "says"),
    [("/no/such/editor", "could not be started"), ("false", "ended with status 1"), ("'", "names no editor")],
)
def test_an_editor_that_does_not_work_is_said(
    play: Play, shown: Shown, study: Study, monkeypatch: pytest.MonkeyPatch, command: str, says: str
) -> None:
    monkeypatch.setenv("VISUAL", command)

    async def scenario(pilot: Pilot[Any]) -> None:
        await open_exercise(pilot)
        await pilot.press("o")
        await pilot.pause()
        assert says in shown(pilot.app)

    play(scenario)


def test_where_an_editor_may_not_be_opened_there_is_no_key_for_it(
    play: Play, shown: Shown, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    monkeypatch.setenv("VISUAL", "vi")
    study.permissions = replace(study.permissions, external_editor=False)
    study.start("all_sums")

    async def scenario(pilot: Pilot[Any]) -> None:
        panel = await open_exercise(pilot)
        assert "your editor" not in shown(pilot.app)
        assert panel.check_action("edit_outside", ()) is False

    play(scenario)


# The app's own editor


async def open_editor(pilot: Pilot[Any]) -> Code:
    await open_exercise(pilot)
    await pilot.press("e")
    await pilot.pause()
    return pilot.app.screen.query_one(Code)


def test_saving_in_the_app_checks_and_shows_the_verdict_there_and_in_the_lesson(
    play: Play, shown: Shown, study: Study, until: Any
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        code = await open_editor(pilot)
        code.load_text(SOLUTION.read_text())
        await pilot.pause()
        assert "not saved" in shown(pilot.app)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "Right" in shown(pilot.app))
        assert "not saved" not in shown(pilot.app)
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(pilot.app.screen, LessonScreen)
        assert "all 2 cases" in shown(pilot.app)

    play(scenario)
    assert study.standing("all_sums").tries == 1
    assert study.exercise_path("all_sums").read_text() == SOLUTION.read_text()


def test_what_is_not_saved_comes_back(play: Play, shown: Shown, study: Study) -> None:
    async def leave(pilot: Pilot[Any]) -> None:
        await open_editor(pilot)
        await pilot.press("x", "y", "escape")
        await pilot.pause()
        assert "changes that are not saved" in shown(pilot.app)

    async def come_back(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        await pilot.pause()
        await pilot.press("e")
        await pilot.pause()
        code = pilot.app.screen.query_one(Code)
        assert code.text.startswith("xy# exercise")
        assert "This is what you had not saved." in shown(pilot.app)
        await pilot.press("ctrl+r")
        await pilot.pause()
        assert code.text.startswith("xy# exercise"), "it asks first"
        assert "ctrl+r again drops what is not saved" in shown(pilot.app)
        await pilot.press("ctrl+r")
        await pilot.pause()
        assert code.text.startswith("# exercise")

    play(leave)
    assert study.exercise_path("all_sums").read_text().startswith("# exercise")
    play(come_back)
    assert study.store.draft("all_sums") == ""


def test_a_save_elsewhere_is_checked_beside_the_editor_and_behind_it_again(
    play: Play, shown: Shown, study: Study, until: Any
) -> None:
    path = study.start("all_sums").path

    async def scenario(pilot: Pilot[Any]) -> None:
        await open_editor(pilot)
        path.write_text("x = 1\n")
        await until(pilot, lambda: "missing function" in shown(pilot.app))
        assert isinstance(pilot.app.screen, EditorScreen)
        await pilot.press("escape")
        await pilot.pause()
        path.write_text(SOLUTION.read_text())
        await until(pilot, lambda: "all 2 cases" in shown(pilot.app))

    play(scenario)


def test_a_change_from_elsewhere_is_not_written_over_unasked(play: Play, shown: Shown, study: Study) -> None:
    path = study.start("all_sums").path

    async def scenario(pilot: Pilot[Any]) -> None:
        code = await open_editor(pilot)
        path.write_text("theirs = 1\n")
        await pilot.press("x", "ctrl+s")
        await pilot.pause()
        assert "changed elsewhere" in shown(pilot.app)
        assert path.read_text() == "theirs = 1\n"
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert path.read_text() == code.text

    play(scenario)


def test_a_file_that_cannot_be_saved_keeps_what_is_typed(
    play: Play, shown: Shown, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    async def scenario(pilot: Pilot[Any]) -> None:
        code = await open_editor(pilot)
        monkeypatch.setattr(os, "fsync", full)
        await pilot.press("x", "ctrl+s")
        await pilot.pause()
        assert "could not be saved: No space left on device" in shown(pilot.app)
        assert code.text.startswith("x# exercise")
        monkeypatch.undo()

    play(scenario)


def test_undoing_a_pasted_block_does_not_end_the_app(play: Play) -> None:
    from textual import events

    async def scenario(pilot: Pilot[Any]) -> None:
        code = await open_editor(pilot)
        pilot.app.post_message(events.Paste("a = 1\nb = 2\n\nc = 3\n"))
        await pilot.pause()
        await pilot.press("ctrl+z")
        await pilot.pause()
        await pilot.press("x", "ctrl+z", "ctrl+y")
        await pilot.pause()
        assert code.text

    play(scenario)


def test_a_check_that_breaks_ends_all_the_same(
    play: Play, shown: Shown, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = study.exercise_path("all_sums")
    path.parent.mkdir(parents=True)
    path.write_bytes(SOLUTION.read_bytes())

    def broken(*_: object) -> None:
        raise TypeError("no such thing")

    monkeypatch.setattr(study, "check", broken)

    async def scenario(pilot: Pilot[Any]) -> None:
        panel = await open_exercise(pilot)
        await pilot.press("c")
        while panel._checking.running:
            await pilot.pause(0.01)
        await pilot.pause()
        assert "Could not be checked: a mistake of the tutor's own" in " ".join(shown(pilot.app).split())

    play(scenario)
