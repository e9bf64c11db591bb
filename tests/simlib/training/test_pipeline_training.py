"""Pipelines carried out: against accumulation on one device, and against the schedule's own counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simlib import quantities, tensor_parallel
from simlib.decoder import Corpus, Decoder, Dropout, Sizes, initial_parameters
from simlib.errors import BadArgument
from simlib.training import one_device, pipeline
from simlib.training.settings import Settings


def accumulated(decoder: Decoder, weights: np.ndarray, batch: object, parts: int, dropout: object) -> tuple:
    """Losses of the micro-batches and the sum of their weighted gradients, one after another."""
    losses, total = [], None
    for part in batch.split(parts):  # type: ignore[attr-defined]
        own = None if dropout is None else Dropout(dropout.rate, dropout.seed, dropout.step, part.names)  # type: ignore[attr-defined]
        loss, gradient = decoder.loss_and_gradient(weights, part, own, len(part) / len(batch))  # type: ignore[arg-type]
        losses.append(loss)
        total = gradient if total is None else total + gradient
    return losses, total


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_p6_equals_one_device_micro_batch_by_micro_batch(text: Corpus, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["gpipe", "1f1b"]))
    layers = data.draw(st.integers(1, 4))
    stages = data.draw(st.integers(1, layers + 2))
    windows = data.draw(st.integers(1, 7))
    micro_batches = data.draw(st.integers(1, windows))
    decoder = Decoder(Sizes(text.vocab, context=4, hidden=4, heads=2, layers=layers))
    weights, batch = initial_parameters(decoder, seed=layers), text.batch(4, windows, step=stages)
    rate = data.draw(st.sampled_from([0.0, 0.2]))
    dropout = Dropout(rate, 3, 0, batch.names) if rate else None
    step = pipeline.run(decoder, weights, batch, stages, micro_batches, name, dropout=dropout)
    losses, gradient = accumulated(decoder, weights, batch, micro_batches, dropout)
    # The same operations on the same numbers in the same order: every bit
    assert list(step.losses) == losses
    assert np.array_equal(step.gradient, gradient)
    whole, at_once = decoder.loss_and_gradient(weights, batch, dropout)
    assert step.loss == pytest.approx(whole, rel=1e-12)
    np.testing.assert_allclose(step.gradient, at_once, rtol=1e-9, atol=1e-13)
    assert step.peak_activations == step.schedule.peak_activations
    for stage, peak in enumerate(step.peak_activations):
        assert peak == (micro_batches if name == "gpipe" else min(micro_batches, stages - stage))
        formula = {"schedule": name, "stages": stages, "micro_batches": micro_batches, "stage": stage}
        assert peak == quantities.evaluate("pipeline.peak_activations", **formula).value


@pytest.mark.parametrize(("name", "chunks"), [("interleaved", 2), ("looped-bfs", 2), ("interleaved", 3)])
@pytest.mark.parametrize("micro_batches", [2, 4])
def test_several_chunks_a_rank(text: Corpus, name: str, chunks: int, micro_batches: int) -> None:
    decoder = Decoder(Sizes(text.vocab, context=4, hidden=4, heads=2, layers=5))
    weights, batch = initial_parameters(decoder, 0), text.batch(4, 8, 0)
    step = pipeline.run(decoder, weights, batch, 2, micro_batches, name, chunks)
    losses, gradient = accumulated(decoder, weights, batch, micro_batches, None)
    assert list(step.losses) == losses
    np.testing.assert_allclose(step.gradient, gradient, rtol=1e-10, atol=1e-14)
    assert step.peak_activations == step.schedule.peak_activations


@pytest.mark.parametrize("name", ["gpipe", "1f1b"])
def test_messages_between_stages(text: Corpus, name: str) -> None:
    decoder = Decoder(Sizes(text.vocab, context=4, hidden=6, heads=2, layers=3))
    batch = text.batch(4, 8, 0)
    step = pipeline.run(decoder, initial_parameters(decoder, 0), batch, stages=4, micro_batches=4, name=name)
    sends = step.course.of_kind("send")
    assert len(sends) == 2 * 3 * 4  # forward and backward, over three borders, four micro-batches
    each = 8 * tensor_parallel.elements_between_stages(sequence=4, micro_batch=2, hidden=6)
    assert {tuple(event.trace.bytes_sent) for event in sends if event.trace} == {(each, 0)}
    # The inner ranks send both ways, the outer ones one way
    assert step.course.bytes_sent == [4 * each, 8 * each, 8 * each, 4 * each]
    order = [event.what for event in step.course.of_kind("forward", "backward") if event.workers == (1,)]
    assert order == [str(operation) for operation in step.schedule.orders[1]]


def test_held_activations_of_gpipe_and_1f1b(text: Corpus) -> None:
    decoder = Decoder(Sizes(text.vocab, context=4, hidden=6, heads=2, layers=2))
    weights, batch = initial_parameters(decoder, 0), text.batch(4, 8, 0)
    gpipe, one = (pipeline.run(decoder, weights, batch, 2, 8, name) for name in ("gpipe", "1f1b"))
    most = [max(event.held[0].activations for event in run.course.events) for run in (gpipe, one)]
    assert most[0] == 4 * most[1]  # 8 micro-batches against 2, all alike
    assert one.course.events[-1].held[0].activations == 0


@pytest.mark.parametrize("name", ["gpipe", "1f1b"])
@pytest.mark.parametrize(("stages", "micro_batches"), [(1, 1), (2, 4), (4, 2)])
def test_runs_end_alike(text: Corpus, decoder: Decoder, name: str, stages: int, micro_batches: int) -> None:
    chosen = Settings(steps=4, windows=8, clip=0.5, dropout=0.1)
    alone = list(one_device.train(decoder, text, chosen, micro_batches))
    piped = list(pipeline.train(decoder, text, chosen, stages, micro_batches, name))
    for one, many in zip(alone, piped, strict=True):
        assert many.loss == pytest.approx(one.loss, rel=1e-14)
        np.testing.assert_allclose(many.weights[0], one.weights[0], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"stages": 5, "micro_batches": 2}, "stages is 5; accepted: at most the 4 layers"),
        ({"stages": 0, "micro_batches": 2}, "stages is 0"),
        ({"stages": 2, "micro_batches": 9}, "micro_batches is 9; accepted: a whole number from 1 to 8"),
        ({"stages": 2, "micro_batches": 2, "name": "zb-h1"}, "name is 'zb-h1'; accepted: gpipe, 1f1b, "),
        ({"stages": 2, "micro_batches": 2, "chunks": 2}, "chunks is 2"),
    ],
)
def test_what_is_refused(text: Corpus, decoder: Decoder, arguments: dict[str, object], named: str) -> None:
    with pytest.raises(BadArgument) as caught:
        pipeline.train(decoder, text, Settings(windows=8), **arguments)  # type: ignore[arg-type]
    assert str(caught.value).startswith(named)
    batch, weights = text.batch(6, 8, 0), initial_parameters(decoder, 0)
    with pytest.raises(BadArgument) as caught:
        pipeline.run(decoder, weights, batch, **arguments)  # type: ignore[arg-type]
    assert str(caught.value).startswith(named)
