"""Training on t tensor-parallel ranks: all run the same batch together, and each updates what it has.

What is whole on every rank stays alike without a message: all compute the same gradient of it. With sequence
parallelism they do not, each has seen its own positions only, so the gradients of LayerNorms, positions and the biases
outside the split matrices are added up over the ranks (Korthikanti et al. 2022, section 4.2.2).

Against one device the last bits differ: a matrix product is added up in t parts, and the parts in the ring's order.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simlib.decoder import Batch, Corpus, Decoder, Dropout
from simlib.decoder.layers import bytes_of
from simlib.decoder.layout import Array
from simlib.errors import BadArgument, one_of
from simlib.optimizers import State
from simlib.optimizers.clipping import square_of
from simlib.training.course import Course, Held, Recorder
from simlib.training.settings import Settings, Step
from simlib.training.tensor_parallel.layers import Ranked
from simlib.training.tensor_parallel.regions import Sliced, Whole
from simlib.training.tensor_parallel.split import Split

MISTAKES = (
    "bias-on-every-rank",
    "norm-gradients-need-no-sync",
    "own-dropout-in-replicated-parts",
    "same-seed-for-noise",
)
_ONLY_WHOLE = ("own-dropout-in-replicated-parts",)
_ONLY_SLICED = ("norm-gradients-need-no-sync", "same-seed-for-noise")


def gradients(
    decoder: Decoder,
    weights: Array,
    batch: Batch,
    tensor: int,
    sequence_parallel: bool = False,
    dropout: Dropout | None = None,
) -> tuple[float, Array, Course]:
    """The loss and the gradient of a batch, computed by `tensor` ranks and joined, and the course of it.

    Raises BadArgument for more ranks than heads, and with sequence parallelism for positions that they do not divide.
    """
    split = Split(decoder, tensor)
    _check_positions(batch.inputs.shape[1], tensor, sequence_parallel)
    group = _Ranks(split, [split.part(weights, rank) for rank in range(tensor)], sequence_parallel, None)
    loss = group.passes(batch, [dropout] * tensor, 1.0)
    return loss, split.join(group.gradients), group.recorder.course()


def train(
    decoder: Decoder,
    text: Corpus,
    settings: Settings,
    tensor: int,
    sequence_parallel: bool = False,
    mistake: str | None = None,
) -> Iterator[Step]:
    """The steps of a run on `tensor` ranks, one by one as they are done.

    A step's `weights` has the whole model as each rank sees it: the parts joined, and its own copy of what is whole.
    `mistake` does one thing wrong. "bias-on-every-rank": the bias after a sum is added before it, t times.
    "own-dropout-in-replicated-parts": ranks that should compute the same drop different values. With sequence
    parallelism, "norm-gradients-need-no-sync": gradients of what is whole stay those of the own positions;
    "same-seed-for-noise": all slices are dropped by one mask. Raises BadArgument for more ranks than heads, a context
    that they do not divide (sequence parallelism), and mistakes that the mode cannot make.
    """
    split = Split(decoder, tensor)
    _check_positions(decoder.sizes.context, tensor, sequence_parallel)
    if mistake is not None:
        one_of("mistake", mistake, MISTAKES)
        if mistake in (_ONLY_WHOLE if sequence_parallel else _ONLY_SLICED):
            possible = tuple(m for m in MISTAKES if m not in (_ONLY_WHOLE if sequence_parallel else _ONLY_SLICED))
            mode = "with" if sequence_parallel else "without"
            raise BadArgument("mistake", mistake, f"{', '.join(possible)} {mode} sequence parallelism")
    return _steps(split, text, settings, sequence_parallel, mistake)


def _steps(
    split: Split, text: Corpus, settings: Settings, sequence_parallel: bool, mistake: str | None
) -> Iterator[Step]:
    ranks = range(split.tensor)
    formats, first = settings.formats, settings.first_weights(split.decoder)
    states = [settings.rule.start(split.part(first, rank)) for rank in ranks]
    for number in range(1, settings.steps + 1):
        batch = settings.batch(split.decoder, text, number - 1)
        group = _Ranks(
            split,
            [settings.computed_in(state.master) for state in states],
            sequence_parallel,
            mistake,
            states,
            settings,
        )
        seeds = [settings.seed + 1 + rank if mistake in _ONLY_WHOLE else settings.seed for rank in ranks]
        dropouts = [settings.dropout_of(number - 1, batch, seed) for seed in seeds]
        loss = group.passes(batch, dropouts, formats.loss_scale)
        kept = [formats.gradient(gradient) for gradient in group.gradients]
        square = group.recorder.sum_of_numbers(
            "squared length of the gradient",
            [_counted_once(split, rank, gradient) for rank, gradient in enumerate(kept)],
        )
        outcomes = [settings.update(*given) for given in zip(states, kept, square, strict=True)]
        states = [state for state, _, _ in outcomes]
        group.recorder.note("update", "every rank's own part")
        masters = [state.master for state in states]
        copies = tuple(split.join(masters, whole_from=rank) for rank in ranks)
        yield Step(number, loss, outcomes[0][1], outcomes[0][2], copies, group.recorder.course())


class _Ranks:
    """One forward and backward pass of all ranks."""

    def __init__(
        self,
        split: Split,
        weights: list[Array],
        sequence_parallel: bool,
        mistake: str | None,
        states: list[State] | None = None,
        settings: Settings | None = None,
    ) -> None:
        self.split, self.weights, self.states = split, weights, states
        self.sequence_parallel, self.mistake = sequence_parallel, mistake
        self.weight_bytes = settings.formats.weight_bytes if settings else weights[0].itemsize
        self.separate = settings.formats.separate if settings else False
        self.gradients = [np.zeros_like(part) for part in weights]
        self.recorder = Recorder(split.tensor, self._held)
        region = Sliced(self.recorder) if sequence_parallel else Whole(self.recorder)
        ranks = range(split.tensor)
        parameters = [split.by_layer(weights[rank], rank) for rank in ranks]
        into = [split.by_layer(self.gradients[rank], rank) for rank in ranks]
        self.ranked = Ranked(split, region, self.recorder, parameters, into, mistake)

    def passes(self, batch: Batch, dropouts: list[Dropout | None], d_loss: float) -> float:
        """Rank 0's loss; gradients are in `gradients` then."""
        loss = self.ranked.forward(batch, dropouts)[0]
        self.ranked.backward(batch, d_loss)
        if self.sequence_parallel and self.mistake != "norm-gradients-need-no-sync":
            self._add_up_whole_parameters()
        return loss

    def _add_up_whole_parameters(self) -> None:
        views = [self.split.layout(rank).views(gradient) for rank, gradient in enumerate(self.gradients)]
        names = [name for name in views[0] if self.split.place(name, 0) is None]
        packed = [np.concatenate([view[name].reshape(-1) for name in names]) for view in views]
        for view, total in zip(views, self.recorder.all_reduce("gradients of whole parameters", packed), strict=True):
            start = 0
            for name in names:
                view[name][...] = total[start : start + view[name].size].reshape(view[name].shape)
                start += view[name].size

    def _held(self, rank: int) -> Held:
        states = self.states[rank] if self.states else None
        optimizer = states.averages_bytes + (states.master.nbytes if self.separate else 0) if states else 0
        size = self.weight_bytes * self.weights[rank].size
        saved = self.ranked.saved[rank] if self.ranked.saved else []
        return Held(weights=size, gradients=size, optimizer=optimizer, activations=sum(map(bytes_of, saved)))


def _counted_once(split: Split, rank: int, gradient: Array) -> float:
    """The squares of a rank's part; of what is whole on every rank, those of rank 0 alone."""
    views = split.layout(rank).views(gradient)
    return sum(square_of(view) for name, view in views.items() if rank == 0 or split.place(name, rank) is not None)


def _check_positions(positions: int, tensor: int, sequence_parallel: bool) -> None:
    if sequence_parallel and positions % tensor:
        raise BadArgument("context", positions, f"a multiple of the {tensor} ranks, with sequence parallelism")
