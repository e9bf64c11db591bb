"""The slot grid: which micro-batch is where, idle slots counted, forward and backward told apart."""

from __future__ import annotations

import tracemalloc

import pytest

from simlib.pipeline import schedule, time_orders
from tutor.views.picture import Mark, Role, cell
from tutor.views.slot_grid import SlotGrid
from tutor.views.time_rows import TimeRows
from tutor.views.topics import topic


def test_gpipe_forward_as_the_paper_draws_it(show, rows_of):
    picture = show("pipeline", schedule="gpipe", stages=2, micro_batches=3, forward_only=True)
    assert rows_of(picture) == [
        "slot     0 1 2 3",
        "stage 0  0 1 2 ·",
        "stage 1  · 0 1 2",
        "",
        "2 of 8 slots idle: bubble 25% of the time, 33.3% of the ideal time",
        "n forward   · idle",
    ]
    assert picture.cells()[cell(rank=1, slot=0)] is None
    assert picture.cells()[cell(rank=1, slot=3)] == "1F2"
    assert picture.words()[:2] == [
        "stage 0: slots 0 to 2 forward 0 to 2; slot 3 idle",
        "stage 1: slot 0 idle; slots 1 to 3 forward 0 to 2",
    ]


def test_backward_slots_have_a_sign_and_go_on(show, rows_of):
    rows = rows_of(show("pipeline", schedule="1f1b", stages=2, micro_batches=2))
    # Makespan 9: F F . . B B ., worked out by hand from the order 0F0 0F1 0B0 0B1 / 1F0 1B0 1F1 1B1
    assert rows[1] == "stage 0  0 1 · ·«0══ ·«1══"
    assert rows[2] == "stage 1  · 0«0══ 1«1══ · ·"
    assert rows[4].startswith("6 of 18 slots idle")
    assert rows[5] == "activations held at most: 2 1"


@pytest.mark.parametrize(("micro_batches", "idle", "slots", "share"), [(8, 12, 44, "27.3%"), (32, 12, 140, "8.57%")])
def test_the_bubble_of_gpipe(show, rows_of, micro_batches, idle, slots, share):
    # (p - 1) / (m + p - 1) of the time for p = 4
    picture = show("pipeline", stages=4, micro_batches=micro_batches, forward_only=True)
    assert f"{idle} of {slots} slots idle: bubble {share} of the time" in "\n".join(rows_of(picture))
    assert sum(value is None for value in picture.cells().values()) == idle


@pytest.mark.parametrize("name", ["gpipe", "1f1b", "interleaved", "looped-bfs", "zb-h1", "zb-v", "dualpipe"])
def test_cells_are_the_engines_grid(name):
    scene = topic("pipeline").scene(
        {"schedule": name, "stages": 4, "micro_batches": 10 if name == "zb-v" else 8}
        | ({"chunks": 2} if name in ("interleaved", "looped-bfs") else {})
    )
    grid = scene.data()["grid"]
    assert list(scene.cells(0).values()) == [value for row in grid for value in row]


@pytest.mark.parametrize("name", ["zb-h1", "zb-v", "dualpipe"])
def test_every_kind_of_work_has_its_own_sign(name, rows_of):
    scene = topic("pipeline").scene({"schedule": name, "stages": 4, "micro_batches": 10 if name == "zb-v" else 8})
    picture = scene.picture(0)
    signs: dict[str, set[str]] = {}
    for row in range(1, 5):
        for run in picture.line(row, 80):
            value = picture.cells().get(run.cell) if run.cell else None
            if value and "OVERLAP" not in value and any(digit in run.text for digit in "0123456789"):
                kind = next(letter for letter in "FBIW" if letter in value)
                signs.setdefault(kind, set()).add("".join(c for c in run.text if c in " «‹w")[:1])
    assert len(signs) >= 3
    assert all(len(found) == 1 for found in signs.values())
    assert len(set(map(tuple, signs.values()))) == len(signs)


def test_a_rank_with_several_stages_says_which(show, rows_of):
    rows = rows_of(show("pipeline", schedule="interleaved", chunks=2, stages=2, micro_batches=2))
    assert rows[1].startswith("rank 0  0a 1a 0b 1b")
    assert "a, b: a rank's first, second model stage" in rows[-1]
    spoken = show("pipeline", schedule="interleaved", chunks=2, stages=2, micro_batches=2).words()[0]
    assert spoken.startswith(
        "rank 0: slots 0 to 1 forward 0 to 1 of model stage 0; slots 2 to 3 forward 0 to 1 of model stage 2"
    )


def test_an_overlapping_pair_is_written_in_full(show, rows_of):
    rows = rows_of(show("pipeline", schedule="dualpipe", stages=4, micro_batches=8), 120)
    assert "3a«5b═══" in rows[1]


def test_long_operations_take_no_more_columns_than_they_need(show, rows_of):
    # Times 3 and 7 have the slot 1: a column a slot is enough, and every column is a cell
    picture = show("pipeline", stages=2, micro_batches=2, forward=3, backward=7)
    assert picture.per_slot == 1
    # By hand: forward until 6, idle until the gradient comes at 16, backward until 23 and 30
    assert rows_of(picture)[1] == "stage 0  0─ 1─··········«0═════«1═════"


def test_a_slot_may_last_longer_than_one(show, rows_of):
    # Times 4 and 8 have the slot 4: the picture is that of times 1 and 2
    assert (
        rows_of(show("pipeline", stages=2, micro_batches=2, forward=4, backward=8))[:3]
        == rows_of(show("pipeline", stages=2, micro_batches=2, forward=1, backward=2))[:3]
    )


def test_a_learners_own_orders_are_drawn(rows_of):
    timeline = time_orders([["0F0", "0B0", "0F1", "0B1"], ["1F0", "1B0", "1F1", "1B1"]])
    assert rows_of(SlotGrid(timeline))[1] == "stage 0  0 · · ·«0══ 1 · · ·«1══"


def test_marks_in_slots(rows_of):
    picture = SlotGrid(schedule("gpipe", 2, 3, forward_only=True).timeline).marked(
        {
            cell(rank=0, slot=3): Mark(Role.DIFFERENCE, "0F3"),
            cell(rank=1, slot=0): Mark(Role.CURSOR, ""),
            cell(rank=1, slot=1): Mark(Role.YOURS, "."),
            cell(rank=1, slot=2): Mark(Role.BLANK),
        }
    )
    rows = rows_of(picture)
    assert rows[1].split() == ["stage", "0", "0", "1", "2", "3≠·"]
    assert rows[2].split() == ["stage", "1", "[_]", "(·)", "_", "2"]
    # The count would give the idle slots away
    assert "idle:" not in "".join(rows)
    assert picture.words()[0] == "stage 0, slot 3: yours 0F3, expected idle"


def test_a_difference_widens_its_own_slot_only(show, rows_of):
    picture = show("pipeline", stages=2, micro_batches=2).marked({cell(rank=0, slot=1): Mark(Role.DIFFERENCE, "0B0")})
    assert rows_of(picture)[:3] == [
        "slot     0 1    2 3 4 5 6 7 8",
        "stage 0  0 «0≠1 · · ·«0══«1══",
        "stage 1  · 0    1«0══«1══ · ·",
    ]
    # Another stage's work is written in full: its number alone would read like the right one
    other = show("pipeline", stages=2, micro_batches=2).marked({cell(rank=0, slot=1): Mark(Role.DIFFERENCE, "1F1")})
    assert "1F1≠1" in rows_of(other)[1]


def test_a_grid_of_64_stages_and_1024_micro_batches_costs_what_is_looked_at():
    picture = SlotGrid(schedule("1f1b", 64, 1024).timeline)
    size = picture.size(120)
    assert size.columns > 16_000
    assert len(picture.cells()) == 64 * picture.slots
    picture.line(1, 120, 0, 120)
    tracemalloc.start()
    rows = [picture.line(row, 120, 9_000, 9_120) for row in range(1, 40)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert all(len(runs) <= 120 / picture.per_slot + 2 for runs in rows)
    assert peak < 1_000_000
    assert picture.cells()[cell(rank=63, slot=63)] == "63F0"
    assert picture.cells()[cell(rank=63, slot=62)] is None


def test_times_without_a_slot_are_drawn_to_scale(show, rows_of):
    picture = show("pipeline", stages=2, micro_batches=2, forward=2**0.5, backward=2)
    assert isinstance(picture, TimeRows)
    rows = rows_of(picture)
    assert rows[0].startswith("time")
    assert picture.cells()[cell(rank=1, place=0)] == "1F0"
    assert "units of time idle" in rows[4]
    starts = [run.cell for run in picture.line(1, 80) if run.cell]
    assert starts == [cell(rank=0, place=place) for place in range(4)]
    marked = picture.marked({cell(rank=1, place=0): Mark(Role.DIFFERENCE, "1F1")})
    assert "1≠0" in rows_of(marked)[2]
    assert "stage 1, operation 0: yours 1F1, expected forward 0" in marked.words()


def test_equal_times_look_the_same_in_both_drawings(rows_of):
    timeline = schedule("1f1b", 3, 4).timeline
    slots, scaled = rows_of(SlotGrid(timeline)), rows_of(TimeRows(timeline))
    assert slots[1:4] == scaled[1:4]
