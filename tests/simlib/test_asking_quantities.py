"""Asking for a quantity: how a worked line reads, what is no argument, and what is loaded for it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from simlib import quantities
from simlib.errors import BadArgument


def test_worked_lines_as_they_read() -> None:
    assert quantities.evaluate("ring.bytes_sent", workers=3, bytes=24).worked == (
        "2 (N - 1) / N x bytes = 2 (3 - 1) / 3 x 24 = 32 B"
    )
    assert quantities.evaluate("zero.bytes_per_gpu", params=7e9, gpus=8, stage=1).worked == (
        "4 x P + K x P / N = 4 x 7e9 + 12 x 7e9 / 8 = 38.5e9 B"
    )


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("ring.byte", {}, "quantity is 'ring.byte'; accepted: .*ring.bytes_sent"),
        ("bytes_sent", {}, "zero.bytes_sent"),
        ("zero.first_stage", {}, "zero.first_stage_that_fits"),
        ("", {}, "quantity is ''"),
        (7, {}, "quantity is 7"),
        (["ring.steps"], {}, "quantity is "),
        ("ring.steps", {}, "workers is missing; accepted: a whole number: how many workers"),
        ("ring.steps", {"worker": 3}, "worker is 3; accepted: ring.steps takes workers"),
        ("ring.steps", {"workers": 0}, "workers is 0; accepted: a whole number, 1 or more"),
        ("ring.steps", {"workers": 2.5}, "workers is 2.5"),
        ("ring.steps", {"workers": True}, "workers is True"),
        ("ring.steps", {"workers": "many"}, "workers is 'many'"),
        ("ring.steps", {"workers": "nan"}, "workers is 'nan'"),
        ("ring.steps", {"workers": "1e999"}, "workers is '1e999'"),
        ("ring.steps", {"workers": None}, "workers is None"),
        ("ring.steps", {"workers": [1]}, r"workers is \[1\]"),
        ("ring.bytes_sent", {"workers": 3, "bytes": -1}, "bytes is -1"),
        ("ring.final_chunk", {"workers": 4, "worker": 4}, "worker is 4; accepted: a whole number from 0 to 3"),
        ("ring.time", {"workers": 2, "bytes": 1, "alpha": 0, "bandwidth": 0}, "bandwidth is 0"),
        ("zero.bytes_per_gpu", {"params": 1, "gpus": 1, "stage": 4}, "stage is 4"),
        ("zero.bytes_per_gpu", {"params": 1e99, "gpus": 1, "stage": 0, "optimizer_bytes": 1e300}, "optimizer_bytes"),
        ("hardware.memory_bytes", {"hardware": "abacus"}, "hardware is 'abacus'; accepted: .*h100"),
        ("hardware.memory_bytes", {"hardware": 100}, "hardware is 100"),
        ("collective.wire_ratio", {"op": "gossip", "workers": 2}, "op is 'gossip'; accepted: all_reduce"),
        ("pipeline.bubble", {"stages": 4, "micro_batches": 0}, "micro_batches is 0"),
        (
            "pipeline.peak_activations",
            {"schedule": "x", "stages": 4, "micro_batches": 8, "stage": 0},
            "schedule is 'x'",
        ),
    ],
)
def test_bad_input_is_named(name: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(BadArgument, match=message) as caught:
        quantities.evaluate(name, **arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", [name for name in quantities.names() if name.endswith(("ime", "params", "bubble"))])
def test_each_name_is_found_before_the_others_are_loaded(name: str) -> None:
    program = f"import simlib.quantities as q; print(q.quantity({name!r}).name, len(q.registry.REGISTRY))"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    found, loaded = done.stdout.split()
    assert found == name
    assert int(loaded) < len(quantities.names())


def test_closed_forms_come_without_numpy() -> None:
    program = (
        "import sys, simlib.quantities as q, simlib.collectives.costs\n"
        "q.evaluate('zero.bytes_per_gpu', params=7e9, gpus=8, stage=1)\n"
        "sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
