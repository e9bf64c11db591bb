"""Schedules on one time axis, and what each rank holds in each slot."""

from __future__ import annotations

import tracemalloc

import pytest

from simlib.errors import BadArgument
from tutor.views.picture import Mark, Role, cell
from tutor.views.topics import topic


def test_gpipe_over_1f1b_over_zero_bubble(show, rows_of):
    """Three stages, four micro-batches, worked out by hand: 18 slots, 18, and 14."""
    assert rows_of(show("schedules", stages=3, micro_batches=4, third="zb-h1")) == [
        "gpipe    0   2   4   6   8   10  12  14  16",
        "stage 0  0 1 2 3 · · · · · ·«0══«1══«2══«3══",
        "stage 1  · 0 1 2 3 · · ·«0══«1══«2══«3══ · ·",
        "stage 2  · · 0 1 2 3«0══«1══«2══«3══ · · · ·",
        "held 0   1 2 3▲4━━━━━━━━━━━━━━━━ 3── 2── 1──",
        "held 1   0 1 2 3▲4━━━━━━━━━━ 3── 2── 1── 0",
        "held 2   0   1 2 3▲4━━━━ 3── 2── 1── 0",
        "",
        "1f1b     0   2   4   6   8   10  12  14  16",
        "stage 0  0 1 2 · · · ·«0══ 3«1══ ·«2══ ·«3══",
        "stage 1  · 0 1 · ·«0══ 2«1══ 3«2══ ·«3══ · ·",
        "stage 2  · · 0«0══ 1«1══ 2«2══ 3«3══ · · · ·",
        "held 0   1 2▲3━━━━━━━━━━━━━━━━━━ 2──── 1────",
        "held 1   0 1▲2━━━━━━━━━━━━━━━━━━━━ 1──── 0",
        "held 2   0  ▲1━━━━━━━━━━━━━━━━━━━━━━ 0",
        "",
        "zb-h1    0   2   4   6   8   10  12",
        "stage 0  0 1 2 · ·‹0w0 3‹1w1‹2w2‹3w3",
        "stage 1  · 0 1 ·‹0 2‹1w0 3‹2w1‹3w2w3",
        "stage 2  · · 0‹0 1‹1 2‹2w0 3‹3w1w2w3",
        "held 0   1 2▲3━━━━━━━━━━━━━━ 2── 1──",
        "held 1   0 1 2────▲3━━━━━━━━━━ 2── 1",
        "held 2   0   1── 2──▲3━━━━━━━━━━ 2 1",
        "",
        "gpipe: done at 18, idle 33.3% of total, 50% of ideal; peak 4 on every stage",
        "1f1b: done at 18, idle 33.3% of total, 50% of ideal; peak 3 2 1",
        "zb-h1: done at 14, idle 14.3% of total, 16.7% of ideal; peak 3 on every stage",
        "n forward   «n backward   ‹n input gradient   wn weight gradient   · idle",
        "▲n activations held: the most of the row",
    ]


def test_cells_are_operations_and_what_is_held(show):
    cells = show("schedules", stages=3, micro_batches=4).cells()
    assert cells[cell(schedule="1f1b", rank=0, slot=7)] == "0B0"
    assert cells[cell(schedule="gpipe", rank=2, slot=0)] is None
    assert [cells[cell(held="1f1b", rank=rank, slot=8)] for rank in range(3)] == [3, 2, 1]
    assert [cells[cell(held="gpipe", rank=rank, slot=8)] for rank in range(3)] == [4, 4, 3]
    assert cell(schedule="zb-h1", rank=0, slot=0) not in cells
    assert cell(schedule="1f1b", rank=3, slot=0) not in cells


def test_smaller_slots_keep_the_axis(show, rows_of):
    """A chunk's forward pass lasts half a slot of 1F1B: the same time stands in the same column."""
    picture = show("schedules", first="interleaved", second="1f1b", stages=2, micro_batches=2)
    rows = rows_of(picture)
    assert rows[0].split() == ["interleaved", *map(str, range(8))]
    assert rows[6].split() == ["1f1b", *map(str, range(9))]
    head = picture.head_columns
    start = {row[:7].strip(): row for row in rows}
    # 0a 1a 0b 1b, then the backward pass of the second chunk at time 3
    assert start["rank 0"][head:].startswith(" 0a 1a 0b 1b · ")
    assert start["rank 0"].index("«0b") - head == 18
    assert start["stage 1"].index("«0") - head == 12
    assert "of a chunk, 1/2 of a rank" in " ".join(rows)


def test_the_peak_is_marked_in_words_too(show):
    words = show("schedules", second="none", stages=2, micro_batches=2).words()
    assert words == [
        "gpipe: done at 9, idle 33.3% of total, 50% of ideal; peak 2 on every stage",
        "gpipe, stage 0: slots 0 to 1 forward 0 to 1; slots 2 to 4 idle; slots 5 to 8 backward 0 to 1",
        "gpipe, stage 1: slot 0 idle; slots 1 to 2 forward 0 to 1; slots 3 to 6 backward 0 to 1; slots 7 to 8 idle",
        "gpipe, stage 0, activations held: slot 0: 1; slots 1 to 6: 2; slots 7 to 8: 1",
        "gpipe, stage 1, activations held: slot 0: 0; slot 1: 1; slots 2 to 4: 2; slots 5 to 6: 1; slots 7 to 8: 0",
    ]


def test_a_cell_to_fill_in_hides_what_is_held(show, rows_of):
    marked = show("schedules", second="none", stages=2, micro_batches=2).marked(
        {
            cell(schedule="gpipe", rank=0, slot=0): Mark(Role.BLANK),
            cell(held="gpipe", rank=1, slot=4): Mark(Role.YOURS, "3"),
        }
    )
    rows = rows_of(marked)
    assert rows[1].split()[2] == "_"
    assert rows[3].split() == ["held", "0"]
    assert rows[4].split() == ["held", "1", "(3)"]
    assert not any("done at" in row for row in rows)
    assert marked.words() == ["gpipe, stage 0, slot 0: blank", "gpipe, held on rank 1 in slot 4: yours 3"]


def test_a_difference_moves_all_panels_alike(show, rows_of):
    plain = show("schedules", stages=2, micro_batches=2)
    marked = plain.marked({cell(schedule="1f1b", rank=0, slot=1): Mark(Role.DIFFERENCE, "0B0")})
    rows = rows_of(marked)
    assert "«0≠1" in rows[7]
    assert rows[0].split()[1:] == rows[6].split()[1:]
    assert rows[1].index("«0") == rows_of(marked)[1].index("«0")
    assert rows[0].index("8") == rows[6].index("8")


def test_a_slower_last_stage_sets_the_beat(show, rows_of):
    rows = rows_of(show("schedules", first="none", stages=2, micro_batches=4, last_stage=2, memory="no"))
    # By hand: forward 0 until 1, then the last stage 2 + 4 for each of four micro-batches, and back: 1 + 24 + 2
    assert rows[4] == "1f1b: done at 27, idle 33.3% of total, 50% of ideal"


def test_chunks_are_for_those_that_take_them():
    scene = topic("schedules").scene({"first": "gpipe", "second": "looped-bfs", "third": "zb-h1", "chunks": 3})
    assert [of["chunks"] for of in scene.data()["schedules"]] == [1, 3, 1]


def test_data_has_each_change_of_what_is_held():
    [first] = (
        topic("schedules")
        .scene({"first": "1f1b", "second": "none", "stages": 2, "micro_batches": 2})
        .data()["schedules"]
    )
    assert first["held"] == [[[0, 1], [1, 2], [6, 1], [9, 0]], [[0, 0], [1, 1], [7, 0]]]
    assert (first["makespan"], first["peak_activations"]) == (9, [2, 1])


def test_a_schedule_given_twice_is_shown_once_and_none_is_an_error():
    assert len(topic("schedules").scene({"first": "1f1b", "second": "1f1b"}).data()["schedules"]) == 1
    with pytest.raises(BadArgument, match="first is 'none'"):
        topic("schedules").scene({"first": "none", "second": "none"})
    with pytest.raises(BadArgument, match="micro_batches is 6; accepted: at least twice the stages for dualpipe"):
        topic("schedules").scene({"first": "dualpipe", "micro_batches": 6})


def test_times_without_a_slot_are_drawn_to_scale_without_memory(show, rows_of):
    rows = rows_of(show("schedules", stages=2, micro_batches=2, forward=2**0.5))
    assert not any(row.startswith("held") for row in rows)
    assert [rows[row].split()[0] for row in (0, 4)] == ["gpipe", "1f1b"]


def test_64_stages_and_1024_micro_batches_cost_what_is_looked_at(show):
    picture = show("schedules", stages=64, micro_batches=1024)
    size = picture.size(120)
    assert size.columns > 12_000
    # A row is followed through time when it is first looked at
    for row in range(40, 100):
        picture.line(row, 120, 0, 120)
    tracemalloc.start()
    rows = [picture.line(row, 120, 9_000, 9_120) for row in range(40, 100)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert all(sum(len(run.text) for run in row) <= 120 for row in rows)
    assert peak < 2_000_000
