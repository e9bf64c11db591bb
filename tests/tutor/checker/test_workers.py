"""Checks of a worker's program: the verdict, the first difference, the circle of a deadlock, and the bill."""

from __future__ import annotations

from pathlib import Path

import pytest

from simlib.workers import RunError
from tutor.checker import CouldNotCheck, check_source
from tutor.checker.workers import bill, trouble

# The ring all-reduce as one worker's program, and an exercise that asks for it
HERE = Path(__file__).parent / "programs"
RING = (HERE / "ring_worker.py").read_text(encoding="utf-8")
CHECK = (HERE / "ring_check.py").read_text(encoding="utf-8")


def test_a_right_program_passes_and_is_billed(make_exercise) -> None:
    result = check_source(RING.encode(), make_exercise(CHECK, "ring_worker"))
    assert result.passed, result
    assert [case.name for case in result.cases] == ["2 workers", "3 workers", "1 workers"]
    # 6 numbers of 8 bytes: 2 (N-1) messages of 48 / N bytes
    sent = {"bytes_sent": [64, 64, 64], "messages_sent": [4, 4, 4]}
    assert result.to_json()["bill"] == {"yours": sent, "engine": sent}
    assert result.bill is not None
    assert result.bill["case"] == "3 workers"


WASTEFUL = """
def ring_worker(worker, array):
    total = array
    for other in range(1, worker.world_size):
        total = total + worker.sendrecv(
            array, (worker.rank + other) % worker.world_size, (worker.rank - other) % worker.world_size)
    return total
"""


def test_a_wasteful_program_is_told_how_wasteful(make_exercise) -> None:
    passing = check_source(WASTEFUL.encode(), make_exercise(CHECK, "ring_worker"))
    assert passing.passed
    told = next(case for case in passing.cases if case.name == "3 workers").reason
    # 2 whole arrays of 48 bytes, against 2 (N-1) / N arrays
    assert "worker 0 sends 96 B in 2 messages; 64 B in 4 messages are enough. That is 1.5 times as much." in told
    strict = CHECK + "\nmost_bytes = 1.0\ndef explain_bill(arguments, engine, yours): return 'Send chunks.'\n"
    failing = check_source(WASTEFUL.encode(), make_exercise(strict, "ring_worker"))
    assert not failing.passed
    assert failing.error is None
    assert failing.cases[0].name == "3 workers"
    assert failing.cases[0].reason == f"{told} Send chunks."
    assert failing.bill is not None
    assert failing.bill["yours"]["bytes_sent"] == [96, 96, 96]
    assert failing.bill["case"] == "3 workers"


def test_what_need_not_be_sent_at_all() -> None:
    nothing = {"bytes_sent": [0, 0], "messages_sent": [0, 0]}
    assert bill.times_too_much(nothing, nothing) == 1
    some = {"bytes_sent": [0, 8], "messages_sent": [0, 1]}
    assert (
        bill.told(nothing, some) == "The values are right, but worker 1 sends 8 B in 1 message; nothing need be sent."
    )


def test_a_wrong_value_names_its_worker(make_exercise) -> None:
    wrong = RING.replace("return np.concatenate(chunks)", "return np.concatenate(chunks) - (worker.rank == 2)")
    result = check_source(wrong.encode(), make_exercise(CHECK, "ring_worker"))
    assert [(case.name, case.passed) for case in result.cases] == [
        ("3 workers", False),
        ("2 workers", True),
        ("1 workers", True),
    ]
    difference = result.cases[0].first_difference
    assert difference is not None
    assert (difference.worker, difference.index, difference.expected) == (2, 0, difference.got + 1)
    assert result.cases[0].reason == f"Worker 2: result[0] is {difference.got}; expected {difference.expected}"
    # nothing is billed before it is right
    assert result.bill is not None
    assert len(result.bill["yours"]["bytes_sent"]) == 2


def test_a_deadlock_is_a_failure_with_its_circle(make_exercise) -> None:
    all_send = RING.replace("worker.sendrecv(chunks[(rank - step) % n], dst=right, src=left)", "SENT").replace(
        "arrived = SENT", "worker.send(chunks[rank], dst=right); arrived = worker.recv(src=left)"
    )
    result = check_source(all_send.encode(), make_exercise(CHECK.replace("(2, 3, 1)", "(3, 2)"), "ring_worker"))
    circle = "worker 0 sends to 1, worker 1 sends to 2, worker 2 sends to 0: everyone sends, nobody receives"
    assert result.to_json()["error"] == {
        "kind": "deadlock",
        "message": circle,
        "line": 11,
        "worker": 0,
        "waiting": [{"worker": rank, "call": "send", "peer": (rank + 1) % 3, "line": 11} for rank in range(3)],
    }
    assert [case.name for case in result.cases] == ["3 workers"]
    assert circle in result.cases[0].reason
    assert "sendrecv" in result.cases[0].reason


@pytest.mark.parametrize("kind", ["mismatch", "unreceived"])
def test_what_would_hang_on_real_machines_is_a_deadlock(kind: str) -> None:
    assert trouble.of_run(RunError(kind, "worker 0 …", 0, 3)).kind == "deadlock"


def test_collectives_are_there_where_the_exercise_allows_them(make_exercise) -> None:
    source = b"def ring_worker(worker, array):\n    return worker.all_reduce(array)\n"
    error = check_source(source, make_exercise(CHECK, "ring_worker")).error
    assert error is not None
    assert (error.kind, error.line, error.worker) == ("forbidden", 2, 0)
    assert "worker 0 calls all_reduce; in this exercise a worker has send, recv" in error.message
    allowed = make_exercise(CHECK + "\ncollectives = ('all_reduce',)\n", "ring_worker")
    assert check_source(source, allowed).passed


def test_any_exercise_may_be_a_worker_s(make_exercise) -> None:
    source = RING.replace("ring_worker", "ring").encode()
    assert check_source(source, make_exercise(CHECK + "\nworker_program = True\n", "ring")).passed
    plain = "worker_program = False\ndef cases(seed): yield 'a', {'x': 2}, None\ndef expected(arguments): return 4"
    assert check_source(b"def plain_worker(x): return 2 * x", make_exercise(plain, "plain_worker")).passed


def test_an_argument_that_a_worker_changed(make_exercise) -> None:
    changes = RING.replace("return np.concatenate(chunks)", "array[:] = 0; return np.concatenate(chunks)")
    result = check_source(changes.encode(), make_exercise(CHECK.replace("(2, 3, 1)", "(2, 3)"), "ring_worker"))
    assert not result.passed
    assert "changed its argument `array`" in result.cases[0].reason


def test_what_each_worker_prints_is_kept_apart(make_exercise) -> None:
    source = RING.replace("    if n == 1", "    print('rank', rank, end='')\n    if n == 1")
    result = check_source(source.encode(), make_exercise(CHECK, "ring_worker"))
    assert result.passed
    lines = ["worker 0: rank 0rank 0rank 0", "worker 1: rank 1rank 1", "worker 2: rank 2"]
    assert result.output.splitlines() == lines


BROKEN = {
    "no world size": ("{'array': [1]}", "has None workers"),
    "too many": ("{'world_size': 17, 'array': [1] * 17}", "has 17 workers; 1 to 16 can be started"),
    "one for all": ("{'world_size': 2, 'array': 5}", "array of a case does not have an entry for each of 2 workers"),
}


@pytest.mark.parametrize(("arguments", "said"), list(BROKEN.values()), ids=list(BROKEN))
def test_cases_that_cannot_be_run_are_no_verdict(make_exercise, arguments: str, said: str) -> None:
    check = f"def cases(seed): yield 'a case', {arguments}, None\ndef expected(arguments): return [0] * 17\n"
    with pytest.raises(CouldNotCheck, match=said):
        check_source(RING.encode(), make_exercise(check, "ring_worker"))


@pytest.mark.parametrize("name", ["bill", "explain_bill"])
def test_a_bill_that_breaks_is_no_verdict(make_exercise, name: str) -> None:
    check = CHECK + f"\ndef {name}(*arguments): raise KeyError('x')\n"
    with pytest.raises(CouldNotCheck, match="check of ring_worker failed while"):
        check_source(WASTEFUL.encode(), make_exercise(check, "ring_worker"))
