"""DDP's buckets: the last layers first, a small first bucket, and all-reduces while the backward pass goes on."""

from __future__ import annotations

import pytest

from tutor.views.picture import Mark, Role, cell
from tutor.views.select import one, table
from tutor.views.topics import topic

# Whole seconds: each layer 1 s and 4 bytes; among 2 workers a ring sends each byte once, 2 s for 4 bytes
BY_HAND = {
    "layers": 4,
    "bytes": 4,
    "cap": 8,
    "first_cap": 1,
    "seconds": 1,
    "workers": 2,
    "bandwidth": 2,
    "alpha": 0,
}


def test_a_timeline_worked_out_by_hand():
    scene = topic("buckets").scene(BY_HAND)
    # [3] is ready at 1 and sent until 3; [2, 1] ready at 3, sent until 7; [0] ready at 4, waits until 7, sent until 9
    assert table(scene, "") == [[4, 1, 1, 3], [8, 3, 3, 7], [4, 4, 7, 9]]
    assert scene.data() == {
        "workers": 2,
        "buckets": [
            {"bucket": 0, "layers": [3], "bytes": 4, "ready": 1, "start": 1, "end": 3},
            {"bucket": 1, "layers": [2, 1], "bytes": 8, "ready": 3, "start": 3, "end": 7},
            {"bucket": 2, "layers": [0], "bytes": 4, "ready": 4, "start": 7, "end": 9},
        ],
        "backward": 4,
        "seconds": 9,
        "at_the_end": 4 + 8,
    }


def test_each_message_of_a_ring_pays_its_latency():
    # 2 (N - 1) messages a bucket: each all-reduce is 2 x 0.5 s longer
    scene = topic("buckets").scene(BY_HAND | {"alpha": 0.5})
    assert one(scene, "bucket=0 part=end") == 1 + 2 + 1
    assert scene.data()["at_the_end"] == 4 + 8 + 1


def test_as_it_is_drawn(show, rows_of):
    # 60 columns for 12 s: five a second
    rows = rows_of(show("buckets", **BY_HAND), 71)
    assert rows[:4] == [
        "s          0         2         4         6         8         10",
        "backward   «3═══«2═══«1═══«0═══·························",
        "buckets         0━━━━━━━━→1━━━━━━━━━━━━━━━━━━→2━━━━━━━━→",
        "at the end                     all━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━→",
    ]
    assert rows[-1].endswith("   5 s not hidden; all at the end: done at 12 s")


def test_pytorchs_caps():
    # 1 MiB, then 25 MiB: 12 layers of 10 MiB travel 1, 3, 3, 3 and 2 together
    found = topic("buckets").scene({}).data()["buckets"]
    assert [len(bucket["layers"]) for bucket in found] == [1, 3, 3, 3, 2]
    assert found[0]["layers"] == [11]
    assert found[-1]["layers"] == [1, 0]


def test_one_large_bucket_is_one_message_at_the_end():
    scene = topic("buckets").scene(BY_HAND | {"first_cap": 1000})
    assert table(scene, "") == [[16, 4, 4, 12]]


def test_a_large_first_layer_is_ready_last_and_cannot_hide():
    scene = topic("buckets").scene(BY_HAND | {"first_layer_bytes": 100})
    assert one(scene, "bucket=2 part=bytes") == 100
    assert one(scene, "bucket=2 part=end") == 7 + 50


def test_fast_links_hide_all_but_the_last_bucket(show, rows_of):
    rows = rows_of(show("buckets", bandwidth=1e12))
    assert "idle" not in rows[-1]
    assert show("buckets", workers=1).notes[0].startswith("all of it hidden")
    assert rows_of(show("buckets", workers=1))[2] == "buckets"


def test_words(show):
    assert show("buckets").words()[1] == (
        "bucket 1, layers 10 to 8, 30 MiB: ready at 4 ms, all-reduced from 4 ms to 6.34 ms"
    )
    assert show("buckets").words()[0].startswith("bucket 0, layer 11, 10 MiB: ready at 1 ms")


def test_what_is_asked_for_is_not_in_the_lanes(show, rows_of):
    place = cell(bucket=1, part="end")
    picture = show("buckets", **BY_HAND).marked({place: Mark(Role.BLANK)})
    rows = rows_of(picture)
    assert [row.split()[-1] for row in rows[1:4]] == ["?", "?", "?"]
    assert "hidden;" not in rows[-1]
    assert rows[7].split() == ["1", "2", "to", "1", "?", "?", "?", "_"]
    size = cell(bucket=1, part="bytes")
    told = show("buckets").marked({size: Mark(Role.DIFFERENCE, picture.written(size, 25 * 2**20))})
    assert "25≠30" in rows_of(told)[7]


@pytest.mark.parametrize("layers", [1, 2, 40, 256])
def test_many_layers_are_all_there(show, rows_of, layers):
    rows = rows_of(show("buckets", layers=layers), 100)
    assert rows[1].count("«") >= min(layers, 60)
    assert all(len(row) <= 100 for row in rows)
