"""What holds on every screen: help, palette, notes, leaving, small windows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

from tutor.app.main import TutorApp
from tutor.app.profile import Profile
from tutor.app.screens.editor import EditorScreen
from tutor.app.screens.help import Help, key_rows, own_bindings
from tutor.app.screens.small import TooSmall
from tutor.app.widgets.rules import KeyBar
from tutor.study import Study

Play = Callable[..., None]
Shown = Callable[..., str]
Visit = Callable[[Pilot[Any], int], Awaitable[Screen[Any]]]
AllListed = Callable[[Pilot[Any]], Awaitable[None]]
There = Callable[[Pilot[Any], int | list[str]], Awaitable[Screen[Any]]]
# The screens beside the lessons, by the keys that lead there from the first one
TO_THE_EXERCISE = ["enter", "f8", "f8", "f8", "f8"]
BESIDE = [
    ["p"],
    ["p", "enter"],
    ["v"],
    ["v", "enter"],
    ["e"],
    ["r"],
    ["s"],
    ["slash"],
    [*TO_THE_EXERCISE, "e"],  # the editor
]


@pytest.mark.parametrize("place", [*range(7), *BESIDE])
def test_every_binding_has_an_id_and_stands_in_help_and_palette(
    play: Play, place: int | list[str], there: There, all_listed: AllListed
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await there(pilot, place)
        await all_listed(pilot)
        active = {active.binding.id for _, active in own_bindings(screen)}
        # In the editor ctrl+z takes back what was typed
        assert "app.suspend" in active or isinstance(screen, EditorScreen)

    play(scenario)


def test_the_palette_does_what_a_key_does(play: Play, visit: Visit) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await visit(pilot, 1)
        await pilot.press("ctrl+p")
        await pilot.pause(0.3)
        await pilot.press(*"next step")
        await pilot.pause(0.3)
        await pilot.press("enter")
        await pilot.pause(0.3)
        assert screen.step.id == "demo-number"

    play(scenario)


@pytest.mark.parametrize("place", [0, 1, ["p"]])
def test_where_there_is_no_shell_no_way_back_to_it_is_offered(
    play: Play, shown: Shown, study: Study, place: int | list[str], there: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    study.permissions = replace(study.permissions, external_editor=False)
    left = []
    monkeypatch.setattr(App, "action_suspend_process", left.append)

    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await there(pilot, place)
        assert not any("shell" in what for _, what in key_rows(screen))
        await pilot.press("ctrl+p")
        await pilot.pause(0.3)
        await pilot.press(*"shell")
        await pilot.pause(0.3)
        assert "Back to the shell" not in shown(pilot.app)
        await pilot.press("escape", "ctrl+z")
        await pilot.pause()
        assert "There is no shell here" in shown(pilot.app)

    play(scenario)
    assert left == []


@pytest.mark.parametrize("few", [False, True])
def test_what_is_chosen_in_the_palette_can_be_seen(play: Play, few: bool) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("ctrl+p")
        await pilot.pause(0.3)
        await pilot.press("down")
        await pilot.pause()
        chosen = pilot.app.screen.query_one("CommandList").highlighted
        assert chosen == 1
        rows = pilot.app.screen._compositor.render_strips()
        names = [[each.style for each in strip if each.style and "  (" in each.text] for strip in rows]
        looks = [{(style.bgcolor, style.reverse) for style in row} for row in names]
        listed = [look for look in looks if look]
        assert len(listed) > 5
        assert listed[chosen] not in listed[:chosen] + listed[chosen + 1 :]

    play(scenario, profile=Profile(few_colours=few))


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
def test_what_is_chosen_in_the_palette_is_in_sight(play: Play, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("ctrl+p")
        await pilot.pause(0.3)
        for _ in range(12):
            await pilot.press("down")
        await pilot.pause()
        listed = pilot.app.screen.query_one("CommandList")
        assert listed.highlighted == 12
        last = listed.region.bottom - 1
        assert last < size[1]
        row = listed.highlighted - listed.scroll_offset.y
        assert 0 <= row < listed.size.height

    play(scenario, size=size)


@pytest.mark.parametrize("place", [*range(7), *BESIDE])
def test_the_key_row_fits_and_ends_with_help(play: Play, place: int | list[str], there: There) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        for columns in (80, 40):
            await pilot.resize_terminal(columns, 24)
            screen = await there(pilot, place) if columns == 80 else pilot.app.screen
            await pilot.pause()
            bar = screen.query_one(KeyBar)
            row = "".join(segment.text for segment in bar.rows(columns - 2)[0])
            assert len(row) <= columns - 2
            assert row.endswith((" ? help", " F1 help"))
            assert row.count("   ") <= 4

    play(scenario)


def test_help_explains_the_screen_and_goes_away(play: Play, shown: Shown, visit: Visit) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await visit(pilot, 2)
        await pilot.press("f1")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Help)
        assert "nothing that you have typed gets lost" in shown(pilot.app)
        assert "F2" in shown(pilot.app)
        await pilot.press("pagedown", "pageup", "j", "k", "f1")
        await pilot.pause()
        assert pilot.app.screen is screen
        # A question mark that is typed is no call for help, but one on the lessons is
        await pilot.press("question_mark")
        assert pilot.app.focused.value == "?"
        await pilot.press("escape", "question_mark")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Help)

    play(scenario)


@pytest.mark.parametrize("away", ["f8", "escape", "f1", "f4"])
def test_a_note_goes_with_the_step_or_screen_that_it_is_about(
    play: Play, shown: Shown, away: str, visit: Visit
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await visit(pilot, 1)
        line = f"Saved: /nowhere/{'a' * 40}"
        pilot.app.say(line)
        await pilot.pause()
        # Unbroken, so that the path can be copied
        assert line in shown(pilot.app)
        await pilot.press(away)
        await pilot.pause()
        assert "Saved" not in shown(pilot.app)
        assert not pilot.app._notifications

    play(scenario)


@pytest.mark.parametrize("away", ["f8", "escape"])
def test_what_went_wrong_on_the_way_out_is_still_said(play: Play, away: str, visit: Visit) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await visit(pilot, 1)
        pilot.app.complain("The disk is full.")
        await pilot.press(away)
        await pilot.pause()
        assert [note.message for note in pilot.app._notifications] == ["The disk is full."]

    play(scenario)


@pytest.mark.parametrize("step", [0, 2, 5])
def test_ctrl_c_says_how_to_quit_and_ctrl_q_quits(play: Play, step: int, visit: Visit) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await visit(pilot, step)
        await pilot.press("ctrl+c")
        await pilot.pause()
        assert any("ctrl+q quits" in note.message for note in pilot.app._notifications)
        await pilot.press("ctrl+q")
        await pilot.pause()
        assert pilot.app.return_code == 0

    play(scenario)


def test_quitting_keeps_what_is_half_typed(play: Play, study: Study, visit: Visit) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await visit(pilot, 2)
        await pilot.press("4", "2", "ctrl+q")

    play(scenario)
    assert study.store.draft("demo-steps") == "42"


def test_a_window_that_is_too_small_says_so_until_it_has_grown(play: Play, shown: Shown, visit: Visit) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await visit(pilot, 2)
        await pilot.press("4")
        await pilot.resize_terminal(20, 5)
        await pilot.pause()
        assert isinstance(pilot.app.screen, TooSmall)
        assert shown(pilot.app).split() == ["too", "small:", "20x5;", "needed:", "40x12"]
        await pilot.resize_terminal(30, 11)
        await pilot.pause()
        assert "30x11" in shown(pilot.app)
        await pilot.press("q")
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert pilot.app.screen is screen
        await pilot.press("2")
        assert pilot.app.focused.value == "42"

    play(scenario)


def test_the_app_without_a_profile_takes_a_full_terminal(study: Study) -> None:
    assert TutorApp(study).profile == Profile()
