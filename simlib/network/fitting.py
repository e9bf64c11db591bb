"""The latency and the bandwidth of a link, from measured times of messages."""

from __future__ import annotations

import math
from collections.abc import Sequence

from simlib.errors import BadArgument, positive_number
from simlib.network.links import Link

FASTEST = 1e18  # bytes per second: the bandwidth where times do not grow with the sizes


def fit_link(sizes: Sequence[float], seconds: Sequence[float]) -> Link:
    """The link whose `alpha + size / bandwidth` comes nearest to the measured `seconds` (least squares).

    Misses count relative to the time itself: otherwise the largest message alone would decide, and alpha would be lost
    in its noise. alpha is not below 0; where times do not grow with the sizes, the bandwidth is FASTEST.
    The model is Hockney's (1994), "The communication challenge for MPP".

    Raises BadArgument for fewer than two different sizes, and for sizes below 0 or times that are not above 0.

    >>> link = fit_link([0, 1000, 2000], [1e-6, 2e-6, 3e-6])
    >>> round(link.alpha * 1e6, 6), round(link.bandwidth / 1e9, 6)
    (1.0, 1.0)
    """
    measured = [positive_number(f"seconds[{place}]", second) for place, second in enumerate(seconds)]
    given = [positive_number(f"sizes[{place}]", size, zero=True) for place, size in enumerate(sizes)]
    if len(given) != len(measured):
        raise BadArgument("seconds", seconds, f"as many times as there are sizes ({len(given)})")
    if len(set(given)) < 2:
        raise BadArgument("sizes", sizes, "at least two different sizes")
    # Minimise the sum of (alpha / t + slope * size / t - 1)^2: two normal equations
    ones = [1 / t for t in measured]
    scaled = [size / t for size, t in zip(given, measured, strict=True)]
    aa, ab, bb = _dot(ones, ones), _dot(ones, scaled), _dot(scaled, scaled)
    a, b = sum(ones), sum(scaled)
    determinant = aa * bb - ab * ab
    alpha, slope = (a * bb - b * ab) / determinant, (aa * b - ab * a) / determinant
    if alpha < 0:
        alpha, slope = 0.0, b / bb
    if slope <= 0:
        return Link(a / aa, FASTEST)
    return Link(alpha, min(FASTEST, 1 / slope))


def worst_miss(link: Link, sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The largest factor by which a measured time and the link's are apart; 1 where they agree.

    >>> worst_miss(Link(1, 1), [1, 3], [2, 8])
    2.0
    """
    ratios = [time / link.time(size) for size, time in zip(sizes, seconds, strict=True)]
    return max(max(ratio, 1 / ratio) for ratio in ratios)


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(x * y for x, y in zip(one, other, strict=True))
