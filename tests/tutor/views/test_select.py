"""Cells by a short text, and differences drawn."""

from __future__ import annotations

import pytest

from tutor.views.explain import explained
from tutor.views.picture import cell
from tutor.views.select import one, select, table
from tutor.views.topics import topic


def test_selected_cells_come_in_reading_order(ring_of_three):
    assert select(ring_of_three, "step=1 worker=1") == [
        (cell(worker=1, chunk=0, index=0), 11),
        (cell(worker=1, chunk=1, index=0), 20),
        (cell(worker=1, chunk=2, index=0), 30),
    ]


def test_one_cell(ring_of_three):
    assert one(ring_of_three, "step=1 worker=1 chunk=0") == 11
    assert one(topic("zero").scene({}), "stage=3 part=total") == 14e9
    grid = topic("pipeline").scene({"stages": 64, "micro_batches": 200})
    assert one(grid, "rank=63 slot=63") == "63F0"


def test_tables_have_a_row_for_each_worker_rank_or_stage(ring_of_three):
    assert table(ring_of_three, "step=0 chunk=2") == [[3], [30], [300]]
    assert table(topic("zero").scene({}), "part=total") == [[112e9], [38.5e9], [26.25e9], [14e9]]
    forward = topic("pipeline").scene({"stages": 2, "micro_batches": 3, "forward_only": True})
    assert table(forward, "") == [["0F0", "0F1", "0F2", None], [None, "1F0", "1F1", "1F2"]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("step=1 worker=1", "selects 3 cells; there are step=0 to 4, chunk=0 to 2, index=0 to 0, worker=0 to 2"),
        ("step=1 worker=7 chunk=0", "selects no cells"),
        ("step=1 wroker=1 chunk=0", "selects no cells"),
        ("worker=1 chunk=0", "step is missing; accepted: a whole number from 0 to 4"),
        ("step=5 worker=1 chunk=0", "step is 5"),
        ("step=x worker=1 chunk=0", "step is x"),
        ("worker", "is no selector"),
        ("step=1 step=2", "is no selector"),
    ],
)
def test_what_is_wrong_is_said(ring_of_three, text, said):
    with pytest.raises(ValueError, match=said):
        one(ring_of_three, text)


def test_a_difference_is_drawn_in_its_picture(rows_of):
    drawn = explained(
        {
            "topic": "all-reduce",
            "parameters": {"values": [[1, 2, 3], [10, 20, 30], [100, 200, 300]]},
            "step": 1,
            "cell": {"worker": 1, "chunk": 0, "index": 0},
            "yours": 10.0,
        }
    )
    assert drawn.caption.startswith("step 1 of 4")
    assert "→10≠11" in rows_of(drawn.picture)[2]


def test_a_difference_in_a_grid_is_drawn_as_the_grid_writes_it(rows_of):
    drawn = explained(
        {
            "topic": "pipeline",
            "parameters": {"stages": 2, "micro_batches": 3},
            "step": 0,
            "cell": cell(rank=0, slot=6),
            "yours": "0B2",
        }
    )
    assert "«2≠«0" in rows_of(drawn.picture)[1]


def test_nothing_where_the_learner_has_nothing(rows_of):
    drawn = explained(
        {"topic": "zero", "parameters": {}, "step": 0, "cell": {"stage": 1, "part": "total"}, "yours": None}
    )
    assert sum("_≠38.5" in row for row in rows_of(drawn.picture)) == 1
    assert explained({"topic": "zero", "parameters": {}, "step": 3, "cell": None}).picture.words()


def test_bytes_are_drawn_in_the_unit_of_the_picture(rows_of):
    difference = {"topic": "zero", "parameters": {}, "step": 0, "cell": {"stage": 3, "part": "total"}}
    assert sum("26.25≠14" in row for row in rows_of(explained(difference | {"yours": 26.25e9}).picture)) == 1
    assert sum("54 B≠14" in row for row in rows_of(explained(difference | {"yours": 54}).picture)) == 1
    # What would read like the engine's figure is written in full
    assert sum("14000000001≠14" in row for row in rows_of(explained(difference | {"yours": 14000000001}).picture)) == 1
