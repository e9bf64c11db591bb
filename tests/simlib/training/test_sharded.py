"""ZeRO's stages, carried out: against plain data parallelism, against the formulas for bytes held and bytes sent."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simlib import fsdp, quantities, zero
from simlib.decoder import Corpus, Decoder, Sizes
from simlib.errors import BadArgument
from simlib.optimizers import AdamW
from simlib.training import data_parallel, one_device, sharded
from simlib.training.course import Held
from simlib.training.settings import Settings, Step

COLLECTIVES = ("all-reduce", "reduce-scatter", "all-gather")
NORM = "squared length of the gradient"


def run(
    text: Corpus, decoder: Decoder, workers: int, stage: int, ownership: str = "api", **kinds: object
) -> list[Step]:
    chosen = Settings(**{"steps": 3, "windows": 8, "clip": 0.5, "precision": "mixed"} | kinds)  # type: ignore[arg-type]
    return list(sharded.train(decoder, text, chosen, workers, stage, ownership))


def sent(step: Step) -> list[int]:
    """Bytes that each worker sends, the 8 bytes of the norm left out."""
    total = [0] * step.course.world_size
    for event in step.course.of_kind(*COLLECTIVES):
        assert event.trace is not None
        if event.what != NORM:
            total = [a + b for a, b in zip(total, event.trace.bytes_sent, strict=True)]
    return total


@pytest.mark.parametrize("workers", [1, 2, 3, 4, 7, 8])
@pytest.mark.parametrize("precision", ["mixed", "double"])
def test_z6_every_stage_gives_the_same_bits(text: Corpus, decoder: Decoder, workers: int, precision: str) -> None:
    """With the ring's own order of additions all four stages agree to the last bit, whatever N divides."""
    runs = [run(text, decoder, workers, stage, "ring", precision=precision, clip=np.inf) for stage in range(4)]
    for stage in (1, 2, 3):
        for mine, plain in zip(runs[stage], runs[0], strict=True):
            assert np.array_equal(mine.weights[0], plain.weights[0])
            assert mine.loss == plain.loss


@pytest.mark.parametrize("workers", [1, 2, 3, 5, 8])
def test_the_libraries_order_differs_in_the_last_bits_only(text: Corpus, decoder: Decoder, workers: int) -> None:
    chosen = Settings(steps=3, windows=8, clip=0.5, dropout=0.1)
    plain = list(data_parallel.train(decoder, text, chosen, workers))
    runs = [list(sharded.train(decoder, text, chosen, workers, stage)) for stage in range(4)]
    for stage in range(4):
        for mine, other in zip(runs[stage], plain, strict=True):
            assert mine.loss == pytest.approx(other.loss, rel=1e-13)
            assert mine.norm == pytest.approx(other.norm, rel=1e-12)
            np.testing.assert_allclose(mine.weights[0], other.weights[0], rtol=1e-9, atol=1e-10)
    # Stages 1 to 3 add in one order, and norms aside (each worker's squares) do the same arithmetic
    assert np.array_equal(runs[1][-1].weights[0], runs[2][-1].weights[0])
    assert np.array_equal(runs[1][-1].weights[0], runs[3][-1].weights[0])


def test_against_one_device(text: Corpus, decoder: Decoder) -> None:
    chosen = Settings(steps=4, windows=8, clip=0.5)
    alone = list(one_device.train(decoder, text, chosen))[-1]
    fully = list(sharded.train(decoder, text, chosen, workers=3, stage=3))[-1]
    np.testing.assert_allclose(fully.weights[0], alone.weights[0], rtol=1e-9, atol=1e-10)


@given(st.integers(1, 8), st.integers(0, 3), st.sampled_from([1, 2, 3]), st.sampled_from([2, 4, 6]))
@settings(max_examples=15, deadline=None)
def test_held_and_sent_bytes_follow_the_formulas(
    text: Corpus, workers: int, stage: int, layers: int, hidden: int
) -> None:
    decoder = Decoder(Sizes(text.vocab, context=5, hidden=hidden, heads=2, layers=layers))
    [step] = run(text, decoder, workers, stage, steps=1)
    # Where N does not divide a layer the first workers' shards are one longer: the formula of the next multiple
    sizes = [layer.layout.size for layer in decoder.layers]
    bound = sum(zero.bytes_per_gpu(-(-size // workers) * workers, workers, stage) for size in sizes)
    at_most = [max(event.held[worker].model_states for event in step.course.events) for worker in range(workers)]
    assert max(at_most) <= bound
    if stage == 0 or all(size % workers == 0 for size in sizes):
        exact = quantities.evaluate("zero.bytes_per_gpu", params=decoder.size, gpus=workers, stage=stage).value
        assert at_most == [exact] * workers
    formula = quantities.evaluate("zero.bytes_sent", params=decoder.size, gpus=workers, stage=stage).value
    assert sum(sent(step)) == pytest.approx(workers * formula, rel=1e-12)


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_each_category_at_the_end_of_backward(text: Corpus, stage: int) -> None:
    """A model whose layers 4 divides holds the formula's weights, gradients and optimizer states to the byte."""
    decoder = Decoder(Sizes(text.vocab, context=4, hidden=8, heads=2, layers=2))
    [step] = run(text, decoder, workers=4, stage=stage, steps=1)
    states = zero.model_states(decoder.size, 4, stage)
    before = next(event for event in step.course.events if event.what == NORM or event.kind == "update")
    if stage == 0:  # its update follows the last all-reduce at once
        before = step.course.events[before.number - 1]
    for held in before.held:
        assert (held.weights, held.gradients, held.optimizer) == (states.weights, states.gradients, states.optimizer)
        assert (held.gathered, held.unreduced, held.activations) == (0, 0, 0)
    assert step.course.events[-1].held[0].gradients == 0


def test_z5_fsdp_gathers_a_layer_before_it_runs_and_frees_it_after(text: Corpus) -> None:
    decoder = Decoder(Sizes(text.vocab, context=4, hidden=8, heads=2, layers=2))
    sizes = [layer.layout.size for layer in decoder.layers]
    assert all(size % 4 == 0 for size in sizes)
    [step] = run(text, decoder, workers=4, stage=3, steps=1)
    names = [layer.name for layer in decoder.layers]
    passes = step.course.of_kind("forward", "backward")
    assert [event.what for event in passes] == [*names, *reversed(names)]
    moments = fsdp.step_moments(sizes, gpus=4, prefetch=0)
    share = 2 * decoder.size / 4
    for event, moment in zip(passes, moments, strict=True):
        size = sizes[moment.layer]
        for held in event.held:
            assert held.gathered == 2 * size
            assert held.unreduced == (2 * size if moment.backward else 0)
            without = held.total - held.activations
            # The formula has room for all gradient shards; they come one layer after another
            assert without == moment.bytes - share + held.gradients
        before, after = step.course.events[event.number - 1], step.course.events[event.number + 1]
        assert (before.kind, after.kind) == ("all-gather", "free")
        assert before.held[0].gathered == 2 * size
        assert after.held[0].gathered == 0
    peak = step.course.peak(0)
    assert peak.held[0].total == max(event.held[0].total for event in step.course.events)
    assert peak.held[0].total < zero.bytes_per_gpu(decoder.size, 4, 0) + peak.held[0].activations


def test_activations_grow_forward_and_shrink_backward(text: Corpus, decoder: Decoder) -> None:
    [step] = run(text, decoder, workers=2, stage=2, steps=1)
    sizes = [event.held[0].activations for event in step.course.of_kind("forward", "backward")]
    half = len(sizes) // 2
    assert all(a < b for a, b in pairwise(sizes[:half]))
    assert all(a > b for a, b in pairwise(sizes[half - 1 :]))
    assert sizes[-1] == 0


def test_stage_2_keeps_no_whole_gradient(text: Corpus, decoder: Decoder) -> None:
    [step] = run(text, decoder, workers=4, stage=2, steps=1)
    largest = max(layer.layout.size for layer in decoder.layers)
    assert max(event.held[0].unreduced for event in step.course.events) == 2 * largest
    assert max(event.held[0].gathered for event in step.course.events) == 0


def test_the_norm_is_the_whole_gradients(text: Corpus, decoder: Decoder) -> None:
    chosen = Settings(steps=2, windows=8)
    alone = list(one_device.train(decoder, text, chosen))
    fully = list(sharded.train(decoder, text, chosen, workers=4, stage=3))
    for one, many in zip(alone, fully, strict=True):
        assert many.norm == pytest.approx(one.norm, rel=1e-12)


def test_overflow_skips_the_step_on_every_worker(text: Corpus, decoder: Decoder) -> None:
    wild = AdamW(learning_rate=300.0)
    steps = run(text, decoder, 3, 3, steps=8, rule=wild)
    assert any(step.skipped for step in steps)
    first = next(place for place, step in enumerate(steps) if step.skipped)
    assert np.array_equal(steps[first].weights[0], steps[first - 1].weights[0])


def test_held_adds_up() -> None:
    held = Held(weights=1, gradients=2, optimizer=4, gathered=8, unreduced=16, activations=32)
    assert (held.total, held.model_states) == (63, 7)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"workers": 0, "stage": 1}, "workers is 0"),
        ({"workers": 9, "stage": 1}, "workers is 9; accepted: a whole number from 1 to 8"),
        ({"workers": 2, "stage": 4}, "stage is 4; accepted: a whole number from 0 to 3"),
        ({"workers": 2, "stage": 1, "ownership": "mine"}, "ownership is 'mine'"),
        ({"workers": 2, "stage": 1, "mistake": "x"}, "mistake is 'x'"),
        ({"workers": 2, "stage": 0, "mistake": "stale-gather"}, "stage is 0; accepted: 1 to 3"),
    ],
)
def test_what_is_refused(text: Corpus, decoder: Decoder, arguments: dict[str, object], named: str) -> None:
    with pytest.raises(BadArgument) as caught:
        sharded.train(decoder, text, Settings(windows=8), **arguments)  # type: ignore[arg-type]
    assert str(caught.value).startswith(named)


def test_bfloat16_has_no_array_of_its_own_size(text: Corpus, decoder: Decoder) -> None:
    with pytest.raises(BadArgument, match="precision is 'bfloat16'; accepted: mixed, single, double"):
        sharded.train(decoder, text, Settings(precision="bfloat16"), 2, 1)
