"""Every collective against NumPy, its byte counts against closed forms, and rules that hold for any algorithm."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from simlib import collectives
from simlib.collectives import ALL_REDUCE_ALGORITHMS, Trace, all_reduce, costs
from simlib.errors import BadArgument

PLAIN = [name for name in ALL_REDUCE_ALGORITHMS if name != "hierarchical"]
NUMPY: dict[str, Callable[..., Any]] = {"sum": np.sum, "mean": np.mean, "max": np.max}


@st.composite
def equal_arrays(draw: st.DrawFn, most: int = 11) -> list[np.ndarray]:
    """Arrays of one shape and dtype, small enough that no sum overflows or rounds."""
    dtype = draw(st.sampled_from(["int32", "uint8", "float32", "float64"]))
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=9))
    return draw(st.lists(hnp.arrays(dtype, shape, elements=st.integers(0, 20)), min_size=1, max_size=most))


@st.composite
def piece_lists(draw: st.DrawFn) -> list[np.ndarray]:
    return draw(st.lists(hnp.arrays("int64", st.integers(0, 5), elements=st.integers(-9, 9)), min_size=1, max_size=8))


def check_rules(trace: Trace) -> None:
    """What holds for every collective: nobody sends what it does not hold, or adds anyone's numbers twice."""
    workers = trace.world_size
    for step in trace.steps:
        held = trace.held(step.number - 1)
        assert held[step.sources, step.chunks].all()
        assert (step.sources != step.destinations).all()
        copied = list(zip(step.destinations[~step.adds], step.into[~step.adds], strict=True))
        assert len(copied) == len(set(copied))
    assert trace.contributions(trace.last_step).max() <= workers
    assert sum(trace.bytes_sent) == sum(trace.bytes_received)
    assert sum(trace.bytes_sent) == sum(t.bytes for step in trace.steps for t in step.transfers)
    chunk = np.arange(len(trace.chunk_bounds))
    due = np.array([(first <= chunk) & (chunk < stop) for first, stop in trace.due])
    assert (trace.finished(trace.last_step) == due).all()


@pytest.mark.parametrize("algorithm", PLAIN)
@given(arrays=equal_arrays(), op=st.sampled_from(["sum", "mean", "max"]))
@settings(max_examples=40)
def test_all_reduces_equal_numpy(algorithm: str, arrays: list[np.ndarray], op: str) -> None:
    trace = all_reduce(arrays, op, algorithm)
    expected = NUMPY[op](np.stack(arrays), axis=0)
    dtype = arrays[0].dtype
    for array in trace.result:
        assert array.shape == arrays[0].shape
        assert array.dtype == (np.float64 if op == "mean" and dtype.kind in "iu" else dtype)
        np.testing.assert_allclose(array, expected, rtol=1e-6)
    check_rules(trace)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 30), st.sampled_from(["sum", "mean", "max"]))
def test_two_levels_equal_numpy(nodes: int, gpus: int, length: int, op: str) -> None:
    arrays = np.random.default_rng(length).integers(0, 9, (nodes * gpus, length))
    trace = all_reduce(list(arrays), op, "hierarchical", gpus_per_node=gpus)
    np.testing.assert_allclose(trace.result, np.broadcast_to(NUMPY[op](arrays, axis=0), arrays.shape))
    check_rules(trace)


@given(equal_arrays(), st.data())
def test_reduce_and_broadcast(arrays: list[np.ndarray], data: st.DataObject) -> None:
    root = data.draw(st.integers(0, len(arrays) - 1))
    chunks = data.draw(st.integers(1, 7))
    reduces = [
        collectives.naive_reduce(arrays, "sum", root),
        collectives.tree_reduce(arrays, "sum", root),
        collectives.chain_reduce(arrays, "sum", root, chunks),
    ]
    for trace in reduces:
        np.testing.assert_array_equal(trace.result[root], np.sum(np.stack(arrays), axis=0, dtype=arrays[0].dtype))
        assert [len(array) for rank, array in enumerate(trace.result) if rank != root] == [0] * (len(arrays) - 1)
        check_rules(trace)
    broadcasts = [
        collectives.naive_broadcast(arrays[root], len(arrays), root),
        collectives.tree_broadcast(arrays[root], len(arrays), root),
        collectives.chain_broadcast(arrays[root], len(arrays), root, chunks),
    ]
    for trace in broadcasts:
        assert trace.held(0).sum(axis=1).astype(bool).tolist() == [rank == root for rank in range(len(arrays))]
        for array in trace.result:
            np.testing.assert_array_equal(array, arrays[root])
        check_rules(trace)


@given(piece_lists(), st.data())
def test_scatter_and_gather(pieces: list[np.ndarray], data: st.DataObject) -> None:
    root = data.draw(st.integers(0, len(pieces) - 1))
    scattered = collectives.scatter(pieces, root)
    for found, piece in zip(scattered.result, pieces, strict=True):
        np.testing.assert_array_equal(found, piece)
    gathered = collectives.gather(pieces, root)
    np.testing.assert_array_equal(gathered.result[root], np.concatenate(pieces))
    others = sum(piece.nbytes for piece in pieces) - pieces[root].nbytes
    assert scattered.bytes_sent[root] == gathered.bytes_received[root] == others
    check_rules(scattered)
    check_rules(gathered)


@given(piece_lists())
def test_direct_all_gather(pieces: list[np.ndarray]) -> None:
    trace = collectives.direct_all_gather(pieces)
    for array in trace.result:
        np.testing.assert_array_equal(array, np.concatenate(pieces))
    check_rules(trace)


@given(equal_arrays())
def test_direct_reduce_scatter(arrays: list[np.ndarray]) -> None:
    trace = collectives.direct_reduce_scatter(arrays, "max")
    slices = np.array_split(np.max(np.stack(arrays), axis=0).reshape(-1), len(arrays))
    for found, expected in zip(trace.result, slices, strict=True):
        np.testing.assert_array_equal(found, expected)
    check_rules(trace)


@given(st.integers(1, 9), st.integers(0, 20))
def test_all_to_all_puts_everybodys_chunk_j_with_worker_j(workers: int, length: int) -> None:
    arrays = [np.arange(length) + 100 * rank for rank in range(workers)]
    trace = collectives.all_to_all(arrays)
    chunks = [np.array_split(array, workers) for array in arrays]
    for rank, found in enumerate(trace.result):
        np.testing.assert_array_equal(found, np.concatenate([chunk[rank] for chunk in chunks]))
    check_rules(trace)
    meetings = [(t.source, t.destination) for step in trace.steps for t in step.transfers]
    assert sorted(meetings) == [(i, j) for i in range(workers) for j in range(workers) if i != j]


@pytest.mark.parametrize("workers", [1, 2, 3, 4, 5, 7, 8, 16])
def test_bytes_and_steps_equal_the_closed_forms(workers: int) -> None:
    size = 16 * 15 * 7 * 8  # divided by every number of workers here
    arrays = [np.zeros(size // 8)] * workers
    naive, direct, tree = (all_reduce(arrays, algorithm=name) for name in ("naive", "direct", "tree"))
    assert naive.busiest_link_bytes == (workers - 1) * size
    assert naive.bytes_sent[1:] == [size] * (workers - 1)
    assert direct.bytes_sent == direct.bytes_received == [(workers - 1) * size] * workers
    assert sum(tree.bytes_sent) == 2 * (workers - 1) * size
    assert tree.last_step == 2 * math.ceil(math.log2(workers))
    halving = all_reduce(arrays, algorithm="halving-doubling")
    if workers & (workers - 1) == 0:
        assert halving.bytes_sent == all_reduce(arrays).bytes_sent == [2 * (workers - 1) * size // workers] * workers
        assert halving.messages_sent == [2 * int(math.log2(workers))] * workers
    else:
        assert halving.last_step == 2 * int(math.log2(workers)) + 2
    assert sum(collectives.double_tree_all_reduce(arrays).bytes_sent) == 2 * (workers - 1) * size
    assert collectives.chain_broadcast(arrays[0], workers).busiest_link_bytes == (size if workers > 1 else 0)
    assert collectives.all_to_all(arrays).bytes_sent == [(workers - 1) * size // workers] * workers


def test_times_equal_the_closed_forms() -> None:
    alpha, bandwidth, size = 0.25, 64.0, 8 * 960
    for workers in (2, 3, 8):
        arrays = [np.zeros(960)] * workers
        ring, tree = all_reduce(arrays), all_reduce(arrays, algorithm="tree")
        assert ring.time(alpha, bandwidth) == pytest.approx(costs.ring_all_reduce_time(size, workers, alpha, bandwidth))
        assert tree.time(alpha, bandwidth) == pytest.approx(costs.tree_all_reduce_time(size, workers, alpha, bandwidth))
    two_levels = all_reduce([np.zeros(960)] * 12, algorithm="hierarchical", gpus_per_node=4)
    assert two_levels.time(alpha, bandwidth) == pytest.approx(
        costs.hierarchical_all_reduce_time(size, 3, 4, alpha, bandwidth, alpha, bandwidth)
    )


@pytest.mark.parametrize("workers", range(1, 34))
def test_two_trees_share_the_work(workers: int) -> None:
    trees = collectives.nccl_trees(workers)
    for tree in trees:
        assert [rank for rank in range(workers) if tree.up[rank] < 0] in ([0], [workers - 1], [1 % workers])
        assert max(tree.depths) <= math.ceil(math.log2(workers)) if workers > 1 else tree.depths == [0]
        for rank, children in enumerate(tree.down):
            assert all(tree.up[child] == rank for child in children if child >= 0)
    if workers % 2 == 0:
        parents = [{rank for rank in range(workers) if max(tree.down[rank]) >= 0} for tree in trees]
        assert not parents[0] & parents[1]


def test_two_pipelined_trees_load_no_link_with_much_more_than_a_ring() -> None:
    arrays = [np.zeros(4096)] * 16
    trace = collectives.double_tree_all_reduce(arrays, chunks=32)
    assert trace.busiest_link_bytes <= 2 * arrays[0].nbytes
    assert trace.last_step == 32 + 2 * 4 - 1
    assert trace.time(0, 1) < 1.3 * all_reduce(arrays).time(0, 1)


def test_a_thousand_workers_by_every_algorithm() -> None:
    arrays = np.arange(1024 * 4).reshape(1024, 4)
    for algorithm in ("naive", "tree", "double-tree", "halving-doubling"):
        result = all_reduce(list(arrays), algorithm=algorithm).result
        np.testing.assert_array_equal(result, np.broadcast_to(arrays.sum(axis=0), (1024, 4)))
    np.testing.assert_array_equal(
        all_reduce(list(arrays), algorithm="hierarchical", gpus_per_node=8).result[1023], arrays.sum(axis=0)
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: all_reduce([[1]], algorithm="gossip"), "algorithm is 'gossip'; accepted: ring, naive, direct, tree"),
        (lambda: all_reduce([[1]], algorithm="hierarchical"), "gpus_per_node is None"),
        (lambda: all_reduce([[1]], gpus_per_node=1), "gpus_per_node is 1; accepted: nothing with ring"),
        (
            lambda: all_reduce([[1]] * 3, algorithm="hierarchical", gpus_per_node=2),
            r"gpus_per_node is 2; accepted: a divisor of the number of workers \(3\)",
        ),
        (lambda: collectives.naive_all_reduce(7), "arrays is 7"),
        (lambda: collectives.naive_all_reduce([[1], [2]], root=2), "root is 2; accepted: a whole number from 0 to 1"),
        (lambda: collectives.tree_reduce([[1]], root=-1), "root is -1"),
        (lambda: collectives.tree_broadcast([1], workers=0), "workers is 0; accepted: a whole number from 1 to 1,024"),
        (lambda: collectives.tree_broadcast(["x"], workers=2), r"array\[0\] is \['x'\]"),
        (lambda: collectives.chain_broadcast([1], workers=2, chunks=0), "chunks is 0"),
        (lambda: collectives.double_tree_all_reduce([[1]], chunks=10**9), "chunks is 1000000000"),
        (lambda: collectives.gather([]), "the number of pieces is 0"),
        (lambda: collectives.scatter([[1]], root=1.5), "root is 1.5"),
        (lambda: collectives.all_to_all([[1], [2, 3]]), r"the shape of arrays\[1\]"),
    ],
)
def test_bad_input_is_named(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(BadArgument, match=message):
        call()
