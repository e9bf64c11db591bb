"""The process kept ready: used once, replaced, never trusted when something has happened to it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tutor.checker import check_source, process, spare, strays
from tutor.checker.limits import Limits

RIGHT = b"def double(array): return 2 * array"
PID = b"import os\ndef double(array):\n    print(os.getpid())\n    return 2 * array"
PASS_ON = """
def cases(seed):
    yield "two workers", {"world_size": 2, "array": [1, 2]}, None

def expected(arguments):
    return list(arguments["array"])
"""


@pytest.fixture(autouse=True)
def no_spare_afterwards() -> Iterator[None]:
    yield
    spare.end()
    until(spare.idle)


def until(condition: Callable[[], bool]) -> None:
    ends = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.01)


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> list[process.Child]:
    """The processes that are started, in order."""
    children: list[process.Child] = []
    begin = process.Child

    def counted(limits: Limits) -> process.Child:
        children.append(begin(limits))
        return children[-1]

    monkeypatch.setattr(process, "Child", counted)
    return children


def test_none_is_kept_unasked(make_exercise: Any, starts: list[process.Child]) -> None:
    assert check_source(RIGHT, make_exercise()).passed
    assert len(starts) == 1
    assert not spare.ready()


def test_a_check_takes_the_spare_and_another_follows(make_exercise: Any, starts: list[process.Child]) -> None:
    exercise = make_exercise()
    spare.keep()
    until(spare.ready)
    first = check_source(PID, exercise).output.split()[0]
    assert first == str(starts[0]._process.pid)
    until(spare.ready)
    second = check_source(PID, exercise).output.split()[0]
    assert second == str(starts[1]._process.pid) != first


def test_a_wrong_file_is_told_as_by_a_fresh_process(make_exercise: Any) -> None:
    exercise = make_exercise()
    wrong = b"def double(array):\n    raise ValueError('no')"
    cold = check_source(wrong, exercise, seed=1)
    spare.keep()
    until(spare.ready)
    assert check_source(wrong, exercise, seed=1) == cold


def test_a_spare_that_was_killed_is_not_used(make_exercise: Any, starts: list[process.Child]) -> None:
    spare.keep()
    until(spare.ready)
    os.kill(starts[0]._process.pid, signal.SIGKILL)
    until(lambda: not starts[0].alive)
    assert check_source(RIGHT, make_exercise()).passed


def test_other_limits_need_another_process(make_exercise: Any, starts: list[process.Child]) -> None:
    spare.keep()
    until(spare.ready)
    more = Limits(cpu=5)
    assert check_source(RIGHT, make_exercise(), limits=more).passed
    assert [child.limits for child in starts[:2]] == [Limits(), more]
    # The next one is for checks like the last
    until(spare.ready)
    assert starts[2].limits == more


def test_workers_are_forked_from_a_spare(make_exercise: Any) -> None:
    exercise = make_exercise(PASS_ON, "pass_on_worker")
    spare.keep(workers=True)
    for _ in range(2):
        until(lambda: spare.ready(workers=True))
        assert check_source(b"def pass_on_worker(worker, array): return array", exercise).passed
        wrong = check_source(b"def pass_on_worker(worker, array): return 7", exercise)
        assert not wrong.passed
        assert wrong.error is None


def test_it_ends_with_the_tutor_whatever_ends_that(tmp_path: Any) -> None:
    program = (
        "import sys, time\nfrom tutor.checker import isolation, spare\n"
        "isolation.secrets.token_hex = lambda length: sys.argv[1]\n"
        "spare.keep(); spare.keep(workers=True)\n"
        "while not (spare.ready() and spare.ready(workers=True)): time.sleep(0.01)\n"
        "print('ready', flush=True)\ntime.sleep(60)"
    )
    for sign in (signal.SIGKILL, signal.SIGTERM):
        token = f"spare{os.getpid()}{sign}"
        tutor = subprocess.Popen([sys.executable, "-c", program, token], stdout=subprocess.PIPE)
        assert tutor.stdout is not None
        assert tutor.stdout.readline() == b"ready\n"
        assert len(strays.left_behind(token)) == 2
        tutor.send_signal(sign)
        tutor.wait()
        tutor.stdout.close()
        until(lambda token=token: not strays.left_behind(token))
