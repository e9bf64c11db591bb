from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from tutor.checker import CouldNotCheck, Limits, check_source, isolation, process
from tutor.checker.verdict import ERROR_KINDS

RIGHT = b"def double(array):\n    return 2 * array\n"


@pytest.mark.parametrize("ends", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_right_file_passes_whatever_its_line_ends(make_exercise, ends: bytes, mark: bytes) -> None:
    result = check_source(mark + RIGHT.replace(b"\n", ends), make_exercise())
    assert result.passed
    assert result.error is None
    assert [case.name for case in result.cases] == ["length 3", "length 1", "length 8"]
    assert result.to_json()["cases"][0] == {"name": "length 3", "passed": True, "reason": "", "first_difference": None}


@pytest.mark.parametrize(
    "source",
    [
        "double = lambda array: 2 * array",
        "def double(anything): return 2 * anything",
        "def double(array, factor=2): return factor * array",
        "def double(*arrays): return 2 * arrays[0]",
        "import functools\ndouble = functools.partial(lambda two, array: two * array, 2)",
        "class Doubler:\n    def __call__(self, array): return 2 * array\ndouble = Doubler()",
        "from dataclasses import dataclass\n@dataclass\nclass Pair: x: int\ndef double(array): return 2 * array",
        "import random, math, json, collections, itertools, typing, fractions, statistics, enum, hashlib\n"
        "def double(array): return 2 * array",
        "import numpy as np\ndef double(array):\n    np.random.default_rng(1).random(3); np.linalg.inv(np.eye(2))\n"
        "    return 2 * array",
        "from concurrent.futures import ThreadPoolExecutor\ndef double(array):\n"
        "    with ThreadPoolExecutor(2) as pool: return list(pool.map(lambda x: 2 * x, [array]))[0]",
        "import sys\nassert sys.stdin.read() == ''\ndef double(array): return 2 * array",
        "if __name__ == '__main__': raise SystemExit\ndef double(array): return 2 * array",
    ],
)
def test_many_forms_of_a_right_file(make_exercise, source: str) -> None:
    result = check_source(source.encode(), make_exercise())
    assert result.passed, result


def test_inputs_are_fresh_each_time_and_the_same_for_a_seed(make_exercise) -> None:
    exercise = make_exercise()
    source = b"def double(array):\n    print(array)\n    return 2 * array\n"
    assert check_source(source, exercise).output != check_source(source, exercise).output
    assert check_source(source, exercise, seed=5).output == check_source(source, exercise, seed=5).output


def test_the_simplest_failing_case_comes_first(make_exercise) -> None:
    result = check_source(b"def double(array):\n    return 2 * array if len(array) == 3 else array\n", make_exercise())
    assert [(case.name, case.passed) for case in result.cases] == [
        ("length 1", False),
        ("length 8", False),
        ("length 3", True),
    ]
    difference = result.cases[0].first_difference
    assert difference is not None
    assert (difference.index, difference.expected) == (0, 2 * difference.got)
    assert result.error is None


def test_the_error_belongs_to_the_first_case_that_fails(make_exercise) -> None:
    late = b"def double(array):\n    return array if len(array) == 3 else [][0]\n"
    result = check_source(late, make_exercise())
    assert result.error is None
    assert result.cases[1].reason == "IndexError: list index out of range (line 2)"
    early = b"def double(array):\n    return array if len(array) != 3 else [][0]\n"
    result = check_source(early, make_exercise())
    assert result.error is not None
    assert (result.error.kind, result.error.line) == ("exception", 2)
    assert result.error.message == "IndexError: list index out of range"


def test_a_late_loop_is_told_with_its_case(make_exercise) -> None:
    source = b"def double(array):\n    while len(array) == 8: pass\n    return 2 * array\n"
    result = check_source(source, make_exercise(), limits=Limits(cpu=1, wall=3.0))
    assert result.error is not None
    assert result.error.kind == "timeout"
    assert [(case.name, case.passed) for case in result.cases] == [
        ("length 8", False),
        ("length 3", True),
        ("length 1", True),
    ]


def test_an_argument_that_the_function_changed(make_exercise) -> None:
    source = b"def double(array):\n    array *= 2\n    return array\n"
    result = check_source(source, make_exercise())
    assert not result.passed
    assert "changed its argument `array`" in result.cases[0].reason
    in_place = "arguments_may_change = True\n" + (make_exercise().folder / "check.py").read_text()
    assert check_source(source, make_exercise(in_place)).passed


CHECK_MODULES = {
    "syntax": "def cases(",
    "no cases": "def cases(seed): return []\ndef expected(arguments): return 1",
    "no expected": "def cases(seed): yield 'a', {'x': 1}, None",
    "cases raise": "def cases(seed): raise KeyError('x')\ndef expected(arguments): return 1",
    "cases exit": "def cases(seed): raise SystemExit\ndef expected(arguments): return 1",
    "no case in form": "def cases(seed): yield 'a'\ndef expected(arguments): return 1",
    "two alike": "def cases(seed): yield from [('a', {'x': 1}, None)] * 2\ndef expected(arguments): return 1",
    "expected raises": "def cases(seed): yield 'a', {'x': 1}, None\ndef expected(arguments): return [][0]",
    "unknown limit": "def cases(seed): yield 'a', {'x': 1}, {'speed': 1}\ndef expected(arguments): return 1",
    "explain raises": (
        "def cases(seed): yield 'a', {'x': 1}, None\ndef expected(arguments): return 1\n"
        "def explain(arguments, expected, got, difference): raise KeyError(got)"
    ),
    "explain in another form": (
        "def cases(seed): yield 'a', {'x': 1}, None\ndef expected(arguments): return 1\n"
        "def explain(arguments, expected, got, difference): return {'says': 'no'}"
    ),
    "unknown kind": (
        "def cases(seed): yield 'a', {'x': 1}, None\ndef expected(arguments): return 1\n"
        "def explain(arguments, expected, got, difference): return {'kind': 'silly'}"
    ),
    "compare raises": (
        "def cases(seed): yield 'a', {'x': 1}, None\ndef expected(arguments): return 1\n"
        "def compare(arguments, expected, got): assert False"
    ),
    "compare gives no reason": (
        "def cases(seed): yield 'a', {'x': 1}, None\ndef expected(arguments): return 1\n"
        "def compare(arguments, expected, got): return {'first_difference': None}"
    ),
}


@pytest.mark.parametrize("check", list(CHECK_MODULES.values()), ids=list(CHECK_MODULES))
@pytest.mark.parametrize("source", [b"def double(x): return 2", b"def double(x): return 3"])
def test_a_check_that_breaks_is_no_verdict(make_exercise, check: str, source: bytes) -> None:
    with pytest.raises(CouldNotCheck) as caught:
        check_source(source, make_exercise(check))
    assert "check of double" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_check_is_no_verdict(make_exercise) -> None:
    exercise = make_exercise()
    (exercise.folder / "check.py").unlink()
    with pytest.raises(CouldNotCheck):
        check_source(RIGHT, exercise)


def test_explain_says_more_and_decides_nothing(make_exercise) -> None:
    check = (make_exercise().folder / "check.py").read_text() + (
        "\ndef explain(arguments, expected, got, difference):\n"
        "    if (got == arguments['array']).all():\n"
        "        difference = {'worker': 0, 'expected': expected[0], 'got': got[0]}\n"
        "        return {'reason': 'not doubled', 'first_difference': difference, 'picture': {'topic': 'x'}}\n"
        "    return None\n"
    )
    result = check_source(b"def double(array): return array.copy()", make_exercise(check))
    assert result.cases[0].reason == "not doubled"
    assert result.cases[0].picture == {"topic": "x"}
    assert result.to_json()["cases"][0]["first_difference"]["worker"] == 0
    assert (
        check_source(b"def double(array): return 3 * array", make_exercise(check))
        .cases[0]
        .reason.startswith("result[0]")
    )
    assert check_source(RIGHT, make_exercise(check)).passed


def test_compare_decides_where_several_results_are_right(make_exercise) -> None:
    check = (make_exercise().folder / "check.py").read_text() + (
        "\ndef compare(arguments, expected, got):\n"
        "    return None if sorted(got) == sorted(expected) else {'reason': 'other values', 'kind': 'wrong_shape'}\n"
    )
    assert check_source(b"def double(array): return 2 * array[::-1]", make_exercise(check)).passed
    wrong = check_source(b"def double(array): return array", make_exercise(check))
    assert wrong.error is not None
    assert (wrong.error.kind, wrong.error.message) == ("wrong_shape", "other values")


def test_a_case_may_ask_for_more(make_exercise) -> None:
    check = "def cases(seed): yield 'a', {'x': 1}, {'wall': 60.0}\ndef expected(arguments): return 2"
    source = b"import time\ndef double(x):\n    time.sleep(0.4)\n    return 2\n"
    assert check_source(source, make_exercise(check), limits=Limits(wall=0.1)).passed
    assert not check_source(
        source, make_exercise(check.replace("{'wall': 60.0}", "None")), limits=Limits(wall=0.1)
    ).passed


def test_a_check_can_be_stopped(make_exercise) -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    with pytest.raises(process.Stopped):
        check_source(b"import time\ntime.sleep(60)\n", make_exercise(), stop=stop)


def test_a_process_that_does_not_start_is_no_verdict(make_exercise, monkeypatch) -> None:
    around = isolation.surroundings()
    broken = isolation.Surroundings(
        [sys.executable, "-c", "raise ImportError('no numpy')"], around.environment, around.token
    )
    monkeypatch.setattr(isolation, "surroundings", lambda **given: broken)
    with pytest.raises(CouldNotCheck, match="did not start: ImportError: no numpy"):
        check_source(RIGHT, make_exercise())


def test_several_checks_at_once(make_exercise) -> None:
    exercise = make_exercise()
    results = []

    def run(factor: int) -> None:
        results.append((factor, check_source(f"def double(array): return {factor} * array".encode(), exercise).passed))

    threads = [threading.Thread(target=run, args=(factor,)) for factor in (1, 2, 3, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [(1, False), (2, True), (2, True), (3, False)]


def test_when_the_tutor_is_killed_its_check_ends_too(tmp_path, make_exercise) -> None:
    exercise = make_exercise()
    program = tmp_path / "tutor_to_kill.py"
    program.write_text(
        "from pathlib import Path\nfrom tutor.checker import check_source\n"
        "from tutor.course.model import Exercise, Place\n"
        f"folder = Path({str(exercise.folder)!r})\n"
        "exercise = Exercise('double', '', folder, '', (), '', Place(folder, 1))\n"
        "check_source(b'import time\\nprint(1)\\ntime.sleep(60)', exercise)\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(isolation.__file__).rsplit("/tutor/", 1)[0]}
    tutor = subprocess.Popen([sys.executable, str(program)], env=environment)
    children = Path(f"/proc/{tutor.pid}/task/{tutor.pid}/children")
    child = Path("/proc") / _wait_for(lambda: children.read_text().split())[0]
    time.sleep(0.5)  # by now it sleeps in the learner's file
    assert child.exists()
    tutor.send_signal(signal.SIGKILL)
    tutor.wait()
    _wait_for(lambda: not child.exists() or " Z " in (child / "stat").read_text())


def _wait_for(condition):
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            if found := condition():
                return found
        except OSError:
            pass
        time.sleep(0.02)
    raise AssertionError("it did not come")


def test_what_stands_here_is_said() -> None:
    assert "Landlock and seccomp" in isolation.describe(isolation.Walls(7, True))
    for partial in (isolation.Walls(0, False), isolation.Walls(0, True), isolation.Walls(7, False)):
        assert "not a security boundary" in isolation.describe(partial)
    assert isolation.describe() == isolation.describe(isolation.walls())


def test_error_kinds_are_the_documented_ones() -> None:
    from tutor.checker import failures

    raised = {"kind": "raised", "case": 0, "type": "X", "families": ["X"], "text": "", "line": "1", "clock": None}
    assert failures.raised(raised, Limits()).kind in ERROR_KINDS
    assert failures.raised(raised, Limits()).line is None
    assert failures.raised({"kind": "raised"}, Limits()).message == "Exception, while your file was loaded."
    assert failures.refused({"defined": [1, "\x1b"], "why": "missing"}, "f", []).message.endswith("it defines: ␛.")


def test_numpy_is_not_loaded_before_a_check() -> None:
    program = "import sys, tutor.checker; raise SystemExit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
    assert np is sys.modules["numpy"]


HELD = """
import numpy as np

def cases(seed):
    yield "small", {"array": np.arange(2)}, None
    yield "large", {"array": np.arange(5)}, None

def expected(arguments):
    return 2 * arguments["array"]

def held(arguments, expected, got):
    return {"what": "numbers", "yours": [len(got)], "engine": [len(expected)]} if len(got) < 9 else None
"""


def test_what_is_held_is_that_of_the_first_case_in_which_it_is_too_much(make_exercise) -> None:
    right = check_source(b"def double(array): return 2 * array", make_exercise(HELD))
    assert right.held == {"case": "large", "what": "numbers", "yours": [5.0], "engine": [5.0]}
    longer = b"import numpy as np\ndef double(array): return np.arange(4)"
    assert check_source(longer, make_exercise(HELD)).held == {
        "case": "small",
        "what": "numbers",
        "yours": [4.0],
        "engine": [2.0],
    }
    unsaid = b"import numpy as np\ndef double(array): return np.arange(9)"
    result = check_source(unsaid, make_exercise(HELD))
    assert result.held is None
    assert "held" not in result.to_json()


def test_a_check_whose_count_of_what_is_held_fails_judges_nobody(make_exercise) -> None:
    with pytest.raises(CouldNotCheck, match="counting what small holds"):
        check_source(b"def double(array): return 2 * array", make_exercise(HELD.replace("len(expected)", "'x'")))
