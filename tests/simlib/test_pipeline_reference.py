"""Every pipeline figure of reference_figures.json, a case each, named by its id."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from simlib.errors import BadArgument
from simlib.pipeline import Schedule, formulas, schedule, time_orders, zero_bubble
from simlib.pipeline.durations import StageTimes
from simlib.pipeline.fsdp import with_gathering

ALL_FIGURES = json.loads(Path(__file__).with_name("reference_figures.json").read_text(encoding="utf-8"))
FIGURES = {figure["id"]: figure for figure in ALL_FIGURES if figure["area"] == "pipeline"}
FIGURES |= {figure["id"]: figure for figure in ALL_FIGURES if figure["id"] == "pp-unshard-lowering"}

UNEVEN = {"forward": 1, "input": 1, "weight": 0.3}
# The figures of one schedule: its name, ranks, micro-batches, chunks and times
SCHEDULES: dict[str, tuple[tuple[Any, ...], dict[str, float]]] = {
    "gpipe-p2-m2": (("gpipe", 2, 2), {}),
    "gpipe-p4-m4": (("gpipe", 4, 4), {}),
    "gpipe-p4-m8": (("gpipe", 4, 8), {}),
    "gpipe-p8-m32": (("gpipe", 8, 32), {}),
    "1f1b-p1": (("1f1b", 1, 4), {}),
    "1f1b-p2-m2": (("1f1b", 2, 2), {}),
    "1f1b-p8-m32": (("1f1b", 8, 32), {}),
    "1f1b-m-lt-p-p4-m1": (("1f1b", 4, 1), {}),
    "1f1b-m-lt-p-p8-m4": (("1f1b", 8, 4), {}),
    "interleaved-p2-v2-m2": (("interleaved", 2, 2, 2), {}),
    "interleaved-p4-v2-m4": (("interleaved", 4, 4, 2), {}),
    "interleaved-p4-v2-m8": (("interleaved", 4, 8, 2), {}),
    "interleaved-p4-v4-m8": (("interleaved", 4, 8, 4), {}),
    "interleaved-p8-v2-m16": (("interleaved", 8, 16, 2), {}),
    "flex-interleaved-p4-v2-m10": (("interleaved", 4, 10, 2), {}),
    "flex-interleaved-p4-v2-m3": (("interleaved", 4, 3, 2), {}),
    "loopedbfs-p2-v2-m4": (("looped-bfs", 2, 4, 2), {}),
    "zb-h1-p2-m4": (("zb-h1", 2, 4), {}),
    "zb-h1-p4-m6": (("zb-h1", 4, 6), {}),
    "zb-h1-p4-m8": (("zb-h1", 4, 8), {}),
    "zb-h1-p4-m12": (("zb-h1", 4, 12), {}),
    "zb-h1-m-lt-p": (("zb-h1", 4, 2), {}),
    "zb-h1-uneven-p4-m8": (("zb-h1", 4, 8), UNEVEN),
    "zb-h1-uneven-p8-m32": (("zb-h1", 8, 32), UNEVEN),
    "zb-h2-p4-m8": (("zb-h2", 4, 8), {}),
    "zbv-p2-m4": (("zb-v", 2, 4), {}),
    "zbv-p4-m10": (("zb-v", 4, 10), {}),
    "dualpipe-p4-m8": (("dualpipe", 4, 8), {}),
    "dualpipe-p8-m20": (("dualpipe", 8, 20), {}),
    "dualpipev-p2-m4": (("dualpipe-v", 2, 4), {}),
    "dualpipev-p4-m10": (("dualpipe-v", 4, 10), {}),
    "dualpipev-p8-m20": (("dualpipe-v", 8, 20), {}),
    "zb1p-2rank-2stage-8mb": (("zb-h1", 2, 8, 2), {}),
}
# The figures that are not one schedule's: filled by the functions below
OTHERS: dict[str, Callable[[Any], None]] = {}


def figure(name: str) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    def keep(check: Callable[[Any], None]) -> Callable[[Any], None]:
        OTHERS[name] = check
        return check

    return keep


@pytest.mark.parametrize("name", FIGURES)
def test_figure(name):
    expected = FIGURES[name]["expected"]
    if name in SCHEDULES:
        positional, times = SCHEDULES[name]
        assert_figures(schedule(*positional, **times), expected)
    else:
        OTHERS[name](expected)
    if "wrong_value" in FIGURES[name] and name in SCHEDULES:
        assert abs(schedule(*SCHEDULES[name][0], **SCHEDULES[name][1]).bubble - FIGURES[name]["wrong_value"]) > 0.1


def test_every_figure_has_a_case():
    assert SCHEDULES.keys() | OTHERS.keys() == FIGURES.keys()


def by_rank(figures: dict[str, Any]) -> list[Any]:
    return [figures[rank] for rank in sorted(figures, key=int)]


def assert_figures(made: Schedule, expected: dict[str, Any]) -> None:
    measured = {
        "makespan": made.makespan,
        "span_per_rank": list(made.span),
        "idle_per_rank": list(made.idle),
        "peak_in_flight": list(made.peak_activations),
        "order": [[str(step) for step in row] for row in made.orders],
        "bubble": made.idle[0],
        "bubble_fraction": made.bubble,
        "bubble_by_span": max(span / busy for span, busy in zip(made.span, made.busy, strict=True)) - 1,
    }
    for key, value in expected.items():
        if key == "order":
            order = by_rank(value)
            if made.name == "zb-h1" and made.chunks > 1:
                order = [[text.replace("B", "I") for text in row] for row in order]  # that file's B is I
            assert measured[key] == order
        elif key != "why":
            assert measured[key] == pytest.approx(by_rank(value) if isinstance(value, dict) else value, abs=1e-9)


@figure("bubble-gpipe-formula")
def _(expected: str) -> None:
    assert expected.startswith("(K-1)/(M+K-1) of total time")
    for stages, micro_batches in [(1, 1), (2, 3), (4, 8), (4, 32), (16, 5)]:
        share = Fraction(stages - 1, micro_batches + stages - 1)
        assert formulas.bubble(stages, micro_batches) == float(share)
        assert schedule("gpipe", stages, micro_batches).bubble == pytest.approx(float(share), abs=1e-15)
        assert formulas.bubble(stages, 4 * stages) < 1 / 5  # "negligible when M >= 4K"


@figure("bubble-narayanan-formula")
def _(expected: dict[str, str]) -> None:
    assert expected == {"gpipe_1f1b": "(p-1)/m of IDEAL time", "interleaved": "(p-1)/(m v) of IDEAL time"}
    plain, halved = schedule("1f1b", 8, 48), schedule("interleaved", 8, 48, 2)
    # The two conventions of the figure's note, like for like
    assert (plain.bubble, halved.bubble) == pytest.approx((0.1273, 0.0680), abs=5e-5)
    assert (plain.bubble_of_ideal, halved.bubble_of_ideal) == pytest.approx((0.1458, 0.0729), abs=5e-5)
    assert plain.bubble_of_ideal == formulas.bubble_of_ideal(8, 48) == 7 / 48
    assert halved.bubble_of_ideal == formulas.bubble_of_ideal(8, 48, 2) == 7 / 96


@figure("interleaved-formula-TRAP")
def _(expected: dict[str, float]) -> None:
    made = schedule("interleaved", 8, 16, 4)
    assert made.bubble == pytest.approx(expected["total"], abs=1e-12)
    assert formulas.bubble(8, 16, 4) == pytest.approx(expected["total"], abs=1e-12)
    assert made.bubble_of_ideal == pytest.approx(expected["ideal"], abs=1e-12)
    assert formulas.bubble_of_ideal(8, 16, 4) == pytest.approx(expected["ideal"], abs=1e-12)
    assert abs(made.bubble - FIGURES["interleaved-formula-TRAP"]["wrong_value"]) > 0.03


@figure("throughput-8-64")
def _(expected: dict[str, float]) -> None:
    made = schedule("1f1b", 8, 64, forward=10, backward=20)
    assert made.makespan == formulas.makespan(8, 64, 10, 20) == expected["total_ms"]
    assert 1 - made.bubble == pytest.approx(expected["efficiency"], abs=1e-12)
    assert 64 / made.makespan * 1000 == pytest.approx(expected["mb_per_s"], rel=1e-12)


@figure("deepspeed-steps-buffers")
def _(expected: dict[str, Any]) -> None:
    assert formulas.instruction_steps(4, 8) == expected["steps"]
    assert [formulas.buffers(4, 8, stage) for stage in range(4)] == expected["buffers"]
    # A pass a step: with F and B of one length the makespan counts DeepSpeed's steps
    assert schedule("1f1b", 4, 8, backward=1).makespan == expected["steps"]


@figure("interleaved-warmup-counts")
def _(expected: dict[str, Any]) -> None:
    assert [formulas.warmup_forwards(4, 8, rank, chunks=2) for rank in range(4)] == expected["warmup"]
    orders = schedule("interleaved", 4, 8, 2).orders
    # The first backward pass comes after the warm-up and the forward pass it takes turns with
    firsts = [[step.kind for step in row].index("B") for row in orders]
    assert [first - 1 for first in firsts] == expected["warmup"]


@figure("interleaved-divisibility")
def _(expected: dict[str, str]) -> None:
    assert "makespan 22.5 (bubble 4.5)" in expected["torch"]
    made = schedule("interleaved", 4, 6, 2)
    assert (made.makespan, made.idle) == (22.5, (4.5,) * 4)
    with pytest.raises(BadArgument, match=r"splits evenly into .* rounds, here 2: 8 or 10 would"):
        schedule("interleaved", 4, 9, 2)


@figure("zb-2p-uneven-sail")
def _(expected: dict[str, float]) -> None:
    made = schedule("zb-h2", 4, 12, forward=10, input=11, weight=8)
    assert made.makespan == expected["makespan"]
    assert max(made.peak_activations) <= 8
    assert made.busy == (expected["ideal"],) * 4
    # The source counts half an activation as freed by I, and so fits more forward passes into the same 2p
    counted = zero_bubble.orders(4, 12, StageTimes(forward=10, input=11, weight=8), memory=8, freed_by_input=0.5)
    timeline = time_orders(counted, forward=10, input=11, weight=8)
    assert (max(timeline.span), timeline.makespan) == (expected["max_span"], expected["makespan"])
    assert max(timeline.peak_activations) > 8


@figure("pp-unshard-lowering")
def _(expected: list[str]) -> None:
    compute = FIGURES["pp-unshard-lowering"]["inputs"]["compute"]
    assert [str(step) for step in with_gathering(compute)] == expected
