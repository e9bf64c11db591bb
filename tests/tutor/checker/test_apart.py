"""The check.py of somebody's course: it judges as one of the tutor's own does, and can hurt nobody."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path
from typing import Any

import pytest

import lessons
from tutor.checker import CouldNotCheck, apart, check_file, check_source
from tutor.course.model import Exercise, Place

RIGHT = b"def double(array): return 2 * array"
COURSE = Path(lessons.__file__).parent
ENGINE = """
from simlib.collectives import ring_all_reduce
from simlib.workers import run

def cases(seed):
    yield "one", {"array": [[seed, 2], [3, 4]]}, {"cpu": 5}

def expected(arguments):
    return [row.tolist() for row in ring_all_reduce(arguments["array"]).result]

def explain(arguments, expected, got, difference):
    return {"reason": f"It is {expected[0][0]}.", "path": (1, 1)}

def called(path):
    return f"worker {path[0]}"
"""


@pytest.mark.parametrize("name", ["zero/exercises/zero_bytes", "ring/exercises/ring_all_reduce_worker"])
def test_the_verdict_is_the_same(name: str) -> None:
    folder = COURSE / name
    exercise = Exercise(folder.name, folder.name, folder, "", (), "", Place(folder / "check.py", 1))
    files = [folder / "solution.py", folder / "task.py", *sorted((folder / "mutants").glob("*.py"))[:3]]
    for file in files:
        assert check_file(file, exercise, seed=4, trusted=False) == check_file(file, exercise, seed=4), file.name


def test_it_may_use_the_engine(make_exercise: Any) -> None:
    exercise = make_exercise(ENGINE)
    right = check_source(
        b"def double(array): return [[5 + 3 - 5 + array[0][0] - 0, 6]] * 2", exercise, 5, trusted=False
    )
    assert right.passed, right
    wrong = check_source(b"def double(array): return [[8, 6], [8, 7]]", exercise, 5, trusted=False).cases[0]
    assert wrong.reason == "It is 8."
    assert wrong.picture is not None
    assert wrong.picture["cell"]["part"] == "worker 1"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("open('/etc/passwd')", "Forbidden: reads the file /etc/passwd"),
        ("import socket; socket.create_connection(('127.0.0.1', 9))", "Forbidden: opens a network connection"),
        ("import os; os.system('true')", "Forbidden: starts or signals a process"),
        ("import tutor.study", ""),
        ("raise ValueError('no')", "ValueError: no"),
        ("import sys; sys.exit(0)", "SystemExit: 0"),
        ("import ctypes; ctypes.string_at(0)", "its process has ended"),
    ],
)
def test_what_it_must_not_do_is_told_with_its_line(line: str, said: str, make_exercise: Any) -> None:
    exercise = make_exercise(f"def cases(seed):\n    {line}\n\ndef expected(arguments):\n    return 1\n")
    with pytest.raises(CouldNotCheck) as caught:
        check_source(RIGHT, exercise, trusted=False)
    assert str(caught.value).startswith(f"the check of double failed while making cases: {said}")
    if "ended" not in said:
        assert "double/check.py, line 2)" in str(caught.value)


def test_walls_stand_beneath_python(make_exercise: Any, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    canary.write_text("alive")
    check = f"""
    import ctypes, os

    def cases(seed):
        libc = ctypes.CDLL(None)
        opened = libc.open({str(canary)!r}.encode(), 0), libc.open({str(canary)!r}.encode() + b"x", 65, 384)
        yield f"{{max(opened)}} {{libc.kill({os.getpid()}, 0)}} {{libc.socket(2, 1, 0)}}", {{"array": [1]}}, None

    def expected(arguments):
        return [2]
    """
    result = check_source(b"def double(array): return 0", make_exercise(textwrap.dedent(check)), trusted=False)
    assert [case.name for case in result.cases] == ["-1 -1 -1"]


def test_one_that_never_ends_is_ended(make_exercise: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "_LIMITS", apart.Limits(wall=0.3))
    monkeypatch.setattr(apart, "_GRACE", 0.2)
    exercise = make_exercise("def cases(seed):\n    while True: pass\n\ndef expected(arguments):\n    return 1\n")
    with pytest.raises(CouldNotCheck, match="TimeLimit: wall"):
        check_source(RIGHT, exercise, trusted=False)
    stubborn = "import time\ndef cases(seed):\n    while True:\n        try: time.sleep(9)\n"
    stubborn += "        except BaseException: pass\n\ndef expected(arguments):\n    return 1\n"
    with pytest.raises(CouldNotCheck, match=r"it took longer than 0\.3 s"):
        check_source(RIGHT, make_exercise(stubborn), trusted=False)


def test_what_is_missing_is_named(make_exercise: Any) -> None:
    for trusted in (True, False):
        with pytest.raises(CouldNotCheck, match="it has no function expected"):
            check_source(RIGHT, make_exercise("def cases(seed):\n    yield 'a', {}, None\n"), trusted=trusted)
