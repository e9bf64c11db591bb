"""Activations over time, and the placement of stages, against what schedules and papers say of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlib.errors import BadArgument
from simlib.pipeline import schedule
from simlib.pipeline.memory import held_over_time
from simlib.pipeline.placement import layers_built, layers_of_stages, rank_of_stage

NAMES = ["gpipe", "1f1b", "interleaved", "looped-bfs", "zb-h1", "zb-h2", "zb-v"]


@given(st.sampled_from(NAMES), st.integers(1, 5), st.integers(1, 3), st.integers(1, 3))
def test_what_is_held_follows_the_order(name: str, stages: int, rounds: int, chunks: int) -> None:
    timed = schedule(name, stages, rounds * stages, chunks if name in ("interleaved", "looped-bfs") else 1)
    held = held_over_time(timed.timeline)
    assert tuple(of.peak for of in held) == timed.peak_activations
    for of in held:
        assert of.times[0] == 0
        assert of.counts[-1] == 0
        assert list(of.times) == sorted(set(of.times))
        assert all(one != other for one, other in zip(of.counts, of.counts[1:], strict=False))
        assert of.times[-1] <= timed.makespan


def test_gpipe_by_hand() -> None:
    """Two stages, three micro-batches: backward on stage 0 from 6 to 8, 8 to 10, 10 to 12."""
    first, last = held_over_time(schedule("gpipe", 2, 3).timeline)
    assert (first.times, first.counts) == ((0, 1, 2, 8, 10, 12), (1, 2, 3, 2, 1, 0))
    assert (last.times, last.counts) == ((0, 1, 2, 3, 6, 8, 10), (0, 1, 2, 3, 2, 1, 0))


def test_layers_are_dealt_out_as_numpy_splits_an_array() -> None:
    assert [len(part) for part in layers_of_stages(30, 4)] == [8, 8, 7, 7]
    assert [len(part) for part in layers_of_stages(5, 5)] == [1] * 5
    assert [layer for part in layers_of_stages(17, 4) for layer in part] == list(range(17))
    assert layers_built(30, 4) == 28
    with pytest.raises(BadArgument, match="layers is 3; accepted: at least 4"):
        layers_of_stages(3, 4)


@given(st.integers(1, 6), st.integers(1, 4), st.sampled_from(["looped", "v"]))
def test_every_rank_has_as_many_stages(ranks: int, chunks: int, placement: str) -> None:
    on = [rank_of_stage(stage, ranks, chunks, placement) for stage in range(ranks * chunks)]
    assert all(on.count(rank) == chunks for rank in range(ranks))
    if placement == "looped":
        assert on == [stage % ranks for stage in range(ranks * chunks)]
    elif chunks == 2:
        assert all(on[rank] == on[2 * ranks - 1 - rank] == rank for rank in range(ranks))


def test_the_orders_agree_with_the_placement() -> None:
    for name, placement in (("interleaved", "looped"), ("zb-v", "v")):
        timed = schedule(name, 4, 8, 2)
        for rank, row in enumerate(timed.orders):
            assert {rank_of_stage(part.stage, 4, 2, placement) for step in row for part in step.parts} == {rank}
    with pytest.raises(BadArgument, match="stage is 8"):
        rank_of_stage(8, 4, 2)
