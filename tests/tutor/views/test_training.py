"""The picture of a real training run: what it shows is what another training of the same model gives."""

from __future__ import annotations

import json
from itertools import islice

import pytest

from simlib.decoder import Decoder, Sizes, corpus, sentences
from simlib.errors import BadArgument
from simlib.optimizers import Sgd
from simlib.training import one_device
from simlib.training.settings import Settings
from tutor.views.picture import Role, cell
from tutor.views.terminal import text
from tutor.views.topics import topic


def test_both_runs_have_the_loss_of_a_plain_loop() -> None:
    scene = topic("training").scene({"train": 20})
    material = corpus(sentences(400))
    decoder = Decoder(Sizes(material.vocab, 16, 16, 2, 1))
    steps = islice(one_device.train(decoder, material, Settings(20, 16, Sgd(0.2))), 20)
    last = list(steps)[-1]
    expected = decoder.loss(last.weights[0], material.validation_batch(16))
    shown = scene.cells(2)
    assert shown[cell(steps=20, run="one")] == pytest.approx(expected, abs=1e-12)
    assert shown[cell(steps=20, run="many")] == pytest.approx(expected, abs=1e-9)
    assert scene.caption(2).startswith("after 20 of 20 training steps: both losses are ")


def test_the_losses_agree_to_six_decimals_and_the_weights_not_to_the_last_bit() -> None:
    shown = topic("training").scene({}).data()
    assert len(shown["steps"]) == 11
    for row in shown["steps"]:
        assert f"{row['one']:.6f}" == f"{row['many']:.6f}"
        assert row["copies_agree"]
    assert shown["steps"][-1]["weights_apart"] > 0
    assert shown["steps"][-1]["one"] < shown["steps"][0]["one"] - 0.5


@pytest.mark.parametrize(
    "given",
    [{"mistake": "sum-for-mean"}, {"mistake": "mean-of-unequal-means", "shares": "unequal"}],
)
def test_a_mistake_parts_them(given: dict[str, str]) -> None:
    row = topic("training").scene({"train": 20, **given}).data()["steps"][-1]
    assert abs(row["one"] - row["many"]) > 1e-3


def test_a_run_that_diverges_is_drawn_and_is_json() -> None:
    scene = topic("training").scene({"workers": 16, "mistake": "sum-for-mean", "train": 300})
    json.dumps(scene.data(), allow_nan=False)
    for width in (40, 80, 140):
        assert max(map(len, text(scene.picture(20), width).splitlines())) <= max(width, 60)


def test_it_fits_80_columns_and_hides_what_is_asked() -> None:
    picture = topic("training").scene({}).picture(10)
    assert picture.size(80).columns <= 80
    assert picture.size(80).rows <= 16
    assert any("2.0824" in line for line in picture.words())
    from tutor.views.picture import Mark

    hidden = picture.marked({cell(steps=100, run="many"): Mark(Role.BLANK)})
    assert "2.082435" not in text(hidden, 80)


@pytest.mark.parametrize(
    ("given", "named"), [({"workers": 17}, "windows is 16"), ({"train": 15}, "train is 15"), ({"windows": 65}, "65")]
)
def test_what_cannot_be_trained_is_named(given: dict[str, int], named: str) -> None:
    with pytest.raises(BadArgument, match=named):
        topic("training").scene(given)
