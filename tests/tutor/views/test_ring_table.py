"""The table of a collective: values, marks of what moved, absent pieces, overlays."""

from __future__ import annotations

import pytest

from tutor.views.picture import Mark, Role, cell
from tutor.views.scene import Scene
from tutor.views.select import table
from tutor.views.topics import topic

# The ring of three, one number a chunk: every worker's array after each step, as the course prints it
RING_TABLE = [
    ("start", [[1, 2, 3], [10, 20, 30], [100, 200, 300]]),
    ("reduce-scatter 1", [[1, 2, 303], [11, 20, 30], [100, 220, 300]]),
    ("reduce-scatter 2", [[1, 222, 303], [11, 20, 333], [111, 220, 300]]),
    ("all-gather 1", [[111, 222, 303], [11, 222, 333], [111, 220, 333]]),
    ("all-gather 2", [[111, 222, 333], [111, 222, 333], [111, 222, 333]]),
]


@pytest.mark.parametrize(("step", "named", "expected"), [(step, *row) for step, row in enumerate(RING_TABLE)])
def test_cells_hold_the_ring_table(ring_of_three, step, named, expected):
    assert table(ring_of_three, f"step={step}") == expected
    assert ring_of_three.caption(step).startswith("start") == (named == "start")
    assert named == "start" or named in ring_of_three.caption(step)


def test_the_first_step_as_it_is_drawn(ring_of_three, rows_of):
    assert rows_of(ring_of_three.picture(1)) == [
        "chunk        0         1         2",
        "worker 0     1→        2      →303",
        "worker 1   →11        20→       30",
        "worker 2   100      →220       300→",
        "",
        "worker 0 → worker 1: chunk 0   worker 1 → worker 2: chunk 1",
        "worker 2 → worker 0: chunk 2",
        "n→ sent   →n arrived   n✓ final",
    ]


def test_roles_of_one_step(ring_of_three):
    picture = ring_of_three.picture(3)
    roles = {
        run.cell: run.role for row in range(1, 4) for run in picture.line(row, 80) if run.cell and run.text.isdigit()
    }
    assert roles[cell(worker=0, chunk=0, index=0)] is Role.RECEIVED
    assert roles[cell(worker=0, chunk=1, index=0)] is Role.SENT
    assert roles[cell(worker=0, chunk=2, index=0)] is Role.PLAIN
    after = ring_of_three.picture(4)
    assert any(run.role is Role.FINISHED and run.text == "222" for run in after.line(1, 80))


def test_every_message_is_in_words(ring_of_three):
    words = ring_of_three.picture(2).words()
    assert words[0] == "step 2: worker 0 sends chunk 2, value 303, to worker 1, which adds it"
    assert "after step 2, worker 2: chunk 0 is 111, finished; chunk 1 is 220; chunk 2 is 300" in words
    assert ring_of_three.picture(3).words()[2].endswith("value 111, to worker 0, which keeps it")


@pytest.mark.parametrize(("ownership", "owned"), [("api", [0, 1, 2, 3]), ("ring", [1, 2, 3, 0])])
def test_reduce_scatter_ticks_the_owned_slice_only(show, rows_of, ownership, owned):
    values = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]
    picture = show("reduce-scatter", values=values, ownership=ownership)
    total = [28, 32, 36, 40]
    for worker, chunk in enumerate(owned):
        row = rows_of(picture)[1 + worker]
        assert row.count("✓") == 1
        assert f"→{total[chunk]}✓" in row
        assert picture.cells()[cell(worker=worker, chunk=chunk, index=0)] == total[chunk]


def test_all_gather_shows_what_is_not_held(show, rows_of):
    picture = show("all-gather", step=1, values=[[1], [2, 3], []])
    assert picture.cells()[cell(worker=0, chunk=1, index=1)] is None
    assert picture.cells()[cell(worker=2, chunk=1, index=1)] == 3
    rows = rows_of(picture)
    assert rows[1].split() == ["worker", "0", "1→", "·", "·", "→–"]
    assert "· not held" in rows[-1]
    assert any("chunk 1 not held" in line for line in picture.words())


def test_a_long_array_is_wider_than_the_screen_and_scrolls_past_fixed_heads(show, rows_of):
    picture = show("all-reduce", step=0, workers=4, length=400, seed=3)
    size = picture.size(80)
    assert size.columns > 1000
    assert len(picture.cells()) == 1600
    assert "".join(run.text for run in picture.line(1, 80, 0, picture.head_columns)).strip() == "worker 0"
    window = picture.line(2, 80, 500, 600)
    assert sum(len(run.text) for run in window) == 100
    assert sum(run.cell is not None for run in window) < 50
    assert all(len(row) <= 80 for row in rows_of(picture)[-picture.foot_rows(80) :])


@pytest.mark.parametrize("workers", [1, 2, 5, 16, 64])
@pytest.mark.parametrize("width", [40, 80, 250])
def test_rows_and_columns_stay_from_step_to_step(workers, width):
    scene = topic("all-reduce").scene({"workers": workers, "length": workers, "seed": 1})
    steps = sorted({0, 1, scene.last_step // 2, scene.last_step} & set(range(scene.last_step + 1)))
    assert len({scene.picture(step).size(width) for step in steps}) == 1
    # A chunk's number stands over its column in every step
    assert len({tuple(run.text for run in scene.picture(step).line(0, width)) for step in steps}) == 1


def test_a_step_of_64_workers_is_told_in_three_rows(show, rows_of):
    rows = rows_of(show("all-reduce", step=5, workers=64, length=64, seed=1))
    foot = rows[66:-1]
    assert len(foot) == 3
    assert "and 54 more" in foot[-1]
    assert foot[-1].endswith("63 → 0: chunk 59")


def test_marks_are_told_apart_and_a_moving_cursor_moves_nothing(ring_of_three, rows_of):
    picture = ring_of_three.picture(1)
    places = [cell(worker=1, chunk=chunk, index=0) for chunk in range(3)]
    blank = dict.fromkeys(places, Mark(Role.BLANK))
    here = [picture.marked(blank | {place: Mark(Role.CURSOR, "")}) for place in places]
    assert len({one.size(80) for one in here}) == 1
    assert [rows_of(one)[2].split() for one in here] == [
        ["worker", "1", "[___]", "___", "___"],
        ["worker", "1", "___", "[___]", "___"],
        ["worker", "1", "___", "___", "[___]"],
    ]
    done = picture.marked(
        {
            places[0]: Mark(Role.DIFFERENCE, "10"),
            places[1]: Mark(Role.YOURS, "7"),
            places[2]: Mark(Role.ENGINE),
        }
    )
    assert rows_of(done)[2].split() == ["worker", "1", "→10≠11", "(7)", "=30"]
    assert "a≠b yours a, expected b" in rows_of(done)[-1]
    assert "chunk 0 is yours 10, expected 11" in done.words()[-2]


def test_a_picture_that_asks_gives_nothing_away(ring_of_three, rows_of):
    asked = {cell(worker=worker, chunk=chunk, index=0): Mark(Role.BLANK) for worker in range(3) for chunk in range(3)}
    picture = ring_of_three.picture(1).marked(asked)
    text = "\n".join(rows_of(picture)[:-1])
    assert "→" not in text
    assert "303" not in text
    assert not any(digits in "".join(picture.words()) for digits in ("303", "220", "sends"))
    # Looking at a cell with the cursor is not being asked about it
    assert "→" in rows_of(ring_of_three.picture(1).marked({cell(worker=0, chunk=0, index=0): Mark(Role.CURSOR)}))[1]


def test_typed_text_cannot_break_the_table(ring_of_three, rows_of):
    place = cell(worker=1, chunk=0, index=0)
    for typed in ("\x1b[2J", "中文", "a\nb", "1" * 500, "\u202e1", "e\u0301"):
        rows = rows_of(ring_of_three.picture(1).marked({place: Mark(Role.DIFFERENCE, typed)}))
        assert all(row.isprintable() for row in rows)
        assert len(rows[2]) < 80


def test_unknown_cells_of_an_overlay_are_ignored(ring_of_three, rows_of):
    picture = ring_of_three.picture(2)
    stray = {
        cell(worker=9, chunk=0, index=0): Mark(Role.CURSOR),
        cell(worker=0, chunk=0, index=-1): Mark(Role.BLANK),
        cell(worker="x", chunk=0, index=0): Mark(Role.BLANK),
        cell(rank=0, slot=0): Mark(Role.BLANK),
        (): Mark(Role.BLANK),
    }
    assert not any("[" in row or "_" in row for row in rows_of(picture.marked(stray)))


def test_floats_and_negative_numbers_keep_their_columns(show, rows_of):
    rows = rows_of(show("all-reduce", values=[[0.1, -2.5, 1e9], [0.2, 1 / 3, 5]]))
    assert "→0.3 -2.16667✓" in rows[1]
    assert "1e+09✓" in rows[1]
    ends = [row.index("✓") for row in rows[1:3]]
    assert ends[0] == ends[1]


def test_one_worker_has_nothing_to_send(show, rows_of):
    rows = rows_of(show("all-reduce", values=[[5, 6]]))
    assert "one worker: nothing to send" in rows
    assert "→" not in "".join(rows)


@pytest.mark.parametrize("name", ["all-reduce", "reduce-scatter", "all-gather", "broadcast", "all-to-all"])
@pytest.mark.parametrize("length", [1, 5, 8])
def test_the_values_of_a_scene_are_those_in_the_cells_of_its_start(name: str, length: int) -> None:
    scene = topic(name).scene({"workers": 3, "length": length, "seed": 2})
    assert scene.values("values") == Scene.values(scene, "values")
