"""The fit of a link to measured times, against NumPy's least squares."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlib.errors import BadArgument
from simlib.network import Link, fit_link, worst_miss
from simlib.network.fitting import FASTEST

SIZES = [8.0, 512.0, 4096.0, 65536.0, 1048576.0]


@given(alpha=st.floats(1e-7, 1e-2), bandwidth=st.floats(1e6, 1e11))
def test_exact_times_give_their_own_link(alpha: float, bandwidth: float) -> None:
    sizes = [0.0, alpha * bandwidth, 10 * alpha * bandwidth]
    link = fit_link(sizes, [alpha + size / bandwidth for size in sizes])
    assert link.alpha == pytest.approx(alpha, rel=1e-6)
    assert link.bandwidth == pytest.approx(bandwidth, rel=1e-6)


@given(noise=st.lists(st.floats(0.8, 1.25), min_size=5, max_size=5))
def test_noisy_times_give_what_numpy_s_weighted_least_squares_gives(noise: list[float]) -> None:
    times = [(2e-5 + size / 1e9) * factor for size, factor in zip(SIZES, noise, strict=True)]
    rows = np.array([[1 / time, size / time] for size, time in zip(SIZES, times, strict=True)])
    (alpha, slope), *_ = np.linalg.lstsq(rows * [1e-5, 1e-9], np.ones(5), rcond=None)[0:1]
    link = fit_link(SIZES, times)
    assert link.alpha == pytest.approx(alpha * 1e-5, rel=1e-6)
    assert link.bandwidth == pytest.approx(1 / (slope * 1e-9), rel=1e-6)


def test_a_latency_is_never_below_zero_nor_a_bandwidth() -> None:
    assert fit_link([1, 2], [1, 4]).alpha == 0
    assert fit_link([1, 2], [4, 1]).bandwidth == FASTEST
    # the nearest constant, relative: sum(1/t) / sum(1/t²)
    assert fit_link([1, 2], [4, 1]).time(5) == pytest.approx(20 / 17)


def test_the_worst_miss_counts_both_ways() -> None:
    assert worst_miss(Link(1, 1), [1, 3], [1, 4]) == 2
    assert worst_miss(Link(1, 1), [1, 3], [2, 12]) == 3


@pytest.mark.parametrize(
    ("sizes", "seconds"),
    [([1], [1]), ([1, 1], [1, 2]), ([1, 2], [1]), ([-1, 2], [1, 2]), ([1, 2], [0, 2]), ([1, 2], [math.nan, 2])],
)
def test_what_cannot_be_fitted_is_refused(sizes: list[float], seconds: list[float]) -> None:
    with pytest.raises(BadArgument):
        fit_link(sizes, seconds)
