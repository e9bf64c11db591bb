"""Text as numbers: a character is a token, a window is some of them in a row and the ones that follow each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from simlib.errors import BadArgument, positive_number, whole_number

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Batch:
    """Some windows: `inputs` and `targets` are (windows, positions); the target is the character that comes next.

    `names` numbers the windows of the step, from 0, so that a part of a batch still knows which windows it has.
    """

    inputs: Array
    targets: Array
    names: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.inputs)

    def take(self, places: Iterable[int]) -> Batch:
        """The windows at some `places`, as a batch of their own."""
        chosen = list(places)
        return Batch(self.inputs[chosen], self.targets[chosen], tuple(self.names[place] for place in chosen))

    def split(self, parts: int) -> list[Batch]:
        """The batch in so many parts, in order, the first ones larger by one where they do not divide it.

        Raises BadArgument for more parts than windows: a worker without a window has no mean to give.
        """
        count = whole_number("parts", parts, 1, len(self))
        return [self.take(places.tolist()) for places in np.array_split(np.arange(len(self)), count)]

    def shares(self, sizes: Iterable[int]) -> list[Batch]:
        """The batch in parts of the given `sizes`, which must add up to it."""
        given = [whole_number(f"shares[{place}]", size) for place, size in enumerate(sizes)]
        if sum(given) != len(self):
            raise BadArgument("shares", given, f"whole numbers that add up to the {len(self)} windows")
        edges = np.cumsum([0, *given])
        return [self.take(range(a, b)) for a, b in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)]


@dataclass(frozen=True, eq=False)
class Corpus:
    """A text as token numbers: a part to train on, and a part that is kept back to judge by."""

    characters: str  # token i is characters[i]
    training: Array
    validation: Array

    @property
    def vocab(self) -> int:
        """How many different characters there are."""
        return len(self.characters)

    def batch(self, context: int, windows: int, step: int, seed: int = 0) -> Batch:
        """The windows of a step, drawn by (seed, step): whoever asks gets the same ones.

        Raises BadArgument for a context that is longer than the text.
        """
        last = len(self.training) - self._context(context, self.training) - 1
        draw = np.random.default_rng((whole_number("seed", seed, 0), whole_number("step", step, 0)))
        starts = draw.integers(0, last + 1, whole_number("windows", windows))
        return _windows(self.training, starts, context)

    def validation_batch(self, context: int, windows: int | None = None) -> Batch:
        """Windows of the kept part, one after another: all that fit, or the first `windows`."""
        length = self._context(context, self.validation)
        fit = (len(self.validation) - 1) // length
        count = fit if windows is None else whole_number("windows", windows, 1, fit)
        return _windows(self.validation, np.arange(count) * length, length)

    def encode(self, text: str) -> Array:
        """The token numbers of `text`. Raises BadArgument for a character that the corpus does not have."""
        numbers = {character: number for number, character in enumerate(self.characters)}
        for character in text:
            if character not in numbers:
                raise BadArgument("text", character, f"the {self.vocab} characters of the corpus")
        return np.array([numbers[character] for character in text], dtype=np.int64)

    @staticmethod
    def _context(context: int, tokens: Array) -> int:
        return whole_number("context", context, 1, len(tokens) - 1)


def corpus(text: str, validation_share: float = 0.1) -> Corpus:
    """`text` as a corpus; its last part is kept back for validation.

    Raises BadArgument for a text of fewer than 20 characters and for a share that is not between 0 and 1.

    >>> made = corpus("to be or not to be, that is the question")
    >>> made.vocab, len(made.training), len(made.validation)
    (14, 36, 4)
    """
    if not isinstance(text, str) or len(text) < 20:
        raise BadArgument("text", text, "a text of at least 20 characters")
    if positive_number("validation_share", validation_share) >= 1:
        raise BadArgument("validation_share", validation_share, "a share between 0 and 1")
    characters = "".join(sorted(set(text)))
    whole = Corpus(characters, np.empty(0, np.int64), np.empty(0, np.int64))
    tokens = whole.encode(text)
    kept = min(len(tokens) - 2, max(2, round(len(tokens) * validation_share)))
    return Corpus(characters, tokens[:-kept], tokens[-kept:])


def _windows(tokens: Array, starts: Array, length: int) -> Batch:
    places = starts[:, None] + np.arange(length)
    return Batch(tokens[places], tokens[places + 1], tuple(range(len(starts))))
