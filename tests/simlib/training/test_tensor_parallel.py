"""Tensor and sequence parallelism against one device, and against the formulas for collectives and bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simlib import quantities, tensor_parallel
from simlib.decoder import Corpus, Decoder, Dropout, Sizes, initial_parameters
from simlib.decoder import operations as op
from simlib.errors import BadArgument
from simlib.training import one_device
from simlib.training.course import Course, Recorder
from simlib.training.settings import Settings
from simlib.training.tensor_parallel import gradients, train
from simlib.training.tensor_parallel.pairs import mlp_part
from simlib.training.tensor_parallel.split import Split
from simlib.training.tensor_parallel.vocabulary import cross_entropy


def test_t1_worked_example() -> None:
    x = np.array([[1.0, 2.0]])
    a = np.array([[1.0, 0, 1, 0], [0, 1, 0, 0]])
    b = np.array([[1.0, 0], [0, 1], [1, 1], [0, 0]])
    halves = [slice(0, 2), slice(2, 4)]
    parts = [
        mlp_part(x, {"up.weight": a[:, half], "up.bias": np.zeros(2), "down.weight": b[half]})[0] for half in halves
    ]
    assert parts[0].round(3).tolist() == [[0.841, 1.955]]
    assert parts[1].round(3).tolist() == [[0.841, 0.841]]
    outputs = Recorder(2).all_reduce("MLP", parts)
    for output in outputs:
        assert output.round(3).tolist() == [[1.682, 2.796]]
        np.testing.assert_allclose(output, op.gelu(x @ a) @ b, rtol=1e-15)


def test_split_by_rows_first_is_wrong() -> None:
    """T2: with A by rows each GPU has a term of X A, and GeLU does not go through the sum."""
    x, a = np.array([[1.0, 1.0]]), np.array([[1.0], [1.0]])
    terms = [x[:, [i]] @ a[[i]] for i in range(2)]
    assert round(float(op.gelu(x @ a)[0, 0]), 3) == 1.955
    assert round(sum(float(op.gelu(term)[0, 0]) for term in terms), 3) == 1.682


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_gradients_are_those_of_one_device(text: Corpus, data: st.DataObject) -> None:
    heads = data.draw(st.integers(1, 5), "heads")
    tensor = data.draw(st.integers(1, heads), "tensor")
    sequence_parallel = data.draw(st.booleans(), "sequence parallel")
    context = data.draw(st.integers(1, 3), "context") * (tensor if sequence_parallel else 1)
    layers, size = data.draw(st.integers(1, 2), "layers"), data.draw(st.integers(1, 3), "size")
    decoder = Decoder(Sizes(text.vocab, context, heads * size, heads, layers))
    seed = data.draw(st.integers(0, 99), "seed")
    weights = initial_parameters(decoder, seed) + np.random.default_rng(seed).normal(0, 0.2, decoder.size)
    batch = text.batch(context, data.draw(st.integers(1, 3), "windows"), step=seed)
    dropout = Dropout(data.draw(st.sampled_from([0.0, 0.3])), seed, 0, batch.names)
    loss, gradient = decoder.loss_and_gradient(weights, batch, dropout)
    found, joined, course = gradients(
        decoder, weights, batch, tensor, sequence_parallel, dropout if dropout.rate else None
    )
    assert found == pytest.approx(loss, rel=1e-12)
    # A LayerNorm of one or two features divides by next to nothing, and multiplies rounding as much
    scale = max(1.0, float(np.abs(gradient).max()))
    np.testing.assert_allclose(joined, gradient, rtol=1e-8, atol=1e-10 * scale)
    if tensor == 1:
        assert sum(course.bytes_sent) == 0


def collectives_of(course: Course, layer: str) -> list[str]:
    kinds = ("all-reduce", "reduce-scatter", "all-gather")
    return [event.kind for event in course.of_kind(*kinds) if event.what.endswith(layer)]


@pytest.mark.parametrize("sequence_parallel", [False, True])
def test_t3_t4_collectives_and_bytes_of_a_layer(text: Corpus, sequence_parallel: bool) -> None:
    decoder = Decoder(Sizes(text.vocab, context=8, hidden=8, heads=4, layers=2))
    weights, batch = initial_parameters(decoder, 0), text.batch(8, 3, 0)
    _, _, course = gradients(decoder, weights, batch, 4, sequence_parallel)
    count = quantities.evaluate("tensor.collectives_per_layer", sequence_parallel=sequence_parallel).value
    kinds = collectives_of(course, "block 1")
    assert len(kinds) == count
    assert kinds == ["all-gather", "reduce-scatter"] * 4 if sequence_parallel else ["all-reduce"] * 4
    each = 8 * tensor_parallel.elements_sent_per_all_reduce(sequence=8, micro_batch=3, hidden=8, tensor=4)
    for event in course.events:
        if event.what.endswith("block 1") and event.trace is not None:
            assert event.trace.bytes_sent == [each / 2 if sequence_parallel else each] * 4


def test_sequence_parallelism_holds_less(text: Corpus) -> None:
    decoder = Decoder(Sizes(text.vocab, context=8, hidden=8, heads=4, layers=2))
    weights, batch = initial_parameters(decoder, 0), text.batch(8, 3, 0)
    peaks = []
    for sequence_parallel in (False, True):
        _, _, course = gradients(decoder, weights, batch, 4, sequence_parallel)
        peaks.append(course.peak(0).held[0].activations)
    assert peaks[1] < peaks[0]


def test_loss_of_a_split_vocabulary() -> None:
    random = np.random.default_rng(0)
    scores, targets = 3 * random.normal(size=(2, 5, 7)), random.integers(0, 7, size=(2, 5))
    whole, probabilities = op.cross_entropy(scores, targets)
    recorder = Recorder(3)
    parts = np.array_split(scores, 3, axis=-1)
    losses, shares = cross_entropy(recorder, parts, targets, [0, 3, 5])
    assert losses == [pytest.approx(whole, rel=1e-14)] * 3
    np.testing.assert_allclose(np.concatenate(shares, axis=-1), probabilities, rtol=1e-13)
    # Three numbers a position go around, whatever the vocabulary
    each = quantities.evaluate("ring.bytes_sent", bytes=80, workers=3).value
    assert sum(recorder.course().bytes_sent) == pytest.approx(3 * 3 * each)


def test_splitting_and_joining(text: Corpus) -> None:
    decoder = Decoder(Sizes(text.vocab, context=3, hidden=6, heads=3, layers=1))
    split = Split(decoder, 2)
    whole = np.arange(decoder.size, dtype=float)
    parts = [split.part(whole, rank) for rank in range(2)]
    assert np.array_equal(split.join(parts), whole)
    views = split.layout(1).views(parts[1])
    # Rank 1 has the third head: columns 4 and 5 of queries, keys and values
    every = decoder.layout.views(whole)["block 0/qkv.weight"]
    assert np.array_equal(views["block 0/qkv.weight"], every[:, [4, 5, 10, 11, 16, 17]])
    replicated = sum(view.size for name, view in views.items() if split.place(name, 1) is None)
    assert len(parts[0]) + len(parts[1]) == decoder.size + replicated


@pytest.mark.parametrize(("tensor", "sequence_parallel"), [(1, False), (2, False), (3, False), (2, True), (3, True)])
@pytest.mark.parametrize("rate", [0.0, 0.1])
def test_runs_end_alike(text: Corpus, tensor: int, sequence_parallel: bool, rate: float) -> None:
    decoder = Decoder(Sizes(text.vocab, context=6, hidden=9, heads=3, layers=2))
    chosen = Settings(steps=4, windows=4, clip=0.5, dropout=rate)
    alone = list(one_device.train(decoder, text, chosen))
    split = list(train(decoder, text, chosen, tensor, sequence_parallel))
    for one, many in zip(alone, split, strict=True):
        assert many.loss == pytest.approx(one.loss, rel=1e-12)
        assert many.norm == pytest.approx(one.norm, rel=1e-11)
        np.testing.assert_allclose(many.weights[0], one.weights[0], rtol=1e-9, atol=1e-9)
        # What is whole stays alike on all ranks without being sent, to the last bit
        assert all(np.array_equal(copy, many.weights[0]) for copy in many.weights)


def test_mixed_precision_runs(text: Corpus, decoder: Decoder) -> None:
    chosen = Settings(steps=3, windows=4, precision="mixed")
    alone, split = (list(run) for run in (one_device.train(decoder, text, chosen), train(decoder, text, chosen, 2)))
    assert split[-1].loss == pytest.approx(alone[-1].loss, rel=2e-3)
    # Each rank holds 16 bytes of each of its own parameters
    sizes = [Split(decoder, 2).layout(rank).size for rank in range(2)]
    assert [held.model_states for held in split[0].course.events[0].held] == [16 * size for size in sizes]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"tensor": 0}, "tensor is 0"),
        ({"tensor": 3}, "tensor is 3; accepted: a whole number from 1 to 2"),
        ({"tensor": 2, "mistake": "x"}, "mistake is 'x'"),
        (
            {"tensor": 2, "mistake": "norm-gradients-need-no-sync"},
            "mistake is 'norm-gradients-need-no-sync'; accepted: b",
        ),
        (
            {"tensor": 2, "mistake": "own-dropout-in-replicated-parts", "sequence_parallel": True},
            "mistake is 'own-dropout-in-replicated-parts'",
        ),
    ],
)
def test_what_is_refused(text: Corpus, decoder: Decoder, arguments: dict[str, object], named: str) -> None:
    with pytest.raises(BadArgument) as caught:
        train(decoder, text, Settings(windows=8), **arguments)  # type: ignore[arg-type]
    assert str(caught.value).startswith(named)


def test_positions_that_do_not_divide(text: Corpus) -> None:
    decoder = Decoder(Sizes(text.vocab, context=5, hidden=4, heads=2, layers=1))
    with pytest.raises(BadArgument, match="context is 5; accepted: a multiple of the 2 ranks"):
        train(decoder, text, Settings(), 2, sequence_parallel=True)
