"""What a check found, to look at: both runs step by step, the learner's own lines, and what was printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

import lessons
from tutor.app.screens.lesson import LessonScreen
from tutor.app.screens.printed import Printed
from tutor.app.widgets.verdict import VerdictView
from tutor.course.load import load
from tutor.permissions import own_machine
from tutor.progress.store import Store
from tutor.study import Study

Play = Callable[..., None]
Shown = Callable[..., str]
COURSE = Path(lessons.__file__).parent

# A ring whose chunks travel as they should, but which adds in no step
NEVER_ADDS = """
def ring_all_reduce(arrays):
    return [[array.copy() for array in arrays] for _ in range(2 * (len(arrays) - 1))]
"""
ALL_FORWARD = """
def one_f_one_b_order(stages, micro_batches):
    return [[f"{s}F{m}" for m in range(micro_batches)] + [f"{s}B{m}" for m in range(micro_batches)]
            for s in range(stages)]
"""
BROKEN = """
def half(array):
    return array / "2"

def ring_all_reduce(arrays):
    for number in range(40):
        print("line", number)
    return half(arrays[0])
"""


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    """A learner of the course that comes with the tutor."""
    store = Store(tmp_path / "state" / "progress.db")
    yield Study(load(COURSE), store, tmp_path / "exercises", own_machine())
    store.close()


@pytest.fixture
def check(study: Study, shown: Shown, until: Any) -> Callable[..., Any]:
    """Opens an exercise with a file of this source, and checks it: in the lesson, or in the editor."""

    async def opened(pilot: Pilot[Any], exercise: str, source: str, editor: bool = False) -> VerdictView:
        study.start(exercise).path.write_text(source)
        for lesson in study.course.lessons:
            for step in lesson.steps:
                if step.exercise is not None and step.exercise.id == exercise:
                    pilot.app.push_screen(LessonScreen(study, lesson, step))
        await pilot.pause()
        pilot.app.screen.view.focus_task()
        await pilot.pause()
        for key in ("e", "ctrl+s") if editor else ("c",):
            await pilot.press(key)
            await pilot.pause()
        await until(pilot, lambda: "Not right" in shown(pilot.app))
        await pilot.pause()
        return pilot.app.screen.query_one(VerdictView)

    return opened


def test_the_arrow_keys_go_through_both_runs(play: Play, shown: Shown, check: Any) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await check(pilot, "ring_all_reduce", NEVER_ADDS)
        # It opens at the first difference, both beside each other: three workers with three numbers have room
        assert "yours after step 1" in shown(pilot.app)
        assert "the engine's after step 1" in shown(pilot.app)
        for step in (2, 3, 4, 4):
            await pilot.press("right")
            await pilot.pause()
            assert f"the engine's after step {step}" in shown(pilot.app)
            assert f"step {step} of 4" in shown(pilot.app)
        await pilot.press("left")
        await pilot.pause()
        assert "yours after step 3" in shown(pilot.app)
        assert "v other side" not in shown(pilot.app)

    play(scenario, size=(80, 40))


@pytest.mark.parametrize("editor", [False, True])
def test_where_there_is_no_room_a_key_shows_the_other_side(play: Play, shown: Shown, check: Any, editor: bool) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        verdict = await check(pilot, "one_f_one_b_order", ALL_FORWARD, editor)
        switch, on = ("f9", "f8") if editor else ("v", "right")
        assert "[yours]" in shown(pilot.app)
        assert "▲3" in shown(pilot.app)
        step = verdict.compared.step
        for named in ("[the engine's]", "[the difference]", "[yours]"):
            await pilot.press(switch)
            await pilot.pause()
            assert named in shown(pilot.app)
        await pilot.press(on)
        await pilot.pause()
        assert verdict.compared.step == step + 1
        assert f"[{step + 1}]" in shown(pilot.app)

    play(scenario, size=(80, 60))


def test_in_a_wide_window_both_stand_beside_each_other(play: Play, shown: Shown, check: Any) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        verdict = await check(pilot, "one_f_one_b_order", ALL_FORWARD)
        assert verdict.compared.shows_both
        assert any("yours" in row and "the engine's" in row for row in shown(pilot.app).splitlines())

    play(scenario, size=(160, 50))


def test_in_the_narrowest_window_the_verdict_is_in_sight_and_then_its_picture(
    play: Play, shown: Shown, check: Any
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await check(pilot, "one_f_one_b_order", ALL_FORWARD)
        assert "Not right" in shown(pilot.app)
        await pilot.press("right")
        await pilot.pause()
        await pilot.pause()
        assert "stage 2" in shown(pilot.app)
        assert "v shows the other side" in shown(pilot.app)

    play(scenario)


@pytest.mark.parametrize("editor", [False, True])
def test_the_learners_own_lines_and_all_that_was_printed(
    play: Play, shown: Shown, check: Any, until: Any, editor: bool
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await check(pilot, "ring_all_reduce", BROKEN, editor)
        before = pilot.app.screen
        if editor:
            await pilot.press("f10")
            await until(pilot, lambda: isinstance(pilot.app.screen, Printed))
            await pilot.pause()
            assert "line 39" in shown(pilot.app)
            await pilot.press("escape")
            await pilot.pause()
            assert pilot.app.screen is before
            return
        text = shown(pilot.app)
        assert "line 8, in ring_all_reduce: return half(arrays[0])" in text
        assert 'line 3, in half: return array / "2"' in text
        assert "tutor/" not in text
        assert "more lines (w shows them all)" in text
        assert "line 39" in text
        await pilot.press("w")
        await pilot.pause()
        await pilot.pause()
        assert isinstance(pilot.app.screen, Printed)
        assert "line 39" in shown(pilot.app)
        for _ in range(40):
            await pilot.press("pageup")
        await pilot.pause()
        assert "line 0\n" in shown(pilot.app)
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(pilot.app.screen, LessonScreen)

    play(scenario, size=(80, 50))


def test_a_right_but_wasteful_answer_is_told_how_wasteful(play: Play, shown: Shown, check: Any) -> None:
    mutants = COURSE / "ring" / "exercises" / "ring_all_reduce_worker" / "mutants"

    async def scenario(pilot: Pilot[Any]) -> None:
        await check(pilot, "ring_all_reduce_worker", (mutants / "rank_0_collects.py").read_text())
        text = shown(pilot.app)
        assert "48 B in 2 messages" in text
        assert "32 B in 4 messages" in text
        assert "█" in text

    play(scenario, size=(80, 50))


def test_a_wide_verdict_is_moved_with_shift_and_arrows(play: Play, shown: Shown, check: Any) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await check(pilot, "one_f_one_b_order", ALL_FORWARD)
        await pilot.press("right")
        await pilot.pause()
        seen = [shown(pilot.app)]
        for key in ("shift+right", "shift+left"):
            await pilot.press(key)
            await pilot.pause()
            seen.append(shown(pilot.app))
        assert seen[1] != seen[0]
        assert seen[2] == seen[0]

    play(scenario, size=(40, 40))


def test_a_deadlock_is_drawn(play: Play, shown: Shown, check: Any) -> None:
    mutants = COURSE / "ring" / "exercises" / "ring_all_reduce_worker" / "mutants"

    async def scenario(pilot: Pilot[Any]) -> None:
        await check(pilot, "ring_all_reduce_worker", (mutants / "all_send_first.py").read_text())
        assert "┌→ worker 0 ─→ worker 1 ─→ worker 2 ─┐" in shown(pilot.app)
        assert "line 11   worker.send(" in shown(pilot.app)

    play(scenario, size=(80, 50))


def test_without_a_verdict_there_are_no_keys_for_it(play: Play, study: Study, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        study.start("ring_all_reduce")
        ring = next(lesson for lesson in study.course.lessons if lesson.id == "ring")
        step = next(step for step in ring.steps if step.exercise is not None)
        pilot.app.push_screen(LessonScreen(study, ring, step))
        await pilot.pause()
        pilot.app.screen.view.focus_task()
        await pilot.pause()
        panel = pilot.app.screen.view.asked
        assert [panel.check_action(action, ()) for action in ("turn", "switch", "printed", "pan")] == [False] * 4
        assert "←→" not in shown(pilot.app)
        await pilot.press("right", "left", "v", "w")

    play(scenario)
