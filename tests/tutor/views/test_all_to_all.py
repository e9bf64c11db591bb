"""All-to-all: chunks that land where the sender's rank says, chunks of unequal length in one column."""

from __future__ import annotations

from tutor.views.picture import cell
from tutor.views.select import table
from tutor.views.topics import topic

UNEVEN = [[1, 2, 3], [10, 20, 30]]  # chunks of two numbers and of one


def test_what_arrives_lands_at_the_senders_place(show):
    words = show("all-to-all", step=1, values=[[1, 2], [3, 4]]).words()
    assert words[:2] == [
        "step 1: worker 0 sends chunk 1, value 2, to worker 1, which keeps it as chunk 0",
        "step 1: worker 1 sends chunk 0, value 3, to worker 0, which keeps it as chunk 1",
    ]


def test_chunks_of_unequal_length_share_a_column(show, rows_of):
    scene = topic("all-to-all").scene({"values": UNEVEN})
    assert table(scene, "step=0") == [[1, 2, 3], [10, 20, 30]]
    assert table(scene, "step=1") == [[1, 2, 10, 20], [3, 30]]
    rows = rows_of(scene.picture(1))
    assert rows[1].split() == ["worker", "0", "1", "2✓", "→10", "20✓→"]
    assert rows[2].split() == ["worker", "1", "→3", "✓→", "30", "✓"]
    # Worker 1's chunk 0 has one number now: there is no second to ask for
    assert cell(worker=1, chunk=0, index=1) not in scene.picture(1).cells()
    assert cell(worker=1, chunk=0, index=1) in scene.picture(0).cells()
    assert len(scene.picture(1).cells()) == 6
    assert (
        scene.picture(1).words()[1]
        == "step 1: worker 1 sends chunk 0, values 10 20, to worker 0, which keeps it as chunk 1"
    )


def test_worker_after_worker_meets_every_other_once(show):
    scene = topic("all-to-all").scene({"workers": 6})
    met = {(move["from"], move["to"]) for step in scene.data()["steps"] for move in step["transfers"]}
    assert len(met) == 6 * 5
    assert scene.last_step == 5
