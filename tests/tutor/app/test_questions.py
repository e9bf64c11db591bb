"""Choices and numbers in a lesson: tries, hints, answers shown, and what was typed halfway."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from textual.pilot import Pilot

from tutor.app.screens.home import Home
from tutor.app.screens.lesson import LessonScreen
from tutor.study import Study

Play = Callable[..., None]
Shown = Callable[..., str]
OpenStep = Callable[[Pilot[Any], int], Awaitable[LessonScreen]]


def test_a_wrong_choice_is_answered_and_two_of_three_show_the_answer(
    play: Play, shown: Shown, study: Study, open_step: OpenStep
) -> None:
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


def test_hints_come_one_after_another(play: Play, shown: Shown, study: Study, open_step: OpenStep) -> None:
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


def test_the_answer_is_shown_on_request_after_asking(
    play: Play, shown: Shown, study: Study, open_step: OpenStep
) -> None:
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


def test_a_solved_question_says_so_when_one_comes_back(
    play: Play, shown: Shown, study: Study, open_step: OpenStep
) -> None:
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


def test_a_number_is_typed_and_judged(play: Play, shown: Shown, study: Study, open_step: OpenStep) -> None:
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


def test_keys_of_the_lesson_are_letters_while_one_types(play: Play, open_step: OpenStep) -> None:
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


def test_a_half_typed_answer_comes_back(play: Play, study: Study, open_step: OpenStep) -> None:
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


def test_a_half_typed_answer_is_kept_as_it_is_typed(play: Play, study: Study, until: Any, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 2)
        await pilot.press("1", "3")
        await until(pilot, lambda: study.store.draft("demo-steps") == "13")

    play(scenario)


def test_what_the_learner_types_is_no_markup(play: Play, shown: Shown, open_step: OpenStep) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await open_step(pilot, 2)
        await pilot.press(*"[red]9", "enter")
        await pilot.pause()
        assert "[red]9" in shown(pilot.app)
        assert "That does not count as a try." in shown(pilot.app)

    play(scenario)
