"""One step of a small model on one device and through a pipeline, side by side: the numbers are the same.

Every micro-batch goes through the same layers with the same weights, wherever they are, and nothing is updated before
all gradients are added up (Huang et al. 2019, section 2.2; Narayanan et al. 2021, section 2.2: 1F1B with a flush).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simlib.decoder import Decoder, Sizes, corpus, initial_parameters, sentences
from simlib.errors import whole_number
from simlib.training import pipeline

WINDOWS, CONTEXT, HIDDEN, HEADS, LAYERS = 8, 8, 16, 2, 4
MODEL_LAYERS = LAYERS + 2  # the embedding and the output layer are cut off like any other
_SENTENCES = 60


@dataclass(frozen=True)
class Compared:
    """Losses in nats a character; `one` is on one device, `many` through the pipeline."""

    losses_one: tuple[float, ...]  # of each micro-batch
    losses_many: tuple[float, ...]
    loss_one: float  # of the step
    loss_many: float
    norms_one: tuple[float, ...]  # length of the gradient of each rank's layers
    norms_many: tuple[float, ...]
    apart: tuple[float, ...]  # on each rank, the largest difference in any number of the gradient
    layers: tuple[int, ...]  # how many each rank has


def compare(stages: int, micro_batches: int, name: str = "1f1b", chunks: int = 1, seed: int = 0) -> Compared:
    """The same step both ways; on one device the micro-batches run one after another, gradients added up.

    Raises BadArgument for more model stages than layers, more micro-batches than windows, and what
    `simlib.training.pipeline.run` does not take.

    >>> found = compare(2, 4)
    >>> found.losses_one == found.losses_many, max(found.apart)
    (True, 0.0)
    """
    count = whole_number("micro_batches", micro_batches, 1, WINDOWS)
    text = corpus(sentences(_SENTENCES))
    decoder = Decoder(Sizes(text.vocab, CONTEXT, HIDDEN, HEADS, LAYERS))
    weights = initial_parameters(decoder, seed)
    batch = text.batch(CONTEXT, windows=WINDOWS, step=0)
    many = pipeline.run(decoder, weights, batch, stages, count, name, chunks)
    losses, gradient = [], np.zeros_like(weights)
    for part in batch.split(count):
        loss, one = decoder.loss_and_gradient(weights, part, None, len(part) / len(batch))
        losses.append(loss)
        gradient = gradient + one
    parts = [len(part) for part in batch.split(count)]
    mine = _of_ranks(decoder, many.schedule.stages, many.schedule.chunks)
    pieces = [[slice(*decoder.bounds[layer]) for layer in layers] for layers in mine]
    return Compared(
        tuple(losses),
        many.losses,
        sum(loss * size for loss, size in zip(losses, parts, strict=True)) / sum(parts),
        many.loss,
        tuple(_norm(gradient, where) for where in pieces),
        tuple(_norm(many.gradient, where) for where in pieces),
        tuple(max(float(np.abs(gradient[at] - many.gradient[at]).max()) for at in where) for where in pieces),
        tuple(map(len, mine)),
    )


def _of_ranks(decoder: Decoder, ranks: int, chunks: int) -> list[list[int]]:
    """The layers of each rank: those of model stages r, r + p, …"""
    stages = pipeline.stages_of(decoder, ranks * chunks)
    return [[layer for part in stages[rank::ranks] for layer in part] for rank in range(ranks)]


def _norm(gradient: np.ndarray, where: list[slice]) -> float:
    return float(np.sqrt(sum(float(np.sum(gradient[at] ** 2)) for at in where)))
