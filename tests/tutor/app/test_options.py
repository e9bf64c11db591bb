"""Questions with options: where the options stand, and that a known wrong one costs no try."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from textual.pilot import Pilot

from tutor.app.widgets.question import QuestionPanel
from tutor.course.model import CHOICES, ORDER, Question
from tutor.study import Study

Play = Callable[..., None]
Shown = Callable[..., str]


def asks(study: Study, kind: str, answer: str) -> None:
    """Makes the first question of the course one of another kind."""
    lesson = study.course.lessons[0]
    step = lesson.steps[0]
    blocks = tuple(
        replace(each, kind=kind, answer=answer, wrong=()) if isinstance(each, Question) else each
        for each in step.blocks
    )
    study.course = replace(
        study.course,
        lessons=(replace(lesson, steps=(replace(step, blocks=blocks), *lesson.steps[1:])), *study.course.lessons[1:]),
    )


@pytest.mark.parametrize(("kind", "answer"), [(CHOICES, "sums one"), (ORDER, "one own sums")])
def test_options_that_are_typed_by_number_stand_between_prompt_and_answer(
    play: Play, shown: Shown, study: Study, kind: str, answer: str
) -> None:
    asks(study, kind, answer)

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        await pilot.pause()
        screen = pilot.app.screen
        screen.view.focus_task()
        await pilot.pause()
        text = shown(pilot.app)
        prompt, option, answer_row = (text.index(part) for part in ("What do the workers", "What they", "Answer"))
        assert prompt < option < answer_row
        panel = screen.query_one(QuestionPanel)
        rows = text.splitlines()
        inside = [row for row, line in enumerate(rows) if "What they started with" in line]
        assert panel.region.y < inside[0] < panel.region.bottom

    play(scenario, size=(80, 40))


def test_an_option_known_to_be_wrong_costs_no_other_try(play: Play, shown: Shown, study: Study) -> None:
    study.answer("demo-sum", "own")

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("enter", "enter")
        await pilot.pause()
        await pilot.press("1", "enter")
        await pilot.pause()
        assert "You have tried that one" in shown(pilot.app)
        assert "One try left" in shown(pilot.app)

    play(scenario)
    assert study.standing("demo-sum").tries == 1
    assert study.standing("demo-sum").state == "open"


@pytest.mark.parametrize("hints", [1, 2])
def test_a_hint_is_promised_only_while_there_is_one_more(play: Play, shown: Shown, study: Study, hints: int) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("enter", "enter")
        await pilot.pause()
        await pilot.press(*["f2"] * hints, "1", "enter")
        await pilot.pause()
        assert "One try left" in shown(pilot.app)
        assert ("F2 gives a hint" in shown(pilot.app)) == (hints < 2)

    play(scenario)
