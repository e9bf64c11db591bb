"""What passes between two steps: chunks that leave and arrive, slots that fill."""

from __future__ import annotations

from typing import Any

import pytest

from tutor.views.picture import Picture
from tutor.views.topics import TOPICS, topic

RING = {"values": [[1, 2, 3], [10, 20, 30], [100, 200, 300]]}


def rows(picture: Picture, width: int = 80) -> list[str]:
    lines = range(picture.size(width).rows)
    return ["".join(run.text for run in picture.line(row, width)).rstrip() for row in lines]


def test_a_chunk_leaves_then_arrives_then_is_added() -> None:
    scene = topic("all-reduce").scene(RING)
    leaving, arriving = scene.between(1)
    assert [row.split() for row in rows(leaving)[1:4]] == [
        ["worker", "0", "1→", "2", "3"],
        ["worker", "1", "10", "20→", "30"],
        ["worker", "2", "100", "200", "300→"],
    ]
    assert [row.split() for row in rows(arriving)[1:4]] == [
        ["worker", "0", "1→", "2", "→300"],
        ["worker", "1", "→1", "20→", "30"],
        ["worker", "2", "100", "→20", "300→"],
    ]
    assert [row.split() for row in rows(scene.picture(1))[1:4]] == [
        ["worker", "0", "1→", "2", "→303"],
        ["worker", "1", "→11", "20→", "30"],
        ["worker", "2", "100", "→220", "300→"],
    ]


def test_a_chunk_that_is_kept_as_it_arrives_needs_no_picture_of_that() -> None:
    scene = topic("all-gather").scene(RING)
    (leaving,) = scene.between(1)
    assert "→1" not in rows(leaving)[2].split()
    assert rows(leaving)[2].split()[2] == "·"


@pytest.mark.parametrize("name", TOPICS)
def test_what_passes_is_little_and_as_large_as_what_comes(name: str) -> None:
    given: list[dict[str, Any]] = [{}]
    algorithm = next((each for each in topic(name).parameters if each.name == "algorithm"), None)
    if algorithm:
        given = [{"algorithm": choice, "workers": 4} for choice in algorithm.choices]
    if name == "pipeline":
        given += [{"stages": 16, "micro_batches": 128}]
    for parameters in given:
        scene = topic(name).scene(parameters)
        assert not (scene.fills and scene.last_step)
        for step in range(scene.last_step + 1):
            between = list(scene.between(step))
            assert len(between) <= (24 if scene.fills else 2)
            for width in (40, 80, 160):
                sizes = {(picture.size(width), picture.foot_rows(width)) for picture in between}
                assert sizes <= {(scene.picture(step).size(width), scene.picture(step).foot_rows(width))}


def test_every_algorithm_that_sends_is_seen_to_send() -> None:
    for name in ("all-reduce", "reduce-scatter", "all-gather", "broadcast", "all-to-all", "sharded-step"):
        scene = topic(name).scene({})
        assert list(scene.between(1)), name
        assert not list(scene.between(0)), name


def test_a_pipeline_fills_slot_by_slot() -> None:
    scene = topic("pipeline").scene({"stages": 2, "micro_batches": 3, "forward_only": True})
    seen = [rows(picture)[1:3] for picture in scene.between(0)]
    assert seen[0] == ["stage 0  0", "stage 1  ·"]
    assert seen[1] == ["stage 0  0 1", "stage 1  · 0"]
    assert seen[2] == ["stage 0  0 1 2", "stage 1  · 0 1"]
    assert rows(scene.picture(0))[1:3] == ["stage 0  0 1 2 ·", "stage 1  · 0 1 2"]
    # What is counted is of the whole
    assert all(rows(picture)[3:] == rows(scene.picture(0))[3:] for picture in scene.between(0))


def test_a_curtain_is_cut_as_any_picture_is() -> None:
    picture = list(topic("pipeline").scene({}).between(0))[5]
    for row, whole in enumerate(rows(picture)):
        for start in range(0, 74, 7):
            part = "".join(run.text for run in picture.line(row, 80, start, start + 9))
            assert part.rstrip() == whole[start : start + 9].rstrip()
    marked = picture.marked({})
    assert marked.cells().keys() == picture.cells().keys()
    assert marked.words() == topic("pipeline").scene({}).picture(0).words()
