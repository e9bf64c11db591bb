"""Who waits for whom, from what the ranks say: a deadlock is called one, and nothing else is."""

from __future__ import annotations

from typing import Any

from tutor.running.waits import STILL, Watch

LONG = 10.0


def state(serial: int = 1, **given: Any) -> dict[str, Any]:
    """What a rank of three says."""
    return {
        "serial": serial,
        "call": None,
        "line": None,
        "needs": [],
        "sent": [0, 0, 0],
        "asked": [0, 0, 0],
        "entered": 0,
    } | given


def seen(watch: Watch, states: list[dict[str, Any]], *times: float) -> None:
    for now in times:
        for rank, one in enumerate(states):
            watch.see(rank, one, now)
        watch.stuck(set(), now)


def sends(to: int, line: int = 3, serial: int = 1) -> dict[str, Any]:
    return state(serial, call="send", line=line, needs=[["send", to, 1]], sent=[int(p == to) for p in range(3)])


def test_a_circle_of_sends_is_a_deadlock_once_nobody_has_moved_for_a_while() -> None:
    watch = Watch(3)
    states = [sends(1), sends(2), sends(0)]
    seen(watch, states, 0.0)
    assert watch.stuck(set(), STILL * 0.9) is None
    seen(watch, states, STILL)
    stuck = watch.stuck(set(), STILL)
    assert stuck is not None
    assert stuck.kind == "deadlock"
    assert str(stuck).startswith("worker 0 sends to 1, worker 1 sends to 2, worker 2 sends to 0: everyone sends")
    assert [one.line for one in stuck.waiting] == [3, 3, 3]


def test_a_rank_that_has_not_been_heard_again_may_have_moved() -> None:
    watch = Watch(3)
    states = [sends(1), sends(2), sends(0)]
    seen(watch, states, 0.0)
    watch.see(0, states[0], LONG)
    watch.see(1, states[1], LONG)
    assert watch.stuck(set(), LONG) is None


def test_a_message_on_its_way_is_no_deadlock_however_long_it_takes() -> None:
    watch = Watch(3)
    receives = state(call="recv", line=4, needs=[["recv", 0, 1]], asked=[1, 0, 0])
    seen(watch, [sends(1), receives, sends(0)], 0.0, LONG)
    assert watch.stuck(set(), LONG) is None


def test_who_computes_may_still_send() -> None:
    watch = Watch(3)
    seen(watch, [sends(1), sends(2), state()], 0.0, LONG)
    assert watch.stuck(set(), LONG) is None


def test_who_moves_is_not_stuck() -> None:
    watch = Watch(3)
    for turn in range(20):
        seen(watch, [sends(1, serial=turn), sends(2, serial=turn), sends(0, serial=turn)], turn * STILL / 2)
        assert watch.stuck(set(), turn * STILL / 2) is None


def test_a_wait_for_one_that_has_finished() -> None:
    watch = Watch(3)
    receives = state(call="recv", line=9, needs=[["recv", 2, 1]], asked=[0, 0, 1])
    states = [receives, receives, state()]
    for now in (0.0, LONG):
        for rank, one in enumerate(states):
            watch.see(rank, one, now)
        stuck = watch.stuck({2}, now)
    assert str(stuck) == "worker 0 receives from 2, but worker 2 has finished"


def test_a_collective_that_one_has_not_come_to() -> None:
    watch = Watch(3)
    inside = state(call="all_gather", line=5, needs=[["all", -1, 2]], entered=2)
    late = state(call="recv", line=6, needs=[["recv", 0, 1]], asked=[1, 0, 0], entered=1)
    seen(watch, [inside, inside, late], 0.0, LONG)
    stuck = watch.stuck(set(), LONG)
    assert str(stuck) == "worker 0 waits in all_gather for 2, worker 2 receives from 0: nobody can go on"
    seen(watch, [inside, inside, inside], 2 * LONG, 3 * LONG)
    assert watch.stuck(set(), 3 * LONG) is None


def test_the_second_message_to_the_same_rank_is_another_one() -> None:
    watch = Watch(3)
    again = state(call="send", line=3, needs=[["send", 1, 2]], sent=[0, 2, 0])
    took_one = state(call="recv", line=4, needs=[["recv", 2, 1]], asked=[1, 0, 1])
    third = state(call="recv", line=5, needs=[["recv", 0, 1]], asked=[1, 0, 0])
    seen(watch, [again, took_one, third], 0.0, LONG)
    stuck = watch.stuck(set(), LONG)
    assert stuck is not None
    assert [one.worker for one in stuck.waiting] == [0, 1, 2]
