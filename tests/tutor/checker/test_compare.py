from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.checker.compare import Rules, describe, first_difference, shown
from tutor.checker.inside.frames import Unknown

leaves = st.integers() | st.floats(allow_nan=False) | st.text() | st.booleans() | st.none()
values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=3))


@given(values)
def test_a_value_is_itself(value: object) -> None:
    assert first_difference(value, value) is None


@pytest.mark.parametrize(
    ("expected", "got", "kind", "path"),
    [
        (1, True, "wrong_type", ()),
        (1, np.True_, "wrong_type", ()),
        (True, 1, "wrong_type", ()),
        (1, 1.0, "wrong_type", ()),
        (1, "1", "wrong_type", ()),
        (1.0, 1 + 0j, "wrong_type", ()),
        (1, 2, "value", ()),
        (1.0, float("nan"), "value", ()),
        (1.0, 10**400, "value", ()),
        (1e300, np.float32(3e38), "value", ()),
        (np.float32(3e38), np.float32(-3e38), "value", ()),
        (2**63, 2**63 + 1, "value", ()),
        (float("inf"), 5.0, "value", ()),
        (float("inf"), float("-inf"), "value", ()),
        (np.array([np.inf, 1.0]), np.array([5.0, 1.0]), "value", (0,)),
        (np.array([np.inf, 1.0]), np.array([np.inf, 2.0]), "value", (1,)),
        (1.0, 1.0 + 1e-6, "value", ()),
        ("0F0", "0F1", "value", ()),
        ("0F0", None, "wrong_type", ()),
        (None, 0, "wrong_type", ()),
        ([1, 2], [1, 3], "value", (1,)),
        ([1, 2], [1], "wrong_shape", ()),
        ([1], [1, 2], "wrong_shape", ()),
        ([1], 1, "wrong_type", ()),
        ([1], {0: 1}, "wrong_type", ()),
        ([1], Unknown("a set"), "wrong_type", ()),
        ([[1], [2]], [[1], [Unknown("a set")]], "wrong_type", (1, 0)),
        ({"a": 1}, {}, "wrong_shape", ("a",)),
        ({"a": 1}, {"a": 1, "b": 2}, "wrong_shape", ()),
        ({"a": [1]}, {"a": [2]}, "value", ("a", 0)),
        (np.arange(3), [0, 1, 2], "wrong_type", ()),
        (np.arange(3), np.arange(3.0), "wrong_type", ()),
        (np.arange(2), np.array([False, True]), "wrong_type", ()),
        (np.arange(3), np.arange(4), "wrong_shape", ()),
        (np.arange(3), np.arange(3)[:, None], "wrong_shape", ()),
        (np.arange(3), np.array([0, 1, 5]), "value", (2,)),
        (np.arange(4.0).reshape(2, 2), np.array([[0, 1], [np.nan, 3]]), "value", (1, 0)),
        (np.array([np.nan]), np.array([np.nan]), "value", (0,)),
    ],
)
def test_the_first_difference(expected: object, got: object, kind: str, path: tuple[object, ...]) -> None:
    difference = first_difference(expected, got)
    assert difference is not None
    assert (difference.kind, difference.path) == (kind, path)


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (1, np.int32(1)),
        (1.0, 1),
        (2.0, np.float32(2)),
        ([1, 2], (1, 2)),
        ([1, 2], np.array([1, 2])),
        ([np.arange(2), np.arange(2)], np.array([[0, 1], [0, 1]])),
        (np.arange(3), np.arange(3, dtype=np.int16)),
        (np.arange(3), np.arange(3, dtype=np.uint8)),
        (np.array([1e30, 1.0]), np.array([1e30, 1.5])),  # what is small beside the largest is lost in any sum
        (np.float32([0.1, 0.2]), np.float64([0.1, 0.2])),
        (np.zeros(0), np.zeros(0)),
        (np.array([np.inf]), np.array([np.inf])),
    ],
)
def test_what_is_as_good(expected: object, got: object) -> None:
    assert first_difference(expected, got) is None


def test_floats_may_stand_for_whole_numbers_where_the_exercise_says_so() -> None:
    rules = Rules(floats_for_ints=True)
    assert first_difference([4, np.arange(2)], [4.0, np.arange(2.0)], rules) is None
    assert first_difference(4, 4.5, rules) is not None
    assert first_difference(np.arange(2), np.array([False, True]), rules) is not None


def test_a_tolerance_of_the_exercise() -> None:
    assert first_difference(100.0, 101.0, Rules(tolerance=0.02)) is None
    assert first_difference(100.0, 103.0, Rules(tolerance=0.02)) is not None


def test_sentences_name_what_was_returned() -> None:
    assert first_difference([1], None).reason.startswith("The function returned None (is there a `return`?)")
    assert describe(np.zeros((2, 3))) == "a NumPy array (2 x 3) of floats"
    assert describe(True) == "True (bool)"
    assert "\x1b" not in shown("\x1b[31m")
    assert len(shown(list(range(10**6)))) < 100
