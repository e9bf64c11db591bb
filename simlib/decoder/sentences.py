"""A text made by rule, for a small model to read: workers send chunks, stages pass micro-batches."""

from __future__ import annotations

import numpy as np

from simlib.errors import whole_number

_WHO = ("worker", "rank", "stage")
_DOES = ("sends", "passes", "adds", "keeps")
_WHAT = ("a chunk", "a shard", "its gradient", "its weights", "a micro-batch")
_WHOM = ("to its right neighbour", "to the next one", "to all others", "for the next step")
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven")
_MOST = 100_000


def sentences(count: int, seed: int = 0) -> str:
    """`count` sentences drawn by `seed`, the same ones for the same seed.

    Raises BadArgument for a count below 1 or above 100,000 and for a seed below 0.

    >>> sentences(2)
    'stage five adds a shard to the next one. worker zero sends a chunk for the next step. '
    """
    draw = np.random.default_rng(whole_number("seed", seed, 0))
    parts = (_WHO, _NUMBERS, _DOES, _WHAT, _WHOM)
    drawn = draw.integers(0, [len(words) for words in parts], (whole_number("count", count, 1, _MOST), len(parts)))
    return "".join(
        " ".join(words[place] for words, place in zip(parts, row, strict=True)) + ". " for row in drawn.tolist()
    )
