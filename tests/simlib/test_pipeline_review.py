"""What is said of somebody's orders: their form, the first difference, and what they would do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlib.pipeline import schedule
from simlib.pipeline.review import consequences, first_difference, refusal, said_of


def orders(name: str, stages: int, micro_batches: int, chunks: int = 1) -> list[list[str]]:
    return [[str(step) for step in row] for row in schedule(name, stages, micro_batches, chunks).orders]


@pytest.mark.parametrize(
    ("got", "kind", "said"),
    [
        (["0F0", "0B0"], "wrong_shape", "This is one list of operations"),
        ({"0F0"}, "wrong_type", "Return a list with one list of operations for each stage"),
        (None, "wrong_type", "not None"),
        ([["0F0"], [(1, "F", 0)]], "wrong_type", "Stage 1's list holds (1, 'F', 0)"),
        ([["0F0"], ["1f0"]], None, "capital letter"),
        ([["0F0"], [""]], None, "Leave idle times out"),
        ([["0F0"], ["1B-1"]], None, "counted from 0 up"),
        ([["0F0"], ["one"]], None, "Write stage, then F or B"),
        ([["0F0"]], "wrong_shape", "There are 1 list, and 2 stages"),
        ([["0F0"], ["1F0"], ["2F0"]], "wrong_shape", "Yours has one for each micro-batch"),
    ],
)
def test_what_is_no_list_of_rows(got: object, kind: str | None, said: str) -> None:
    found = refusal(got, 2, 3)
    assert found is not None
    assert found[0] == kind
    assert said in found[1]


def test_what_can_be_read_is_not_refused() -> None:
    assert refusal(orders("1f1b", 2, 3), 2, 3) is None


def test_a_difference_is_told_where_it_is() -> None:
    right, short = [["0F0", "0B0"], ["1F0", "1B0"]], [["0F0", "0B0"], ["1F0"]]
    found = first_difference(right, short)
    assert found == (1, 1, "1B0", None)
    assert said_of(found, right) == "Stage 1: its list ends after 1 operation; 1B0 is expected next."
    found = first_difference(short, right)
    assert found is not None
    assert said_of(found, short, "rank") == "Rank 1: its 1 operation is right, and then 1B0 follows."
    assert first_difference(right, right) is None


@pytest.mark.parametrize(
    ("name", "noun", "got", "said"),
    [
        # GPipe in 1F1B's place holds all four on stage 0, where three are enough
        ("1f1b", "stage", orders("gpipe", 3, 4), ["With 0F3, its operation 4, stage 0 holds the activations of 4"]),
        # One at a time: four times 9 for three stages, not (4 + 2) x 3
        (
            "1f1b",
            "stage",
            [[f"{stage}{kind}{at}" for at in range(4) for kind in "FB"] for stage in range(3)],
            ["It would run, and be done at time 36, not 18"],
        ),
        ("1f1b", "rank", [["0F0", "0B0", "0F1", "0B1", "0F2", "0B2", "0F3"]], ["Rank 0 never runs 0B3."]),
        ("1f1b", "stage", [["0F0", "0F0", "0B0"]], ["Stage 0 runs 0F0 twice."]),
        ("1f1b", "stage", [["0B0", "0F0"]], ["never runs 0F1", "0B0 on stage 0 can never start"]),
        ("1f1b", "stage", [["0F4"]], ["There is no 0F4: stages are 0 to 0, micro-batches 0 to 3."]),
        ("gpipe", "stage", orders("gpipe", 3, 4), []),
    ],
)
def test_what_orders_would_do(name: str, noun: str, got: list[list[str]], said: list[str]) -> None:
    found = consequences(orders(name, len(got), 4), got, noun)
    assert len(found) >= len(said)
    assert all(words in sentence for words, sentence in zip(said, found, strict=False))
    assert bool(found) == bool(said)


def test_chunks_are_counted_and_timed_as_chunks() -> None:
    right = orders("interleaved", 2, 4, 2)
    [said] = consequences(right, orders("looped-bfs", 2, 4, 2), "rank", 2)
    # Rank 0 warms up with 4 and holds 5 at most; looped breadth-first runs eight passes before the first comes back
    assert "rank 0 holds the activations of 6 micro-batches' chunks (later 8)" in said
    assert "need never hold more than 5" in said


@given(st.sampled_from(["gpipe", "1f1b"]), st.integers(1, 5), st.integers(1, 6), st.randoms())
def test_any_shuffled_order_gets_an_answer(name: str, stages: int, micro_batches: int, random) -> None:  # type: ignore[no-untyped-def]
    right = orders(name, stages, micro_batches)
    got = [random.sample(row, len(row)) for row in right]
    found = first_difference(right, got)
    assert (found is None) == (got == right)
    assert all(said.endswith(".") or said.endswith(")") for said in consequences(right, got))
