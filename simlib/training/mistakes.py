"""What goes wrong, on purpose: the same run with one thing done right and done wrong, side by side.

Every mistake here runs without an error, as they do in real training. What shows is the loss, sooner or later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from simlib.decoder import Corpus, Decoder
from simlib.errors import one_of
from simlib.optimizers import AdamW, Sgd
from simlib.training import data_parallel, one_device, sharded, tensor_parallel
from simlib.training.settings import Settings, Step

# Losses of two right runs in float64 differ by some 1e-15 in the first steps; a mistake by more than this
ROUNDING = 1e-9

Run = Callable[[Decoder, Corpus, Settings, str | None], Iterator[Step]]


@dataclass(frozen=True)
class Mistake:
    """A mistake: where it belongs, what is done, and a run in which it matters."""

    name: str
    split: str  # which split makes it
    done: str  # what is done wrong
    settings: Settings = field(repr=False)  # of a run that shows it; its steps are replaced
    run: Run = field(repr=False)


def _sharded(stage: int) -> Run:
    return lambda decoder, text, settings, mistake: sharded.train(
        decoder, text, settings, workers=4, stage=stage, mistake=mistake
    )


def _tensor(sequence_parallel: bool) -> Run:
    return lambda decoder, text, settings, mistake: tensor_parallel.train(
        decoder, text, settings, 2, sequence_parallel, mistake
    )


def _unequal(decoder: Decoder, text: Corpus, settings: Settings, mistake: str | None) -> Iterator[Step]:
    each = max(1, settings.windows // 16)
    shares = [each, each, each, settings.windows - 3 * each]
    return data_parallel.train(decoder, text, settings, 4, shares, mistake)


def _data(decoder: Decoder, text: Corpus, settings: Settings, mistake: str | None) -> Iterator[Step]:
    return data_parallel.train(decoder, text, settings, 4, mistake=mistake)


def _accumulated(decoder: Decoder, text: Corpus, settings: Settings, mistake: str | None) -> Iterator[Step]:
    return one_device.train(decoder, text, settings, 4, mistake)


def _unevenly_accumulated(decoder: Decoder, text: Corpus, settings: Settings, mistake: str | None) -> Iterator[Step]:
    # Two windows in the larger micro-batches, one in the smaller
    return one_device.train(decoder, text, settings, 2 * settings.windows // 3 or 1, mistake)


_PLAIN = Settings(rule=Sgd(0.1))
_ADAM = Settings(rule=AdamW(3e-3))
_CLIPPED = Settings(rule=Sgd(0.5), clip=0.05)
_DROPPED = Settings(rule=AdamW(3e-3), dropout=0.2)

_ALL = (
    Mistake("sum-for-mean", "data parallel", "The workers' mean gradients are added up, not averaged.", _PLAIN, _data),
    Mistake(
        "mean-of-unequal-means",
        "data parallel",
        "Workers with different numbers of windows count the same in the average.",
        _PLAIN,
        _unequal,
    ),
    Mistake(
        "clip-before-average",
        "data parallel",
        "Each worker clips its own gradient before the average.",
        _CLIPPED,
        _data,
    ),
    Mistake(
        "same-seed-for-noise",
        "data parallel",
        "Every worker drops the same values, whatever its windows.",
        _DROPPED,
        _data,
    ),
    Mistake(
        "accumulate-undivided",
        "gradient accumulation",
        "The micro-batches' mean losses are added up as they are.",
        _PLAIN,
        _accumulated,
    ),
    Mistake(
        "token-mean-of-means",
        "gradient accumulation",
        "Micro-batches of different sizes count the same.",
        _PLAIN,
        _unevenly_accumulated,
    ),
    Mistake(
        "stale-gather",
        "sharded",
        "The weights that are gathered are those from before the update.",
        _ADAM,
        _sharded(3),
    ),
    Mistake(
        "local-norm-for-clipping",
        "sharded",
        "Each worker clips its shard by the shard's own length.",
        _CLIPPED,
        _sharded(2),
    ),
    Mistake(
        "bias-on-every-rank",
        "tensor parallel",
        "Every rank adds the bias to its partial output, before the sum.",
        _ADAM,
        _tensor(False),
    ),
    Mistake(
        "own-dropout-in-replicated-parts",
        "tensor parallel",
        "Ranks that hold the same activations drop different ones of them.",
        _DROPPED,
        _tensor(False),
    ),
    Mistake(
        "norm-gradients-need-no-sync",
        "sequence parallel",
        "Each rank keeps the gradient of its own positions for what is whole on every rank.",
        _ADAM,
        _tensor(True),
    ),
)

MISTAKES: Mapping[str, Mistake] = MappingProxyType({mistake.name: mistake for mistake in _ALL})


@dataclass(frozen=True)
class Pair:
    """A step done right and done wrong. Losses are those of the step's batch before its update, in nats a character."""

    step: int
    right: float
    wrong: float
    copies_agree: bool  # whether all workers' copies of the wrongly trained model are still alike
    norm_right: float
    norm_wrong: float

    @property
    def difference(self) -> float:
        """How much larger the loss is with the mistake."""
        return self.wrong - self.right

    @property
    def shows(self) -> bool:
        """Whether the losses differ by more than rounding."""
        return not abs(self.difference) <= ROUNDING


def side_by_side(
    name: str, decoder: Decoder, text: Corpus, steps: int = 30, settings: Settings | None = None
) -> Iterator[Pair]:
    """The run without the mistake `name` and with it, step by step as they are done.

    `settings` replaces those that show it best (its steps are replaced). Raises BadArgument for an unknown mistake, and
    as the split does that makes it.

    >>> from simlib.decoder import Sizes, corpus
    >>> text = corpus("a rose is a rose is a rose. " * 20)
    >>> small = Decoder(Sizes(text.vocab, context=4, hidden=8, heads=2, layers=1))
    >>> [pair.shows for pair in side_by_side("sum-for-mean", small, text, steps=3)]
    [False, True, True]
    """
    mistake = MISTAKES[one_of("name", name, tuple(MISTAKES))]
    base = settings or mistake.settings
    chosen = Settings(steps, base.windows, base.rule, base.clip, base.precision, base.dropout, base.seed)
    right = mistake.run(decoder, text, chosen, None)
    wrong = mistake.run(decoder, text, chosen, name)
    return _pairs(right, wrong)


def _pairs(right: Iterator[Step], wrong: Iterator[Step]) -> Iterator[Pair]:
    for good, bad in zip(right, wrong, strict=True):
        first = bad.weights[0].tobytes()
        alike = all(copy.tobytes() == first for copy in bad.weights)
        yield Pair(good.number, good.loss, bad.loss, alike, good.norm, bad.norm)
