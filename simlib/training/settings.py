"""How a training run is set up, and what one of its steps leaves behind. The same for every split."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from simlib.decoder import Batch, Corpus, Decoder, Dropout, initial_parameters
from simlib.decoder.overflow import QUIET
from simlib.errors import BadArgument, positive_number, whole_number
from simlib.optimizers import AdamW, Precision, Sgd, State, clipping_factor, precision
from simlib.optimizers.clipping import square_of
from simlib.optimizers.state import usable
from simlib.training.course import Course

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Settings:
    """What is trained for how long: the same settings give the same windows, masks and first weights to every split.

    `windows` is the batch of a step, over all workers; `clip` the longest gradient. Raises BadArgument for sizes below
    1, an unknown precision, a clip that is not positive.
    """

    steps: int = 100
    windows: int = 16
    rule: AdamW | Sgd = field(default_factory=AdamW)
    clip: float = inf
    precision: str = "double"
    dropout: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        whole_number("steps", self.steps)
        whole_number("windows", self.windows)
        whole_number("seed", self.seed, 0)
        if self.clip != inf:
            positive_number("clip", self.clip)
        if not isinstance(self.rule, (AdamW, Sgd)):
            raise BadArgument("rule", self.rule, "an AdamW or an Sgd")
        precision(self.precision)
        Dropout(self.dropout, self.seed, 0, ())

    @property
    def formats(self) -> Precision:
        """The precision by name."""
        return precision(self.precision)

    def first_weights(self, decoder: Decoder) -> Array:
        """What every run starts from, in the precision of the optimizer."""
        return initial_parameters(decoder, self.seed, np.dtype(self.formats.master))

    def batch(self, decoder: Decoder, text: Corpus, step: int) -> Batch:
        """The windows of a step (from 0)."""
        return text.batch(decoder.sizes.context, self.windows, step, self.seed)

    def dropout_of(self, step: int, batch: Batch, seed: int | None = None) -> Dropout | None:
        """The dropout of a step for the windows of a batch; None without dropout."""
        if not self.dropout:
            return None
        return Dropout(self.dropout, self.seed if seed is None else seed, step, batch.names)

    @QUIET
    def computed_in(self, master: Array) -> Array:
        """The working weights, brought to the format that the passes compute in."""
        formats = self.formats
        return formats.working(master).astype(formats.compute, copy=False)

    @QUIET
    def update(self, state: State, gradient: Array, square: float | None = None) -> tuple[State, float, bool]:
        """The state after a step with a gradient that carries the loss scale; its length; whether the step was skipped.

        `square` is the squared length of the whole gradient, where `gradient` is a part of it (loss scale included).
        A gradient that is not finite changes nothing: the step is skipped, as mixed precision does on overflow.
        """
        formats = self.formats
        wide = gradient.astype(formats.master, copy=False)
        if square is None:
            square = square_of(wide)
        if not np.isfinite(square) or not usable(wide):
            return state, inf, True
        norm = float(np.sqrt(square)) / formats.loss_scale
        factor = clipping_factor(norm, self.clip) / formats.loss_scale
        return self.rule.apply(state, wide if factor == 1 else wide * factor), norm, False


@dataclass(frozen=True, eq=False)
class Step:
    """One step of a training run, over."""

    number: int  # from 1
    loss: float  # the mean over the batch's windows, before the update, in nats a character
    norm: float  # length of the whole gradient, before clipping
    skipped: bool  # whether a gradient was out of range and nothing was updated
    # The whole model's weights after the step, one array a worker that has a copy (or one for a model that is split)
    weights: tuple[Array, ...] = field(repr=False)
    course: Course = field(repr=False)
