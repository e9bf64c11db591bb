"""The learner's own lines on the way to what went wrong, and no others."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.checker import check_source
from tutor.checker.traces import Source
from tutor.checker.verdict import Call, Failure

CHECK = """
import numpy as np

def cases(seed):
    yield "one", {"array": np.arange(3)}, None

def expected(arguments):
    return 2 * arguments["array"]
"""
CHAIN = b"""import numpy as np

def helper(array):
    return np.split(array, 2)

def double(array):
    return [helper(row)
            for row in [array]][0]
"""


def test_the_chain_of_the_learners_own_calls(make_exercise: Any) -> None:
    result = check_source(CHAIN, make_exercise(CHECK))
    case = result.cases[0]
    assert [(call.line, call.function) for call in case.trace if call.function[:1] != "<"] == [
        (7, "double"),
        (4, "helper"),
    ]
    assert str(case.trace[-1]) == "line 4, in helper: return np.split(array, 2)"
    assert result.error is not None
    assert result.error.line == 4
    said = json.dumps(result.to_json())
    assert "trace" not in said
    assert set(result.to_json()["error"]) == {"kind", "message", "line", "worker", "waiting"}


def test_of_a_very_long_chain_both_ends(make_exercise: Any) -> None:
    result = check_source(b"def double(array):\n    return double(array)\n", make_exercise(CHECK))
    trace = result.cases[0].trace
    assert len(trace) == 9
    assert [call.line for call in trace] == [2] * 4 + [None] + [2] * 4
    assert str(trace[4]).startswith("… 9")
    assert str(trace[4]).endswith(" calls more")


@pytest.mark.parametrize(
    ("source", "line", "text"),
    [
        (b"x = 1\ndef double(array)\n    return 1\n", 2, "def double(array)"),
        (b"x = 1\n  \ny = no_such\n", 3, "y = no_such"),
        (b"\xef\xbb\xbfimport torch\r\n", 1, "import torch"),
        (b"def double():\n    return 1\n", 1, "def double():"),
    ],
)
def test_a_file_that_does_not_even_begin_shows_its_line(
    make_exercise: Any, source: bytes, line: int, text: str
) -> None:
    error = check_source(source, make_exercise(CHECK)).error
    assert error is not None
    assert [(call.line, call.source) for call in error.trace] == [(line, text)]


@given(
    st.none()
    | st.integers()
    | st.lists(st.none() | st.lists(st.integers() | st.text(max_size=5) | st.booleans(), max_size=3), max_size=30)
)
def test_what_a_process_says_of_its_calls_is_not_believed(said: Any) -> None:
    failure = Source(b"a\nb\n").traced(Failure("exception", "no", 2), {"trace": said})
    assert len(failure.trace) <= 20
    assert all(isinstance(call, Call) and isinstance(str(call), str) for call in failure.trace)


def test_nothing_of_a_line_reaches_the_terminal_unseen() -> None:
    source = Source(b"x = '\x1b[31m'\n" + b"y" * 1000)
    assert source.line(1) == "x = '\u241b[31m'"
    assert len(source.line(2)) == 200
    assert [source.line(number) for number in (None, 0, 3)] == ["", "", ""]
