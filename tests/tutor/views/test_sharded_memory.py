"""Bytes along a stage-3 step: layers gathered and freed, whole gradients for a moment, the peak."""

from __future__ import annotations

import pytest

from simlib import models
from tutor.views.picture import Mark, Role, cell
from tutor.views.select import one
from tutor.views.topics import topic

LLAMA_LAYER = 4 * 4096**2 + 3 * 4096 * 11008 + 2 * 4096  # attention, gated MLP, two norms


def test_a_step_of_llama_7b_on_64():
    # 16 P / N of shards; the running layer and the next whole in 16 bits; backward, one layer's gradient too
    scene = topic("sharded-memory").scene({})
    shards = 16 * 6_738_415_616 / 64
    assert one(scene, "moment=forward part=shards") == pytest.approx(shards)
    assert one(scene, "moment=forward part=total") == pytest.approx(shards + 2 * 2 * LLAMA_LAYER)
    assert one(scene, "moment=backward part=gradient") == pytest.approx(2 * LLAMA_LAYER)
    assert one(scene, "moment=backward part=total") == pytest.approx(shards + 6 * LLAMA_LAYER)
    assert scene.data()["peak"] == pytest.approx(shards + 6 * LLAMA_LAYER)
    # All weights at once would be 13.5 GB; stage 2 keeps them
    assert scene.caption(0).endswith("stage 2 keeps 14.95 GB")


def test_layers_are_gathered_as_they_run_forward_and_backward():
    moments = topic("sharded-memory").scene({"prefetch": 0}).data()["moments"]
    assert [moment["layer"] for moment in moments[:3]] == ["embedding", "layer 0", "layer 1"]
    assert moments[33]["layer"] == moments[34]["layer"] == "output"
    assert [moment["pass"] for moment in moments] == ["forward"] * 34 + ["backward"] * 34
    assert all(moment["gathered"] == [moment["layer"]] for moment in moments)


@pytest.mark.parametrize("model", models.MODELS)
def test_what_is_gathered_adds_up_to_the_model(model):
    scene = topic("sharded-memory").scene({"model": model})
    assert sum(scene.units.values()) == models.find(model).shape.params
    assert min(scene.units.values()) > 0


def test_more_prefetched_is_more_held():
    held = [topic("sharded-memory").scene({"prefetch": ahead}).data()["peak"] for ahead in range(4)]
    assert held == sorted(held)
    assert held[3] - held[2] == pytest.approx(2 * LLAMA_LAYER)


@pytest.mark.parametrize("width", [40, 60, 80, 120, 250])
def test_columns_are_as_high_as_their_bytes(show, rows_of, width):
    picture = show("sharded-memory")
    rows = rows_of(picture, width)
    head = picture.head_columns
    assert all(len(row) <= width for row in rows)
    drawn = [row[head:].ljust(width) for row in rows[:10]]
    forward = rows[10].index("backward") - head
    middle = forward // 2
    heights = {fill: sum(row[middle] == fill for row in drawn) for fill in "░█▒"}
    # 1.685, 0.8095 and 0 of 2.899 GB in ten rows
    assert heights == {"░": 6, "█": 3, "▒": 0}
    back = {fill: sum(row[forward + middle] == fill for row in drawn) for fill in "░█▒"}
    assert back == {"░": 6, "█": 3, "▒": 1}
    assert sum(back.values()) == 10


def test_as_it_is_drawn(show, rows_of):
    rows = rows_of(show("sharded-memory"), 80)
    assert rows[0].startswith("GB ")
    assert rows[3].startswith(" 2 █")
    assert rows[10].startswith(" 0 forward ──")
    assert rows[12:15] == [
        "most (GB) at         shards  gathered  gradient  total",
        "forward   layer 0     1.685    0.8095    0       2.494",
        "backward  layer 31    1.685    0.8095    0.4048  2.899",
    ]


def test_words(show):
    assert show("sharded-memory").words()[1] == (
        "backward, most at layer 31: shards 1.685 GB, gathered weights 809.5 MB, whole gradient 404.8 MB, "
        "together 2.899 GB"
    )


def test_what_is_asked_for_is_not_in_the_columns(show, rows_of):
    place = cell(moment="backward", part="total")
    picture = show("sharded-memory").marked({place: Mark(Role.BLANK)})
    rows = rows_of(picture)
    assert not any(fill in row for row in rows[:10] for fill in "█▒░")
    assert rows[14].split() == ["backward", "layer", "31", "?", "?", "?", "_____"]
    told = show("sharded-memory").marked({place: Mark(Role.DIFFERENCE, picture.written(place, 13.476e9))})
    assert "13.48≠2.899" in rows_of(told)[14]


def test_a_narrow_window_turns_the_table(show, rows_of):
    rows = rows_of(show("sharded-memory"), 40)
    assert ["most", "(GB)", "forward", "backward"] in [row.split() for row in rows]
    assert ["at", "layer", "0", "layer", "31"] in [row.split() for row in rows]
    assert ["total", "2.494", "2.899"] in [row.split() for row in rows]
