"""Model stages on ranks: which layers are where, in the colour of the rank, and which chunk of it each is."""

from __future__ import annotations

import pytest

from simlib.errors import BadArgument
from tutor.views import palette
from tutor.views.picture import Mark, Role, cell
from tutor.views.topics import topic


def test_stage_s_is_on_rank_s_mod_p(show, rows_of):
    picture = show("stages", layers=8, stages=2, chunks=2)
    assert rows_of(picture) == [
        "stage   0      1      2      3",
        "rank 0  a 0-1  ·      b 4-5  ·",
        "rank 1  ·      a 2-3  ·      b 6-7",
        "",
        "2 layers a stage   stage 0 has the embedding too",
        "stage 3 (on rank 1) has the output layer and the loss",
        "a, b: a rank's first, second model stage",
    ]
    assert list(picture.cells().items()) == [
        (cell(rank=0, stage=0), "0-1"),
        (cell(rank=0, stage=2), "4-5"),
        (cell(rank=1, stage=1), "2-3"),
        (cell(rank=1, stage=3), "6-7"),
    ]
    assert picture.words()[0] == "rank 0: model stage 0 with layers 0 to 1; model stage 2 with layers 4 to 5"


def test_a_v_goes_down_and_up(show):
    cells = show("stages", layers=8, stages=4, chunks=2, placement="v").cells()
    assert {dict(place)["stage"]: dict(place)["rank"] for place in cells} == dict(enumerate([0, 1, 2, 3, 3, 2, 1, 0]))


def test_layers_that_do_not_divide_are_dealt_out_from_the_first(show, rows_of):
    picture = show("stages", layers=30, stages=4, chunks=1)
    assert list(picture.cells().values()) == ["0-7", "8-15", "16-22", "23-29"]
    assert "8 or 7 layers a stage   stage 0 has the embedding too" in rows_of(picture)


@pytest.mark.parametrize("topic_name", ["stages", "pipeline"])
def test_a_rank_has_one_colour_in_both_pictures(show, topic_name):
    given = {"layers": 16} if topic_name == "stages" else {"schedule": "interleaved", "micro_batches": 8}
    picture = show(topic_name, stages=8, chunks=2, **given)
    heads = [picture.line(row, 250)[0] for row in range(1, 9)]
    assert [head.text for head in heads] == [f"rank {rank}" for rank in range(8)]
    assert [head.role for head in heads] == [palette.of_rank(rank) for rank in range(8)]
    assert len({head.role for head in heads[:6]}) == 6
    if topic_name == "stages":
        for rank in range(8):
            roles = {run.role for run in picture.line(rank + 1, 250) if run.cell}
            assert roles == {palette.of_rank(rank)}


def test_chunks_of_a_rank_differ_without_colour(show):
    """In the map and in the slot grid a letter tells a rank's stages apart."""
    picture = show("pipeline", schedule="interleaved", stages=2, chunks=2, micro_batches=2)
    letters = {"0": set(), "2": set()}
    for run in picture.line(1, 200):
        value = picture.cells().get(run.cell) if run.cell else None
        if value and any(character.isdigit() for character in run.text):
            letters[value[0]].add(next(character for character in run.text if character.isalpha()))
    assert letters == {"0": {"a"}, "2": {"b"}}


def test_marks_and_errors(show):
    marked = show("stages").marked({cell(rank=1, stage=1): Mark(Role.CURSOR)})
    assert any(run.role is Role.CURSOR for run in marked.line(2, 80))
    with pytest.raises(BadArgument, match="layers is 7; accepted: at least 8"):
        topic("stages").scene({"layers": 7})
    with pytest.raises(BadArgument, match="chunks is 64"):
        topic("stages").scene({"stages": 1024, "chunks": 64})
