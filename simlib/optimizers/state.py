"""What an optimizer keeps between steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class State:
    """An optimizer after some steps, for all parameters or for a shard of them: flat arrays of one length.

    `master` holds the weights in the optimizer's own precision. Momentum and variance are None where the rule has none.
    """

    step: int
    master: Array
    momentum: Array | None = None
    variance: Array | None = None

    @property
    def averages_bytes(self) -> int:
        """Bytes of momentum and variance."""
        return sum(array.nbytes for array in (self.momentum, self.variance) if array is not None)

    def part(self, start: int, stop: int) -> State:
        """The state of a shard, as a copy."""
        cut = (None if a is None else a[start:stop].copy() for a in (self.master, self.momentum, self.variance))
        master, momentum, variance = cut
        assert master is not None
        return State(self.step, master, momentum, variance)


def usable(gradient: Array) -> bool:
    """Whether every element is finite: mixed precision skips a step in which one is not."""
    return bool(np.isfinite(gradient).all())
