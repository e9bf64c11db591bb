"""AdamW: steps of a size that does not depend on the gradient's (Kingma and Ba 2015; Loshchilov and Hutter 2019).

    momentum  <- beta1 momentum + (1 - beta1) g             the gradient's running mean
    variance  <- beta2 variance + (1 - beta2) g^2           its square's
    weights   <- weights - lr (m / (sqrt(v) + eps) + decay weights)

with m and v corrected for having started at 0. Every element is on its own: a shard of the parameters with its shard
of the states gives exactly what the whole would give there, which is all that ZeRO needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from simlib.errors import BadArgument, positive_number
from simlib.optimizers.state import State

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class AdamW:
    """The rule with its settings. Raises BadArgument for negative ones, and for a beta that is not below 1."""

    learning_rate: float = 1e-3
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    weight_decay: float = 0.01

    def __post_init__(self) -> None:
        for name in ("learning_rate", "beta1", "beta2", "epsilon", "weight_decay"):
            positive_number(name, getattr(self, name), zero=True)
        for name in ("beta1", "beta2"):
            if getattr(self, name) >= 1:
                raise BadArgument(name, getattr(self, name), "a number from 0 to below 1")

    def start(self, weights: Array) -> State:
        """The state before the first step: the weights as they are (copied), both averages 0."""
        return State(0, weights.copy(), np.zeros_like(weights), np.zeros_like(weights))

    def apply(self, state: State, gradient: Array) -> State:
        """The state one step later; what is given stays as it is.

        `gradient` may come in fewer bits: it is brought to the precision of the state. Raises BadArgument for a
        gradient of another length.

        >>> rule = AdamW(learning_rate=0.1, weight_decay=0)
        >>> rule.apply(rule.start(np.array([1.0, 1.0])), np.array([5.0, -0.001])).master.round(3).tolist()
        [0.9, 1.1]
        """
        if gradient.shape != state.master.shape:
            raise BadArgument("the shape of the gradient", gradient.shape, f"{state.master.shape}, as the weights")
        assert state.momentum is not None
        assert state.variance is not None
        step, g = state.step + 1, gradient.astype(state.master.dtype, copy=False)
        momentum = state.momentum * self.beta1
        momentum += g * (1 - self.beta1)
        variance = state.variance * self.beta2
        square = g * g
        square *= 1 - self.beta2
        variance += square
        # Both corrections folded into two numbers, so that the arrays are passed over fewer times
        size = np.sqrt(variance, out=square)
        size /= sqrt(1 - self.beta2**step)
        size += self.epsilon
        change = np.divide(momentum, size, out=size)
        change *= self.learning_rate / (1 - self.beta1**step)
        master = state.master * (1 - self.learning_rate * self.weight_decay)
        master -= change
        return State(step, master, momentum, variance)
