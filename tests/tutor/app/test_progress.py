"""The page of progress, and what is read off the record for it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import pytest
from textual.pilot import Pilot

from tutor.app.overview import days_of_work, met_again, often_wrong, strip
from tutor.app.screens.home import Home
from tutor.app.screens.lesson import LessonScreen
from tutor.app.screens.progress import Progress
from tutor.practice.session import Practice
from tutor.progress.store import Event
from tutor.study import Study

Play = Callable[..., None]
Shown = Callable[..., str]


async def press(pilot: Pilot[Any], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await pilot.pause()


def wrong(study: Study, item: str, times: int, belief: str | None = None, kind: str = "answer") -> None:
    for _ in range(times):
        study.store.add(kind, item, text="1", right=False, misconception=belief)


def at(day: int, hour: int) -> float:
    return datetime(2026, 5, day, hour).timestamp()


def test_days_are_those_of_the_clock_on_the_wall() -> None:
    events = [Event(str(moment), moment, "opened", "x", {}) for moment in (at(3, 23), at(1, 0), at(1, 12))]
    assert days_of_work(events) == [date(2026, 5, 1), date(2026, 5, 3)]
    assert days_of_work([Event("", 1e300, "opened", "x", {}), Event("", -5.0, "opened", "x", {})])


def test_four_weeks_end_today() -> None:
    drawn = strip([date(2026, 5, 1), date(2026, 4, 3), date(2026, 4, 4)], date(2026, 5, 1))
    # 28 days: 3 April was 28 days ago, and is out
    assert drawn == [True, *[False] * 26, True]


def test_the_worst_comes_first_and_what_was_revealed_in_practice_is_no_answer(study: Study) -> None:
    wrong(study, "demo-steps", 2)
    wrong(study, "demo-sum", 1)
    wrong(study, "question:demo-sum", 2, kind="practice")
    wrong(study, "no-such-question", 9)
    study.store.add(
        "practice", "question:demo-steps", text="", right=False, misconception=None, revealed=True, rating=1
    )
    study.answer("demo-rows", "1 22; 11 20")  # right
    found = [(one.step.question.id, one.times) for one in often_wrong(study) if one.step.question]
    assert found == [("demo-sum", 3), ("demo-steps", 2)]


def test_a_belief_is_met_again_from_the_second_time_on(study: Study) -> None:
    wrong(study, "demo-rows", 1, "did-not-add")
    assert met_again(Practice(study)) == []
    wrong(study, "demo-rows", 1, "did-not-add")
    (held,) = met_again(Practice(study))
    assert (held.sentence, held.times, held.right_since) == ("Nothing is added.", 2, 0)


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
def test_the_page_and_the_step_of_what_goes_wrong(
    play: Play, shown: Shown, until: Any, study: Study, size: tuple[int, int]
) -> None:
    wrong(study, "demo-steps", 2)
    wrong(study, "demo-rows", 2, "did-not-add")
    study.answer("demo-sum", "sums")

    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "r")
        screen = pilot.app.screen
        assert isinstance(screen, Progress)
        assert "1 of 4 solved" in shown(pilot.app)
        await until(pilot, lambda: "due today" in screen._practised.text)
        await press(pilot, "end")
        seen = " ".join(shown(pilot.app).split())
        assert "Beliefs met again" in seen
        assert "Nothing is added. 2×, not right since" in seen
        await press(pilot, "home", "pagedown", "pageup", "j", "k")
        await press(pilot, "1")
        lesson = pilot.app.screen
        assert isinstance(lesson, LessonScreen)
        assert lesson.step.question is not None
        assert lesson.step.question.id == "demo-steps"
        await press(pilot, "escape", "3", "escape")
        assert isinstance(pilot.app.screen, Home)

    play(scenario, size)


@pytest.mark.parametrize(("listed", "key"), [(1, "1"), (2, "1-2")])
def test_the_numbers_are_named_where_they_can_be_seen(
    play: Play, shown: Shown, until: Any, study: Study, listed: int, key: str
) -> None:
    wrong(study, "demo-steps", 3)
    if listed > 1:
        wrong(study, "demo-rows", 2)

    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "r")
        screen = pilot.app.screen
        await until(pilot, lambda: "due today" in screen._practised.text)
        screen._standings.styles.height = 13  # as many rows as a long course has lessons
        await pilot.pause()
        await press(pilot, "j", "k")
        assert "Answered wrongly" not in shown(pilot.app)
        assert "its step" not in shown(pilot.app)
        await press(pilot, "end")
        await until(pilot, lambda: f"   {key} its step" in shown(pilot.app))
        assert "1  Demo, step 2" in shown(pilot.app)
        await press(pilot, "home")
        await until(pilot, lambda: "its step" not in shown(pilot.app))
        # Who knows them may use them all the same
        await press(pilot, "1")
        assert isinstance(pilot.app.screen, LessonScreen)

    play(scenario, (80, 12))


def test_at_the_very_beginning_there_is_little_to_say(play: Play, shown: Shown, until: Any) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "r")
        await until(pilot, lambda: "Nothing is due today. 0 skills practised so far." in shown(pilot.app))
        assert "none yet" in shown(pilot.app)
        assert "Beliefs" not in shown(pilot.app)

    play(scenario)
