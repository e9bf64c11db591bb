"""A learner's run beside the engine's: what differs at each step, and what an order does as far as it runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simlib.collectives import ring_all_reduce
from simlib.pipeline import CannotRun, schedule
from simlib.pipeline.partial import time_as_far_as_it_runs
from tutor.views.comparison import Comparison, Side
from tutor.views.explain import comparison
from tutor.views.picture import Picture, Role
from tutor.views.terminal import text

VALUES = [[1, 2, 3], [10, 20, 30], [100, 200, 300]]
# The table of Patarasuk and Yuan's algorithm for three workers, added up by hand
TABLE = [
    [[1, 2, 303], [11, 20, 30], [100, 220, 300]],
    [[1, 222, 303], [11, 20, 333], [111, 220, 300]],
    [[111, 222, 303], [11, 222, 333], [111, 220, 333]],
    [[111, 222, 333], [111, 222, 333], [111, 222, 333]],
]


def of_states(states: Any, step: int = 1, values: Any = VALUES) -> Comparison:
    of = {
        "topic": "all-reduce",
        "parameters": {"algorithm": "ring", "values": values},
        "step": step,
        "cell": None,
        "own": {"states": states},
    }
    found = comparison(of)
    assert found is not None
    return found


def of_orders(rows: Any, name: str = "1f1b", stages: int = 3, micro_batches: int = 5, **more: Any) -> Comparison:
    given = {"schedule": name, "stages": stages, "micro_batches": micro_batches} | more
    found = comparison({"topic": "pipeline", "parameters": given, "step": 0, "own": {"orders": rows}})
    assert found is not None
    return found


def order(name: str, *sizes: int) -> list[list[str]]:
    return [[str(step) for step in row] for row in schedule(name, *sizes).orders]


def drawn(picture: Picture, width: int = 80) -> str:
    return text(picture, width, colours="none", ascii_only=False)


def marked(picture: Picture) -> int:
    rows = range(picture.size(200).rows)
    runs = [run for row in rows for run in picture.line(row, 200)]
    return len([run for run in runs if run.role is Role.DIFFERENCE and run.cell is not None])


# States


def test_the_differing_numbers_of_a_step_are_marked_on_both_sides() -> None:
    wrong = [[list(row) for row in state] for state in TABLE]
    wrong[1][2][0], wrong[3][0][1] = 100, 20
    seen = of_states(wrong, 2)
    assert (seen.opens_at, seen.last_step) == (2, 4)
    assert [marked(seen.picture(step, side)) for step in (1, 2, 3, 4) for side in Side] == [0] * 3 + [1] * 3 + [
        0
    ] * 3 + [1] * 3
    assert "100≠111" in drawn(seen.picture(2, Side.DIFFERENCE))
    assert "≠100" in drawn(seen.picture(2, Side.YOURS))
    assert "≠111" in drawn(seen.picture(2, Side.ENGINE))
    assert seen.caption(1) == "step 1 of 4 (reduce-scatter 1 of 2): the same"
    assert seen.caption(2).endswith("1 of 9 numbers differs, the first on worker 2, in chunk 0")


def test_what_has_changed_since_the_step_before_has_an_arrow() -> None:
    """Of the learner's messages nothing is known: the arrows are where numbers are not as they were."""
    picture = of_states(TABLE, 1).picture(1, Side.YOURS)
    rows = drawn(picture).splitlines()
    assert [row.count("→") for row in rows[1:4]] == [1, 1, 1]
    assert "→303" in rows[1]
    assert "→11" in rows[2]
    assert "→220" in rows[3]


def test_a_list_that_is_too_short_or_too_long_is_walked_to_its_end() -> None:
    short = of_states(TABLE[:2], 2)
    assert short.caption(4) == "step 4 of 4 (all-gather 2 of 2): your list ends with step 2"
    assert "as your list ends, at step 2" in drawn(short.picture(4, Side.YOURS))
    long = of_states([*TABLE, TABLE[3]], 1)
    assert (long.last_step, long.caption(5)) == (5, "step 5: the engine is done after step 4")
    drawn(long.both(5))


def test_a_state_of_which_nothing_is_known() -> None:
    seen = of_states([None, None, None, [[111, 222, 333], [111, 222, 333], [0, 222, 333]]], 4)
    assert seen.caption(2).endswith("the engine's alone")
    assert "of yours nothing is known here" in drawn(seen.picture(2, Side.YOURS))
    assert "0≠111" in drawn(seen.picture(4, Side.DIFFERENCE))


def test_numbers_of_any_size_and_none() -> None:
    wrong: Any = [[list(map(float, row)) for row in state] for state in TABLE]
    wrong[0][0][0], wrong[0][1][1], wrong[0][2][2] = float("nan"), float("inf"), 1e300
    seen = of_states(wrong, 1)
    for side in Side:
        assert marked(seen.picture(1, side)) == 3
    assert "nan≠1" in drawn(seen.picture(1, Side.DIFFERENCE))
    assert "≠inf" in drawn(seen.both(1))
    assert seen.both(1).words()


def test_sums_of_floats_in_another_order_are_the_same() -> None:
    values = [[0.1, 0.2, 0.3], [1e3, 2e-3, 3.0], [7.7, 8.8, 9.9]]
    trace = ring_all_reduce([np.array(row) for row in values])
    states = [[(row * (1 + 1e-12)).tolist() for row in trace.state(step)] for step in range(1, 5)]
    assert of_states(states, 1, values).caption(4).endswith("the same")


@pytest.mark.parametrize("own", [None, {}, {"states": []}, {"states": [[[1]]]}, {"states": "x"}, {"orders": [["0F0"]]}])
def test_what_has_another_form_is_not_compared(own: Any) -> None:
    of = {"topic": "all-reduce", "parameters": {"algorithm": "ring", "values": VALUES}, "step": 1, "own": own}
    assert comparison(of) is None


# Orders


def test_the_operation_that_can_never_start_is_drawn_where_its_rank_stands_still() -> None:
    rows = order("1f1b", 3, 5)
    rows[2][:2] = ["2B0", "2F0"]
    seen = of_orders(rows)
    picture = seen.picture(seen.opens_at, Side.YOURS)
    assert "×«0" in drawn(picture).splitlines()[3]
    # Stage 0 has three forward passes to warm up, stage 1 two; then both wait for gradients
    assert "stands still after 5 of 30 operations" in drawn(picture)
    assert "stage 2, slot 0: backward 0 can never start" in picture.words()
    # What never starts frees nothing
    assert seen.caption(2).endswith("held 3 2 0, the engine 3 2 1")


def test_an_order_in_which_nothing_can_start() -> None:
    seen = of_orders([["0B0", "0F0"]], "gpipe", 1, 1)
    assert "×«0" in drawn(seen.picture(0, Side.YOURS))


def test_the_first_operation_with_which_too_much_is_held() -> None:
    seen = of_orders(order("gpipe", 3, 5))
    yours = drawn(seen.picture(3, Side.YOURS))
    assert "▲3" in yours.splitlines()[1]
    assert "▲n 4 held, 3 are enough" in yours
    assert "activations held at most: 5 on every stage" in yours
    of = {"topic": "pipeline", "parameters": {"schedule": "1f1b", "stages": 3, "micro_batches": 5}, "step": 0}
    without = comparison(of | {"own": {"orders": order("gpipe", 3, 5), "caps": False}})
    assert without is not None
    assert "▲" not in drawn(without.picture(3, Side.YOURS))


def test_the_slot_that_is_looked_at_is_told() -> None:
    seen = of_orders(order("gpipe", 3, 5))
    assert (seen.opens_at, seen.last_step, seen.unit) == (3, 20, "slot")
    assert seen.caption(2) == "slot 2 of 20: the same"
    assert seen.caption(3) == (
        "slot 3 of 20: stage 0 yours 3, expected ·; stage 1 yours 2, expected ·; stage 2 yours 1, expected «0; "
        "held 4 3 2, the engine 3 2 1"
    )
    # When all is forward GPipe holds all 5; 1F1B holds a micro-batch for each stage that comes after, and its own
    assert seen.caption(6).endswith("held 5 5 5, the engine 3 2 1")
    for step in range(21):
        for side in Side:
            ruler = drawn(seen.picture(step, side)).splitlines()[0]
            assert f"[{step}]" in ruler
            numbers = [int(word.strip("[]")) for word in ruler.split()[1:]]
            assert numbers == sorted(set(numbers))


def test_a_rank_that_ends_early_and_chunks() -> None:
    rows = order("interleaved", 2, 4, 2)
    del rows[0][-1]
    seen = of_orders(rows, "interleaved", 2, 4, chunks=2)
    assert "_≠«3" in drawn(seen.picture(seen.opens_at, Side.DIFFERENCE))
    assert "a, b: a rank's first, second model stage" in drawn(seen.picture(0, Side.YOURS))
    strange = of_orders([["0F0", "7B3"], ["1F0"]], "gpipe", 2, 1)
    assert "×" in drawn(strange.picture(0, Side.YOURS))


def test_an_order_in_words() -> None:
    """Without the signs that the picture has."""
    seen = of_orders(order("gpipe", 3, 5))
    assert seen.spoken(3).startswith("slot 3 of 20: stage 0 yours forward 3, expected idle; stage 1 yours forward 2")
    words = seen.picture(3, Side.DIFFERENCE).words()
    assert "stage 2, slot 3: yours forward 1, expected backward 0" in words
    rows = order("gpipe", 2, 2)
    del rows[1][-1]
    words = of_orders(rows, "gpipe", 2, 2).picture(0, Side.DIFFERENCE).words()
    assert any(line.endswith("yours nothing, expected backward 1") for line in words)


def test_the_first_of_several_schedules_is_the_one_to_compare_with() -> None:
    given = {"first": "1f1b", "second": "none", "stages": 3, "micro_batches": 5}
    seen = comparison({"topic": "schedules", "parameters": given, "step": 0, "own": {"orders": order("gpipe", 3, 5)}})
    assert seen is not None
    assert "▲3" in drawn(seen.picture(3, Side.YOURS))


def test_beside_one_another_where_there_is_room() -> None:
    both = of_orders(order("gpipe", 3, 5)).both(3)
    assert both.fits(140)
    assert not both.fits(80)
    assert drawn(both, 140).splitlines()[0].split() == ["yours", "the", "engine's"]
    assert both.size(140).rows < both.size(80).rows
    words = both.words()
    assert words[0] == "yours:"
    assert "the engine's:" in words


@pytest.mark.parametrize("name", ["gpipe", "1f1b"])
def test_what_runs_is_timed_as_it_always_is(name: str) -> None:
    whole = time_as_far_as_it_runs(order(name, 3, 4))
    assert whole.stopped is None
    assert whole.timeline.makespan == schedule(name, 3, 4).makespan


def test_as_far_as_it_runs() -> None:
    timeline, stopped = time_as_far_as_it_runs([["0F0", "0F1", "0B0", "0B1"], ["1F0", "1B1", "1F1", "1B0"]])
    assert isinstance(stopped, CannotRun)
    # 1B1 comes before 1F1, so stage 1 stops after its first operation and stage 0 after its two forward passes
    assert (str(stopped.operation), stopped.done) == ("1B1", (2, 1))
    assert timeline.grid == [["0F0", "0F1", None], [None, "1F0", "1B1"]]
