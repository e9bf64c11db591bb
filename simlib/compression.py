"""Sending less: sparse gradients by all-gather, low-rank ones, and what that saves on the wire.

Sources: Lin et al. 2018, "Deep Gradient Compression" (sending the largest values alone); Vogels et al. 2019,
"PowerSGD". Closed forms; no NumPy. `simlib.training.top_k` carries the first out.
"""

from __future__ import annotations

from dataclasses import dataclass

from simlib.errors import BadArgument, positive_number, whole_number


def wire_ratio(
    keep: float, workers: int, value_bytes: float = 2, index_bytes: float = 4, dense_bytes: float = 2
) -> float:
    """Bytes of a sparse all-gather over those of the dense ring all-reduce, per worker.

    Sparse: (N - 1) x keep x (value + index) bytes an element, since pieces with different positions cannot be added
    on the way. Dense: 2 (N - 1) / N x dense bytes. Their ratio is keep x N x (value + index) / (2 x dense): it
    grows with N. `keep` is the share of values sent, above 0 and at most 1. Raises BadArgument for others.

    >>> wire_ratio(1 / 16, 8), wire_ratio(1 / 16, 64)
    (0.75, 6.0)
    """
    share = positive_number("keep", keep)
    if share > 1:
        raise BadArgument("keep", keep, "a share of the values, above 0 and at most 1")
    n = whole_number("workers", workers)
    piece = positive_number("value_bytes", value_bytes) + positive_number("index_bytes", index_bytes, zero=True)
    return share * n * piece / (2 * positive_number("dense_bytes", dense_bytes))


@dataclass(frozen=True)
class LowRank:
    """A matrix sent as two factors: elements with and without, and whether it is worth while."""

    uncompressed: int
    compressed: int
    ratio: float
    worth_while: bool


def power_sgd(rows: int, columns: int, rank: int, least_ratio: float = 2) -> LowRank:
    """Elements that PowerSGD sends for a gradient of (rows, columns): (rows + columns) x rank, not rows x columns.

    Worth while where that shrinks it more than `least_ratio` times (Vogels et al. 2019; PyTorch's hook).

    >>> power_sgd(768, 3072, 8).ratio
    76.8
    """
    n, m, r = whole_number("rows", rows), whole_number("columns", columns), whole_number("rank", rank)
    least = positive_number("least_ratio", least_ratio)
    return LowRank(n * m, (n + m) * r, n * m / ((n + m) * r), (n + m) * r * least < n * m)
