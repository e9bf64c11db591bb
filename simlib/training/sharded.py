"""ZeRO, carried out: data parallelism in which no worker keeps what another keeps already.

Every layer's parameters are cut into N shards. A worker updates its own shard of every layer, for which it needs

- the gradient of that shard, added up over all workers: a reduce-scatter gives just that;
- the optimizer's states of that shard, and no others (stage 1);

and then everybody needs the new weights: an all-gather. A reduce-scatter and an all-gather are what an all-reduce is
made of, so nothing more is sent than without ZeRO. Stage 2 reduce-scatters each layer's gradient as soon as its
backward pass is over, and keeps the shard alone. Stage 3 (FSDP) keeps shards of the weights too: it gathers a layer
just before it runs, forward and again backward, and frees it after.
Sources: Rajbhandari et al. 2020, sections 5 and 7; Zhao et al. 2023, section 3.

The order in which a ring adds differs between an all-reduce and the libraries' reduce-scatter: chunk c sets out from
worker c in the one and from worker c + 1 in the other. So for three workers or more the last bits differ from plain
data parallelism, by at most N eps of the sum. With `ownership` "ring" the order is the same, and so is every bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

import numpy as np

from simlib.collectives.layout import MOST_WORKERS, Layout
from simlib.collectives.ring import OWNERSHIPS
from simlib.decoder import Batch, Corpus, Decoder
from simlib.decoder.layers import backward, forward
from simlib.decoder.overflow import QUIET
from simlib.errors import BadArgument, one_of, whole_number
from simlib.optimizers import State
from simlib.optimizers.clipping import square_of
from simlib.training.course import Keep, Recorder
from simlib.training.settings import Array, Settings, Step
from simlib.training.sharded_worker import ShardedWorker

MISTAKES = ("stale-gather", "local-norm-for-clipping")
PRECISIONS = ("mixed", "single", "double")  # those whose arrays have as many bytes as they stand for


def train(
    decoder: Decoder,
    text: Corpus,
    settings: Settings,
    workers: int,
    stage: int,
    ownership: str = "api",
    mistake: str | None = None,
) -> Iterator[Step]:
    """The steps of a run on `workers` workers at a ZeRO `stage` (0 to 3), one by one as they are done.

    A step's course says after every event what every worker holds, in bytes by category. Beside the collectives of
    ZeRO it has one of 8 bytes: the squared length of the gradient, which no worker knows alone. `ownership` as in
    `ring_reduce_scatter`. `mistake` does one thing wrong: "stale-gather" gathers weights from before the update,
    "local-norm-for-clipping" clips each shard by its own length. Raises BadArgument for sizes that do not go, and for a
    mistake at stage 0, where nothing is sharded.

    >>> from simlib.decoder import Sizes, corpus
    >>> text = corpus("a rose is a rose is a rose. " * 20)
    >>> small = Decoder(Sizes(text.vocab, context=4, hidden=8, heads=2, layers=1))
    >>> [step] = train(small, text, Settings(steps=1, windows=4, precision="mixed"), workers=4, stage=3)
    >>> [event.kind for event in step.course.events[:6]]
    ['all-gather', 'forward', 'free', 'all-gather', 'forward', 'free']
    """
    count = whole_number("workers", workers, 1, min(MOST_WORKERS, settings.windows))
    level = whole_number("stage", stage, 0, 3)
    one_of("ownership", ownership, OWNERSHIPS)
    one_of("precision", settings.precision, PRECISIONS)
    if mistake is not None:
        one_of("mistake", mistake, MISTAKES)
        if level == 0:
            raise BadArgument("stage", stage, f"1 to 3 with the mistake {mistake}: stage 0 shards nothing")
    return _Group(decoder, text, settings, count, level, ownership, mistake).steps()


class _Group:
    """The workers of one run, in lockstep."""

    def __init__(
        self,
        decoder: Decoder,
        text: Corpus,
        settings: Settings,
        workers: int,
        stage: int,
        ownership: str,
        mistake: str | None,
    ) -> None:
        self.decoder, self.text, self.settings = decoder, text, settings
        self.stage, self.ownership, self.mistake = stage, ownership, mistake
        # Worker r keeps chunk r + shift of every layer
        self.shift = 1 if ownership == "ring" else 0
        self.bounds = [Layout.split(b - a, workers).bounds for a, b in decoder.bounds]
        self.stale: list[list[Array]] | None = None
        self.workers = [self._worker(rank, workers) for rank in range(workers)]

    def _worker(self, rank: int, workers: int) -> ShardedWorker:
        formats, whole = self.settings.formats, self.settings.first_weights(self.decoder)
        layers = [whole[a:b] for a, b in self.decoder.bounds]
        shards = [
            layer[slice(*bounds[(rank + self.shift) % workers])]
            for layer, bounds in zip(layers, self.bounds, strict=True)
        ]
        kept = shards if self.stage >= 1 else layers
        working = shards if self.stage == 3 else layers
        return ShardedWorker(
            formats,
            [formats.working(layer).copy() for layer in working],
            [self.settings.rule.start(layer) for layer in kept],
        )

    def steps(self) -> Iterator[Step]:
        """The run."""
        for number in range(1, self.settings.steps + 1):
            self.recorder = Recorder(len(self.workers), lambda rank: self.workers[rank].held())
            batch = self.settings.batch(self.decoder, self.text, number - 1)
            loss = self._passes(batch, number - 1)
            norm, skipped = self._update()
            yield Step(number, loss, norm, skipped, self._whole_model(), self.recorder.course())

    @QUIET
    def _passes(self, batch: Batch, step: int) -> float:
        parts = batch.split(len(self.workers))
        layers = self.decoder.layers
        flow: list[Any] = [part.inputs for part in parts]
        for place, layer in enumerate(layers):
            self._gather(place)
            for rank, (worker, part) in enumerate(zip(self.workers, parts, strict=True)):
                views, dropout = layer.layout.views(worker.whole(place)), self.settings.dropout_of(step, part)
                flow[rank], worker.saved[place] = forward(layer, views, flow[rank], part.targets, dropout)
            self.recorder.note("forward", layer.name)
            self._free(place)
        losses: list[float] = flow

        # Each mean over a worker's own windows counts by their number; with the mean over workers that follows
        shares = [len(part) * len(parts) / len(batch) for part in parts]
        d_flow: list[Any] = [share * self.settings.formats.loss_scale for share in shares]
        for place, layer in reversed(list(enumerate(layers))):
            self._gather(place)
            for rank, worker in enumerate(self.workers):
                whole = worker.whole(place)
                gradient = np.zeros_like(whole)
                views, into = layer.layout.views(whole), layer.layout.views(gradient)
                d_flow[rank] = backward(layer, views, worker.saved.pop(place), d_flow[rank], into)
                kept = worker.gradients if self.stage <= 1 else worker.unreduced
                kept[place] = self.settings.formats.gradient(gradient)
            self.recorder.note("backward", layer.name)
            self._free(place)
            if self.stage != 1:
                self._reduce(place)
        if self.stage == 1:
            for place in reversed(range(len(layers))):
                self._reduce(place)
        return sum(found * len(part) for found, part in zip(losses, parts, strict=True)) / len(batch)

    def _gather(self, place: int) -> None:
        """Stage 3: the whole of a layer, for everybody."""
        if self.stage < 3:
            return
        pieces = [worker.weights[place] for worker in self.workers]
        if self.stale is not None:
            pieces = [old[place] for old in self.stale]

        def keep(rank: int, whole: Array) -> None:
            self.workers[rank].gathered[place] = whole

        self._join(place, pieces, keep)

    def _free(self, place: int) -> None:
        if self.stage < 3:
            return
        for worker in self.workers:
            del worker.gathered[place]
        self.recorder.note("free", f"weights of {self.decoder.layers[place].name}")

    def _join(self, place: int, pieces: list[Array], keep: Keep) -> None:
        """An all-gather of shards; every worker keeps the whole layer, its chunks in their order."""
        # With ring ownership worker 0 has chunk 1, and the last piece is chunk 0
        first = len(pieces[-1]) if self.shift else 0

        def in_order(rank: int, whole: Array) -> None:
            keep(rank, np.roll(whole, first) if first else whole)

        self.recorder.all_gather(f"weights of {self.decoder.layers[place].name}", pieces, in_order)

    @QUIET
    def _reduce(self, place: int) -> None:
        """The mean of a layer's gradients over the workers: all of it, or everybody's shard."""
        what = f"gradients of {self.decoder.layers[place].name}"

        def keep(rank: int, mine: Array) -> None:
            worker = self.workers[rank]
            if self.stage == 1:
                # The whole buffer stays; the mean lies in the worker's own part of it
                start, stop = self.bounds[place][(rank + self.shift) % len(self.workers)]
                worker.gradients[place][start:stop] = mine
                worker.reduced[place] = worker.gradients[place][start:stop]
            else:
                # A copy, since a slice would keep the whole buffer
                worker.gradients[place] = worker.reduced[place] = mine.copy()

        waiting = [worker.unreduced if self.stage >= 2 else worker.gradients for worker in self.workers]
        arrays = [kept[place] for kept in waiting]
        if self.stage == 0:
            self.recorder.all_reduce(what, arrays, "mean", keep)
            return
        self.recorder.reduce_scatter(what, arrays, "mean", self.ownership, keep)
        if self.stage >= 2:
            for worker in self.workers:
                del worker.unreduced[place]
            self.recorder.note("free", what)

    @QUIET
    def _update(self) -> tuple[float, bool]:
        """Each worker updates what it has states of; then everybody gets the new weights. The norm; skipped or not."""
        squares = [sum(square_of(part) for part in worker.reduced.values()) for worker in self.workers]
        if self.stage >= 1:
            total = self.recorder.sum_of_numbers("squared length of the gradient", squares)
            if self.mistake == "local-norm-for-clipping":
                total = squares
        else:
            total = squares
        norms, skipped = [inf], False
        old = [list(worker.weights) for worker in self.workers]
        for worker, square in zip(self.workers, total, strict=True):
            new: list[State] = []
            for place, state in enumerate(worker.states):
                after, norm, skipped = self.settings.update(state, worker.reduced[place], square)
                new.append(after)
                norms.append(norm)
            worker.states = new
            worker.gradients, worker.reduced = {}, {}
        if self.stage in (0, 3):
            for worker in self.workers:
                worker.weights = [self.settings.formats.working(state.master) for state in worker.states]
            self.stale = old if self.mistake == "stale-gather" else None
        self.recorder.note("update", "all parameters" if self.stage == 0 else "every worker's own shard")
        if self.stage in (1, 2):
            self._spread()
        return min(norms), skipped

    @QUIET
    def _spread(self) -> None:
        """Stages 1 and 2: everybody's new shards to everybody."""
        for place in range(len(self.decoder.layers)):
            pieces = []
            for rank, worker in enumerate(self.workers):
                start, stop = self.bounds[place][(rank + self.shift) % len(self.workers)]
                fresh = self.settings.formats.working(worker.states[place].master)
                before = self.stale[rank][place] if self.stale is not None else worker.weights[place][start:stop]
                pieces.append(before if self.mistake == "stale-gather" else fresh)

            def keep(rank: int, whole: Array, place: int = place) -> None:
                self.workers[rank].weights[place] = whole

            self._join(place, pieces, keep)
        if self.mistake == "stale-gather":
            formats = self.settings.formats
            self.stale = [[formats.working(state.master) for state in worker.states] for worker in self.workers]

    def _whole_model(self) -> tuple[Array, ...]:
        """The optimizer's weights: every worker's copy at stage 0, the shards joined at the others."""
        if self.stage == 0:
            return tuple(np.concatenate([state.master for state in worker.states]) for worker in self.workers)
        count = len(self.workers)
        owners = [(chunk - self.shift) % count for chunk in range(count)]
        return (
            np.concatenate(
                [self.workers[owner].states[place].master for place in range(len(self.bounds)) for owner in owners]
            ),
        )
