"""Tables and grids that are filled in inside the picture: where keys and pastes go, and what is never lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from tutor.app.widgets.table import Table
from tutor.course.model import GRID, Question
from tutor.study import Study

Play = Callable[..., None]
Shown = Callable[..., str]


def change_question(study: Study, **fields: Any) -> None:
    """Gives the table's question other fields."""
    lesson = study.course.lessons[0]
    step = lesson.steps[2]
    blocks = tuple(replace(each, **fields) if isinstance(each, Question) else each for each in step.blocks)
    steps = (*lesson.steps[:2], replace(step, blocks=blocks), *lesson.steps[3:])
    study.course = replace(study.course, lessons=(replace(lesson, steps=steps), *study.course.lessons[1:]))


async def to_the_table(pilot: Pilot[Any]) -> Table:
    """Opens the step with the table, the keys on it."""
    await pilot.press("enter")
    await pilot.pause()
    screen = pilot.app.screen
    await screen.action_step(2)
    await pilot.pause()
    screen.view.focus_task()
    await pilot.pause()
    table = pilot.app.focused
    assert isinstance(table, Table)
    return table


@pytest.mark.parametrize("separator", ["semicolon", "comma", "space"])
def test_what_parts_cells_goes_to_the_next_cell_and_a_half_filled_table_comes_back(
    play: Play, study: Study, separator: str
) -> None:
    async def leave(pilot: Pilot[Any]) -> None:
        await to_the_table(pilot)
        await pilot.press("1", separator, "5", "escape")
        await pilot.pause()

    async def come_back(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.screen.query_one(Table).text == "1 5; ? ?"

    play(leave)
    assert study.store.draft("demo-rows") == "1 5; ? ?"
    play(come_back)


@pytest.mark.parametrize("keys", [(), ("right",), ("down", "right")])
def test_a_whole_table_is_pasted_wherever_the_cursor_stands(play: Play, study: Study, keys: tuple[str, ...]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        table = await to_the_table(pilot)
        await pilot.press(*keys)
        pilot.app.post_message(events.Paste("1\t22\n11\t20\n"))
        await pilot.pause()
        assert table.text == "1 22; 11 20"

    play(scenario)


def test_a_paste_that_does_not_fit_is_refused_and_says_so(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        table = await to_the_table(pilot)
        await pilot.press("7", "down")
        pilot.app.post_message(events.Paste("1 2 3"))
        await pilot.pause()
        assert table.text == "7 ?; ? ?"
        assert "3 values were pasted, and there are 2 cells from here on." in shown(pilot.app)

    play(scenario)


def test_a_pasted_cell_is_no_longer_marked_wrong(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await to_the_table(pilot)
        pilot.app.post_message(events.Paste("1 2 11 20"))
        await pilot.pause()
        await pilot.press("enter", "down")
        await pilot.pause()
        assert "×2" in shown(pilot.app)
        pilot.app.post_message(events.Paste("1 22 11 20"))
        await pilot.pause()
        assert "×" not in shown(pilot.app)

    play(scenario)


def test_home_and_end_go_to_the_first_and_the_last_cell(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await to_the_table(pilot)
        await pilot.press("end")
        await pilot.pause()
        assert "worker 1, chunk 1" in shown(pilot.app)
        await pilot.press("home")
        await pilot.pause()
        assert "worker 0, chunk 0" in shown(pilot.app)

    play(scenario)


def test_the_first_character_replaces_what_is_in_a_cell_and_backspace_mends_it(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        table = await to_the_table(pilot)
        await pilot.press(*"200", "right", "left", *"43")
        assert table.text == "43 ?; ? ?"
        await pilot.press("right", "left", "backspace", "5")
        assert table.text == "45 ?; ? ?"

    play(scenario)


def test_after_a_wrong_answer_typing_replaces_the_wrong_cell(play: Play, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await to_the_table(pilot)
        pilot.app.post_message(events.Paste("1 2 11 20"))
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        await pilot.press(*"22", "enter", "enter")
        await pilot.pause()

    play(scenario)
    assert study.standing("demo-rows").state == "solved"


def test_a_table_that_is_mended_cell_by_cell_with_enter_costs_one_try(play: Play, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        table = await to_the_table(pilot)
        pilot.app.post_message(events.Paste("1 2 10 20"))
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        await pilot.press(*"22", "enter", *"11", "enter")
        await pilot.pause()
        assert table.text == "1 22; 11 20"
        assert study.standing("demo-rows").state != "solved"
        await pilot.press("enter")
        await pilot.pause()

    play(scenario)
    assert study.standing("demo-rows").state == "solved"
    assert len(study.store.events(kind="answer")) == 2


def test_what_is_no_number_is_answered_at_its_cell_and_is_no_try(play: Play, shown: Shown, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        table = await to_the_table(pilot)
        await pilot.press(*"2O2", "enter")
        await pilot.pause()
        assert "'2O2' in a cell" in shown(pilot.app)
        assert "worker 0, chunk 0: " in shown(pilot.app)
        await pilot.press("1", "right", *"2x", "down", *"20", "left", *"11", "enter")
        await pilot.pause()
        # All are full: the cursor goes to the one that cannot be read
        assert "'2x' in a cell" in shown(pilot.app)
        await pilot.press(*"22")
        assert table.text == "1 22; 11 20"

    play(scenario)
    assert study.standing("demo-rows").tries == 0


def test_a_blank_shows_what_its_cell_held_where_the_picture_opens(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await to_the_table(pilot)
        text = shown(pilot.app)
        assert "1 at step 0" in text
        assert "2?" in text
        assert "10?" in text
        assert "20?" in text
        await pilot.press("right", "3")
        await pilot.pause()
        assert "2?" not in shown(pilot.app)

    play(scenario)


def test_where_the_end_is_asked_for_no_blank_shows_a_step_on_the_way(play: Play, shown: Shown, study: Study) -> None:
    change_question(study, cells="step=2")

    async def scenario(pilot: Pilot[Any]) -> None:
        await to_the_table(pilot)
        text = shown(pilot.app)
        assert "step 2 of 2" in text
        assert "10?" in text
        assert "11" not in text

    play(scenario)


def test_empty_cells_of_a_grid_are_asked_about_once_before_they_cost_a_try(
    play: Play, shown: Shown, study: Study
) -> None:
    change_question(study, kind=GRID)

    async def scenario(pilot: Pilot[Any]) -> None:
        await to_the_table(pilot)
        assert "Enter answer" in shown(pilot.app).splitlines()[-1]
        await pilot.press("1", "enter")
        await pilot.pause()
        assert "3 cells are empty and count as idle. Enter again answers." in shown(pilot.app)
        await pilot.press("right", "2", "enter")
        await pilot.pause()
        assert "2 cells are empty" in shown(pilot.app)
        assert study.standing("demo-rows").tries == 0
        await pilot.press("enter")
        await pilot.pause()
        assert "Not right." in shown(pilot.app)

    play(scenario)
    assert study.standing("demo-rows").tries == 1


def test_a_dot_that_was_typed_comes_back_and_an_empty_cell_stays_empty(play: Play, study: Study) -> None:
    change_question(study, kind=GRID)

    async def leave(pilot: Pilot[Any]) -> None:
        await to_the_table(pilot)
        await pilot.press("full_stop", "right", "1", "escape")
        await pilot.pause()

    async def come_back(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        await pilot.pause()
        assert [*pilot.app.screen.query_one(Table)._texts.values()] == [".", "1"]

    play(leave)
    assert study.store.draft("demo-rows") == ". 1; ? ?"
    play(come_back)


def test_a_later_step_of_the_picture_does_not_give_the_answer_away(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await to_the_table(pilot)
        await pilot.press("7", "shift+tab")
        await pilot.pause()
        await pilot.press("right")
        await pilot.pause()
        text = shown(pilot.app)
        assert "step 2 of 2" in text
        assert "22" not in text
        assert "11" not in text
        await pilot.press("left")
        await pilot.pause()
        assert "(7)" in shown(pilot.app)
        await pilot.press("left")
        await pilot.pause()
        assert "__" not in shown(pilot.app)

    play(scenario)
