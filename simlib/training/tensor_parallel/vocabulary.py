"""The vocabulary split over the ranks: looking characters up, and the loss over scores that nobody has all of.

Looking up: a rank has rows for some characters and gives zeros for the others; the sum over the ranks is the row.
The loss: -log(e^score / sum of e^scores) needs of all scores only three numbers a position: the largest (so that
nothing overflows), the sum, and the score of the right character. Three small all-reduces in place of gathering the
scores themselves (Shoeybi et al. 2019, section 3).
"""

from __future__ import annotations

import numpy as np

from simlib.decoder import operations as op
from simlib.decoder.layout import Array
from simlib.training.course import Recorder


def look_up(table: Array, tokens: Array, first: int) -> Array:
    """The rows of `tokens` that a rank has, whose characters start at `first`; zeros for the others."""
    own = (tokens >= first) & (tokens < first + len(table))
    rows: Array = table[np.where(own, tokens - first, 0)] * own[..., None]
    return rows.astype(table.dtype, copy=False)


def look_up_backward(d_rows: Array, tokens: Array, first: int, count: int) -> Array:
    """The gradient of the rank's table."""
    return op.embedding_backward(d_rows, tokens - first, count)


def cross_entropy(
    recorder: Recorder, scores: list[Array], targets: Array, firsts: list[int]
) -> tuple[list[float], list[Array]]:
    """On every rank the mean loss in nats, and its own part of the probabilities.

    `scores` has each rank's (windows, positions, its characters), `firsts` its first character.
    """
    largest = recorder.all_reduce("largest score", [part.max(axis=-1) for part in scores], "max")
    shifted = [part - top[..., None] for part, top in zip(scores, largest, strict=True)]
    raised = [np.exp(part) for part in shifted]
    totals = recorder.all_reduce("sum of e^score", [part.sum(axis=-1) for part in raised])
    rights = []
    for part, first in zip(shifted, firsts, strict=True):
        own = (targets >= first) & (targets < first + part.shape[-1])
        place = np.where(own, targets - first, 0)
        found = np.take_along_axis(part, place[..., None], axis=-1)[..., 0]
        rights.append(np.where(own, found, 0).astype(part.dtype, copy=False))
    rights = recorder.all_reduce("score of the right character", rights)
    losses = [float((np.log(total) - right).mean()) for total, right in zip(totals, rights, strict=True)]
    return losses, [part / total[..., None] for part, total in zip(raised, totals, strict=True)]


def cross_entropy_backward(probabilities: Array, targets: Array, first: int, d_loss: float) -> Array:
    """The gradient of a rank's scores."""
    own = targets[..., None] == first + np.arange(probabilities.shape[-1])
    d_scores: Array = (probabilities - own) * (d_loss / targets.size)
    return d_scores.astype(probabilities.dtype, copy=False)
