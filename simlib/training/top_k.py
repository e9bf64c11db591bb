"""Sending only the largest values of a gradient, and remembering the rest: top-k compression with error feedback.

Each worker adds what it did not send before to its new gradient, sends the k values that are largest then, with their
positions, and keeps the rest for next time. So nothing is lost, only late: what all workers have applied and what they
still hold add up to all gradients so far (Stich et al. 2018; Lin et al. 2018, section 3).

Values at different positions cannot be added on the way, so everyone's travel to everyone, by an all-gather: bytes grow
with the number of workers, where an all-reduce's do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil

import numpy as np

from simlib.collectives.layout import MOST_WORKERS
from simlib.decoder import Corpus, Decoder
from simlib.decoder.layout import Array
from simlib.decoder.overflow import QUIET
from simlib.errors import BadArgument, positive_number, whole_number
from simlib.training.course import Held, Recorder
from simlib.training.settings import Settings, Step

INDEX_BYTES = 4  # positions are 32-bit whole numbers


@dataclass(frozen=True, eq=False)
class Exchanged:
    """What an exchange of the largest values gave."""

    mean: Array = field(repr=False)  # over the workers, zero where nobody sent anything; the same on all of them
    residuals: tuple[Array, ...] = field(repr=False)  # what each worker has not sent
    positions: tuple[Array, ...] = field(repr=False)  # what it has


def largest(values: Array, keep: float) -> Array:
    """Positions of the `keep` share of values that are largest without their sign, in order; at least one.

    Of equal ones the first. Raises BadArgument for a share that is not above 0 and at most 1.

    >>> largest(np.array([0.1, -3.0, 2.0, 0.5]), keep=0.5).tolist()
    [1, 2]
    """
    if positive_number("keep", keep) > 1:
        raise BadArgument("keep", keep, "a share of the values, above 0 and at most 1")
    count = min(len(values), max(1, ceil(keep * len(values) - 1e-9)))
    order = np.argsort(-np.abs(values), kind="stable")[:count]
    return np.sort(order).astype(np.int32)


@QUIET
def exchange(
    recorder: Recorder,
    gradients: Sequence[Array],
    residuals: Sequence[Array],
    keep: float,
    storage: str | None = None,
) -> Exchanged:
    """The mean of what the workers send of gradient + residual, by two all-gathers: values and positions.

    `storage` is the dtype in which values travel; what its rounding takes away stays in the residual.
    """
    wanted = [gradient + residual for gradient, residual in zip(gradients, residuals, strict=True)]
    positions = [largest(values, keep) for values in wanted]
    values = [w[p].astype(storage or w.dtype, copy=False) for w, p in zip(wanted, positions, strict=True)]
    everyones = recorder.all_gather("largest values", values)[0]
    places = recorder.all_gather("their positions", positions)[0]
    total = np.zeros_like(wanted[0])
    np.add.at(total, places, everyones.astype(total.dtype, copy=False))
    for left, sent, at in zip(wanted, values, positions, strict=True):
        left[at] -= sent.astype(left.dtype, copy=False)
    return Exchanged(total / len(wanted), tuple(wanted), tuple(positions))


def train(
    decoder: Decoder, text: Corpus, settings: Settings, workers: int, keep: float, error_feedback: bool = True
) -> Iterator[Step]:
    """The steps of a data-parallel run whose workers send the `keep` share of values that is largest.

    Without `error_feedback` what is not sent is forgotten. Residuals count among the gradients that a worker holds.
    Raises BadArgument for more workers than windows and a share that is not above 0 and at most 1.
    """
    count = whole_number("workers", workers, 1, min(MOST_WORKERS, settings.windows))
    largest(np.zeros(1), keep)
    return _steps(decoder, text, settings, count, keep, error_feedback)


def _steps(
    decoder: Decoder, text: Corpus, settings: Settings, workers: int, keep: float, error_feedback: bool
) -> Iterator[Step]:
    formats = settings.formats
    state = settings.rule.start(settings.first_weights(decoder))
    residuals = [np.zeros(decoder.size, formats.compute) for _ in range(workers)]
    own = Held(
        weights=formats.weight_bytes * decoder.size,
        gradients=formats.weight_bytes * decoder.size + (residuals[0].nbytes if error_feedback else 0),
        optimizer=state.averages_bytes + (state.master.nbytes if formats.separate else 0),
    )
    for number in range(1, settings.steps + 1):
        recorder = Recorder(workers, lambda _: own)
        batch = settings.batch(decoder, text, number - 1)
        weights = settings.computed_in(state.master)
        loss, gradients = 0.0, []
        for part in batch.split(workers):
            share = len(part) / len(batch)
            dropout = settings.dropout_of(number - 1, part)
            found, gradient = decoder.loss_and_gradient(weights, part, dropout, share * workers * formats.loss_scale)
            loss += found * share
            gradients.append(gradient)
        recorder.note("passes", "forward and backward, each worker its own windows")
        storage = formats.storage if formats.separate else None
        done = exchange(recorder, gradients, residuals, keep, storage)
        # All workers have the same values in the same order, and so the same state: one stands for all
        state, norm, skipped = settings.update(state, done.mean)
        # After an overflow what was held before is still what was not applied
        if error_feedback and not skipped:
            residuals = list(done.residuals)
        recorder.note("update", "all parameters, on every worker")
        yield Step(number, loss, norm, skipped, (state.master,), recorder.course())
