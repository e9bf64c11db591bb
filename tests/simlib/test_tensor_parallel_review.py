"""What is said of somebody's split layer: its form, the first number that differs, slips after the partial outputs."""

from __future__ import annotations

import numpy as np
import pytest

from simlib.tensor_parallel.review import (
    Difference,
    Refused,
    SplitLayer,
    after_the_partials,
    called,
    first_difference,
    read,
    said_of,
)

ONE, TWO = np.array([[1.0, 2.0]]), np.array([[3.0, 5.0]])
BIAS = np.array([10.0, 20.0])
SUM = np.array([[14.0, 27.0]])  # of the two and the bias, by hand
LAYER = SplitLayer([ONE, TWO], [SUM, SUM])


def layer(got: object) -> SplitLayer | None:
    return read(
        got,
        2,
        (1, 2),
        miscounted=lambda count: f"{count} are not one.",
        misshapen=lambda at_the_end, shape: "Too wide." if at_the_end and shape[1] > 2 else "",
        idle=", busy or idle",
    )


@pytest.mark.parametrize(
    ("got", "said"),
    [
        ([ONE, TWO], "This is one array for each GPU. Return two lists"),
        (([ONE, TWO], [SUM, SUM]), "The first list holds arrays"),
        (([[ONE, TWO]], SUM), "The outputs are one array. Return a list of 2"),
        (([], [SUM, SUM]), "0 are not one."),
        (([[ONE, TWO], [ONE, TWO]], [SUM, SUM]), "2 are not one."),
        (([[ONE]], [SUM, SUM]), "1 arrays go into the all-reduce. Each of the 2 GPUs puts one in, busy or idle."),
        (([[ONE, TWO.T]], [SUM, SUM]), "GPU 1 puts in an array of 2 x 1; expected 1 x 2."),
        (([[ONE, TWO]], [np.ones((1, 3)), SUM]), "GPU 0 ends with an array of 1 x 3; expected 1 x 2. Too wide."),
    ],
)
def test_a_form_that_is_refused(got: object, said: str) -> None:
    with pytest.raises(Refused) as refused:
        layer(got)
    assert str(refused.value).startswith(said)
    assert not str(refused.value).endswith(" ")


@pytest.mark.parametrize(
    "got",
    [
        None,
        7,
        ([[ONE, TWO]],),
        (7, [SUM, SUM]),
        ([7], [SUM, SUM]),
        ([[1, 2]], [SUM, SUM]),
        ([[ONE, TWO]], 7),
        ([[ONE, np.array([[1, 2]])]], [SUM, SUM]),
        ([[ONE, TWO[0]]], [SUM, SUM]),
    ],
)
def test_what_a_comparison_of_values_says_more_of(got: object) -> None:
    assert layer(got) is None


def test_a_layer_is_read_from_tuples_too() -> None:
    read = layer((((ONE, TWO),), (SUM, SUM)))
    assert read is not None
    assert first_difference(LAYER, read) is None


def test_the_first_difference_is_in_what_is_put_in() -> None:
    found = first_difference(LAYER, SplitLayer([ONE, TWO + np.array([[0, 1]])], [0 * SUM, SUM]))
    assert found == Difference(False, 1, 0, 1, 5.0, 6.0)
    assert found.path == (0, 0, 1, 0, 1)
    assert called(found.path) == "GPU 1 puts in"
    assert found.to_json() == {"worker": 1, "index": [0, 1], "expected": 5.0, "got": 6.0}
    assert said_of(found) == "GPU 1 puts in, row 0, column 1: expected 5, yours 6."
    found = first_difference(LAYER, SplitLayer([ONE, TWO], [SUM, ONE]))
    assert found == Difference(True, 1, 0, 0, 14.0, 1.0)
    assert found.path == (1, 1, 0, 0)
    assert called(found.path) == "GPU 1 ends with"


@pytest.mark.parametrize(
    ("outputs", "said"),
    [
        ([ONE, TWO], "the GPU's own partial output"),
        ([[[11.0, 22.0]], [[13.0, 25.0]]], "the GPU's own partial output"),
        ([[[4.0, 7.0]], [[4.0, 7.0]]], "`bias` is missing"),
        ([[[24.0, 47.0]], [[24.0, 47.0]]], "`bias` is in it twice"),
        ([[[12.0, 23.5]], [[12.0, 23.5]]], "That is the mean"),
        ([[[7.0, 13.5]], [[7.0, 13.5]]], "That is the mean"),
        ([SUM, TWO], "GPU 0 has the sum, and others have not"),
        ([0 * ONE, 0 * ONE], None),
    ],
)
def test_a_slip_after_the_partial_outputs(outputs: list[object], said: str | None) -> None:
    found = after_the_partials([ONE, TWO], BIAS, "bias", [np.array(one) for one in outputs])
    assert found is None if said is None else found is not None and said in found
