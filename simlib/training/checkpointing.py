"""Activation checkpointing: keep little of the forward pass, and run parts of it again when they are needed.

"full" keeps the input of every so many blocks. When the backward pass comes to them, their forward pass runs once more
from there: one more forward pass of all blocks in a step, for the activations of a few at a time (Chen et al. 2016).
"selective" keeps all but the attention weights, which are large and cheap to make again (Korthikanti et al. 2022,
section 5); here the scores and their softmax, since the attention's output is kept for the projection's gradient.

The recomputed numbers are the computed ones, to the last bit: the same operations on the same inputs. With dropout,
too, because a mask follows from its window and place; a generator that moved on would draw another.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simlib.decoder import Batch, Block, Decoder, Dropout
from simlib.decoder.flops import backward_flops, forward_flops, score_flops
from simlib.decoder.layers import Saved, backward, bytes_of, forward
from simlib.decoder.layout import Array
from simlib.errors import one_of, whole_number
from simlib.training.course import Course, Held, Recorder

MODES = ("none", "selective", "full")


@dataclass(frozen=True, eq=False)
class CheckpointedStep:
    """A forward and a backward pass with recomputation, over."""

    loss: float
    gradient: Array = field(repr=False)
    course: Course = field(repr=False)
    layer_forwards: int  # how often a layer's forward pass ran, recomputed ones included
    flops: int  # of all passes
    recomputed_flops: int  # of those that ran once more
    peak_bytes: int  # the most bytes of activations at once


def run(
    decoder: Decoder,
    weights: Array,
    batch: Batch,
    mode: str = "full",
    every: int = 1,
    dropout: Dropout | None = None,
) -> CheckpointedStep:
    """Loss and gradient of a batch, with the activations of the blocks recomputed as `mode` says.

    `every` is how many blocks one kept input serves with "full". The more, the fewer inputs are kept, and the more
    blocks' activations are there at once when they are recomputed: k blocks hold L / k inputs and k blocks' worth.
    Raises BadArgument for another mode and for `every` below 1 or above the blocks.

    >>> from simlib.decoder import Sizes, corpus, initial_parameters
    >>> text = corpus("a rose is a rose is a rose. " * 20)
    >>> small = Decoder(Sizes(text.vocab, context=8, hidden=8, heads=2, layers=4))
    >>> batch = text.batch(8, windows=2, step=0)
    >>> steps = [run(small, initial_parameters(small, 0), batch, mode) for mode in MODES]
    >>> [step.layer_forwards for step in steps], steps[0].peak_bytes > steps[1].peak_bytes > steps[2].peak_bytes
    ([6, 6, 10], True)
    """
    one_of("mode", mode, MODES)
    return _Run(decoder, weights, batch, mode, whole_number("every", every, 1, decoder.sizes.layers), dropout).step()


class _Run:
    """One pass there and back."""

    def __init__(
        self, decoder: Decoder, weights: Array, batch: Batch, mode: str, every: int, dropout: Dropout | None
    ) -> None:
        self.decoder, self.batch, self.mode, self.every, self.dropout = decoder, batch, mode, every, dropout
        self.views = decoder.views(weights)
        self.gradient = np.zeros_like(weights)
        self.saved: dict[int, Saved] = {}  # by layer
        self.inputs: dict[int, Array] = {}  # kept inputs of blocks, by layer
        self.recorder = Recorder(1, lambda _: Held(activations=self._bytes()))
        self.forwards = self.flops = self.recomputed = 0

    def step(self) -> CheckpointedStep:
        """Forward, backward, and what they took."""
        x: Any = self.batch.inputs
        layers = self.decoder.layers
        for place, layer in enumerate(layers):
            if self.mode == "full" and isinstance(layer, Block):
                if layer.number % self.every == 0:
                    self.inputs[place] = x
                x, _ = self._forward(place, x)
            else:
                x, self.saved[place] = self._forward(place, x)
                if self.mode == "selective":
                    self.saved[place].pop("looked", None)
            self.recorder.note("forward", layer.name)
        loss: float = x
        d_x: Any = 1.0
        for place, layer in reversed(list(enumerate(layers))):
            if place not in self.saved:
                self._recompute(place)
            if self.mode == "selective" and isinstance(layer, Block):
                self.recomputed += score_flops(layer, *self.batch.inputs.shape)
            into = layer.layout.views(self.gradient[slice(*self.decoder.bounds[place])])
            d_x = backward(layer, self.views[place], self.saved.pop(place), d_x, into)
            self.flops += backward_flops(layer, *self.batch.inputs.shape)
            self.recorder.note("backward", layer.name)
        course = self.recorder.course()
        peak = max(event.held[0].activations for event in course.events)
        return CheckpointedStep(
            loss, self.gradient, course, self.forwards, self.flops + self.recomputed, self.recomputed, peak
        )

    def _forward(self, place: int, x: Any, again: bool = False) -> tuple[Any, Saved]:
        layer, flops = self.decoder.layers[place], 0
        flops = forward_flops(layer, *self.batch.inputs.shape)
        self.forwards += 1
        if again:
            self.recomputed += flops
        else:
            self.flops += flops
        return forward(layer, self.views[place], x, self.batch.targets, self.dropout)

    def _recompute(self, last: int) -> None:
        """The blocks from the nearest kept input to `last`, once more."""
        first = max(place for place in self.inputs if place <= last)
        x: Any = self.inputs.pop(first)
        for place in range(first, last + 1):
            x, self.saved[place] = self._forward(place, x, again=True)
            self.recorder.note("recompute", self.decoder.layers[place].name)

    def _bytes(self) -> int:
        return sum(map(bytes_of, self.saved.values())) + sum(array.nbytes for array in self.inputs.values())
