"""Training on one device, with the batch in one piece or in micro-batches one after another.

Gradient accumulation adds up the gradients of micro-batches and updates once. Each micro-batch's loss is a mean over
its own windows, so it counts by its share of the batch; then their sum is the gradient of the whole batch's mean. Every
split is compared with this run, and data parallelism is the same with the micro-batches run at once.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simlib.decoder import Corpus, Decoder
from simlib.errors import one_of, whole_number
from simlib.training.course import Held, Recorder
from simlib.training.settings import Settings, Step

MISTAKES = ("accumulate-undivided", "token-mean-of-means")


def train(
    decoder: Decoder, text: Corpus, settings: Settings, micro_batches: int = 1, mistake: str | None = None
) -> Iterator[Step]:
    """The steps of a run, one by one as they are done.

    `mistake` does one thing wrong: with "accumulate-undivided" the micro-batches' mean losses are added up as they are,
    which makes the gradient `micro_batches` times too large; with "token-mean-of-means" they all count the same,
    whatever their windows. Raises BadArgument for more micro-batches than windows and another mistake.
    """
    count = whole_number("micro_batches", micro_batches, 1, settings.windows)
    if mistake is not None:
        one_of("mistake", mistake, MISTAKES)
    return _steps(decoder, text, settings, count, mistake)


def _steps(
    decoder: Decoder, text: Corpus, settings: Settings, micro_batches: int, mistake: str | None
) -> Iterator[Step]:
    formats = settings.formats
    state = settings.rule.start(settings.first_weights(decoder))
    own = Held(
        weights=formats.weight_bytes * decoder.size,
        gradients=formats.weight_bytes * decoder.size,
        optimizer=state.averages_bytes + (state.master.nbytes if formats.separate else 0),
    )
    for number in range(1, settings.steps + 1):
        recorder = Recorder(1, lambda _: own)
        weights = settings.computed_in(state.master)
        batch = settings.batch(decoder, text, number - 1)
        shares = {"accumulate-undivided": 1.0, "token-mean-of-means": 1 / micro_batches}
        loss, gradient = 0.0, np.zeros(0)
        for place, part in enumerate(batch.split(micro_batches)):
            share = shares.get(mistake or "", len(part) / len(batch))
            found, one = decoder.loss_and_gradient(
                weights, part, settings.dropout_of(number - 1, part), share * formats.loss_scale
            )
            recorder.note("passes", f"micro-batch {place}")
            loss += found * len(part) / len(batch)
            gradient = gradient + one if place else one
        state, norm, skipped = settings.update(state, formats.gradient(gradient))
        recorder.note("update", "all parameters")
        yield Step(number, loss, norm, skipped, (state.master,), recorder.course())
