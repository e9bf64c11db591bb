"""The ring against the worked table, against NumPy, and against its closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from simlib.collectives import Trace, Transfer, ring_all_gather, ring_all_reduce, ring_reduce_scatter
from simlib.errors import BadArgument

THREE = [[1, 2, 3], [10, 20, 30], [100, 200, 300]]
FOUR = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]

NUMPY = {"sum": np.sum, "mean": np.mean, "max": np.max}


@st.composite
def equal_arrays(draw: st.DrawFn) -> list[np.ndarray]:
    """1 to 9 arrays of one shape and dtype, small enough that no sum overflows or rounds."""
    dtype = draw(st.sampled_from(["int16", "int64", "uint8", "float32", "float64"]))
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=7))
    elements = st.integers(0, 20)
    return draw(st.lists(hnp.arrays(dtype, shape, elements=elements), min_size=1, max_size=9))


def test_ring_of_three_row_for_row() -> None:
    trace = ring_all_reduce(THREE)
    rows = [[array.tolist() for array in trace.state(step)] for step in range(5)]
    assert rows == [
        [[1, 2, 3], [10, 20, 30], [100, 200, 300]],
        [[1, 2, 303], [11, 20, 30], [100, 220, 300]],
        [[1, 222, 303], [11, 20, 333], [111, 220, 300]],
        [[111, 222, 303], [11, 222, 333], [111, 220, 333]],
        [[111, 222, 333], [111, 222, 333], [111, 222, 333]],
    ]


def test_steps_of_the_ring_of_three() -> None:
    trace = ring_all_reduce(THREE)
    assert [(step.phase, step.number) for step in trace.steps] == [
        ("reduce-scatter", 1),
        ("reduce-scatter", 2),
        ("all-gather", 3),
        ("all-gather", 4),
    ]
    assert trace.steps[0].transfers == (
        Transfer(0, 1, 0, 8, "add", 0),
        Transfer(1, 2, 1, 8, "add", 1),
        Transfer(2, 0, 2, 8, "add", 2),
    )
    assert {transfer.action for transfer in trace.steps[2].transfers} == {"copy"}
    assert (trace.algorithm, trace.world_size, trace.op) == ("ring", 3, "sum")
    assert (trace.bytes_sent, trace.messages_sent) == ([32, 32, 32], [4, 4, 4])
    assert trace.chunk_bounds == ((0, 1), (1, 2), (2, 3))


def test_ownership_of_a_reduce_scatter() -> None:
    assert [piece.tolist() for piece in ring_reduce_scatter(FOUR).result] == [[28], [32], [36], [40]]
    by_ring = ring_reduce_scatter(FOUR, ownership="ring")
    assert [piece.tolist() for piece in by_ring.result] == [[32], [36], [40], [28]]
    whole = ring_all_reduce(FOUR)
    for step in range(4):
        assert np.array_equal(by_ring.state(step), whole.state(step))


@given(equal_arrays(), st.sampled_from(["sum", "mean", "max"]))
def test_all_reduce_equals_numpy(arrays: list[np.ndarray], op: str) -> None:
    trace = ring_all_reduce(arrays, op)
    expected = NUMPY[op](np.stack(arrays), axis=0)
    dtype = arrays[0].dtype
    for array in trace.result:
        assert array.shape == arrays[0].shape
        assert array.dtype == (np.float64 if op == "mean" and dtype.kind in "iu" else dtype)
        np.testing.assert_allclose(array, expected, rtol=1e-6)


@given(equal_arrays(), st.sampled_from(["api", "ring"]))
def test_reduce_scatter_equals_numpy(arrays: list[np.ndarray], ownership: str) -> None:
    trace = ring_reduce_scatter(arrays, "sum", ownership)
    slices = np.array_split(np.sum(np.stack(arrays), axis=0).reshape(-1), len(arrays))
    for rank, piece in enumerate(trace.result):
        chunk = rank if ownership == "api" else (rank + 1) % len(arrays)
        np.testing.assert_array_equal(piece, slices[chunk])
        assert [*trace.chunk_bounds[chunk]] == [sum(map(len, slices[:chunk])), sum(map(len, slices[: chunk + 1]))]


@given(st.lists(hnp.arrays("int32", st.tuples(st.integers(0, 5), st.just(2))), min_size=1, max_size=7))
def test_all_gather_equals_numpy(pieces: list[np.ndarray]) -> None:
    trace = ring_all_gather(pieces)
    for array in trace.result:
        np.testing.assert_array_equal(array, np.concatenate(pieces))
    others = sum(piece.nbytes for piece in pieces)
    # A worker sends every piece but the one that its right neighbour brought
    assert trace.bytes_sent == [others - pieces[(rank + 1) % len(pieces)].nbytes for rank in range(len(pieces))]


@given(st.integers(1, 12), st.integers(0, 5))
def test_bytes_and_steps_equal_the_closed_form(workers: int, per_chunk: int) -> None:
    trace = ring_all_reduce([np.ones(workers * per_chunk, dtype=np.float32)] * workers)
    size = workers * per_chunk * 4
    assert trace.bytes_sent == [2 * (workers - 1) * size // workers] * workers
    assert trace.bytes_received == trace.bytes_sent
    assert len(trace.steps) == trace.last_step == 2 * (workers - 1)
    assert trace.messages_sent == [2 * (workers - 1)] * workers


@given(equal_arrays())
def test_every_step_sends_one_chunk_to_the_right(arrays: list[np.ndarray]) -> None:
    n = len(arrays)
    for step in ring_all_reduce(arrays).steps:
        assert [(t.source, t.destination) for t in step.transfers] == [(i, (i + 1) % n) for i in range(n)]
        if step.phase == "reduce-scatter":
            assert [t.chunk for t in step.transfers] == [(i - step.number + 1) % n for i in range(n)]


def test_a_thousand_workers() -> None:
    arrays = np.arange(1024 * 3).reshape(1024, 3)
    trace = ring_all_reduce(list(arrays))
    np.testing.assert_array_equal(trace.result, np.broadcast_to(arrays.sum(axis=0), (1024, 3)))


def test_looking_back_and_forth_shows_the_same_states() -> None:
    trace = ring_all_reduce(THREE)
    forward = [np.array(trace.state(step)) for step in range(5)]
    for step in (4, 1, 3, 0, 2, 2):
        np.testing.assert_array_equal(trace.state(step), forward[step])


def test_a_trace_does_not_follow_its_inputs() -> None:
    arrays = [np.array([1, 2]), np.array([3, 4])]
    trace = ring_all_reduce(arrays)
    arrays[0][:] = 99
    trace.state(1)[1][:] = -1
    assert trace.result[0].tolist() == [4, 6]


def test_who_holds_what() -> None:
    gather = ring_all_gather([[1], [2], [3]])
    assert gather.held(0).tolist() == [[True, False, False], [False, True, False], [False, False, True]]
    assert gather.held(1).tolist() == [[True, False, True], [True, True, False], [False, True, True]]
    assert gather.state(0)[1].tolist() == [0, 2, 0]
    assert gather.held(2).all()
    reduce = ring_all_reduce(THREE)
    assert reduce.contributions(1).tolist() == [[1, 1, 2], [2, 1, 1], [1, 2, 1]]
    assert reduce.finished(2).tolist() == [[False, True, False], [False, False, True], [True, False, False]]
    assert reduce.finished(4).all()
    assert ring_reduce_scatter(THREE).finished(2).tolist() == np.eye(3, dtype=bool).tolist()


def test_the_mean_is_divided_where_the_sum_completes() -> None:
    trace = ring_all_reduce([[2, 4], [4, 8]], op="mean")
    assert [array.tolist() for array in trace.state(1)] == [[2.0, 6.0], [3.0, 8.0]]
    assert trace.result[0].tolist() == [3.0, 6.0]
    assert ring_all_reduce([[7]], op="mean").result[0].dtype == np.float64


def test_time_is_a_message_of_one_chunk_per_step() -> None:
    trace: Trace = ring_all_reduce([np.zeros(8, dtype=np.float64)] * 4)
    assert trace.time(alpha=1.0, bandwidth=16.0) == 6 * (1.0 + 16 / 16.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ring_all_reduce([]), "the number of arrays is 0; accepted: a list of 1 to 1,024 arrays"),
        (lambda: ring_all_reduce([[1]] * 1025), "the number of arrays is 1025"),
        (lambda: ring_all_reduce("abc"), "arrays is 'abc'"),
        (lambda: ring_all_reduce(5), "arrays is 5"),
        (lambda: ring_all_reduce([[1, 2], [3]]), r"the shape of arrays\[1\] is \(1,\); accepted: \(2,\)"),
        (
            lambda: ring_all_reduce([np.ones(2), np.ones(2, dtype=np.float32)]),
            r"the dtype of arrays\[1\] is 'float32'; accepted: float64",
        ),
        (lambda: ring_all_reduce([[1, [2]]]), r"arrays\[0\] is \[1, \[2\]\]"),
        (lambda: ring_all_reduce([["a"]]), r"arrays\[0\] is \['a'\]"),
        (lambda: ring_all_reduce([[True]]), r"arrays\[0\] is \[True\]"),
        (lambda: ring_all_reduce([[10**30]]), r"arrays\[0\] is"),
        (lambda: ring_all_reduce([[1]], op="min"), "op is 'min'; accepted: sum, mean, max"),
        (lambda: ring_all_reduce([[1j]], op="max"), "complex"),
        (lambda: ring_reduce_scatter([[1]], ownership="mine"), "ownership is 'mine'; accepted: api, ring"),
        (lambda: ring_all_gather([[[1, 2]], [[3]]]), r"the shape of pieces\[1\]"),
        (lambda: ring_all_reduce([[1], [2]]).state(3), "step is 3; accepted: a whole number from 0 to 2"),
        (lambda: ring_all_reduce([[1], [2]]).state(-1), "step is -1"),
    ],
)
def test_bad_input_is_named(call: object, message: str) -> None:
    with pytest.raises(BadArgument, match=message) as caught:
        call()  # type: ignore[operator]
    assert "\n" not in str(caught.value)


def test_lists_of_whole_and_broken_numbers_share_a_dtype() -> None:
    assert ring_all_reduce([[1, 2], [0.5, 1]]).result[1].tolist() == [1.5, 3.0]
