"""Practice in the app: its door, problems with two tries, its page, and what the first screen says of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tutor.answers.judge import truth
from tutor.answers.truth import evaluate
from tutor.app.main import TutorApp
from tutor.app.places import PRACTICE as PRACTICE_PLACE
from tutor.app.profile import Profile
from tutor.app.screens.home import Home, Lessons
from tutor.app.screens.lesson import LessonScreen
from tutor.app.screens.practice import PracticeDoor, PracticeScreen
from tutor.app.screens.practice_page import PracticePage
from tutor.course.load import load
from tutor.course.model import NUMBER, Question
from tutor.permissions import own_machine
from tutor.practice.memory import GOOD, PRACTICE
from tutor.practice.session import Practice
from tutor.progress.store import Store
from tutor.study import Study

Shown = Callable[..., str]
Play = Callable[..., None]
COURSE = load()
DAY = 86_400.0


@pytest.fixture
def now() -> list[float]:
    return [1.8e9]


@pytest.fixture(autouse=True)
def _the_same_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session draws what it asks: among these problems there is one of every kind that is looked for here."""
    monkeypatch.setattr("tutor.practice.session.secrets.randbelow", lambda most: 4)


@pytest.fixture
def learner(tmp_path: Path, now: list[float]) -> Iterator[Study]:
    """A learner at the course, who has opened the lesson on the ring."""
    store = Store(tmp_path / "state" / "progress.db", lambda: now[0])
    study = Study(COURSE, store, tmp_path / "exercises", own_machine())
    lesson = study.lesson("ring")
    study.open_step(lesson, lesson.steps[1])
    yield study
    store.close()


@pytest.fixture
def play(learner: Study) -> Play:
    def run(scenario: Callable[[Pilot[Any]], Awaitable[None]], size: tuple[int, int] = (80, 24)) -> None:
        async def main() -> None:
            app = TutorApp(learner, Profile())
            async with app.run_test(size=size, notifications=True) as pilot:
                await pilot.pause()
                await scenario(pilot)

        asyncio.run(main())

    return run


async def press(pilot: Pilot[Any], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
    await pilot.pause()


async def begin(pilot: Pilot[Any], until: Any, count: str = "2") -> PracticeScreen:
    """Through the door to the first problem. What is typed replaces the number that stands there."""
    await press(pilot, "p", *count, "enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, PracticeScreen))
    await pilot.pause()
    return pilot.app.screen  # type: ignore[no-any-return]


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
def test_from_home_through_a_session_to_its_page(
    play: Play, shown: Shown, until: Any, learner: Study, size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await begin(pilot, until)
        assert "1/2" in shown(pilot.app)
        first = screen.problem
        await press(pilot, "f3")
        assert "counts as not" in shown(pilot.app)
        await press(pilot, "f3", "enter")
        assert screen.problem is not first
        assert "2/2" in shown(pilot.app)
        await press(pilot, "f3", "f3", "enter")
        assert isinstance(pilot.app.screen, PracticePage)
        assert "2 not firm yet" in shown(pilot.app)
        assert "× not firm" in shown(pilot.app)
        # Enter opens the step that teaches it, and Esc comes back
        await press(pilot, "enter")
        lesson = pilot.app.screen
        assert isinstance(lesson, LessonScreen)
        assert lesson.step is screen.session.summary().not_firm[0].skill.step
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, PracticePage)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, Home)

    play(scenario, size)
    assert [event.detail["revealed"] for event in learner.store.events(kind=PRACTICE)] == [True, True]


async def to_a_number(pilot: Pilot[Any], screen: PracticeScreen) -> Any:
    """Reveals what is asked until a number is; the panel that asks for it."""
    await to_one(pilot, screen, lambda question: question.kind == NUMBER)
    return screen.view.asked


async def to_one(pilot: Pilot[Any], screen: PracticeScreen, wanted: Callable[[Question], bool]) -> None:
    """Reveals what is asked until a question is one that is wanted."""
    while not wanted(screen.problem.question):
        assert pilot.app.screen is screen, "the session has none"
        await press(pilot, "f3", "f3", "enter")


def test_a_right_answer_is_explained(play: Play, shown: Shown, until: Any, learner: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await begin(pilot, until, "30")
        panel = await to_a_number(pilot, screen)
        problem = screen.problem
        # A figure as the course writes it
        panel._give(truth(problem.course, problem.question, problem.seed).shown.split(" (")[0])
        await pilot.pause()
        assert "Right" in shown(pilot.app)
        await press(pilot, "enter")
        assert screen.problem is not problem

    play(scenario)
    assert learner.store.events(kind=PRACTICE)[-1].detail["rating"] == GOOD


def test_a_wrong_answer_has_a_second_try_and_then_the_solution(play: Play, shown: Shown, until: Any) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await begin(pilot, until, "30")
        panel = await to_a_number(pilot, screen)
        problem = screen.problem
        panel._give(f"98765 {problem.question.unit}")
        await pilot.pause()
        assert "Not right" in shown(pilot.app)
        assert "One try left before the answer is revealed." in " ".join(shown(pilot.app).split())
        panel._give(f"98765 {problem.question.unit}")
        assert screen.session.done == [] or screen.session.done[-1].skill is not problem.skill
        panel._give(f"98764 {problem.question.unit}")
        await pilot.pause()
        assert "The answer: " in panel._feedback.text
        assert "Enter goes on." in panel._feedback.text

    play(scenario)


def test_a_belief_that_comes_again_is_named(play: Play, until: Any, learner: Study) -> None:
    """The second wrong answer with one belief behind it says so."""

    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await begin(pilot, until, "60")
        await to_one(pilot, screen, lambda question: bool(question.wrong) and question.kind == NUMBER)
        problem = screen.problem
        wrong = problem.question.wrong[0]
        learner.store.add(PRACTICE, problem.skill.id, text="", right=False, misconception=wrong.misconception, rating=1)
        screen.session.practice.beliefs.take_in(learner.store.events(kind=PRACTICE)[-1])
        value = evaluate(problem.course, problem.question, wrong.match, wrong.place, problem.seed).value
        unit = problem.question.unit
        panel: Any = screen.view.asked
        panel._give(f"{value!r} B" if unit.endswith("B") else repr(value))
        assert "The second time that this belief was behind it: " in panel._feedback.text
        assert COURSE.misconceptions[wrong.misconception] in panel._feedback.text

    play(scenario)


def test_a_session_that_is_ended_can_go_on_as_it_was(play: Play, shown: Shown, until: Any) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await begin(pilot, until, "5")
        await press(pilot, "f3", "f3", "enter")
        problem = screen.problem
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, PracticePage)
        await press(pilot, "p")
        assert pilot.app.screen is screen
        assert screen.problem is problem
        await press(pilot, "escape", "escape")
        assert isinstance(pilot.app.screen, Home)

    play(scenario)


def test_before_the_first_answer_esc_leads_home(play: Play, until: Any) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await begin(pilot, until)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, Home)

    play(scenario)


def test_who_goes_back_before_the_course_is_read_stays_there(play: Play, until: Any, learner: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "p")
        door = pilot.app.screen
        await until(pilot, lambda: door._room is not None)
        await press(pilot, "escape")
        # As if it came only now
        door._wanted = 3
        door._is_read(door._room, 0)
        await pilot.pause()
        assert isinstance(pilot.app.screen, Home)

    play(scenario)


@pytest.mark.parametrize("count", ["0", "1001", "ten", "-1", "²"])
def test_a_number_that_is_none_is_said(play: Play, shown: Shown, count: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "p")
        pilot.app.screen.count.value = count
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, PracticeDoor)
        assert f"problems is '{count}'; accepted: a whole number from 1 to 1000" in shown(pilot.app)

    play(scenario)


def test_the_number_is_turned_with_the_arrow_keys(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "p", "up")
        door = pilot.app.screen
        assert door.count.value == "15"
        await press(pilot, "down", "down", "down", "down")
        assert door.count.value == "1"
        await press(pilot, "up")
        assert door.count.value == "5"

    play(scenario)


def test_the_first_screen_says_what_is_due(
    play: Play, shown: Shown, until: Any, learner: Study, now: list[float]
) -> None:
    skills = Practice(learner).skills.all
    for skill in skills[:3]:
        learner.store.add(PRACTICE, skill.id, text="", right=True, misconception=None, rating=GOOD)
    now[0] += 30 * DAY

    async def scenario(pilot: Pilot[Any]) -> None:
        lessons = pilot.app.screen.query_one(Lessons)
        await until(pilot, lambda: lessons.due)
        await press(pilot, "end")
        assert f"3 things are due today: {PRACTICE_PLACE.about}" in shown(pilot.app)

    play(scenario)


def test_where_nothing_is_due_the_first_screen_says_what_practice_is(
    play: Play, shown: Shown, until: Any, learner: Study
) -> None:
    """There are problems to practise all the same: "nothing is due" would read as if there were none."""
    skill = Practice(learner).skills.all[0]
    learner.store.add(PRACTICE, skill.id, text="", right=True, misconception=None, rating=GOOD)

    async def scenario(pilot: Pilot[Any]) -> None:
        def counted() -> bool:
            under_way = [worker for worker in pilot.app.workers if worker.group == "due" and not worker.is_finished]
            return bool(pilot.app.screen._counted_after) and not under_way

        await until(pilot, counted)
        await press(pilot, "end")
        assert f"p  {PRACTICE_PLACE.about}" in shown(pilot.app)

    play(scenario)


def test_who_has_never_practised_waits_for_no_count(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.pause(0.1)
        assert not [worker for worker in pilot.app.workers if worker.group == "due"]

    play(scenario)


@pytest.mark.parametrize("problems_done", [0, 1])
def test_every_binding_of_a_problem_and_of_the_page_stands_in_help_and_palette(
    play: Play, until: Any, problems_done: int, all_listed: Callable[[Pilot[Any]], Awaitable[None]]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await begin(pilot, until, "1")
        await press(pilot, *["f3", "f3", "enter"] * problems_done)
        assert isinstance(pilot.app.screen, PracticePage if problems_done else PracticeScreen)
        await all_listed(pilot)

    play(scenario)
