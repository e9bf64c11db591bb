"""Meshes against NumPy's own indexing, and where their traffic lands; shards; gathered weights."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlib import fsdp, mesh, offload, zero
from simlib.errors import BadArgument
from simlib.mesh import Mesh

SIZES = st.lists(st.integers(1, 4), min_size=1, max_size=4)


@given(SIZES)
def test_ranks_count_like_an_array_in_row_major_order(sizes: list[int]) -> None:
    names = [f"axis{place}" for place in range(len(sizes))]
    built = Mesh(tuple(names), tuple(sizes))
    ranks = np.arange(prod(sizes)).reshape(sizes)
    assert built.world_size == ranks.size
    for where, rank in np.ndenumerate(ranks):
        assert list(built.coordinates(int(rank)).values()) == list(where)
        assert built.rank(**dict(zip(names, where, strict=True))) == rank
    for place, name in enumerate(names):
        lines = np.moveaxis(ranks, place, -1).reshape(-1, sizes[place])
        assert np.array_equal(built.groups(name), lines)
    assert np.array_equal(built.groups(*names), [ranks.reshape(-1)])


@given(SIZES, st.integers(1, 8))
def test_groups_of_each_axis_hold_every_rank_once(sizes: list[int], gpus_per_server: int) -> None:
    built = Mesh(tuple(f"axis{place}" for place in range(len(sizes))), tuple(sizes))
    for axis in built.axes:
        assert sorted(rank for group in built.groups(axis) for rank in group) == list(range(built.world_size))
        servers = [{rank // gpus_per_server for rank in group} for group in built.groups(axis)]
        inside = all(len(touched) == 1 for touched in servers)
        assert (built.lands(axis, gpus_per_server) == "inside") == inside


def test_where_the_traffic_of_sixteen_gpus_lands() -> None:
    megatron = Mesh.in_order("tp-dp-pp", {"tp": 2, "pp": 4, "dp": 2})
    assert [megatron.lands(axis, 8) for axis in ("tp", "dp", "pp")] == ["inside", "inside", "mixed"]
    assert [megatron.lands(axis, 2) for axis in ("tp", "dp", "pp")] == ["inside", "between", "between"]


@given(st.integers(0, 60), st.integers(1, 12))
def test_shards_cover_the_whole(length: int, shards: int) -> None:
    found = mesh.shard_lengths(length, shards)
    assert sum(found) == length
    assert list(found) == sorted(found, reverse=True)
    assert len(found) == shards
    assert max(found) == -(-length // shards)


@given(st.integers(1, 500), st.integers(1, 9), st.integers(1, 4))
def test_padded_shards_are_aligned_and_least(elements: int, gpus: int, align: int) -> None:
    shards = zero.padded_shards(elements, gpus, align)
    assert shards.per_rank % align == 0
    assert shards.per_rank * gpus == shards.padded >= elements
    assert shards.padded - elements < gpus * align
    assert shards.real_on_last_rank == max(0, elements - shards.per_rank * (gpus - 1))


def test_a_sharded_step_holds_most_in_the_backward_pass() -> None:
    moments = fsdp.step_moments([10, 40, 10], gpus=4, prefetch=1)
    assert [moment.layer for moment in moments] == [0, 1, 2, 2, 1, 0]
    assert [moment.gathered for moment in moments] == [(0, 1), (1, 2), (2,), (2, 1), (1, 0), (0,)]
    shards = zero.bytes_per_gpu(60, 4, 3)
    assert [moment.bytes - shards for moment in moments] == [100, 100, 20, 100 + 20, 100 + 80, 20 + 20]


@given(st.lists(st.sampled_from(["0F0", "1F0", "2F1", "3B0", "4B2", None]), max_size=20), st.integers(1, 4))
def test_weights_are_there_when_they_are_used_and_never_too_many(order: list[str | None], most: int) -> None:
    gathered: set[int] = set()
    for operation in fsdp.gather_and_free(order, most):
        stage = int(operation[0])
        if operation.endswith(fsdp.UNSHARD):
            assert stage not in gathered
            gathered.add(stage)
        elif operation.endswith(fsdp.RESHARD):
            gathered.remove(stage)
        else:
            assert stage in gathered
        assert len(gathered) <= most
    assert not gathered


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Mesh(("a", "a"), (2, 2)), r"axes is \('a', 'a'\)"),
        (lambda: Mesh.of(a=0), "a is 0"),
        (lambda: Mesh.of(a=2).groups("b"), "axis is 'b'; accepted: a"),
        (lambda: Mesh.of(a=2).coordinates(2), "rank is 2"),
        (lambda: Mesh.of(a=2, b=2).rank(a=1), "coordinates is"),
        (lambda: Mesh.in_order("tp-pp", {"tp": 2, "dp": 2}), "order is 'tp-pp'; accepted: each of tp, dp once"),
        (lambda: Mesh.of(a=2).sharded_elements((4,), (("a", "a"),)), "partition is"),
        (lambda: offload.zero3(1, 1, 1, offload_params=True), "offload_params is True"),
        (lambda: fsdp.step_moments([], 2), r"layer_params is \[\]"),
        (lambda: fsdp.gather_and_free(["F0"]), "operation is 'F0'; accepted: a stage, a kind and a micro-batch"),
        (lambda: zero.padded_shards(0, 2), "elements is 0"),
    ],
)
def test_bad_input_is_named(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(BadArgument, match=message):
        call()
