"""Ranks on servers: who is where, which groups cross, what is sent, and what a question hides."""

from __future__ import annotations

import pytest

from simlib.errors import BadArgument
from tutor.views import palette
from tutor.views.picture import Mark, Role, cell
from tutor.views.select import one, table
from tutor.views.topics import topic

# Megatron-LM, parallel_state.py: 16 ranks, tensor 2, pipeline 4
DATA = [[0, 2], [1, 3], [4, 6], [5, 7], [8, 10], [9, 11], [12, 14], [13, 15]]
PIPELINE = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]]


def test_groups_can_be_asked_for_rank_by_rank():
    scene = topic("mesh").scene({"gpus": 16})
    assert scene.last_step == 3
    assert [table(scene, f"step=2 group={number}")[0] for number in range(4)] == PIPELINE
    assert [table(scene, f"step=3 group={number}")[0] for number in range(8)] == DATA
    assert [one(scene, f"step=0 rank=13 axis={axis}") for axis in ("pipeline", "data", "tensor")] == [3, 0, 1]


def test_a_rank_has_its_colour_and_a_group_its_background():
    picture = topic("mesh").scene({"gpus": 16}).picture(3)
    lines = [picture.line(row, 80) for row in range(picture.size(80).rows)]
    runs = [run for line in lines for run in line]
    listed = [(int(run.text), run.role) for run in runs if run.cell and dict(run.cell).get("member") is not None]
    in_servers = [(int(run.text), run.role) for run in runs if run.cell is None and run.text.isdigit()]
    for found in (listed, in_servers):
        assert sorted(found) == [(rank, palette.of_rank(rank)) for rank in range(16)]
    letters = [(run.text, run.role) for run in runs if run.text in "ABCDEFGH"]
    assert len(letters) == 16 + len(DATA)
    assert set(letters) == {("ABCDEFGH"[number], palette.of_group(number)) for number in range(len(DATA))}


def test_the_json():
    found = topic("mesh").scene({"gpus": 16}).data()
    assert [found[name] for name in ("gpus", "data", "tensor", "pipeline")] == [16, 2, 2, 4]
    assert found["groups"]["data"] == DATA
    assert found["ranks"][13] == {"rank": 13, "server": 1, "pipeline": 3, "data": 0, "tensor": 1}
    assert {kind: sent["lands"] for kind, sent in found["traffic"].items()} == {
        "tensor": "inside",
        "pipeline": "mixed",
        "data": "inside",
    }
    # LLaMA 13B, 8 micro-batches of a sequence: 4 all-reduces in each of 10 layers, of 4096 x 5120 16-bit values
    assert found["traffic"]["tensor"]["bytes_sent"] == 8 * 10 * 4 * 2 * 4096 * 5120
    assert found["traffic"]["pipeline"]["bytes_sent"] == 8 * 2 * 2 * 4096 * 5120
    assert [sent["bandwidth"] for sent in found["traffic"].values()] == [450e9, 50e9, 450e9]


def test_sizes_make_up_the_gpus_and_the_gpus_the_copies():
    assert topic("mesh").scene({"data": 3, "tensor": 4, "pipeline": 2}).data()["gpus"] == 24
    assert topic("mesh").scene({"gpus": 32}).data()["data"] == 4


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"gpus": 12}, r"gpus is 12; accepted: a multiple of tensor x pipeline \(8\)"),
        ({"gpus": 16, "data": 4}, "data is 4; accepted: 2: 16 GPUs over tensor 2 x pipeline 4"),
        ({"data": 512}, "data x tensor x pipeline is 4096; accepted: at most 512 GPUs"),
        ({"order": "dp"}, "order is 'dp'; accepted: tp-dp-pp"),
    ],
)
def test_a_mesh_that_cannot_be(given, said):
    with pytest.raises(BadArgument, match=said):
        topic("mesh").scene(given)


def test_as_it_is_drawn(show, rows_of):
    rows = rows_of(show("mesh", 3, gpus=16))
    assert rows[0].startswith("┌─ server 0 ─")
    assert rows[1].split() == [
        "│",
        *["0", "A", "1", "B", "2", "A", "3", "B", "4", "C", "5", "D", "6", "C", "7", "D"],
        "│",
    ]
    assert rows[2].split()[1:3] == ["p0d0t0", "p0d0t1"]
    assert rows[4].startswith("┌─ server 1 ─")
    assert rows[8].startswith("A 0 2   B 1 3   C 4 6   D 5 7")
    assert len(rows) <= 16


def test_what_is_said_of_each_kind(show):
    said = {step: " ".join(show("mesh", step, gpus=16).words()) for step in range(4)}
    assert "rank 13 is pipeline 3, data 0, tensor 1" in said[0]
    assert "Ranks count through tensor first, then data, then pipeline." in said[0]
    assert said[1].startswith("tensor group A: ranks 0, 1")
    assert "on NVLink at 450 GB/s" in said[1]
    assert "others are reached over the network" in said[2]
    assert "The first and the last stage send half." in said[2]
    assert "each GPU sends 3.25 GB a step" in said[3]
    alone = show("mesh", 1, gpus=4, tensor=1)
    assert "Groups of one: nothing is sent for tensor parallelism." in alone.words()


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_servers_stand_side_by_side_where_there_is_room(show, rows_of, width):
    rows = rows_of(show("mesh", 1, gpus=16), width)
    assert all(len(row) <= width for row in rows)
    assert ("server 1" in rows[0]) == (width >= 120)
    assert sum("p1d0t0" in row for row in rows) == 1


def test_no_letter_and_no_other_group_tells_what_is_asked_for(show, rows_of):
    place = cell(group=3, member=1)
    picture = show("mesh", 3, gpus=16).marked({place: Mark(Role.BLANK)})
    rows = rows_of(picture)
    assert rows[1].split() == ["│", *"01234567", "│"]
    assert rows[8].startswith("A ? ?   B ? ?   C ? ?   D ? __")
    assert "data group D: ranks hidden, blank" in picture.words()
    told = show("mesh", 3, gpus=16).marked({place: Mark(Role.DIFFERENCE, "6")})
    assert "D 5 6≠7" in rows_of(told)[8]


def test_a_coordinate_that_is_asked_for_is_blank(show, rows_of):
    place = cell(rank=5, axis="data")
    picture = show("mesh", 0, gpus=16).marked({place: Mark(Role.BLANK)})
    assert "p1d_t1" in rows_of(picture)[2]
    assert "server 0: rank 5 is pipeline 1, data blank, tensor 1" in picture.words()


def test_the_order_moves_the_groups():
    found = topic("mesh").scene({"gpus": 16, "order": "tp-pp-dp"}).data()
    assert found["groups"]["pipeline"][0] == [0, 2, 4, 6]
    assert found["traffic"]["pipeline"]["lands"] == "inside"
    assert found["traffic"]["data"]["lands"] == "between"
