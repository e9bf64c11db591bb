"""Data parallelism: the same model on every worker, a part of the batch each, gradients averaged by an all-reduce.

Every worker's loss is the mean over its own windows. Where all have equally many, the mean of the workers' gradients is
the gradient of the whole batch's mean. Where they have not, each must count by its windows, or the windows of the
smaller parts count for more. Copies that start alike and apply the same gradient stay alike, to the last bit: an
all-reduce gives all workers the same bits (Li et al. 2020, sections 2 and 3).

Against one device the last bits do differ: sums of the same numbers in another order are rounded differently. For a
gradient of N parts the difference is at most about N x eps x the sum of the parts' sizes, and training carries it on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from simlib.collectives.layout import MOST_WORKERS
from simlib.decoder import Batch, Corpus, Decoder
from simlib.decoder.overflow import QUIET
from simlib.errors import BadArgument, one_of, whole_number
from simlib.optimizers import State, norm_of
from simlib.training.course import Held, Recorder
from simlib.training.settings import Array, Settings, Step

MISTAKES = ("sum-for-mean", "mean-of-unequal-means", "same-seed-for-noise", "clip-before-average")


@QUIET
def average(recorder: Recorder, gradients: Sequence[Array], windows: Sequence[int] | None = None) -> list[Array]:
    """What an all-reduce makes of the workers' mean gradients: the mean over all `windows`, on every worker.

    Without `windows`, one number a worker, all count the same.

    >>> recorder = Recorder(2)
    >>> [float(array[0].round(3)) for array in average(recorder, [np.array([0.2]), np.array([0.4])])]
    [0.3, 0.3]
    >>> average(recorder, [np.array([1.0]), np.array([4.0])], windows=[2, 1])[0].tolist()
    [2.0]
    """
    if windows is not None and len(set(windows)) > 1:
        weights = [len(windows) * count / sum(windows) for count in windows]
        gradients = [gradient * weight for gradient, weight in zip(gradients, weights, strict=True)]
    return recorder.all_reduce("gradients", gradients, "mean")


def train(
    decoder: Decoder,
    text: Corpus,
    settings: Settings,
    workers: int = 4,
    shares: Sequence[int] | None = None,
    mistake: str | None = None,
) -> Iterator[Step]:
    """The steps of a run on `workers` workers, one by one as they are done.

    `shares` gives each worker's windows of a step; without them the batch is split as evenly as it goes. Each step's
    `weights` has every worker's copy. `mistake` does one thing wrong: "sum-for-mean" leaves the gradients N times too
    large, "mean-of-unequal-means" counts all workers the same whatever their shares, "same-seed-for-noise" gives every
    worker the dropout masks of the first windows, "clip-before-average" has each worker clip its own gradient before
    the mean. Raises BadArgument for shares that do not add up to the windows, more workers than windows, and another
    mistake.
    """
    count = whole_number("workers", workers, 1, min(MOST_WORKERS, settings.windows))
    if shares is not None and len(shares) != count:
        raise BadArgument("shares", shares, f"one number of windows for each of the {count} workers")
    if mistake is not None:
        one_of("mistake", mistake, MISTAKES)
    if shares is not None and sum(whole_number("a share", share) for share in shares) != settings.windows:
        raise BadArgument("shares", shares, f"whole numbers that add up to the {settings.windows} windows")
    return _steps(decoder, text, settings, count, shares, mistake)


def _steps(
    decoder: Decoder,
    text: Corpus,
    settings: Settings,
    workers: int,
    shares: Sequence[int] | None,
    mistake: str | None,
) -> Iterator[Step]:
    formats = settings.formats
    states = [settings.rule.start(settings.first_weights(decoder))] * workers
    own = Held(
        weights=formats.weight_bytes * decoder.size,
        gradients=formats.weight_bytes * decoder.size,
        optimizer=states[0].averages_bytes + (states[0].master.nbytes if formats.separate else 0),
    )
    for number in range(1, settings.steps + 1):
        recorder = Recorder(workers, lambda _: own)
        batch = settings.batch(decoder, text, number - 1)
        parts = batch.split(workers) if shares is None else batch.shares(shares)
        loss, gradients = 0.0, []
        for state, part in zip(states, parts, strict=True):
            named = Batch(part.inputs, part.targets, batch.names[: len(part)])
            dropout = settings.dropout_of(number - 1, named if mistake == "same-seed-for-noise" else part)
            found, gradient = decoder.loss_and_gradient(
                settings.computed_in(state.master), part, dropout, formats.loss_scale
            )
            loss += found * len(part) / len(batch)
            gradients.append(gradient)
        recorder.note("passes", "forward and backward, each worker its own windows")
        if mistake == "clip-before-average":
            gradients = [_clipped(gradient, settings) for gradient in gradients]
        counts = None if mistake == "mean-of-unequal-means" else [len(part) for part in parts]
        reduced = average(recorder, [formats.gradient(gradient) for gradient in gradients], counts)
        if mistake == "sum-for-mean":
            reduced = [gradient * workers for gradient in reduced]
        states, norm, skipped = _updated(settings, states, reduced)
        recorder.note("update", "all parameters, on every worker")
        yield Step(number, loss, norm, skipped, tuple(state.master for state in states), recorder.course())


def _updated(
    settings: Settings, states: Sequence[State], gradients: Sequence[Array]
) -> tuple[list[State], float, bool]:
    """Every worker's state after the step; the norm and whether the step was skipped, of worker 0.

    An update follows from state and gradient alone: for a worker that has the same bits of both it is not done twice.
    """
    first, norm, skipped = settings.update(states[0], gradients[0])
    after = [first]
    for state, gradient in zip(states[1:], gradients[1:], strict=True):
        alike = state is states[0] and np.array_equal(gradient, gradients[0])
        after.append(first if alike else settings.update(state, gradient)[0])
    return after, norm, skipped


def _clipped(gradient: Array, settings: Settings) -> Array:
    norm = norm_of(gradient) / settings.formats.loss_scale
    return gradient * (settings.clip / norm) if norm > settings.clip else gradient
