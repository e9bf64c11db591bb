"""Arithmetic that lessons and learners write."""

from __future__ import annotations

import ast
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.course.arithmetic import NotArithmetic, brackets, evaluate, names, parse


def value(text: str, **variables: float) -> float:
    return evaluate(parse(text), variables.__getitem__, lambda inner: float(len(inner)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2*(n-1)/n", 1.75),
        ("4*7+12*7/8", 38.5),
        ("3/11", 3 / 11),
        ("-2**2", -4),
        ("2**-1", 0.5),
        ("2**3**2", 512),
        ("7//2 + 7%4", 6),
        ("(0 - 4 + 1) % 8", 5),
        ("1_000 + 7e9", 7000001000),
        (".5 + 2.", 2.5),
        ("ceil(log2(5)) + min(2, 3) + max(4, 1)", 9),
        ("log(exp(2)) + ln(exp(3))", 5),
        ("round(2.6) + abs(-1) + floor(2.9) + sqrt(9)", 9),
        ("2 * [abc] + 1", 7),
        ("2 ** 999", 2**999),
    ],
)
def test_values(text: str, expected: float) -> None:
    assert value(text, n=8) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it ends where a number should stand"),
        ("7b", "'7b' is no number"),
        ("1 2", "'2' is not expected after '1'"),
        ("(1, 2)", "a comma stands between brackets that hold one number"),
        ("(1", "no )"),
        ("[a", "no ] for '[a'"),
        (
            "foo(2)",
            "no function is called 'foo'; there are ceil, floor, round, abs, sqrt, exp, log, ln, log2, min, max",
        ),
        ("max(1)", "max takes 2 numbers, not 1"),
        ("1/0", "it divides by zero"),
        ("sqrt(-1)", "sqrt of -1 does not exist"),
        ("(-8)**.5", "a root of a negative number does not exist"),
        ("10**10000", "the power grows too large"),
        ("9**9**9**9", "the power grows too large"),
        ("1e308*10", "the number grows too large"),
        ("1e999", "the number grows too large"),
        ("(" * 60 + "1" + ")" * 60, "nested more than 30 deep"),
        ("2**" * 60 + "1", "nested more than 30 deep"),
        ("-" * 150 + "1", "nested more than 30 deep"),
        ("1+" * 150 + "1", "more than 200 numbers and signs"),
        ("1" * 501, "longer than 500 characters"),
        ("9" * 61, "9999999999… has more digits than any figure here needs"),
        ("²", "'²' is no number, sign or name"),
        ("__import__('os')", "\"'os')\" is no number, sign or name"),
    ],
)
def test_what_it_refuses(text: str, message: str) -> None:
    with pytest.raises(NotArithmetic) as caught:
        value(text)
    assert str(caught.value) == message


def test_names_and_brackets_are_found_in_reading_order() -> None:
    node = parse("2 * [ring.steps workers=n] + max(m, [cell step=1]) - m")
    assert names(node) == {"m"}
    assert brackets(node) == ["ring.steps workers=n", "cell step=1"]


_NUMBERS = st.integers(0, 99).map(str) | st.floats(0.01, 99).map(lambda number: f"{number:.2f}")
_SUMS = st.recursive(
    _NUMBERS,
    lambda inner: (
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(" ".join)
        | inner.map(lambda text: f"({text})")
        | inner.map(lambda text: f"-{text}")
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(_SUMS)
def test_it_reckons_as_python_does(text: str) -> None:
    try:
        expected = eval(compile(ast.parse(text, mode="eval"), "", "eval"), {})
    except ZeroDivisionError:
        with pytest.raises(NotArithmetic):
            value(text)
        return
    assert value(text) == expected


@settings(deadline=None)
@given(st.text(max_size=80) | st.text("0123456789.eE_+-*/%()[], nmaxceil", max_size=80))
def test_any_text_is_a_finite_number_or_refused(text: str) -> None:
    try:
        result = value(text, n=2, m=3)
    except (NotArithmetic, KeyError):
        return
    assert math.isfinite(result)
