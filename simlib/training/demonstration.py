"""One worker with all windows beside several with a part each, step by step: they learn the same.

>>> last = list(one_against_many("to be or not to be, that is the question. " * 20, steps=3, windows=4, workers=2))[-1]
>>> round(last.validation_one, 6) == round(last.validation_many, 6)
True
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from simlib.decoder import Decoder, Sizes, corpus
from simlib.errors import whole_number
from simlib.optimizers import AdamW
from simlib.training import data_parallel, one_device
from simlib.training.settings import Settings

STEPS, WINDOWS, WORKERS = 150, 16, 4


@dataclass(frozen=True)
class Model:
    """The sizes of the decoder that is trained; `context` in characters."""

    hidden: int = 32
    heads: int = 4
    layers: int = 2
    context: int = 32


MODEL = Model()
SMALL = Model(hidden=16, heads=2, layers=1, context=16)  # some milliseconds a step for both runs


@dataclass(frozen=True)
class Progress:
    """Both runs after a step. Losses are in nats a character."""

    step: int
    steps: int
    loss_one: float  # of the step's batch, before its update
    loss_many: float
    furthest: float  # the largest difference between the two runs in any weight
    agree: bool  # whether the several workers' copies are alike to the last bit
    validation_one: float | None  # after the first and the last step, and now and then
    validation_many: float | None


def one_against_many(
    text: str,
    steps: int = STEPS,
    windows: int = WINDOWS,
    workers: int = WORKERS,
    shares: Sequence[int] | None = None,
    mistake: str | None = None,
    settings: Settings | None = None,
    every: int = 50,
    model: Model = MODEL,
) -> Iterator[Progress]:
    """Train the same small model twice on `text`: on one worker, and on `workers` that average their gradients.

    Yields after each step; the validation losses come every `every` steps and at the end. In float64 (the default of
    `settings`) the losses end closer than 1e-12, in float32 at some 1e-7. Single weights may be further apart there,
    by 1e-3: the biases of attention's keys. They do not change the loss, so their gradient is rounding alone, and Adam
    makes steps of the usual size of it.

    `model` says what is trained, `shares` and `mistake` are as in `data_parallel.train`, `settings` for
    everything else (its steps and windows are replaced). Raises BadArgument as those do.
    """
    material = corpus(text)
    context = min(model.context, len(material.validation) - 1)
    decoder = Decoder(Sizes(material.vocab, context, model.hidden, model.heads, model.layers))
    base = settings or Settings(rule=AdamW(learning_rate=3e-3))
    chosen = Settings(steps, windows, base.rule, base.clip, base.precision, base.dropout, base.seed)
    between = whole_number("every", every)
    single = one_device.train(decoder, material, chosen)
    several = data_parallel.train(decoder, material, chosen, workers, shares, mistake)
    kept = material.validation_batch(decoder.sizes.context)

    def run() -> Iterator[Progress]:
        for one, many in zip(single, several, strict=True):
            judged = one.number == 1 or one.number % between == 0 or one.number == steps
            yield Progress(
                one.number,
                steps,
                one.loss,
                many.loss,
                float(np.abs(one.weights[0] - many.weights[0]).max()),
                all(np.array_equal(copy, many.weights[0]) for copy in many.weights),
                decoder.loss(chosen.computed_in(one.weights[0]), kept) if judged else None,
                decoder.loss(chosen.computed_in(many.weights[0]), kept) if judged else None,
            )

    return run()
