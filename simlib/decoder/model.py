"""The whole decoder: a row of layers over one flat array of parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from simlib.decoder import layers
from simlib.decoder.dropout import Dropout
from simlib.decoder.layers import Block, Embedding, Head, Layer, Saved, Views
from simlib.decoder.layout import Array, Layout
from simlib.decoder.overflow import QUIET
from simlib.decoder.text import Batch
from simlib.errors import BadArgument, whole_number


@dataclass(frozen=True)
class Sizes:
    """How large a decoder is. Raises BadArgument for sizes below 1 and a hidden size that the heads do not divide."""

    vocab: int
    context: int
    hidden: int
    heads: int
    layers: int

    def __post_init__(self) -> None:
        for name in ("vocab", "context", "hidden", "heads", "layers"):
            whole_number(name, getattr(self, name))
        if self.hidden % self.heads:
            raise BadArgument("hidden", self.hidden, f"a multiple of the {self.heads} heads")


@dataclass(frozen=True)
class Decoder:
    """A decoder of some `sizes`. It holds no parameters: they are an array that is passed in.

    >>> Decoder(Sizes(vocab=10, context=8, hidden=16, heads=2, layers=1)).size
    3760
    """

    sizes: Sizes

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """The embedding, the blocks, the head: in the order of the forward pass."""
        s = self.sizes
        blocks = (Block(s.hidden, s.heads, number) for number in range(s.layers))
        return (Embedding(s.vocab, s.context, s.hidden), *blocks, Head(s.hidden, s.vocab))

    @cached_property
    def bounds(self) -> tuple[tuple[int, int], ...]:
        """(start, stop) of each layer's parameters in the flat array."""
        return tuple(pairwise(accumulate((layer.layout.size for layer in self.layers), initial=0)))

    @property
    def size(self) -> int:
        """Parameters of the model."""
        return self.bounds[-1][1]

    @cached_property
    def layout(self) -> Layout:
        """All parameters by name, "block 0/up.weight"."""
        return Layout(
            tuple((f"{layer.name}/{name}", shape) for layer in self.layers for name, shape in layer.layout.slots)
        )

    def views(self, flat: Array) -> list[Views]:
        """For each layer its parameters by name, as views into `flat`."""
        if flat.shape != (self.size,):
            raise BadArgument("the shape of the parameters", flat.shape, f"({self.size:,},): one flat array")
        return [layer.layout.views(flat[a:b]) for layer, (a, b) in zip(self.layers, self.bounds, strict=True)]

    @QUIET
    def forward(self, weights: Array, batch: Batch, dropout: Dropout | None = None) -> tuple[float, list[Saved]]:
        """The mean loss of a batch, in nats a character, and what each layer saved."""
        self._check(batch)
        x: Any = batch.inputs
        saved = []
        for layer, parameters in zip(self.layers, self.views(weights), strict=True):
            x, kept = layers.forward(layer, parameters, x, batch.targets, dropout)
            saved.append(kept)
        return x, saved

    @QUIET
    def backward(self, weights: Array, saved: Sequence[Saved], d_loss: float = 1.0) -> Array:
        """The gradient of `d_loss` x loss, flat as the weights."""
        gradient = np.zeros_like(weights)
        d_x: Any = d_loss
        rows = zip(self.layers, self.views(weights), saved, self.views(gradient), strict=True)
        for layer, parameters, kept, gradients in reversed(list(rows)):
            d_x = layers.backward(layer, parameters, kept, d_x, gradients)
        return gradient

    def loss_and_gradient(
        self, weights: Array, batch: Batch, dropout: Dropout | None = None, d_loss: float = 1.0
    ) -> tuple[float, Array]:
        """The mean loss of a batch, in nats a character, and the gradient of `d_loss` times it."""
        loss, saved = self.forward(weights, batch, dropout)
        return loss, self.backward(weights, saved, d_loss)

    def loss(self, weights: Array, batch: Batch, at_once: int = 16) -> float:
        """The mean loss of a batch of any size, `at_once` windows at a time."""
        total = 0.0
        for start in range(0, len(batch), at_once):
            part = batch.take(range(start, min(start + at_once, len(batch))))
            total += self.forward(weights, part)[0] * len(part)
        return total / len(batch)

    def _check(self, batch: Batch) -> None:
        if batch.inputs.shape[1] > self.sizes.context:
            accepted = f"at most the context, {self.sizes.context} characters"
            raise BadArgument("the length of a window", batch.inputs.shape[1], accepted)
        for name, tokens in (("inputs", batch.inputs), ("targets", batch.targets)):
            if tokens.min(initial=0) < 0 or tokens.max(initial=0) >= self.sizes.vocab:
                accepted = f"characters numbered from 0 to {self.sizes.vocab - 1}"
                raise BadArgument(name, int(tokens.max(initial=0)), accepted)


def initial_parameters(decoder: Decoder, seed: int, dtype: npt.DTypeLike = np.float64) -> Array:
    """Parameters to start from: gains 1, biases 0, matrices normal with deviation 0.02 (Radford et al. 2019).

    The matrices that end a residual branch are divided by sqrt(2 layers), so that their sum does not grow.
    """
    random = np.random.default_rng(whole_number("seed", seed, 0))
    flat = np.empty(decoder.size)
    for layer, views in zip(decoder.layers, decoder.views(flat), strict=True):
        for name, view in views.items():
            if name.endswith("gain"):
                view[...] = 1
            elif name.endswith("bias"):
                view[...] = 0
            else:
                ends_branch = isinstance(layer, Block) and name in ("project.weight", "down.weight")
                deviation = 0.02 / sqrt(2 * decoder.sizes.layers) if ends_branch else 0.02
                view[...] = random.normal(0, deviation, view.shape)
    return flat.astype(dtype)
