"""The one form in which figures are named. Expected values are worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.course.expressions import ExpressionError, evaluate, is_literal, quantities_in

VARIABLES: dict[str, float | str] = {"n": 8, "mb": 100, "op": "all_reduce"}


def cell(at: Mapping[str, Any]) -> int | str | None:
    return {(1, 0): 11, (1, 1): "0F1", (0, 0): None}[at["worker"], at["chunk"]]  # type: ignore[return-value]


def value(text: str) -> Any:
    return evaluate(text, VARIABLES, cell).value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ring.steps workers=n", 14),
        ("ring.steps workers=n-1", 12),
        ("ring.steps workers=(n - 1)", 12),
        ("ring.bytes_sent workers=n bytes=mb*1e6", 175e6),
        ("ring.bytes_sent workers=4 bytes=1_000", 1500),
        ("2 * [ring.steps workers=n] + n", 36),
        ("[ring.steps workers=n] / [ring.steps workers=2]", 7),
        ("collective.wire_ratio op=broadcast workers=2", 1),
        ("collective.wire_ratio op=op workers=4", 1.5),
        ("zero.first_stage_that_fits params=7e9 gpus=8 capacity=[hardware.memory_bytes hardware=h100]", 1),
        ("pipeline.peak_activations schedule=1f1b stages=4 micro_batches=8 stage=n-7", 3),
        ("zero.bytes_per_param", 16),
        ("cell worker=1 chunk=0", 11),
        ("cell worker=n-7 chunk=0", 11),
        ("[cell worker=1 chunk=0] + 100", 111),
        ("cell worker=1 chunk=1", "0F1"),
        ("cell worker=0 chunk=0", None),
        ("n", 8),
        ("op", "all_reduce"),
    ],
)
def test_values(text: str, expected: object) -> None:
    assert value(text) == expected


def test_a_quantity_brings_its_unit_and_its_working() -> None:
    result = evaluate("ring.bytes_sent workers=3 bytes=24", {})
    assert (result.value, result.unit) == (32, "B")
    assert "24" in result.worked
    assert result.worked.endswith("= 32 B")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "an empty expression"),
        ("ring.stps workers=2", "ring.stps: quantity is 'ring.stps'; accepted: ring.steps"),
        ("ring.steps worker=2", "ring.steps: worker is 2; accepted: ring.steps takes workers"),
        ("ring.steps workers=m", "'m': no variable is called 'm'; variables are: n, mb, op"),
        ("ring.steps workers=0", "ring.steps: workers is 0; accepted: a whole number, 1 or more"),
        ("ring.steps", "ring.steps: workers is missing"),
        ("ring.steps workers", "'workers' after ring.steps; expected arguments such as workers=4"),
        ("ring.steps workers=2 workers=3", "ring.steps has 'workers' twice"),
        ("steps workers=2", "'steps' is no quantity's name"),
        ("cell worker", "'worker' after a cell; expected arguments"),
        ("m + 1", "'m + 1': no variable is called 'm'"),
        ("op * 2", "'op * 2': op is 'all_reduce', which is no number to reckon with"),
        ("1 + [cell worker=1 chunk=1]", "'1 + [cell worker=1 chunk=1]': [cell worker=1 chunk=1] is '0F1', which"),
        ("2 * [ring.steps workers=n", "'2 * [ring.steps workers=n': a quote or bracket is not closed"),
        ("n / 0", "'n / 0': it divides by zero"),
        ("1 +", "'1 +': it ends where a number should stand"),
        ("x" * 600, "an expression longer than 500 characters"),
        ("[" * 8 + "n" + "]" * 8, "expressions in square brackets more than 5 deep"),
    ],
)
def test_what_it_refuses(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        value(text)
    assert str(caught.value).startswith(message)


def test_a_cell_needs_a_live_picture() -> None:
    with pytest.raises(ExpressionError, match="there is no live picture here"):
        evaluate("cell worker=1", {})


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("14", True),
        ("2 * 7e9", True),
        ("min(2, 3)", True),
        ("n", False),
        ("2 * n", False),
        ("ring.steps workers=8", False),
        ("cell step=1", False),
        ("2 * [ring.steps workers=8]", False),
    ],
)
def test_a_figure_typed_in_is_told_from_one_computed(text: str, literal: bool) -> None:
    assert is_literal(text) is literal


def test_every_quantity_in_an_expression_is_found() -> None:
    text = (
        "2 * [zero.first_stage_that_fits params=1 gpus=1 capacity=[hardware.memory_bytes hardware=h100]] + [cell a=1]"
    )
    assert quantities_in(text) == ["zero.first_stage_that_fits", "hardware.memory_bytes"]


_PIECES = st.sampled_from(
    [
        "ring.steps",
        "workers=",
        "n",
        "[",
        "]",
        "(",
        ")",
        "cell",
        " ",
        "=",
        "'",
        '"',
        "true",
        "*",
        "1",
        ",",
        "|",
        "sizes=[1,2]",
    ]
)


@settings(deadline=None)
@given(st.lists(_PIECES | st.text(max_size=3), max_size=14).map("".join))
def test_any_text_has_a_value_or_is_refused(text: str) -> None:
    for ask in (value, is_literal, quantities_in):
        with suppress(ExpressionError, KeyError):
            ask(text)
