"""Rows and times kept as columns: what they hold is what a tuple would, in a few bytes."""

from __future__ import annotations

import pickle
import tracemalloc
from fractions import Fraction
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlib.errors import BadArgument
from simlib.pipeline import SCHEDULES, Operation, Overlap, schedule, time_orders
from simlib.pipeline.rows import Row, in_sequence, in_turn, passes

NUMBERS = st.integers(0, 10**9 - 1)
OPERATIONS = st.builds(Operation, NUMBERS, st.sampled_from("FBIW"), NUMBERS)
PAIRS = st.builds(
    Overlap,
    st.builds(Operation, NUMBERS, st.just("F"), NUMBERS),
    st.builds(Operation, NUMBERS, st.just("B"), NUMBERS),
)


@given(st.lists(OPERATIONS | PAIRS), st.data())
def test_a_row_is_the_tuple_of_its_operations(steps, data):
    row, same = Row.of(steps), tuple(steps)
    assert row == same
    assert same == row
    assert (len(row), hash(row), repr(row), pickle.loads(pickle.dumps(row))) == (len(same), hash(same), repr(same), row)
    for at in range(-len(same), len(same)):
        assert row[at] == same[at]
        assert type(row[at]) is type(same[at])
    part = data.draw(st.slices(len(same)))
    assert row[part] == same[part]
    assert row != (*same, Operation(0, "F", 0))
    assert row != steps  # a tuple is no list either
    with pytest.raises(IndexError):
        row[len(same)]


@given(st.lists(OPERATIONS | PAIRS))
def test_what_is_in_a_row_is_known_without_its_operations(steps):
    row = Row.of(steps)
    parts = [part for step in steps for part in step.parts]
    assert row.part_kinds == "".join(part.kind for part in parts)
    assert row.kinds_by_stage == {(part.stage, part.kind) for part in parts}
    assert row.last_micro_batch == max((part.micro_batch for part in parts), default=0)
    assert list(row.partners()) == [step.backward for step in steps if isinstance(step, Overlap)]


def test_rows_are_put_together():
    forwards, backwards = passes(0, "F", range(3)), passes(0, "B", range(2))
    assert in_sequence(forwards, backwards) == (*forwards, *backwards)
    assert " ".join(map(str, in_turn(forwards, backwards))) == "0F0 0B0 0F1 0B1"
    assert len(forwards) == 3, "neither is changed by it"


def test_numbers_that_cannot_be_written_are_refused():
    for operation in (Operation(10**9, "F", 0), Operation(0, "F", 10**9)):
        with pytest.raises(BadArgument, match="such as 0F0"):
            time_orders([[operation]])


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_large_schedule_takes_a_few_bytes_an_operation(name):
    """An object for each operation, and a float for each of its times, would take over 200."""
    schedule(name, 2, 4)  # what is imported is none of its memory
    tracemalloc.start()
    made = schedule(name, 16, 512)
    held, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    operations = sum(map(len, made.orders))
    assert held < 30 * operations
    # Some make the objects of one row at a time; mail between stages comes on top of that
    assert most < 60 * operations


def test_times_beyond_what_an_array_holds_stay_exact():
    """Denominators without a common divisor: the slot is so short that times count up to 30 digits of it."""
    denominators = (999_983, 999_979, 999_961, 999_959, 999_953)
    times = [1 + 1 / denominator for denominator in denominators]
    timeline = time_orders([[f"{stage}F0" for stage in range(5)]], forward=times)
    exact = list(accumulate((1 + Fraction(1, denominator) for denominator in denominators), initial=Fraction(0)))
    assert timeline.slot is not None
    assert timeline.starts == (tuple(map(float, exact[:-1])),)
    assert timeline.ends == (tuple(map(float, exact[1:])),)


def test_times_without_a_slot_are_kept_as_they_are():
    timeline = time_orders([["0F0", "0B0"]], forward=2**0.5, backward=3**0.5)
    assert timeline.slot is None
    assert (timeline.starts, timeline.ends) == (((0, 2**0.5),), ((2**0.5, 2**0.5 + 3**0.5),))
    assert timeline.shortest == 2**0.5


def test_micro_batches_far_apart_take_no_more_than_others():
    near = [["0F0", "0F1", "0B0", "0B1"], ["1F0", "1B0", "1F1", "1B1"]]
    far = [[step[:2] + ("999999999" if step[2] == "1" else step[2]) for step in row] for row in near]
    tracemalloc.start()
    timed = time_orders(far)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert timed.starts == time_orders(near).starts
    assert most < 1 << 20


def test_times_are_those_of_their_place():
    times = schedule("1f1b", 2, 3).timeline.ends[0]
    assert times == tuple(times)
    assert times[-1] == times[len(times) - 1] == 12
    assert times[1:3] == tuple(times)[1:3]
    assert hash(times) == hash(tuple(times))
