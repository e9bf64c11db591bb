"""All of a task and all of a verdict can be read in the app's own editor, and the learner's own one is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.containers import VerticalScroll
from textual.pilot import Pilot

from tutor.app.screens.editor import Code
from tutor.study import Study

Play = Callable[..., None]
Shown = Callable[..., str]

LONG = "def all_sums(arrays):\n    '''" + "word " * 25 + "the-end.'''\n    return arrays\n"


async def to_the_exercise(pilot: Pilot[Any], *keys: str) -> Any:
    await pilot.press("enter")
    await pilot.pause()
    # One that is begun is where one goes on
    screen = pilot.app.screen
    await screen.action_step(4 - screen.lesson.steps.index(screen.step))
    await pilot.pause()
    await pilot.press(*keys)
    await pilot.pause()
    return pilot.app.screen


def test_long_lines_of_a_task_wrap(play: Play, shown: Shown, study: Study) -> None:
    study.start("all_sums").path.write_text(LONG)

    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await to_the_exercise(pilot, "e")
        assert "the-end." in shown(pilot.app)
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert screen.query_one(Code).text == LONG

    play(scenario)


@pytest.mark.parametrize(("length", "rows"), [(74, 60), (75, 61)])
def test_a_line_as_long_as_those_of_the_tasks_does_not_wrap(play: Play, study: Study, length: int, rows: int) -> None:
    study.start("all_sums").path.write_text("#" * length + "\n" + "\n" * 58)  # 60 lines: a scroll bar, two digits

    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await to_the_exercise(pilot, "e")
        assert screen.query_one(Code).wrapped_document.height == rows

    play(scenario)


def test_a_key_reads_on_in_a_verdict_that_is_longer_than_its_place(
    play: Play, shown: Shown, study: Study, until: Any
) -> None:
    study.start("all_sums").path.write_text("print('a\\nb\\nc\\nd\\ne')\n" + LONG)

    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await to_the_exercise(pilot, "e")
        assert "F6" not in shown(pilot.app)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "Not right" in shown(pilot.app))
        below = screen.query_one("#verdict", VerticalScroll)
        await until(pilot, lambda: "F6 read on" in shown(pilot.app).splitlines()[-1])
        pages = 0
        while below.scroll_offset.y < below.max_scroll_y and pages < 20:
            await pilot.press("f6")
            await pilot.pause()
            pages += 1
        assert 0 < pages < 20
        end = below.scroll_offset.y
        for back in ("shift+f6", "f18"):  # as some terminals call it
            await pilot.press(back)
            await pilot.pause()
            assert below.scroll_offset.y < end
            while below.scroll_offset.y < end:
                await pilot.press("f6")
                await pilot.pause()
        await pilot.press("f6")
        await pilot.pause()
        assert below.scroll_offset.y == 0
        assert screen.query_one(Code).has_focus

    play(scenario)


def test_the_note_of_a_change_elsewhere_goes_with_ctrl_r(play: Play, shown: Shown, study: Study) -> None:
    path = study.start("all_sums").path

    async def scenario(pilot: Pilot[Any]) -> None:
        await to_the_exercise(pilot, "e")
        path.write_text(LONG)
        await pilot.press("x", "ctrl+s")
        await pilot.pause()
        assert "changed elsewhere" in shown(pilot.app)
        await pilot.press("ctrl+r")
        await pilot.pause()
        assert "changed elsewhere" not in shown(pilot.app)
        # What it says of the file may have given way to what the check of it has found
        assert pilot.app.screen.query_one(Code).text == LONG

    play(scenario)


def test_a_file_saved_elsewhere_is_not_written_over_by_an_unchanged_text(play: Play, study: Study, until: Any) -> None:
    path = study.start("all_sums").path

    async def scenario(pilot: Pilot[Any]) -> None:
        await to_the_exercise(pilot, "e")
        path.write_text(LONG)
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert path.read_text() == LONG
        assert pilot.app.screen.query_one(Code).text == LONG
        # Saved once more elsewhere, it is taken by itself when it has been checked
        path.write_text(LONG + "# more\n")
        await until(pilot, lambda: pilot.app.screen.query_one(Code).text == LONG + "# more\n")

    play(scenario)


@pytest.mark.parametrize(
    ("named", "says"), [("vi -n", "o opens it with vi ($EDITOR)"), (" ", "o in your own once $EDITOR names it")]
)
def test_the_panel_says_what_editor_o_opens(
    play: Play, shown: Shown, study: Study, monkeypatch: pytest.MonkeyPatch, named: str, says: str
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", named)
    study.start("all_sums")

    async def scenario(pilot: Pilot[Any]) -> None:
        await to_the_exercise(pilot)
        text = " ".join(shown(pilot.app).replace("▌", " ").split())
        assert says in text
        assert ("o your editor" in text.replace("  ", " ")) == (named != " ")

    play(scenario)
