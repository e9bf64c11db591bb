"""The course's facts: the figure that each row of its outline names, from the engine; cases are named by the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from simlib import data_parallel, fsdp, tensor_parallel, zero
from simlib.collectives import all_reduce, ring_all_gather, ring_all_reduce, ring_reduce_scatter
from simlib.mesh import Mesh
from simlib.quantities import evaluate

CASES: dict[str, Callable[[], None]] = {}

FOUR = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]
YEAR = 365.25 * 86400


def fact(name: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def enter(check: Callable[[], None]) -> Callable[[], None]:
        CASES[name] = check
        return check

    return enter


def value(name: str, **arguments: Any) -> Any:
    return evaluate(name, **arguments).value


def about(number: float, digits: float = 0.005) -> Any:
    return pytest.approx(number, rel=digits)


@fact("W1")
def _() -> None:
    assert value("training.state_bytes", params=7e9) == 112e9 > value("hardware.memory_bytes", hardware="h100") == 80e9


@fact("W2")
def _() -> None:
    peak = value("hardware.peak_flops", hardware="h100")
    seconds = value("training.seconds", params=7e9, tokens=2e12, gpus=1, flops_per_gpu=0.4 * peak)
    assert seconds / YEAR == about(6 * 7e9 * 2e12 / (0.4 * 989e12) / YEAR)
    assert 6 < seconds / YEAR < 7


@fact("C1")
def _() -> None:
    assert ring_all_reduce([[1, 2, 3], [10, 20, 30], [100, 200, 300]]).result[0].tolist() == [111, 222, 333]


@fact("C2")
def _() -> None:
    pieces = ring_reduce_scatter(FOUR).result
    assert np.array_equal(ring_all_gather(pieces).result, ring_all_reduce(FOUR).result)


@fact("C3")
def _() -> None:
    for workers in (2, 4, 8, 64):
        arrays = [np.zeros(64)] * workers
        size = arrays[0].nbytes
        for algorithm, busiest in (("naive", (workers - 1) * size), ("ring", 2 * (workers - 1) * size / workers)):
            assert all_reduce(arrays, algorithm=algorithm).busiest_link_bytes == busiest
            assert value("all_reduce.busiest_link_bytes", algorithm=algorithm, bytes=size, workers=workers) == busiest


@fact("C4")
def _() -> None:
    assert [int(piece[0]) for piece in ring_reduce_scatter(FOUR).result] == [28, 32, 36, 40]
    assert [int(piece[0]) for piece in ring_reduce_scatter(FOUR, ownership="ring").result] == [32, 36, 40, 28]
    assert [value("ring.final_chunk", worker=rank, workers=4) for rank in range(4)] == [1, 2, 3, 0]


@fact("R2")
def _() -> None:
    assert (value("ring.ratio", workers=4), value("ring.ratio", workers=64)) == (1.5, 1.96875)
    assert value("ring.ratio", workers=10**6) < 2


@fact("R3")
def _() -> None:
    assert (value("ring.steps", workers=8), value("ring.steps", workers=64)) == (14, 126)


@fact("A3")
def _() -> None:
    assert 2 * value("model.params", model="llama-7b") == about(13.476e9, 1e-4)


@fact("A4")
def _() -> None:
    assert value("ring.bytes_sent", bytes=13.476e9, workers=64) == about(26.5e9)


@fact("A5")
def _() -> None:
    step = {"model": "llama-7b", "hardware": "h100"}
    assert value("step.sync_seconds", gpus=8, **step) == about(0.052, 0.01)
    assert value("step.sync_seconds", gpus=64, **step) == about(0.53)


@fact("A6")
def _() -> None:
    link = {"bytes": 13.476e9, "workers": 64, "alpha": 0, "bandwidth": 50e9}
    assert value("tree.time", **link) == about(3.2, 0.02)
    assert value("tree.pipelined_time", chunks=1000, **link) == about(value("ring.time", **link), 0.05)


@fact("A7")
def _() -> None:
    payload = [np.zeros(4)] * 16
    assert ring_all_gather(payload).bytes_sent == [value("all_gather.bytes_sent", payload=32, workers=16)] * 16
    assert value("all_gather.bytes_sent", payload=32, workers=16) == 15 * 32


@fact("A8")
def _() -> None:
    arguments = {"keep": 1 / 16, "value_bytes": 2, "index_bytes": 4, "dense_bytes": 2}
    ratios = [value("compression.wire_ratio", workers=workers, **arguments) for workers in (4, 8, 16, 32, 64)]
    assert ratios == [0.375, 0.75, 1.5, 3, 6]


@fact("D1")
def _() -> None:
    assert [array.item() for array in ring_all_reduce([[0.2], [0.4]], op="mean").result] == [about(0.3)] * 2
    assert data_parallel.mean_gradient([0.2, 0.4]) == about(0.3)


@fact("D3")
def _() -> None:
    assert (data_parallel.FIRST_BUCKET_BYTES, data_parallel.BUCKET_BYTES) == (2**20, 25 * 2**20)


@fact("D4")
def _() -> None:
    step = {"model": "llama-7b", "gpus": 64, "hardware": "h100", "tokens": 1048576}
    compute = 1048576 * (6 * 6.738e9 + 12 * 32 * 32 * 128 * 4096) / (64 * 0.473 * 989e12)
    assert value("step.compute_seconds", **step) == about(compute, 1e-3) == about(1.64)
    assert value("step.seconds", overlap=False, **step) == about(2.17)
    assert value("step.seconds", **step) == about(1.64)


@fact("Z1")
def _() -> None:
    found = [value("zero.bytes_per_gpu", params=7e9, gpus=8, stage=stage) / 1e9 for stage in range(4)]
    assert found == [112, 38.5, 26.25, 14]


@fact("Z2")
def _() -> None:
    card = value("hardware.memory_bytes", hardware="h100")
    assert value("zero.first_stage_that_fits", params=7e9, gpus=8, capacity=card) == 1


@fact("Z3")
def _() -> None:
    found = [value("zero.bytes_per_gpu", params=6.738e9, gpus=64, stage=stage) / 1e9 for stage in range(4)]
    assert found == pytest.approx([107.8, 28.2, 14.95, 1.7], abs=0.05)


@fact("Z4")
def _() -> None:
    found = [value("zero.bytes_sent", params=6.738e9, gpus=64, stage=stage) / 1e9 for stage in range(4)]
    assert found == pytest.approx([26.5, 26.5, 26.5, 39.8], abs=0.05)


@fact("Z5")
def _() -> None:
    moments = fsdp.step_moments([10**6] * 8, gpus=8, prefetch=0)
    peak = max(moment.bytes for moment in moments)
    # Its shards, and one layer's full weights and gradients
    assert peak == zero.bytes_per_gpu(8e6, 8, 3) + 2e6 + 2e6


@fact("T1")
def _() -> None:
    first, second = [[1, 0, 1, 0], [0, 1, 0, 0]], [[1, 0], [0, 1], [1, 1], [0, 0]]
    split = tensor_parallel.split_mlp([[1, 2]], first, second, gpus=2)
    assert np.concatenate(split.hidden, axis=1) == pytest.approx(np.array([[0.841, 1.955, 0.841, 0]]), abs=5e-4)
    assert split.contributions[0] == pytest.approx(np.array([[0.841, 1.955]]), abs=5e-4)
    assert split.contributions[1] == pytest.approx(np.array([[0.841, 0.841]]), abs=5e-4)
    assert split.output == pytest.approx(np.array([[1.682, 2.796]]), abs=5e-4)


@fact("T2")
def _() -> None:
    assert value("tensor.gelu", x=2) == pytest.approx(1.955, abs=5e-4)
    assert 2 * value("tensor.gelu", x=1) == pytest.approx(1.682, abs=1e-3)


@fact("T3")
def _() -> None:
    assert value("tensor.collectives_per_layer") == 2 + 2


@fact("T4")
def _() -> None:
    array = [np.zeros(64)] * 8
    apart = ring_reduce_scatter(array).bytes_sent[0] + ring_all_gather([np.zeros(8)] * 8).bytes_sent[0]
    assert apart == ring_all_reduce(array).bytes_sent[0]
    kept = {
        mode: value("activations.bytes_per_layer", sequence=8, micro_batch=1, hidden=8, heads=2, tensor=8, mode=mode)
        for mode in ("tensor", "tensor+sequence")
    }
    assert kept["tensor+sequence"] < kept["tensor"]


@fact("P1")
def _() -> None:
    assert value("pipeline.idle_slots", stages=2, micro_batches=3) == 2
    assert value("pipeline.slots", stages=2, micro_batches=3) == 8
    assert value("pipeline.bubble", stages=2, micro_batches=3) == 1 / 4


@fact("P2")
def _() -> None:
    assert value("pipeline.bubble", stages=4, micro_batches=8) == about(3 / 11, 1e-12)
    assert value("pipeline.bubble", stages=4, micro_batches=32) == about(3 / 35, 1e-12)
    assert value("pipeline.bubble_of_ideal", stages=4, micro_batches=8) == 3 / 8


@fact("P3")
def _() -> None:
    step = {"schedule": "1f1b", "stages": 4, "micro_batches": 8}
    assert [value("pipeline.peak_activations", stage=stage, **step) for stage in range(4)] == [4, 3, 2, 1]


@fact("P4")
def _() -> None:
    assert value("pipeline.bubble_of_ideal", stages=4, micro_batches=8, chunks=2) == 3 / 16


@fact("K1")
def _() -> None:
    assert value("checkpointing.extra_compute", backward=2) == about(1 / 3, 1e-12)


@fact("M1")
def _() -> None:
    step = {"model": "llama-7b", "gpus": 64, "hardware": "h100", "tokens": 1048576}
    assert value("step.mfu", overlap=False, **step) == pytest.approx(0.357, abs=5e-4)
    assert value("step.mfu", **step) == pytest.approx(0.473, abs=5e-4)
    assert value("step.hfu", recompute=True, **step) > value("step.mfu", recompute=True, **step)


@fact("M3")
def _() -> None:
    used = value("machine.utilisation", flops_per_second=502e15, gpus=3072, hardware="a100")
    assert used == about(502e15 / 3072 / 312e12, 1e-12) == pytest.approx(0.52, abs=0.005)


@fact("X1")
def _() -> None:
    assert Mesh.of(data=6, pipeline=64, tensor=8).world_size == 3072
    assert value("transformer.params", layers=128, hidden=25600, vocab=51200, sequence=2048) == about(1.008e12, 1e-3)


@fact("X2")
def _() -> None:
    world = Mesh.of(pipeline=4, data=2, tensor=2)
    assert world.groups("pipeline") == tuple((rank, rank + 4, rank + 8, rank + 12) for rank in range(4))
    assert [world.lands(axis, gpus_per_server=4) for axis in world.axes] == ["between", "inside", "inside"]


@pytest.mark.parametrize("name", CASES)
def test_fact(name: str) -> None:
    CASES[name]()
