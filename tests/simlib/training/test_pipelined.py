"""One step through a pipeline and on one device: the same losses and gradients, whatever the cut and the order."""

from __future__ import annotations

import numpy as np
import pytest

from simlib.decoder import Decoder, Sizes, corpus, initial_parameters, sentences
from simlib.errors import BadArgument
from simlib.training.pipelined import compare


@pytest.mark.parametrize(
    ("stages", "micro_batches", "name", "chunks"),
    [(1, 1, "gpipe", 1), (2, 4, "1f1b", 1), (3, 3, "gpipe", 1), (6, 2, "1f1b", 1), (2, 4, "interleaved", 2)],
)
def test_the_numbers_agree_to_the_last_bit(stages: int, micro_batches: int, name: str, chunks: int) -> None:
    found = compare(stages, micro_batches, name, chunks)
    assert found.losses_one == found.losses_many
    assert found.norms_one == found.norms_many
    assert max(found.apart) == 0
    assert len(found.losses_many) == micro_batches
    assert sum(found.layers) == 6


def test_another_order_of_backward_passes_differs_by_rounding_alone() -> None:
    found = compare(3, 8, "looped-bfs", 2, seed=4)
    assert found.losses_one == found.losses_many
    assert 0 < max(found.apart) < 1e-15


def test_the_step_is_the_whole_batch_s() -> None:
    """Without micro-batches, a pipeline or this comparison: the mean over eight windows, and the whole gradient."""
    found = compare(2, 3)
    text = corpus(sentences(60))
    decoder = Decoder(Sizes(text.vocab, 8, 16, 2, 4))
    weights = initial_parameters(decoder, 0)
    loss, gradient = decoder.loss_and_gradient(weights, text.batch(8, windows=8, step=0))
    assert found.loss_many == pytest.approx(loss, rel=1e-12)
    assert np.hypot(*found.norms_many) == pytest.approx(float(np.linalg.norm(gradient)), rel=1e-12)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((7, 2), "stages is 7; accepted: at most the 6 layers"),
        ((2, 9), "micro_batches is 9"),
        ((2, 2, "zb-h1"), "name"),
    ],
)
def test_what_cannot_be_cut(given: tuple[int, int], said: str) -> None:
    with pytest.raises(BadArgument, match=said):
        compare(*given)
