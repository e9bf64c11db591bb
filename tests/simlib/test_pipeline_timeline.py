"""Anyone's orders: read, timed, and where they cannot run, the operation that never starts."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlib.errors import BadArgument
from simlib.pipeline import CannotRun, Operation, Overlap, parse_operation, parse_orders, schedule, time_orders


@given(st.integers(0, 999), st.sampled_from("FBIW"), st.integers(0, 99999))
def test_an_operation_reads_back_what_it_writes(stage, kind, micro_batch):
    operation = Operation(stage, kind, micro_batch)
    assert str(operation) == f"{stage}{kind}{micro_batch}"
    assert parse_operation(str(operation)) == operation
    pair = Overlap(Operation(stage, "F", micro_batch), Operation(micro_batch, "B", stage))
    assert parse_operation(str(pair)) == pair
    assert str(pair) == f"({stage}F{micro_batch};{micro_batch}B{stage})OVERLAP_F_B"


@pytest.mark.parametrize("text", [" 1f12 ", "1F12"])
def test_case_and_blanks_do_not_matter(text):
    assert parse_operation(text) == Operation(1, "F", 12)


@pytest.mark.parametrize(
    "text", ["", "F0", "0F", "0X0", "0F0B", "-1F0", "0F1.5", "(0F0)", "(0F0;1F0)", "0UNSHARD", None]
)
def test_what_is_no_operation_is_refused(text):
    with pytest.raises(BadArgument) as caught:
        parse_operation(text)
    assert caught.value.name == "operation"
    assert "such as" in caught.value.accepted


@given(st.text(max_size=12))
def test_any_text_is_read_or_refused(text):
    with suppress(BadArgument):
        assert parse_operation(text).parts


@pytest.mark.parametrize(
    ("orders", "name"),
    [
        ([["0F0", "nonsense"]], "orders[0][1]"),
        ([["0F0"], [7]], "orders[1][0]"),
        (["0F0"], "orders[0]"),
        ("0F0", "orders"),
        (7, "orders"),
        ([[Operation(0, "X", 0)]], "orders[0][0]"),
        ([[Operation(-1, "F", 0)]], "orders[0][0]"),
        ([[Operation(0, "F", 0.5)]], "orders[0][0]"),
        ([[Overlap(Operation(0, "B", 0), Operation(0, "F", 0))]], "orders[0][0]"),
        ([Operation(0, "F", 0)], "orders[0]"),
        ([], "orders"),
        ([[], []], "orders"),
        ([[None]], "orders"),
    ],
)
def test_rows_that_are_none_are_named(orders, name):
    with pytest.raises(BadArgument) as caught:
        time_orders(orders)
    assert caught.value.name == name


def test_whole_numbers_of_any_type_are_operations():
    rows = parse_orders([[Operation(np.int64(0), "F", np.int32(1))]])
    assert rows == ((Operation(0, "F", 1),),)
    assert str(rows[0][0]) == "0F1"


@given(st.sampled_from(["gpipe", "1f1b"]), st.integers(1, 6), st.integers(1, 10))
def test_a_schedule_timed_again_from_its_texts_is_the_same(name, stages, micro_batches):
    made = schedule(name, stages, micro_batches)
    again = time_orders([[str(step) for step in row] for row in made.orders])
    assert again.orders == made.orders
    assert again.starts == made.timeline.starts
    assert (again.grid, again.span, again.idle) == (made.grid, made.span, made.idle)
    # the grid is an order too: its idle cells fall away, and a pass of one cell is one operation
    forwards = schedule(name, stages, micro_batches, forward_only=True)
    assert time_orders(forwards.grid or []).orders == forwards.orders


def test_times_by_stage_by_operation_and_by_message():
    orders = [["0F0", "0B0"], ["1F0", "1B0"]]
    timeline = time_orders(orders, forward=[1, 2], backward=[3, 5], latency=0.5, exceptions={"1B0": 7})
    #  0F0 0-1, 1F0 1.5-3.5, 1B0 3.5-10.5, 0B0 11-14
    assert timeline.starts == ((0, 11), (1.5, 3.5))
    assert timeline.ends == ((1, 14), (3.5, 10.5))
    assert (timeline.makespan, timeline.span, timeline.busy) == (14, (14, 9), (4, 9))
    assert timeline.idle == (10, 5)
    assert timeline.slot == 0.5
    assert timeline.bubble == 15 / 28
    assert timeline.bubble_of_ideal == 15 / 13


def test_a_message_within_a_rank_takes_no_time():
    folded = time_orders([["0F0", "3F0", "3B0", "0B0"], ["1F0", "2F0", "2B0", "1B0"]], latency=4)
    assert folded.makespan == 4 * 1 + 4 * 2 + 4 * 4  # 0 to 1, 2 to 3, and both back; 1 to 2 stays on rank 1


def test_a_pair_takes_both_times_unless_told():
    orders = [["0F0", "0F1", "(0F2;0B0)", "0B1", "0B2"]]
    assert time_orders(orders).makespan == 3 + 6
    assert time_orders(orders, overlapped=2.5).makespan == 2 + 2.5 + 4
    assert time_orders(orders, overlapped=2.5, chunks=2).makespan == (2 + 2.5 + 4) / 2
    assert time_orders(orders, exceptions={"0F2": 5}).makespan == 3 + 6 + 4
    assert time_orders(orders).peak_activations == (3,)


def test_a_rank_may_have_nothing_to_do():
    timeline = time_orders([["0F0", "0B0"], []])
    assert (timeline.span, timeline.idle, timeline.peak_activations) == ((3, 0), (0, 3), (1, 0))


CANNOT_RUN = {
    "its forward pass comes later": ([["0B0", "0F0"]], "0B0", 0, 0, "0F0", "later in the same row"),
    "its forward pass is nowhere": ([["0F0", "0B1"]], "0B1", 0, 1, "0F1", "no rank runs"),
    "its forward pass is on another rank": ([["0F0"], ["0B0"]], "0B0", 1, 0, "0F0", "on rank 0"),
    "given twice": ([["0F0", "0F0"]], "0F0", 0, 1, None, "already, at place 0"),
    "given on two ranks": ([["0F0", "0F1"], ["0F1"]], "0F1", 1, 0, None, "rank 0 has it already, at place 1"),
    "the stage before leaves it out": ([["0F0"], ["1F0", "1F1"]], "1F1", 1, 1, "0F1", "no rank runs"),
    "the stage after leaves it out": ([["0F0", "0B0"], ["1F0"]], "0B0", 0, 1, "1B0", "no rank runs"),
    "there is no such stage": ([["0F0"], ["2F0"]], "2F0", 1, 0, "1F0", "no rank runs"),
    "a rank's own stages the wrong way": ([["1F0", "0F0"]], "1F0", 0, 0, "0F0", "later in the same row"),
    "a pair of one micro-batch": ([["0F0", "(0F1;0B1)"]], "0B1", 0, 1, "0F1", "in the same pair"),
    "weights before input": ([["0F0", "0W0", "0I0"]], "0W0", 0, 1, "0I0", "later in the same row"),
    "back twice, in both forms": ([["0F0", "0B0", "0I0"]], "0I0", 0, 2, "0F0", "used up"),
    # Rank 0 has 0B0 second and so never sends 0F1; but it is rank 1 that asks for the impossible first
    "of two mistakes the earlier in time": ([["0F0", "0F1", "0W0"], ["1B0"]], "1B0", 1, 0, "1F0", "no rank runs"),
    "behind another's mistake": ([["0F0", "0B0", "0F1"], ["1B0", "1F0"]], "1B0", 1, 0, "1F0", "later in the same row"),
}


@pytest.mark.parametrize("case", CANNOT_RUN)
def test_the_first_operation_that_can_never_start_is_named(case):
    orders, operation, rank, position, waits_for, reason = CANNOT_RUN[case]
    with pytest.raises(CannotRun) as caught:
        time_orders(orders)
    error = caught.value
    assert (str(error.operation), error.rank, error.position) == (operation, rank, position)
    assert (None if error.waits_for is None else str(error.waits_for)) == waits_for
    assert reason in error.reason
    assert str(error) == f"{operation} on rank {rank} can never start: {error.reason}"
    assert isinstance(error, ValueError)
    assert error.circle == ()


def test_a_circle_of_ranks_is_named():
    with pytest.raises(CannotRun) as caught:
        time_orders([["0F0", "0B0", "0F1", "0B1"], ["1F0", "1F1", "1B0", "1B1"]])
    error = caught.value
    assert (str(error.operation), error.rank, error.position, str(error.waits_for)) == ("0B0", 0, 1, "1B0")
    assert [(wait.rank, str(wait.operation), str(wait.waits_for)) for wait in error.circle] == [
        (0, "0B0", "1B0"),
        (1, "1F1", "0F1"),
    ]
    assert "0B0 needs 1B0, which rank 1 runs only after 1F1" in error.reason
    assert "1F1 needs 0F1, which rank 0 runs only after 0B0" in error.reason


@given(st.data())
def test_any_shuffle_runs_or_names_an_operation_that_cannot_start(data):
    made = schedule("1f1b", data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4)))
    shuffled = [data.draw(st.permutations(row)) for row in made.orders]
    problem = None
    try:
        assert time_orders(shuffled).busy == made.busy
    except CannotRun as error:
        problem = error
    if problem:
        assert shuffled[problem.rank][problem.position] == problem.operation
        assert_never_starts(shuffled, problem)


def assert_never_starts(orders: list[list[Operation]], error: CannotRun) -> None:
    """Without clocks or sweeps: what can be run at all, run until nothing more can."""
    last = max(operation.stage for row in orders for operation in row)
    done: set[Operation] = set()
    heads = [0] * len(orders)
    moved = True
    while moved:
        moved = False
        for rank, row in enumerate(orders):
            while heads[rank] < len(row):
                stage, kind, micro_batch = row[heads[rank]]
                needs = set()
                if kind == "F" and stage > 0:
                    needs.add(Operation(stage - 1, "F", micro_batch))
                if kind == "B":
                    needs.add(Operation(stage, "F", micro_batch))
                    if stage < last:
                        needs.add(Operation(stage + 1, "B", micro_batch))
                if not needs <= done:
                    break
                done.add(row[heads[rank]])
                heads[rank] += 1
                moved = True
    assert heads[error.rank] == error.position
    assert error.waits_for not in done


def test_a_stage_far_beyond_all_others_makes_nothing_of_its_size() -> None:
    """A typing error in an order: what is kept for each stage is made for those that occur alone."""
    import tracemalloc

    from simlib.pipeline import time_orders

    tracemalloc.start()
    with pytest.raises(CannotRun, match="999999F0 on rank 0 can never start"):
        time_orders([["0F0", "999999F0"], ["1F0"]])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Four lists of a million numbers, and no dictionary for each
    assert peak < 64 << 20
