"""Shards that move in one ZeRO step: who holds what, who sends what, and the weights that come out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.views.picture import Role, cell
from tutor.views.select import one, table
from tutor.views.topics import topic


def scene_of(**parameters):
    return topic("sharded-step").scene(parameters)


def test_the_mean_gradient_is_taken_from_the_weights_shard_by_shard():
    # Gradients 1 2 3, 10 20 30, 100 200 300 have the means 37 74 111; weights start at 100 200 300
    scene = scene_of(stage=2)
    assert [table(scene, f"step={step}") for step in (0, 2, 3, 4)] == [
        [[1, 2, 3], [10, 20, 30], [100, 200, 300]],
        [[37, 202, 3], [10, 74, 33], [110, 200, 111]],
        [[37, None, None], [None, 74, None], [None, None, 111]],
        [[63, 200, 300], [100, 126, 300], [100, 200, 189]],
    ]
    assert table(scene, "step=6") == [[63, 126, 189]] * 3


def test_stage_1_keeps_the_whole_gradients():
    phases = [step["phase"] for step in scene_of(stage=1).data()["steps"]]
    assert phases == ["reduce-scatter"] * 2 + ["update"] + ["all-gather"] * 2
    assert scene_of(stage=1).data()["weights"] == [[63, 126, 189]] * 3


def test_stage_3_gathers_twice_and_ends_with_shards():
    found = json.loads(json.dumps(scene_of(stage=3).data()))
    assert list(found) == ["workers", "stage", "learning_rate", "steps", "weights", "bytes_sent"]
    assert list(dict.fromkeys(step["phase"] for step in found["steps"])) == [
        "all-gather for forward",
        "free after forward",
        "all-gather for backward",
        "free after backward",
        "reduce-scatter",
        "free",
        "update",
    ]
    assert found["weights"] == [[63, None, None], [None, 126, None], [None, None, 189]]
    # The whole is there after the gathering, shards alone after the freeing
    assert found["steps"][1]["state"] == [[100, 200, 300]] * 3
    assert found["steps"][2]["state"] == [[100, None, None], [None, 200, None], [None, None, 300]]


@pytest.mark.parametrize("workers", [2, 4, 8])
def test_stage_3_sends_half_as_much_again(workers):
    # 2 (N - 1) / N and 3 (N - 1) / N of 8 bytes a weight
    sent = [scene_of(workers=workers, length=workers, stage=stage).data()["bytes_sent"] for stage in (1, 2, 3)]
    assert sent == [[passes * (workers - 1) * 8] * workers for passes in (2, 2, 3)]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 9), st.integers(1, 20), st.integers(0, 99), st.sampled_from([1, 2, 3]), st.sampled_from([0.5, 1]))
def test_the_weights_are_those_of_one_worker_with_all_gradients(workers, length, seed, stage, rate):
    scene = scene_of(workers=workers, length=length, seed=seed, stage=stage, learning_rate=rate)
    means = [sum(column) / workers for column in zip(*(array.tolist() for array in scene.gradients), strict=True)]
    expected = [100 * (place + 1) - rate * mean for place, mean in enumerate(means)]
    held = [[] for _ in range(length)]
    for row in scene.data()["weights"]:
        for place, value in enumerate(row):
            if value is not None:
                held[place].append(value)
    for values, wanted in zip(held, expected, strict=True):
        assert len(values) == (1 if stage == 3 else workers)
        assert values == pytest.approx([wanted] * len(values))


@pytest.mark.parametrize("stage", [1, 2, 3])
@pytest.mark.parametrize("width", [40, 80])
def test_nothing_moves_from_step_to_step(stage, width):
    scene = scene_of(workers=4, length=6, stage=stage)
    pictures = [scene.picture(step) for step in range(scene.last_step + 1)]
    assert len({picture.size(width) for picture in pictures}) == 1
    heads = {"".join(run.text for run in picture.line(0, width))[10:] for picture in pictures}
    assert len(heads) == 1


def test_as_it_is_drawn(show, rows_of):
    assert rows_of(show("sharded-step", step=3))[:6] == [
        "gradients    0         1         2",
        "worker 0    37✓        ·         ·",
        "worker 1     ·        74✓        ·",
        "worker 2     ·         ·       111✓",
        "",
        "nothing is sent",
    ]
    rows = rows_of(show("sharded-step", step=5))
    assert rows[0].startswith("weights ")
    assert rows[1] == "worker 0    63✓→     200      →189✓"
    moved = {run.cell for run in show("sharded-step", step=5).line(1, 80) if run.role is Role.RECEIVED and run.cell}
    assert moved == {cell(worker=0, chunk=2, index=0)}


def test_captions_and_words(show):
    scene = scene_of(learning_rate=0.5)
    assert scene.caption(0) == "start, stage 2: each worker has gradients of its own samples"
    assert scene.caption(1) == "step 1 of 6 (reduce-scatter 1 of 2): each adds what arrives; each sent 8 B"
    assert scene.caption(4) == (
        "step 4 of 6 (update): each takes 0.5 times the mean gradient from its own shard of the weights; each sent 16 B"
    )
    assert scene.picture(4).words()[0].startswith("after step 4, weights, worker 0: chunk 0 is 81.5, finished")
    assert scene.picture(5).words()[0] == "step 5: worker 0 sends chunk 0, value 81.5, to worker 1, which keeps it"
    assert one(scene, "step=4 worker=0 chunk=0") == 81.5


def test_one_worker_updates_alone():
    scene = scene_of(workers=1)
    assert [scene.frames[step].phase for step in range(scene.last_step + 1)] == ["start", "free", "update"]
    assert scene.data()["bytes_sent"] == [0]
