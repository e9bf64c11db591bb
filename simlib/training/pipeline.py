"""Pipelines, carried out: each rank has some of the layers, and micro-batches go through in a schedule's order.

A forward pass sends its output to the rank of the next stage, a backward pass the gradient of its input to the rank of
the stage before. Gradients add up over the micro-batches, each weighed by its share of the batch. So the numbers are
those of gradient accumulation on one device, whatever the order of the passes: to the last bit where a stage's backward
passes come in the order of the micro-batches, as in GPipe and 1F1B (Huang et al. 2019; Narayanan et al. 2021).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simlib.collectives import chain_broadcast
from simlib.decoder import Batch, Corpus, Decoder, Dropout
from simlib.decoder.layers import Saved, backward, bytes_of, forward
from simlib.decoder.layout import Array
from simlib.errors import BadArgument, one_of, whole_number
from simlib.optimizers.clipping import square_of
from simlib.pipeline.operations import FORWARD, Operation
from simlib.pipeline.schedules import Schedule, schedule
from simlib.training.course import Course, Held, Recorder
from simlib.training.settings import Settings, Step

SCHEDULES = ("gpipe", "1f1b", "interleaved", "looped-bfs")  # those whose backward passes are whole


@dataclass(frozen=True, eq=False)
class PipelinedStep:
    """All micro-batches of a batch through the pipeline and back."""

    loss: float  # of the whole batch, in nats a character
    losses: tuple[float, ...]  # of each micro-batch
    gradient: Array = field(repr=False)  # of the whole model, flat
    course: Course = field(repr=False)  # its events are operations ("0F3") and the messages between ranks, in time
    schedule: Schedule = field(repr=False)
    peak_activations: tuple[int, ...]  # the most micro-batches' stage activations that each rank held at once


def stages_of(decoder: Decoder, stages: int) -> list[range]:
    """Which layers each of `stages` model stages has: as even as it goes, the first ones one more.

    >>> from simlib.decoder import Sizes
    >>> stages_of(Decoder(Sizes(vocab=9, context=4, hidden=4, heads=1, layers=3)), 2)
    [range(0, 3), range(3, 5)]
    """
    count = whole_number("stages", stages)
    if count > len(decoder.layers):
        raise BadArgument("stages", stages, f"at most the {len(decoder.layers)} layers of the model, chunks included")
    parts = np.array_split(np.arange(len(decoder.layers)), count)
    return [range(int(part[0]), int(part[-1]) + 1) for part in parts]


def run(
    decoder: Decoder,
    weights: Array,
    batch: Batch,
    stages: int,
    micro_batches: int,
    name: str = "1f1b",
    chunks: int = 1,
    dropout: Dropout | None = None,
    d_loss: float = 1.0,
) -> PipelinedStep:
    """Loss and gradient of a batch, through `stages` ranks with `chunks` model stages each.

    Fewer micro-batches than stages are fine. Raises BadArgument for more stages than layers, more micro-batches than
    windows, and what `simlib.pipeline.schedule` does not take.

    >>> from simlib.decoder import Sizes, corpus, initial_parameters
    >>> text = corpus("a rose is a rose is a rose. " * 20)
    >>> small = Decoder(Sizes(text.vocab, context=4, hidden=8, heads=2, layers=2))
    >>> step = run(small, initial_parameters(small, 0), text.batch(4, windows=4, step=0), stages=2, micro_batches=3)
    >>> [event.what for event in step.course.events][:4], step.peak_activations
    (['0F0', 'output of 0F0', '0F1', 'output of 0F1'], (2, 1))
    """
    one_of("name", name, SCHEDULES)
    whole_number("micro_batches", micro_batches, 1, len(batch))
    plan = schedule(name, stages, micro_batches, chunks)
    return _Pipeline(decoder, weights, batch, plan, dropout, d_loss).step()


class _Pipeline:
    """The ranks of one step."""

    def __init__(
        self, decoder: Decoder, weights: Array, batch: Batch, plan: Schedule, dropout: Dropout | None, d_loss: float
    ) -> None:
        self.decoder, self.plan, self.dropout = decoder, plan, dropout
        self.layers = stages_of(decoder, plan.stages * plan.chunks)
        self.parts = batch.split(plan.micro_batches)
        self.weighed = [d_loss * len(part) / len(batch) for part in self.parts]
        self.views = decoder.views(weights)
        self.gradient = np.zeros_like(weights)
        self.into = decoder.views(self.gradient)
        # What has arrived, or was left: by model stage and micro-batch
        self.outputs: dict[tuple[int, int], Any] = {}
        self.d_outputs: dict[tuple[int, int], Any] = {}
        self.saved: list[dict[tuple[int, int], list[Saved]]] = [{} for _ in range(plan.stages)]
        self.rank_of = {part.stage: rank for rank, row in enumerate(plan.orders) for step in row for part in step.parts}
        self.recorder = Recorder(plan.stages, self._held)
        self.sizes = [0] * plan.stages
        for stage, places in enumerate(self.layers):
            first, last = places[0], places[-1]
            self.sizes[self.rank_of[stage]] += decoder.bounds[last][1] - decoder.bounds[first][0]
        self.item = weights.itemsize

    def step(self) -> PipelinedStep:
        """Everything in the order of its start; an operation's inputs are there, since they ended before."""
        timed = [
            (start, rank, operation)
            for rank, (row, starts) in enumerate(zip(self.plan.orders, self.plan.timeline.starts, strict=True))
            for step, start in zip(row, starts, strict=True)
            for operation in step.parts
        ]
        losses = [0.0] * len(self.parts)
        most = [0] * self.plan.stages
        for _, rank, operation in sorted(timed, key=lambda entry: entry[:2]):
            if operation.kind == FORWARD:
                out = self._forward(rank, operation)
                if operation.stage == len(self.layers) - 1:
                    losses[operation.micro_batch] = out
                most[rank] = max(most[rank], len(self.saved[rank]))
            else:
                self._backward(rank, operation)
        loss = sum(found * len(part) for found, part in zip(losses, self.parts, strict=True))
        total = sum(map(len, self.parts))
        course = self.recorder.course()
        return PipelinedStep(loss / total, tuple(losses), self.gradient, course, self.plan, tuple(most))

    def _forward(self, rank: int, operation: Operation) -> Any:
        stage, micro_batch = operation.stage, operation.micro_batch
        part = self.parts[micro_batch]
        dropout = None
        if self.dropout is not None:
            dropout = Dropout(self.dropout.rate, self.dropout.seed, self.dropout.step, part.names)
        x: Any = part.inputs if stage == 0 else self.outputs.pop((stage - 1, micro_batch))
        kept = []
        for place in self.layers[stage]:
            x, saved = forward(self.decoder.layers[place], self.views[place], x, part.targets, dropout)
            kept.append(saved)
        self.saved[rank][stage, micro_batch] = kept
        self.recorder.note("forward", str(operation), [rank])
        if stage < len(self.layers) - 1:
            self.outputs[stage, micro_batch] = self._sent(f"output of {operation}", x, rank, self.rank_of[stage + 1])
        return x

    def _backward(self, rank: int, operation: Operation) -> None:
        stage, micro_batch = operation.stage, operation.micro_batch
        last = stage == len(self.layers) - 1
        d_x: Any = self.weighed[micro_batch] if last else self.d_outputs.pop((stage, micro_batch))
        kept = self.saved[rank].pop((stage, micro_batch))
        for place in reversed(self.layers[stage]):
            d_x = backward(self.decoder.layers[place], self.views[place], kept.pop(), d_x, self.into[place])
        self.recorder.note("backward", str(operation), [rank])
        if stage > 0:
            what = f"gradient of {operation}"
            self.d_outputs[stage - 1, micro_batch] = self._sent(what, d_x, rank, self.rank_of[stage - 1])

    def _sent(self, what: str, array: Array, source: int, destination: int) -> Array:
        """The array on the other rank; nothing is sent to oneself."""
        if source == destination:
            return array
        trace = chain_broadcast(array, 2)
        self.recorder.note("send", what, [source, destination], trace)
        return trace.result[1]

    def _held(self, rank: int) -> Held:
        activations = sum(bytes_of(saved) for kept in self.saved[rank].values() for saved in kept)
        size = self.sizes[rank] * self.item
        return Held(weights=size, gradients=size, activations=activations)


def train(
    decoder: Decoder,
    text: Corpus,
    settings: Settings,
    stages: int,
    micro_batches: int,
    name: str = "1f1b",
    chunks: int = 1,
) -> Iterator[Step]:
    """The steps of a run through a pipeline; every rank updates its own layers.

    A step's course ends with an all-reduce of 8 bytes, the squared length of the gradient, and the update.
    Raises BadArgument as `run` does.
    """
    one_of("name", name, SCHEDULES)
    whole_number("micro_batches", micro_batches, 1, settings.windows)
    plan = schedule(name, stages, micro_batches, chunks)
    stages_of(decoder, plan.stages * plan.chunks)
    return _steps(decoder, text, settings, plan)


def _steps(decoder: Decoder, text: Corpus, settings: Settings, plan: Schedule) -> Iterator[Step]:
    formats = settings.formats
    state = settings.rule.start(settings.first_weights(decoder))
    for number in range(1, settings.steps + 1):
        batch = settings.batch(decoder, text, number - 1)
        dropout = settings.dropout_of(number - 1, batch)
        weights = settings.computed_in(state.master)
        pipeline = _Pipeline(decoder, weights, batch, plan, dropout, formats.loss_scale)
        done = pipeline.step()
        gradient = formats.gradient(done.gradient)
        squares = [0.0] * plan.stages
        for stage, places in enumerate(pipeline.layers):
            for place in places:
                squares[pipeline.rank_of[stage]] += square_of(gradient[slice(*decoder.bounds[place])])
        [square, *_] = pipeline.recorder.sum_of_numbers("squared length of the gradient", squares)
        # Adam's elements do not know each other: updating the ranks' layers one by one or all at once is the same
        state, norm, skipped = settings.update(state, gradient, square)
        pipeline.recorder.note("update", "every rank's own layers")
        yield Step(number, done.loss, norm, skipped, (state.master,), pipeline.recorder.course())
