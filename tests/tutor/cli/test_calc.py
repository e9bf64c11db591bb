"""`calc`: what may be typed for a quantity's arguments. Expected figures by hand."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simlib import quantities
from tutor.cli.main import main
from tutor.cli.output import BadUsage
from tutor.cli.quantity_arguments import typed_arguments

Capture = pytest.CaptureFixture[str]


def ask(capsys: Capture, *argv: str) -> Any:
    """The JSON that `calc` prints."""
    status = main(["calc", *argv, "--json"])
    captured = capsys.readouterr()
    assert status == 0, captured.err
    return json.loads(captured.out)


def test_calc_works_the_formula_out(capsys: Capture) -> None:
    found = ask(capsys, "ring.bytes_sent", "workers=3", "bytes=24")
    assert set(found) == {"name", "arguments", "value", "unit", "formula", "worked"}
    assert found["value"] == 32
    assert "24" in found["worked"]
    assert ask(capsys, "pipeline.bubble", "stages=4", "micro_batches=8")["value"] == pytest.approx(3 / 11)


def test_calc_takes_arithmetic_for_a_value(capsys: Capture) -> None:
    assert ask(capsys, "ring.bytes_sent", "workers=2**2", "bytes=4*1024")["value"] == 6144


def test_every_quantity_is_listed(capsys: Capture) -> None:
    names = {quantity["name"] for quantity in ask(capsys, "--list")["quantities"]}
    assert {"ring.steps", "zero.bytes_per_gpu", "pipeline.bubble"} <= names


@pytest.mark.parametrize(
    ("name", "words", "arguments"),
    [
        ("ring.bytes_sent", ["workers=8", "bytes=20 MB"], {"workers": 8, "bytes": 20_000_000}),
        ("ring.bytes_sent", ["workers=8", "bytes=20", "MB"], {"workers": 8, "bytes": 20_000_000}),
        ("ring.bytes_sent", ["bytes=20MB", "workers=8"], {"workers": 8, "bytes": 20_000_000}),
        ("ring.bytes_sent", ["bytes=1e12", "workers=1K"], {"workers": 1000, "bytes": 10**12}),
        ("ring.bytes_sent", ["bytes=28 GB + 10.5 GB", "workers=8"], {"workers": 8, "bytes": 38_500_000_000}),
        # A multiple counts parameters and is no unit of bytes; a GiB is 2**30
        (
            "zero.first_stage_that_fits",
            ["params=7B", "gpus=8", "capacity=16 GiB"],
            {"params": 7_000_000_000, "gpus": 8, "capacity": 17_179_869_184, "optimizer_bytes": 12},
        ),
        (
            "zero.first_stage_that_fits",
            # 0.067 * 1e9 is 67,000,000.00000001 in floating point
            ["params=0.067 billion", "gpus=8", "capacity=80 GB", "optimizer_bytes=4"],
            {"params": 67_000_000, "gpus": 8, "capacity": 80_000_000_000, "optimizer_bytes": 4},
        ),
        (
            "training.seconds",
            ["params=70b", "tokens=15T", "gpus=16", "flops_per_gpu=400 TFLOP/s"],
            {"params": 70 * 10**9, "tokens": 15 * 10**12, "gpus": 16, "flops_per_gpu": 400 * 10**12, "passes": 6},
        ),
        (
            "message.time",
            ["bytes=64 KiB", "alpha=5 us", "bandwidth=400 Gbit/s"],
            {"bytes": 65536, "alpha": 5e-6, "bandwidth": 50 * 10**9},
        ),
        (
            "ddp.buckets",
            ["sizes=[1 MB, 25MiB, 3e6]", "cap=25 MiB", "first_cap=2**20"],
            {"sizes": [1_000_000, 26_214_400, 3_000_000], "cap": 26_214_400, "first_cap": 1_048_576},
        ),
        (
            "compression.wire_ratio",
            ["keep=1%", "workers=8", "value_bytes=4 B", "index_bytes=4", "dense_bytes=2"],
            {"keep": 0.01, "workers": 8, "value_bytes": 4, "index_bytes": 4, "dense_bytes": 2},
        ),
    ],
)
def test_a_number_may_have_its_unit(capsys: Capture, name: str, words: list[str], arguments: dict[str, Any]) -> None:
    assert ask(capsys, name, *words)["arguments"] == pytest.approx(arguments)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["workers=8 GB", "bytes=1"], ["workers", "how many workers", "'8 GB' is in bytes", "a plain number"]),
        (["workers=8", "bytes=3 s"], ["bytes of the whole array", "'3 s' is in seconds", "12.5 GB"]),
        (["workers=8", "bytes=3 XB"], ["'XB', which is no unit of bytes"]),
        (["workers=8", "bytes"], ["'bytes' is not an argument", "key=value"]),
        (["bytes=8", "GB", "workers"], ["'workers' is not an argument", "key=value"]),
        (["workers=8", "or", "9", "bytes=1"], ["'8 or 9' is not clear from 'or 9' on"]),
        (["workers=few", "bytes=1"], ["workers", "'few' is no number"]),
        (["workers", "bytes=1"], ["'workers' is not an argument", "key=value"]),
        (["workers=7", "workers=8", "bytes=1"], ["workers is given twice"]),
        (["workers=1.5K", "byte=1"], ["byte is", "bytes, workers"]),
    ],
)
def test_what_is_no_argument_is_said_in_one_line(capsys: Capture, words: list[str], told: list[str]) -> None:
    assert main(["calc", "ring.bytes_sent", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert all(part in captured.err for part in told), captured.err


@settings(deadline=None)
@given(st.integers(1, 10**6), st.sampled_from(["", "K", "M", "G", "T", "Ki", "Mi", "Gi", "Ti"]))
def test_any_whole_number_of_a_unit_is_exact(many: int, prefix: str) -> None:
    powers = "KMGT".find(prefix[:1]) + 1 if prefix else 0
    base = 1024 if prefix.endswith("i") else 1000
    (read,) = typed_arguments(quantities.quantity("ring.bytes_sent"), [f"bytes={many} {prefix}B"]).values()
    assert read == many * base**powers


@settings(deadline=None)
@given(st.lists(st.text(max_size=30) | st.text("0123456789 =,[]eGMKiB/s+*-", max_size=30), max_size=4))
def test_any_words_are_arguments_or_refused(words: list[str]) -> None:
    for typed in ([f"{key}={word}" for key, word in zip("abcd", words, strict=False)], ["sizes=1", *words]):
        with suppress(BadUsage):
            typed_arguments(quantities.quantity("ddp.buckets"), typed)
