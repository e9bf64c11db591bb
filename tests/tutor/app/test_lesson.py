"""A lesson, step by step: what the keys do, and what is never lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from tutor.app.screens.home import Home
from tutor.app.screens.lesson import LessonScreen
from tutor.app.widgets.choice import Choice
from tutor.app.widgets.live_view import LiveView
from tutor.app.widgets.picture_view import PictureView
from tutor.app.widgets.step_view import StepView
from tutor.study import Study

Play = Callable[..., None]
Shown = Callable[..., str]


async def open_step(pilot: Pilot[Any], number: int) -> LessonScreen:
    """Opens the first lesson at its step `number`, from 1."""
    await pilot.press("enter")
    await pilot.pause()
    screen = pilot.app.screen
    assert isinstance(screen, LessonScreen)
    for _ in range(number - 1):
        await screen.action_step(1)
        await pilot.pause()
    return screen


# The first minute


def test_with_enter_and_arrows_alone_a_picture_moves_and_a_question_is_answered(
    play: Play, shown: Shown, study: Study
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        await pilot.pause()
        assert "worker 1    10        20        30" in shown(pilot.app)
        await pilot.press("right")
        await pilot.pause()
        assert "worker 1   →11        20→       30" in shown(pilot.app)
        await pilot.press("enter")
        await pilot.pause()
        # Enter alone is no answer
        await pilot.press("enter")
        await pilot.pause()
        assert "Choose with ↑ and ↓, then Enter." in shown(pilot.app)
        await pilot.press("down", "down", "enter")
        await pilot.pause()
        assert "Each column was added up." in shown(pilot.app)
        assert "1 of 4 solved" in shown(pilot.app)
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.screen.step.id == "demo-number"

    play(scenario)
    assert study.standing("demo-sum").tries == 1


# The picture


def test_up_and_down_choose_what_left_and_right_turn(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 1)
        assert "◄ step 0 of 4 ►" in shown(pilot.app)
        await pilot.press("down")
        await pilot.pause()
        assert "◄ workers 3 ►" in shown(pilot.app)
        await pilot.press("right")
        await pilot.pause()
        assert "worker 3" in shown(pilot.app)
        await pilot.press("r")
        await pilot.pause()
        assert "worker 3" not in shown(pilot.app)
        await pilot.press("up", "right", "left", "left")
        await pilot.pause()
        assert "◄ step 0 of 4 ►" in shown(pilot.app)

    play(scenario)


def test_values_are_typed_and_a_bad_one_is_answered_under_it(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 1)
        await pilot.press("down", "down", "e")
        await pilot.pause()
        editor = pilot.app.focused
        assert isinstance(editor, Input)
        assert editor.value == "1 2 3; 10 20 30; 100 200 300"
        await pilot.press(*"1 2;")
        await pilot.press("space", "3")
        await pilot.press("enter")
        await pilot.pause()
        assert editor.value == "1 2; 3"
        assert "values[1] is [3]; accepted: 2 numbers" in shown(pilot.app)
        await pilot.press("space", "4", "enter")
        await pilot.pause()
        assert pilot.app.focused is screen.view.live
        assert screen.view.live.model.given["values"] == [[1, 2], [3, 4]]
        assert "values 1 2; 3 4" in shown(pilot.app)
        await pilot.press("e", "9", "escape")
        await pilot.pause()
        assert pilot.app.focused is screen.view.live
        assert isinstance(pilot.app.screen, LessonScreen)
        assert screen.view.live.model.given["values"] == [[1, 2], [3, 4]]

    play(scenario)


def test_space_plays_to_the_end_and_stops(play: Play, until: Any) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 1)
        live = screen.view.live
        await pilot.press("space")
        assert live.model.step == 1
        await until(pilot, lambda: live.model.step == 2)
        await pilot.press("space")
        stopped = live.model.step
        await pilot.pause(1.0)
        assert live.model.step == stopped
        live.model.go(3)
        await pilot.press("space")
        assert live.model.step == 4
        await pilot.press("space")
        assert live.model.step == 0

    play(scenario)


def test_without_motion_space_moves_one_step(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 1)
        await pilot.press("f9", "space")
        await pilot.pause(1.0)
        assert screen.view.live.model.step == 1

    play(scenario)


def test_a_picture_without_steps_cannot_be_played(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 4)
        assert "◄ params 7e9 ►" in shown(pilot.app)
        assert "Space" not in shown(pilot.app)
        await pilot.press("right", "down", "right")
        await pilot.pause()
        assert "params 13e9  ◄ gpus 16 ►" in shown(pilot.app)
        await pilot.press("m")
        await pilot.pause()
        assert "optimizer-bytes" in shown(pilot.app)
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.screen.step.id == "demo-write"

    play(scenario)


def test_one_step_redraws_only_the_rows_that_change(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 1)
        view = screen.query_one(PictureView)
        await pilot.press("right")
        await pilot.pause()
        drawn: list[int] = []
        render_line = view.render_line
        view.render_line = lambda y: (drawn.append(y), render_line(y))[1]  # type: ignore[method-assign]
        await pilot.press("right")
        await pilot.pause()
        rows = view.picture.size(view.size.width).rows
        assert 0 < len(set(drawn)) < rows
        assert 0 not in drawn

    play(scenario)


# A choice


def test_a_wrong_choice_is_answered_and_two_of_three_show_the_answer(play: Play, shown: Shown, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 1)
        await pilot.press("enter", "down", "enter")
        await pilot.pause()
        text = shown(pilot.app)
        assert "Not right." in text
        assert "They have received something." in text
        assert "One try left" in text
        assert "× What they started with" in text
        await pilot.press("3", "enter")
        await pilot.pause()
        text = shown(pilot.app)
        assert "The answer: The sums of all columns" in text
        assert "✓ The sums of all columns" in text
        assert "× One number each" in text
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.screen.step.id == "demo-number"

    play(scenario)
    assert study.standing("demo-sum").state == "revealed"


def test_hints_come_one_after_another(play: Play, shown: Shown, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 1)
        await pilot.press("enter", "f2")
        await pilot.pause()
        assert "Hint 1 of 2: Look at the last step." in shown(pilot.app)
        await pilot.press("f2")
        await pilot.pause()
        assert "Hint 1 of 2" in shown(pilot.app)
        assert "Hint 2 of 2: All rows are equal there." in shown(pilot.app)
        # They stay when another answer was wrong
        await pilot.press("1", "enter")
        await pilot.pause()
        assert "They have received something." in shown(pilot.app)
        assert "Hint 2 of 2: All rows are equal there." in shown(pilot.app)

    play(scenario)
    assert study.standing("demo-sum").hints == 2


def test_the_answer_is_shown_on_request_after_asking(play: Play, shown: Shown, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 1)
        await pilot.press("enter", "f3")
        await pilot.pause()
        assert "It counts as revealed, not as solved" in shown(pilot.app)
        # Anything else than F3 again is a no
        await pilot.press("down", "f3")
        await pilot.pause()
        assert study.standing("demo-sum").state == "open"
        await pilot.press("f3")
        await pilot.pause()
        assert "The answer: The sums of all columns" in shown(pilot.app)
        assert "F2" not in shown(pilot.app).splitlines()[-1]

    play(scenario)
    assert study.standing("demo-sum").state == "revealed"


def test_a_solved_question_says_so_when_one_comes_back(play: Play, shown: Shown, study: Study) -> None:
    study.answer("demo-sum", "sums")
    study.answer("demo-steps", "14")

    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 1)
        assert "Solved: The sums of all columns" in shown(pilot.app)
        await pilot.press("enter", "enter")
        await pilot.pause()
        assert pilot.app.screen.step.id == "demo-number"
        assert "Solved: 14" in shown(pilot.app)
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.screen.step.id == "demo-table"

    play(scenario)


# A number


def test_a_number_is_typed_and_judged(play: Play, shown: Shown, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 2)
        await pilot.press("enter")
        await pilot.pause()
        assert "Type your answer, then Enter." in shown(pilot.app)
        await pilot.press("7", "enter")
        await pilot.pause()
        assert "That is one phase." in shown(pilot.app)
        # The wrong answer is marked: typing replaces it
        await pilot.press("x", "enter")
        await pilot.pause()
        assert "That does not count as a try." in shown(pilot.app)
        assert study.standing("demo-steps").tries == 1
        await pilot.press("backspace", "1", "4", "enter")
        await pilot.pause()
        assert "Right" in shown(pilot.app)
        assert "N-1 steps a phase." in shown(pilot.app)
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.screen.step.id == "demo-table"

    play(scenario)


def test_keys_of_the_lesson_are_letters_while_one_types(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 2)
        await pilot.press("q", "n", "p", "j")
        assert pilot.app.focused.value == "qnpj"
        assert screen.step.id == "demo-number"
        await pilot.press("f8")
        await pilot.pause()
        assert screen.step.id == "demo-table"
        await pilot.press("f7")
        await pilot.pause()
        assert pilot.app.focused.value == "qnpj"

    play(scenario)


def test_a_half_typed_answer_comes_back(play: Play, study: Study) -> None:
    async def leave(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 2)
        await pilot.press("1", "3")
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Home)
        assert study.store.draft("demo-steps") == "13"

    async def come_back(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.focused.value == "13"

    play(leave)
    play(come_back)


def test_a_half_typed_answer_is_kept_as_it_is_typed(play: Play, study: Study, until: Any) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 2)
        await pilot.press("1", "3")
        await until(pilot, lambda: study.store.draft("demo-steps") == "13")

    play(scenario)


def test_what_the_learner_types_is_no_markup(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 2)
        await pilot.press(*"[red]9", "enter")
        await pilot.pause()
        assert "[red]9" in shown(pilot.app)
        assert "That does not count as a try." in shown(pilot.app)

    play(scenario)


# A table


def test_a_table_is_filled_in_inside_the_picture(play: Play, shown: Shown, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 3)
        await pilot.press("enter")
        await pilot.pause()
        assert screen.view.live.model.step == 1
        assert "[__]" in shown(pilot.app)
        assert "worker 0, chunk 0" in shown(pilot.app)
        await pilot.press("1", "right", "2", "down", "2", "left", "1", "1")
        await pilot.pause()
        text = shown(pilot.app)
        assert "(1)" in text
        assert "[11]" in text
        assert "4 of 4 filled in" in text
        await pilot.press("enter")
        await pilot.pause()
        text = shown(pilot.app)
        assert "Not right." in text
        assert "Worker 1 has sent chunk 1: add it." in text
        # The cursor stands on the first wrong cell, which stays marked when one leaves it
        assert "[2]" in text
        await pilot.press("down")
        await pilot.pause()
        assert "(×2)" in shown(pilot.app)
        await pilot.press("up", "backspace", "2", "2", "down", "delete", "2", "0", "enter")
        await pilot.pause()
        text = shown(pilot.app)
        assert "Right" in text
        assert "What arrives is added." in text
        assert "11→" not in text
        assert "→11" in text
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.screen.step.id == "demo-bytes"

    play(scenario)
    assert study.standing("demo-rows").state == "solved"


def test_enter_goes_to_the_next_blank_until_there_is_none(play: Play, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 3)
        await pilot.press("enter", "1", "enter", "2", "2", "enter", "1", "1", "enter")
        assert study.standing("demo-rows").tries == 0
        await pilot.press("2", "0", "enter")
        await pilot.pause()

    play(scenario)
    assert study.standing("demo-rows").state == "solved"


def test_a_half_filled_table_comes_back_and_covers_only_its_step(play: Play, shown: Shown, study: Study) -> None:
    async def leave(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 3)
        await pilot.press("enter", "1", "enter", "2", "2", "escape")

    async def come_back(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        await pilot.pause()
        assert "10" in shown(pilot.app)
        await pilot.press("right")
        await pilot.pause()
        text = shown(pilot.app)
        assert "(1)" in text
        assert "(22)" in text
        assert "10?" in text
        assert "11" not in text
        await pilot.press("down", "right")
        await pilot.pause()
        assert "10?" not in shown(pilot.app)

    play(leave)
    assert study.store.draft("demo-rows") == "1 22; ? ?"
    play(come_back)


def test_a_pasted_table_fills_the_cells(play: Play, study: Study) -> None:
    from textual import events

    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 3)
        await pilot.press("enter")
        pilot.app.post_message(events.Paste("1 22; 11 20"))
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()

    play(scenario)
    assert study.standing("demo-rows").state == "solved"


def test_a_revealed_table_shows_the_picture(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 3)
        await pilot.press("enter", "f3", "f3")
        await pilot.pause()
        text = shown(pilot.app)
        assert "The answer: 1 22; 11 20" in text
        assert "→22" in text
        assert "The picture shows the answer." in text

    play(scenario)


# Reading and leaving


def test_the_text_scrolls_and_reading_on_leads_to_the_next_step(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 1)
        assert screen.view.scroll_offset.y == 0
        await pilot.press("pagedown")
        await pilot.pause()
        assert screen.view.scroll_offset.y > 0
        await pilot.press("g")
        await pilot.pause()
        assert screen.view.scroll_offset.y == 0
        await pilot.press("j", "j", "k")
        await pilot.pause()
        assert screen.view.scroll_offset.y == 1
        await pilot.press("G")
        await pilot.pause()
        assert screen.view.scroll_offset.y == screen.view.max_scroll_y

    play(scenario, size=(60, 14))


def test_enter_shows_the_picture_before_it_leaves_it(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 1)
        live = screen.view.live
        assert not screen.can_view_entire(live)
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.focused is live
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app.focused, Choice)
        assert screen.can_view_entire(pilot.app.focused)

    play(scenario, size=(80, 15))


def test_a_step_that_is_only_read_ends_the_lesson_at_the_lessons(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 6)
        assert isinstance(pilot.app.focused, StepView)
        assert screen.step.id == "demo-end"
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Home)

    play(scenario)


def test_steps_back_stop_at_the_first(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 2)
        await pilot.press("f7")
        await pilot.pause()
        assert screen.step.id == "demo-choice"
        await pilot.press("p")
        await pilot.pause()
        assert screen.step.id == "demo-choice"
        await pilot.press("n")
        await pilot.pause()
        assert screen.step.id == "demo-number"

    play(scenario)


def test_the_step_is_remembered_as_soon_as_it_is_open(play: Play, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 3)
        where = study.where()
        assert where is not None
        assert where[1].id == "demo-table"

    play(scenario)


def test_in_a_wide_window_the_picture_stands_beside_the_text(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 1)
        live, asked = screen.view.live, screen.view.asked
        assert live.region.x > asked.region.x + asked.region.width - 5
        assert live.region.y <= asked.region.y
        await pilot.press("right")
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert live.region.x < 5
        assert live.region.bottom <= asked.region.y
        assert live.model.step == 1
        assert pilot.app.focused is live

    play(scenario, size=(120, 30))


def test_live_view_is_the_first_to_have_the_keys(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 1)
        assert isinstance(pilot.app.focused, LiveView)
        await pilot.press("tab")
        assert isinstance(pilot.app.focused, Choice)
        await pilot.press("shift+tab")
        assert isinstance(pilot.app.focused, LiveView)

    play(scenario)


# Keys that arrive together, as they do over a slow line


def at_once(pilot: Pilot[Any], *keys: tuple[str, str | None]) -> None:
    for key, character in keys:
        pilot.app.post_message(events.Key(key, character))


def test_keys_that_arrive_together_keep_their_order(play: Play, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 3)
        await pilot.press("enter")
        await pilot.pause()
        right = ("right", None)
        at_once(pilot, ("1", "1"), right, ("2", "2"), ("9", "9"), ("backspace", None), ("2", "2"), right)
        at_once(pilot, ("1", "1"), ("1", "1"), right, ("2", "2"), ("0", "0"), ("enter", "\r"))
        await pilot.pause()

    play(scenario)
    assert study.standing("demo-rows").state == "solved"


def test_enter_pressed_twice_is_one_try(play: Play, shown: Shown, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 2)
        at_once(pilot, ("7", "7"), ("enter", "\r"), ("enter", "\r"), ("enter", "\r"), ("enter", "\r"))
        await pilot.pause()
        assert "That is the answer you gave before." in shown(pilot.app)
        await pilot.press("8", "enter")
        await pilot.pause()
        assert "One try left" in shown(pilot.app)

    play(scenario)
    assert study.standing("demo-steps").tries == 2


def test_an_answer_given_again_keeps_what_was_said_to_it(play: Play, shown: Shown, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 1)
        await pilot.press("enter", "1", "enter", "enter", "enter")
        await pilot.pause()
        text = shown(pilot.app)
        assert "Not right." in text
        assert "They have received something." in text
        assert text.count("That is the answer you gave before.") == 1

    play(scenario)
    assert study.standing("demo-sum").tries == 1


def test_a_number_in_another_form_is_the_same_answer(play: Play, shown: Shown, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 2)
        await pilot.press("7", "enter")
        await pilot.pause()
        await pilot.press("ctrl+u", *"14", "slash", "2", "enter")
        await pilot.pause()
        assert "That is the answer you gave before." in shown(pilot.app)

    play(scenario)
    assert study.standing("demo-steps").tries == 1


def test_the_chosen_option_is_in_sight_in_a_small_window(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 1)
        await pilot.press("enter")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        for number, text in enumerate(("What they started with", "The sums of all columns", "One number each"), 1):
            await pilot.press(str(number))
            await pilot.pause()
            assert f"► {number} {text}" in shown(pilot.app)

    play(scenario, size=(40, 12))
