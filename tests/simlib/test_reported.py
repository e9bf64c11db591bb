"""What tools and data sheets report, and the closed form of ZB-H1 against its timed schedule."""

from __future__ import annotations

import pytest

from simlib import hardware, pipeline, quantities
from simlib.errors import BadArgument
from simlib.pipeline import formulas


@pytest.mark.parametrize("stages", [1, 2, 4, 8])
@pytest.mark.parametrize("micro_batches", [8, 12, 32])
@pytest.mark.parametrize("weight", [0.3, 1])
def test_the_bubble_of_zb_h1_is_that_of_its_schedule(stages: int, micro_batches: int, weight: float) -> None:
    timed = pipeline.schedule("zb-h1", stages, micro_batches, weight=weight)
    assert formulas.zero_bubble(stages, micro_batches, weight=weight) == pytest.approx(timed.bubble)
    assert formulas.zero_bubble_idle(stages, weight=weight) == pytest.approx(timed.idle[0])


def test_the_bubble_of_zb_h1_does_not_grow_with_the_micro_batches() -> None:
    shares = [formulas.zero_bubble(8, count, weight=0.3) for count in (8, 32, 128, 512)]
    assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("pipeline.zero_bubble", {"stages": 8, "micro_batches": 4}),
        ("pipeline.zero_bubble", {"stages": 4, "micro_batches": 8, "weight": 3}),
        ("data_sheet.sparse_peak_flops", {"hardware": "tpu-v4"}),
        ("nccl_tests.busbw", {"op": "all_reduce", "bytes": 1e9, "seconds": 0, "workers": 8}),
        ("shape.matrix_params", {"layers": 2, "hidden": 10, "heads": 3, "vocab": 7}),
    ],
)
def test_what_cannot_be_reported_is_refused_by_name(name: str, arguments: dict[str, object]) -> None:
    with pytest.raises(BadArgument):
        quantities.evaluate(name, **arguments)


def test_a_sparse_peak_is_twice_the_dense_one() -> None:
    found = {name: hardware.find(name) for name in hardware.HARDWARE if not name.startswith("tpu")}
    for machine in found.values():
        assert hardware.sparse_peak_flops(machine) == pytest.approx(2 * machine.peak_flops, rel=1e-3)


def test_bus_bandwidth_is_that_of_a_ring_at_full_speed() -> None:
    seconds = quantities.evaluate("ring.time", bytes=1e9, workers=16, alpha=0, bandwidth=50e9).value
    found = quantities.evaluate("nccl_tests.busbw", op="all_reduce", bytes=1e9, seconds=seconds, workers=16)
    assert found.value == pytest.approx(50e9)
