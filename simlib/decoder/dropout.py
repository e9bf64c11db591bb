"""Dropout whose masks follow from what they are for: the same for a window wherever that window is computed.

A mask is drawn from (seed, step, place in the model, window), not from a generator that moves on. So a batch has the
same masks on one device as in parts on four (Srivastava et al. 2014; Shoeybi et al. 2019, section 3, on seeds).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from simlib.errors import BadArgument, positive_number, whole_number

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Dropout:
    """A share `rate` of values is set to 0, the others are divided by what is left, so that the mean stays.

    `windows` names the windows of the batch, one number each. Raises BadArgument for a rate that is not from 0 to
    below 1.

    >>> mask = Dropout(0.5, seed=1, step=0, windows=(0, 1)).mask(place=0, shape=(2, 4), dtype=np.dtype("float64"))
    >>> sorted(set(mask.reshape(-1).tolist()))
    [0.0, 2.0]
    """

    rate: float
    seed: int
    step: int
    windows: Sequence[int]

    def __post_init__(self) -> None:
        if positive_number("rate", self.rate, zero=True) >= 1:
            raise BadArgument("rate", self.rate, "a share from 0 to below 1")
        whole_number("seed", self.seed, 0)

    def mask(self, place: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """What to multiply with at `place`: (windows, *shape), of 0 and 1 / (1 - rate)."""
        kept = [
            np.random.default_rng((self.seed, self.step, place, window)).random(shape) >= self.rate
            for window in self.windows
        ]
        return (np.stack(kept) / (1 - self.rate)).astype(dtype)
