"""Topologies against closed forms, against a count by hand, and against each other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlib import hardware
from simlib.collectives import Trace, all_reduce, all_to_all, costs
from simlib.errors import BadArgument
from simlib.network import FatTree, Link, Servers, Switch, Topology, Torus, carry, links

SLOW, FAST = Link(2.0, 8.0), Link(0.5, 64.0)


def zeros(workers: int, length: int = 48) -> list[np.ndarray]:
    return [np.zeros(length)] * workers


@given(st.integers(1, 9), st.sampled_from(["ring", "naive", "direct", "tree", "halving-doubling", "double-tree"]))
def test_a_switch_takes_as_long_as_the_trace_says(workers: int, algorithm: str) -> None:
    trace = all_reduce(zeros(workers), algorithm=algorithm)
    journey = carry(trace, Switch(SLOW))
    assert journey.seconds == pytest.approx(trace.time(SLOW.alpha, SLOW.bandwidth))
    assert journey.busiest_link[2] == trace.busiest_link_bytes


def test_two_levels_take_as_long_as_their_closed_form() -> None:
    trace = all_reduce(zeros(12, 480), algorithm="hierarchical", gpus_per_node=4)
    journey = carry(trace, Servers(4, FAST, SLOW))
    closed = costs.hierarchical_all_reduce_time(480 * 8, 3, 4, FAST.alpha, FAST.bandwidth, SLOW.alpha, SLOW.bandwidth)
    assert journey.seconds == pytest.approx(closed)


def test_where_the_traffic_of_a_ring_lands() -> None:
    trace = all_reduce(zeros(8, 64))
    journey = carry(trace, Servers(4, FAST, SLOW))
    each = 2 * 7 / 8 * 64 * 8
    # Ranks 3 and 7 send to the other server, the others to a neighbour in their own
    assert journey.bytes_by_link["between out"].tolist() == [0, 0, 0, each, 0, 0, 0, each]
    assert journey.bytes_by_link["inside out"].tolist() == [each, each, each, 0, each, each, each]
    # Placed alternately, every message goes between
    scattered = carry(trace, Servers(4, FAST, SLOW, placement=(0, 4, 1, 5, 2, 6, 3, 7)))
    assert scattered.bytes_by_link["inside out"].sum() == 0
    assert scattered.bytes_by_link["between out"].tolist() == [each] * 8


def test_the_reference_machine() -> None:
    cluster = Servers.of(hardware.find("h100"))
    assert (cluster.inside.bandwidth, cluster.between.bandwidth) == (450e9, 50e9)
    # The flat ring on two servers is as slow as the network; two levels are not
    arrays = zeros(16, 16 * 100)
    flat = carry(all_reduce(arrays), cluster).seconds
    assert flat == pytest.approx(costs.ring_all_reduce_time(16 * 800, 16, 0, 50e9))
    assert carry(all_reduce(arrays, algorithm="hierarchical", gpus_per_node=8), cluster).seconds < flat / 3


def shortest(start: tuple[int, ...], end: tuple[int, ...], shape: tuple[int, ...], wraparound: bool) -> int:
    ways = [(abs(a - b), n - abs(a - b)) for a, b, n in zip(start, end, shape, strict=True)]
    return sum(min(way) if wraparound else way[0] for way in ways)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=3), st.booleans())
def test_messages_on_a_torus_take_a_shortest_way(sizes: list[int], wraparound: bool) -> None:
    shape = tuple(sizes)
    torus = Torus(shape, SLOW, hop_seconds=1.0, wraparound=wraparound)
    places = list(itertools.product(*map(range, shape)))
    pairs = [(i, j) for i in range(len(places)) for j in range(len(places))]
    sources, destinations = np.array(pairs).T
    hops = np.zeros(len(pairs), dtype=int)
    for _, numbers in torus.hops(sources, destinations):
        hops += numbers >= 0
    expected = [shortest(places[i], places[j], shape, wraparound) for i, j in pairs]
    assert hops.tolist() == expected
    assert torus.latency(sources, destinations).tolist() == expected


def test_a_ring_on_a_torus_uses_neighbouring_links_alone() -> None:
    trace = all_reduce(zeros(6))
    journey = carry(trace, Torus((6,), FAST))
    assert journey.bytes_by_link["axis 0 up"].tolist() == trace.bytes_sent
    assert journey.bytes_by_link["axis 0 down"].sum() == 0


def test_a_fat_tree_climbs_as_far_as_it_must() -> None:
    trace: Trace = all_to_all(zeros(8, 64))
    journey = carry(trace, FatTree((2, 4), (SLOW, SLOW)))
    piece = 64
    assert journey.bytes_by_link["level 0 up"].tolist() == [7 * piece] * 8
    # Each pair under one switch sends to the six others outside
    assert journey.bytes_by_link["level 1 up"].tolist() == [2 * 6 * piece] * 4


@pytest.mark.parametrize("bandwidth", [1.0, 50.0])
def test_closed_forms_of_pipelined_trees_and_chunked_rings(bandwidth: float) -> None:
    size, workers = 64_000.0, 64
    many = costs.pipelined_tree_time(size, workers, 0, bandwidth, chunks=10_000)
    assert many == pytest.approx(2 * size / bandwidth, rel=1e-3)
    assert costs.pipelined_tree_time(size, workers, 3, bandwidth, chunks=1) == pytest.approx(
        costs.tree_all_reduce_time(size, workers, 3, bandwidth)
    )
    best = costs.best_chunks(size, workers, 3, bandwidth)
    times = [costs.pipelined_tree_time(size, workers, 3, bandwidth, chunks) for chunks in range(1, 500)]
    assert min(times) == costs.pipelined_tree_time(size, workers, 3, bandwidth, best)
    whole = costs.chunked_ring_time(size, workers, 3, bandwidth, chunk_bytes=size)
    assert whole == pytest.approx(costs.ring_all_reduce_time(size, workers, 3, bandwidth))
    halves = costs.chunked_ring_time(size, workers, 3, bandwidth, chunk_bytes=size / workers / 2)
    assert halves == pytest.approx(2 * costs.ring_all_reduce_time(size / 2, workers, 3, bandwidth))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Link(-1, 1), "alpha is -1"),
        (lambda: Link(0, 0), "bandwidth is 0"),
        (lambda: Servers(0, FAST, SLOW), "gpus_per_server is 0"),
        (lambda: Servers(2, FAST, SLOW, placement=(0, 0)), r"placement is \(0, 0\); accepted: every place from 0 once"),
        (lambda: carry(all_reduce(zeros(2)), Servers(2, FAST, SLOW, placement=(0,))), "placement is"),
        (lambda: carry(all_reduce(zeros(5)), Torus((2, 2), SLOW)), r"shape is \(2, 2\); accepted: 5 workers"),
        (lambda: carry(all_reduce(zeros(5)), FatTree((2, 2), (SLOW, SLOW))), r"fanouts is \(2, 2\)"),
        (lambda: FatTree((2,), ()), "level_links is 0"),
        (lambda: Torus((0,), SLOW), r"shape\[0\] is 0"),
        (lambda: links.fat_tree_bandwidths([(1, 5)]), "units of level 0 is 1"),
        (lambda: costs.best_chunks(1, 2, 0, 1), "alpha is 0"),
        (lambda: costs.chunked_ring_time(1, 2, 0, 1, 0), "chunk_bytes is 0"),
    ],
)
def test_bad_input_is_named(call: object, message: str) -> None:
    with pytest.raises(BadArgument, match=message):
        call()  # type: ignore[operator]


def test_topologies_say_what_their_links_are() -> None:
    kinds: list[Topology] = [Switch(SLOW), Servers(2, FAST, SLOW), Torus((2, 2), FAST), FatTree((2, 2), (FAST, SLOW))]
    assert [len(topology.links) for topology in kinds] == [2, 4, 4, 4]
