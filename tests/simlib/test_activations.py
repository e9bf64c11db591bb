"""Activations: a layer by its parts, and the bytes along a step, against a step that is really run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlib import activations, checkpointing
from simlib.decoder import Decoder, Sizes, corpus, initial_parameters
from simlib.errors import BadArgument
from simlib.training.checkpointing import run

GPT_3: dict[str, Any] = {"sequence": 2048, "micro_batch": 1, "hidden": 12288, "heads": 96}
UNIT = 2048 * 12288

# In units of s b h, from table 2 of Korthikanti et al. 2022, with t = 8 and 5 a s / h = 80
PARTS = {
    "none": (0, 4, 11, 80, 19),
    "tensor": (0, 4, 4, 10, 5),
    "tensor+sequence": (0, 0.5, 11 / 8, 10, 19 / 8),
    "tensor+selective": (0, 4, 4, 0, 5),
    "tensor+sequence+selective": (0, 0.5, 11 / 8, 0, 19 / 8),
    "full": (2, 0, 0, 0, 0),
}


@pytest.mark.parametrize("mode", activations.MODES)
def test_parts_of_a_layer(mode: str) -> None:
    parts = activations.parts_per_layer(**GPT_3, tensor=8, mode=mode)
    assert [part / UNIT for part in parts] == pytest.approx(PARTS[mode])
    assert parts.total == activations.bytes_per_layer(**GPT_3, tensor=8, mode=mode)


def test_nothing_split_takes_no_notice_of_the_tensor_parallel_size() -> None:
    assert activations.parts_per_layer(**GPT_3, tensor=8) == activations.parts_per_layer(**GPT_3)


@pytest.mark.parametrize("layers", [1, 7, 12])
@pytest.mark.parametrize("every", [0, 1, 3, 7])
def test_the_moments_are_those_of_a_step_that_is_run(layers: int, every: int) -> None:
    if every > layers:
        with pytest.raises(BadArgument, match=f"every is {every}"):
            checkpointing.step_moments(layers, 10, 1, every)
        return
    text = corpus("the ring passes one chunk at a time. " * 12)
    decoder = Decoder(Sizes(text.vocab, context=8, hidden=6, heads=2, layers=layers))
    weights, batch = initial_parameters(decoder, 0), text.batch(8, 2, 0)
    mode = "full" if every else "none"
    course = run(decoder, weights, batch, mode, max(1, every)).course
    blocks = [event for event in course.events if event.what.startswith("block")]
    outside = 2 * 8 * 8  # the tokens that the embedding keeps
    single = 2 * 8 * 6 * 8
    first = run(decoder, weights, batch).course.of_kind("recompute")[0].held[0].activations
    layer = first - outside - (layers - 1) * single
    for moment, event in zip(checkpointing.step_moments(layers, layer, single, every), blocks, strict=True):
        assert (moment.running, f"block {moment.layer}") == (event.kind, event.what)
        if moment.running == "backward":
            continue  # the engine's moment is its start, the run's its end
        assert moment.bytes == event.held[0].activations - outside


@given(st.integers(1, 60), st.integers(1, 200), st.data())
def test_the_peak_is_the_formulas(layers: int, layer: int, data: st.DataObject) -> None:
    single, every = data.draw(st.integers(0, layer)), data.draw(st.integers(1, layers))
    segments = [min(every, layers - first) for first in range(0, layers, every)]
    assert checkpointing.peak_bytes(layers, layer, single, every) == max(
        place * single + length * layer for place, length in enumerate(segments)
    )
    assert checkpointing.peak_bytes(layers, layer, single) == layers * layer


@pytest.mark.parametrize("layers", [4, 16, 25, 64, 100, 256])
def test_layers_that_keep_their_input_alone_want_a_checkpoint_every_square_root(layers: int) -> None:
    """Chen et al. 2016, section 4.3: sqrt(n) segments of sqrt(n) layers, 2 sqrt(n) - 1 kept where they overlap."""
    root = round(layers**0.5)
    assert checkpointing.best_every(layers, 1, 1) == root
    assert checkpointing.peak_bytes(layers, 1, 1, root) == 2 * root - 1


def test_transformer_layers_want_one_each() -> None:
    for hidden, heads, layers in ((12288, 96, 96), (4096, 32, 32), (25600, 160, 128)):
        layer = activations.bytes_per_layer(2048, 1, hidden, heads)
        assert checkpointing.best_every(layers, layer, 2 * 2048 * hidden) in (1, 2)
    assert checkpointing.best_every(96, 114, 2) == 1


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((0, 1), "layers is 0"),
        ((2, 0), "layer_bytes is 0"),
        ((2, 1, -1), "input_bytes is -1"),
        ((2, 1, 2), "input_bytes is 2; accepted: at most the 1 bytes that a layer keeps"),
        ((2, 1, 1, 3), "every is 3; accepted: a whole number from 0 to 2"),
    ],
)
def test_what_is_refused(arguments: tuple[int, ...], named: str) -> None:
    with pytest.raises(BadArgument, match=named):
        checkpointing.step_moments(*arguments)


def test_the_largest_micro_batch_fits_and_one_more_does_not() -> None:
    for mode in activations.MODES:
        most = activations.largest_micro_batch(60e9, 32, 2048, 4096, 32, 4, mode)
        one = 32 * activations.bytes_per_layer(2048, 1, 4096, 32, 4, mode)
        again = 2048 * 4096 * (10 + 24 / 4 + 80 / 4) - 2 * 2048 * 4096 if mode == "full" else 0
        assert most * (one + again) <= 60e9 < (most + 1) * (one + again)
    assert activations.largest_micro_batch(1e9, 32, 2048, 4096, 32) == 0
