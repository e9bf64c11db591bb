"""Published runs: what they print follows from their speed, their machine and their model."""

from __future__ import annotations

import pytest

from simlib import hardware, models, published, quantities, scaling, transformer
from simlib.errors import BadArgument


@pytest.mark.parametrize("run", published.RUNS)
def test_the_printed_share_follows_from_the_printed_speed(run: str) -> None:
    found = published.find(run)
    computed = quantities.evaluate("run.computed_utilisation", run=run).value
    assert computed == pytest.approx(found.utilisation, abs=0.006)
    assert found.model in models.MODELS
    assert found.hardware in hardware.HARDWARE
    assert found.source


def test_palm_by_hand() -> None:
    """Appendix B: 6 x 540e9 FLOPs a token and 12 x 118 x 48 x 256 x 2048 of attention, at 238.3 thousand a second."""
    attention = 12 * 118 * 48 * 256 * 2048
    used = 238.3e3 * (6 * 540.35e9 + attention) / (6144 * 275e12)
    assert used == pytest.approx(0.462, abs=0.001)
    assert quantities.evaluate("run.computed_utilisation", run="palm-540b").value == pytest.approx(used, rel=1e-3)


def test_megatrons_share_without_recomputation() -> None:
    """Equation 3 with and without recomputation: about three quarters."""
    shape = {"layers": 128, "hidden": 25600, "vocab": 51200, "sequence": 2048, "batch": 3072}
    model, done = (transformer.flops_per_step(**shape, recompute=again) for again in (False, True))
    assert 0.52 * model / done == pytest.approx(0.39, abs=0.002)


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("run.utilisation", {"run": "gpt-9"}, "run is 'gpt-9'; accepted: palm-540b"),
        ("run.tokens_per_second", {"run": "megatron-1t"}, "prints tokens a second: palm-540b"),
        ("scaling.tokens_per_step", {"gpus": 12, "micro_batch": 1, "sequence": 1, "tensor": 8}, "a multiple of .*8"),
    ],
)
def test_what_is_refused(name: str, arguments: dict[str, object], said: str) -> None:
    with pytest.raises(BadArgument, match=said):
        quantities.evaluate(name, **arguments)


def test_weak_scaling_compares_samples_a_second() -> None:
    """An epoch of fixed steps takes longer, and does eight times as much."""
    assert scaling.speed_up(250, 280) < 1
    assert scaling.speed_up(250, 280, work_one=500, work_many=4000) == pytest.approx(7.142857)
