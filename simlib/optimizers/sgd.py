"""Gradient descent without memory: the step is as large as the gradient, so a gradient N times too large shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from simlib.errors import BadArgument, positive_number
from simlib.optimizers.state import State

Array = np.ndarray[tuple[Any, ...], np.dtype[Any]]


@dataclass(frozen=True)
class Sgd:
    """weights <- weights - learning rate x gradient."""

    learning_rate: float = 0.1

    def __post_init__(self) -> None:
        positive_number("learning_rate", self.learning_rate, zero=True)

    def start(self, weights: Array) -> State:
        """The state before the first step: the weights alone."""
        return State(0, weights.copy())

    def apply(self, state: State, gradient: Array) -> State:
        """The state one step later. Raises BadArgument for a gradient of another length."""
        if gradient.shape != state.master.shape:
            raise BadArgument("the shape of the gradient", gradient.shape, f"{state.master.shape}, as the weights")
        g = gradient.astype(state.master.dtype, copy=False)
        return State(state.step + 1, state.master - self.learning_rate * g)
