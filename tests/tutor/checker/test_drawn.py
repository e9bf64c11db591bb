"""The numbers around a first difference: which rows, which of them wrong, what they are called."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.checker.compare import Rules, first_difference
from tutor.checker.definition import Definition, Trial
from tutor.checker.drawn import MOST_LINES, at, picture_of
from tutor.checker.inside.frames import Unknown
from tutor.views.explain import explained

EXPECTED = [np.array([1.0, 2.0]), np.array([3.0, 4.0])]


def test_every_row_comes_with_the_learner_s_and_with_what_differs() -> None:
    got = [np.array([1.0, 2.0]), np.array([3.0, 5.0])]
    picture = picture_of(EXPECTED, got, (1, 1), Rules(), lambda path: f"worker {path[0]}")
    assert picture is not None
    assert picture["cell"] == {"part": "worker 1", "row": 0, "column": 1}
    assert picture["yours"] == 5.0
    assert [row["wrong"] for row in picture["parameters"]["rows"]] == [[False, False], [False, True]]
    assert (picture["parameters"]["wrong"], picture["parameters"]["numbers"]) == (1, 4)


def test_what_differs_goes_by_the_tolerance_of_the_comparison() -> None:
    got = [EXPECTED[0] * (1 + 1e-6), EXPECTED[1] + 1]
    strict, loose = (picture_of(EXPECTED, got, (1, 0), Rules(tolerance)) for tolerance in (None, 1e-3))
    assert strict is not None
    assert loose is not None
    assert [picture["parameters"]["wrong"] for picture in (strict, loose)] == [4, 2]


def test_names_that_do_not_tell_arrays_apart_are_not_used() -> None:
    picture = picture_of(EXPECTED, EXPECTED[::-1], (0, 0), Rules(), lambda path: "the same")
    assert picture is not None
    assert [row["part"] for row in picture["parameters"]["rows"]] == ["result[0]", "result[1]"]


def test_lists_of_other_lengths_have_nothing_in_some_places() -> None:
    picture = picture_of([[4], [3, 2]], [[4], [3], [2]], (1, 1), Rules())
    assert picture is not None
    assert picture["yours"] is None
    rows = picture["parameters"]["rows"]
    assert [(row["expected"], row["yours"], row["wrong"]) for row in rows] == [
        ([4], [4], [False]),
        ([3, 2], [3], [False, True]),
        ([], [2], [True]),
    ]
    beyond = picture_of([[4]], [[4], [3]], (1, 0), Rules())
    assert beyond is not None
    assert explained(beyond).picture.cells()[(("column", 0), ("part", "result[1]"), ("row", 0))] is None


def test_rows_of_arrays_are_numbered_and_lists_are_left_out_beside_them() -> None:
    expected = (np.arange(8).reshape(2, 2, 2), [7, 8])
    got = (expected[0].copy(), [7, 9])
    got[0][1, 0, 1] = -1
    of_array = picture_of(expected, got, (0, 1, 0, 1), Rules())
    of_list = picture_of(expected, got, (1, 1), Rules())
    assert of_array is not None
    assert of_list is not None
    assert [row["label"] for row in of_array["parameters"]["rows"]] == ["0, 0", "0, 1", "1, 0", "1, 1"]
    assert of_array["cell"] == {"part": "result[0]", "row": 2, "column": 1}
    assert [row["expected"] for row in of_list["parameters"]["rows"]] == [[7, 8]]
    assert (of_list["parameters"]["wrong"], of_list["parameters"]["numbers"]) == (2, 10)


def test_only_as_many_rows_as_are_read_with_ease() -> None:
    expected = [np.arange(3) + 10 * worker for worker in range(40)]
    got = [array.copy() for array in expected]
    got[0][2] = got[20][1] = got[39][0] = -1
    picture = picture_of(expected, got, (20, 1), Rules())
    assert picture is not None
    parameters = picture["parameters"]
    lines = sum(1 + any(row["wrong"]) for row in parameters["rows"])
    assert lines == MOST_LINES
    assert any(row["part"] == "result[20]" for row in parameters["rows"])
    assert parameters["above"][0] + len(parameters["rows"]) + parameters["below"][0] == 40
    assert (parameters["above"][1], parameters["below"][1]) == (1, 1)


@pytest.mark.parametrize(
    ("expected", "got", "path"),
    [
        (5, 6, ()),
        ((1, 2.0), (1, 2.5), (1,)),
        ({"a": 1, "b": [1, 2]}, {"a": 1, "b": [1, 3]}, ("b", 1)),
        (["0F0", "0B0"], ["0F0", "0W0"], (1,)),
        ([1.0], [float("nan")], (0,)),
        ([1, 2], [1, Unknown("a set")], (1,)),
        (np.float32(1), np.float32(2), ()),
        ([2**900], [2**901], (0,)),
        (np.zeros(2, complex), np.ones(2, complex), (0,)),
        (np.zeros(2), np.zeros(3), (1,)),
    ],
)
def test_results_of_many_forms_are_drawn(expected: object, got: object, path: tuple[int | str, ...]) -> None:
    picture = picture_of(expected, got, path, Rules())
    assert picture is not None
    json.dumps(picture, allow_nan=False)
    drawn = explained(picture)
    assert len(drawn.picture.cells()) >= 1
    assert drawn.picture.words()


def test_where_nothing_stands_there_is_no_picture() -> None:
    assert picture_of(EXPECTED, EXPECTED, (2, 0), Rules()) is None
    assert picture_of(EXPECTED, EXPECTED, (1, 2), Rules()) is None
    assert picture_of(EXPECTED, EXPECTED, (1,), Rules()) is None
    assert at(EXPECTED, (2, 0)) is None


leaf = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.just(np.arange(3.0))
value = st.recursive(leaf, lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner), max_leaves=6)


@settings(max_examples=200, deadline=None)
@given(expected=value, got=value)
def test_whatever_differs_is_drawn_or_left_to_the_words(expected: object, got: object) -> None:
    found = first_difference(expected, got)
    if found is None:
        return
    picture = picture_of(expected, got, found.path, Rules())
    if picture is not None:
        json.dumps(picture, allow_nan=False)
        drawn = explained(picture).picture
        assert drawn.size(80).rows
        assert drawn.words()


CHECK = """
import numpy as np
def cases(seed): yield "two workers", {}, None
def expected(arguments): return [np.array([1, 2]), np.array([3, 4])]
"""


def test_an_explanation_says_by_a_path_which_number_it_is_about(make_exercise) -> None:
    explain = "def explain(arguments, expected, got, difference): return {'reason': 'Look here', 'path': (1, 0)}\n"
    called = "def called(path): return f'worker {path[0]}'\n"
    definition = Definition(make_exercise(CHECK + explain + called))
    trial = Trial("two workers", {}, None)
    got = [np.array([1, 9]), np.array([8, 4])]
    case = definition.judge(trial, definition.expected(trial), got, []).case
    assert case.first_difference is not None
    assert (case.first_difference.expected, case.first_difference.got) == (3, 8)
    assert case.first_difference.index == [1, 0]
    assert case.picture is not None
    assert case.picture["cell"] == {"part": "worker 1", "row": 0, "column": 0}


def test_without_an_explanation_the_comparison_s_number_is_drawn(make_exercise) -> None:
    definition = Definition(make_exercise(CHECK))
    trial = Trial("two workers", {}, None)
    case = definition.judge(trial, definition.expected(trial), [np.array([1, 9]), np.array([3, 4])], []).case
    assert case.picture is not None
    assert case.picture["cell"] == {"part": "result[0]", "row": 0, "column": 1}


def test_an_explanation_about_another_number_draws_nothing_wrong(make_exercise) -> None:
    explain = "def explain(*given): return {'reason': 'x', 'first_difference': {'expected': 77, 'got': 1}}\n"
    silent = "def explain(*given): return {'reason': 'x', 'first_difference': None}\n"
    for words in (explain, silent):
        definition = Definition(make_exercise(CHECK + words))
        trial = Trial("two workers", {}, None)
        case = definition.judge(trial, definition.expected(trial), [np.array([1, 9]), np.array([3, 4])], []).case
        assert case.picture is None
