"""Looking up: the terms of the step at hand, a search of everything, and the way there and back."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tutor.app.profile import Profile
from tutor.app.screens.home import Home
from tutor.app.screens.lesson import LessonScreen
from tutor.app.screens.look_up import LookUp, Words
from tutor.course.model import CourseError, Place
from tutor.study import Study

Play = Callable[..., None]
Shown = Callable[..., str]


async def at_step(pilot: Pilot[Any], number: int, *keys: str) -> Any:
    """Opens the demo lesson at a step, from 1, and presses keys there."""
    await pilot.press("enter")
    await pilot.pause()
    screen = pilot.app.screen
    await screen.action_step(number - 1)
    await pilot.pause()
    await press(pilot, *keys)
    return screen


async def press(pilot: Pilot[Any], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await pilot.pause()


def names(pilot: Pilot[Any]) -> list[str]:
    return [hit.name for hit in pilot.app.screen.found.hits]


def test_from_home_all_terms_are_listed(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        assert "/ look up" in shown(pilot.app).splitlines()[-1]
        await press(pilot, "slash")
        assert names(pilot) == ["ring", "worker", "zebra"]
        text = shown(pilot.app)
        assert "All terms, from A to Z." in text
        assert "► ring" in text
        assert "Workers in a circle: N of them." in text
        assert "→ Demo, step 2 of 6: A number" in text
        assert "One of 2 or more" not in text
        await press(pilot, "down")
        assert "One of 2 or more that work together." in shown(pilot.app)
        assert "► worker  also process" in shown(pilot.app)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, Home)

    play(scenario)


def test_enter_opens_the_step_that_defines_it(play: Play, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "slash", "end", "down", "down", "enter")
        screen = pilot.app.screen
        assert isinstance(screen, LessonScreen)
        assert screen.step.id == "second-one"
        # From home one has gone there to stay
        where = study.where()
        assert where is not None
        assert where[1].id == "second-one"
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, Home)

    play(scenario)


def test_in_a_lesson_the_terms_of_the_step_come_first(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await at_step(pilot, 1, "f4")
        # Defined in this step, then said in it; a blank row; the others
        assert names(pilot) == ["worker", "ring", "zebra"]
        text = shown(pilot.app)
        assert "2 terms of this step, then all others." in text
        rows = [row.strip() for row in text.splitlines()]
        assert rows[rows.index("zebra") - 1] == ""

    play(scenario)


def test_esc_comes_back_to_where_one_was_with_what_was_half_typed(play: Play, shown: Shown, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await at_step(pilot, 2, "1", "f4", *"zebra", "enter")
        visit = pilot.app.screen
        assert isinstance(visit, LessonScreen)
        assert visit.step.id == "second-one"
        assert "Esc back" in shown(pilot.app).splitlines()[-1]
        # Quitting here would go on at the step one was at
        where = study.where()
        assert where is not None
        assert where[1].id == "demo-number"
        # A look from there does not pile up
        await press(pilot, "slash", *"worker", "enter")
        await pilot.pause()
        assert pilot.app.screen is visit
        assert visit.step.id == "demo-choice"
        await press(pilot, "escape")
        assert pilot.app.screen is screen
        assert screen.step.id == "demo-number"
        assert "1" in screen.view.asked.query_one("Entry").value
        await press(pilot, "4", "enter")
        assert study.standing("demo-steps").state == "solved"  # 14 steps of 8 workers

    play(scenario)


def test_the_step_one_is_at_is_not_opened_twice(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await at_step(pilot, 1, "slash", "enter")
        assert pilot.app.screen is screen
        assert len(pilot.app.screen_stack) == 2

    play(scenario)


def test_what_is_answered_on_a_visit_is_shown_as_answered(play: Play, shown: Shown, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await at_step(pilot, 2, "f4", *"zebra", "enter")
        study.answer("demo-steps", "14")
        await press(pilot, "escape")
        await pilot.pause()
        assert "N-1 steps a phase." in shown(pilot.app)

    play(scenario)


def test_reading_on_from_a_visit_is_reading(play: Play, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await at_step(pilot, 4, "slash", *"ring", "enter", "f8")
        where = study.where()
        assert where is not None
        assert where[1].id == "demo-table"
        await press(pilot, "escape")
        await pilot.pause()
        where = study.where()
        assert where is not None
        assert where[1].id == "demo-bytes"

    play(scenario)


def test_typing_searches_everything(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "slash", *"all_sums")
        assert "exercise" in shown(pilot.app)
        await press(pilot, "enter")
        assert pilot.app.screen.step.id == "demo-write"
        await press(pilot, "escape", "slash", *"ring bytes_sent")
        assert names(pilot)[0] == "ring.bytes_sent"
        await press(pilot, "enter")
        # No step of this course is about it
        assert isinstance(pilot.app.screen, LookUp)
        assert [note.message for note in pilot.app._notifications] == ["No step is about this one."]

    play(scenario)


def test_nothing_found_says_so_and_what_is_spelt_nearly_so(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "slash", *"zerba")
        assert "Nothing has this. Did you mean zebra" in shown(pilot.app)
        await press(pilot, "enter", "down", "up")
        assert isinstance(pilot.app.screen, LookUp)
        await press(pilot, *["backspace"] * 5)
        assert names(pilot) == ["ring", "worker", "zebra"]

    play(scenario)


def test_a_click_opens(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "slash", "down", "down")
        await pilot.click("#found", offset=(6, 2))
        await pilot.pause()
        assert pilot.app.screen.step.id == "second-one"

    play(scenario)


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (120, 40)])
def test_it_fits_and_what_is_chosen_is_in_sight(play: Play, shown: Shown, size: tuple[int, int]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "slash", *"step")
        for _ in range(12):
            await press(pilot, "down")
            text = shown(pilot.app)
            assert text.count("► ") == 1
            assert all(len(row) <= size[0] for row in text.splitlines())
        assert text.splitlines()[-1].endswith("F1 help")
        await press(pilot, "pageup", "pageup", "pageup")
        assert pilot.app.screen.found.chosen == 0

    play(scenario, size)


def test_its_keys_stand_in_help_and_palette(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "f1")
        assert "/, F4" in shown(pilot.app)
        assert "Look up a term, or search" in shown(pilot.app)
        await press(pilot, "escape", "slash", "f1")
        text = shown(pilot.app)
        assert "Open the step it leads to" in text
        assert "Back to where you were" in text
        await press(pilot, "escape", "f4", "ctrl+p")
        await pilot.pause(0.3)
        await press(pilot, *"look up")
        await pilot.pause(0.3)
        await press(pilot, "enter")
        await pilot.pause(0.2)
        assert isinstance(pilot.app.screen, LookUp)

    play(scenario, (80, 40))


def test_a_slash_is_a_slash_where_one_types(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await at_step(pilot, 2, "3", "slash", "4")
        assert pilot.app.screen is screen
        assert screen.view.asked.query_one("Entry").value == "3/4"

    play(scenario)


def test_a_glossary_that_cannot_be_read_is_said_and_the_rest_is_searched(
    play: Play, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise CourseError(Place(Path("glossary.toml"), 3), "not TOML")

    monkeypatch.setattr(study, "glossary", broken)

    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "slash")
        assert [note.message for note in pilot.app._notifications] == ["No glossary: glossary.toml:3: not TOML"]
        await press(pilot, *"second")
        assert names(pilot)[0] == "Second"

    play(scenario)


def test_what_is_left_is_not_kept(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await at_step(pilot, 2, "f4")
        left = [weakref.ref(pilot.app.screen), weakref.ref(pilot.app.screen.words)]
        await press(pilot, *"zebra", "enter")
        left.append(weakref.ref(pilot.app.screen))
        await press(pilot, "escape", "up", "down")
        gc.collect()
        assert [ref() for ref in left] == [None, None, None]

    play(scenario)


def test_each_of_its_bindings_has_a_name_in_key_maps() -> None:
    for binding in [*LookUp.BINDINGS, *Words.BINDINGS]:
        assert binding.id
        assert binding.id.startswith("look_up.")
        assert binding.description


def test_without_unicode_every_row_keeps_its_place(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "slash")
        text = shown(pilot.app)
        assert text.isascii(), [sign for sign in text if not sign.isascii()]
        assert "> ring" in text

    play(scenario, profile=Profile(ascii_only=True))


def test_in_few_colours_they_are_the_terminals_own(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        for keys in (["slash"], [*"ring"]):
            await press(pilot, *keys)
            for strip in pilot.app.screen._compositor.render_strips():
                for segment in strip:
                    for colour in (segment.style.color, segment.style.bgcolor) if segment.style else ():
                        assert colour is None or colour.triplet is None, f"{segment.text!r} is {colour}"

    play(scenario, profile=Profile(few_colours=True))


def test_from_the_editor_one_comes_back_to_what_one_was_writing(play: Play, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await at_step(pilot, 5, "e")
        editor = pilot.app.screen
        await press(pilot, *"x/y", "f4", *"zebra", "enter")
        assert pilot.app.screen.step.id == "second-one"
        await press(pilot, "escape")
        assert pilot.app.screen is editor
        assert editor.code.text.startswith("x/y")
        # Where one is has not changed
        where = study.where()
        assert where is not None
        assert where[1].id == "demo-write"

    play(scenario)
