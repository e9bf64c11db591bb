"""Clipping: a gradient that is too long is shortened, all of it by one factor (Pascanu et al. 2013).

The length is that of the whole gradient. Where it is sharded, each worker has the squares of its own part only, and
they must be added up over all workers before anyone clips.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from simlib.errors import positive_number

Array = npt.NDArray[Any]


def square_of(gradient: Array) -> float:
    """The sum of the squares of all elements, added up in float64."""
    wide = gradient.reshape(-1).astype(np.float64, copy=False)
    return float(np.square(wide).sum())


def norm_of(gradient: Array) -> float:
    """The length of a gradient.

    >>> norm_of(np.array([3.0, 4.0]))
    5.0
    """
    return sqrt(square_of(gradient))


def clipping_factor(norm: float, limit: float = inf) -> float:
    """What to multiply a gradient of length `norm` with so that it is at most `limit` long; 1 where it is already.

    >>> clipping_factor(5.0, limit=1.0), clipping_factor(0.5, limit=1.0)
    (0.2, 1.0)
    """
    if limit != inf:
        positive_number("limit", limit)
    return limit / norm if norm > limit else 1.0
