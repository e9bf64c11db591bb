"""Bytes against the number of workers: what stays below two arrays, what grows, what overtakes what."""

from __future__ import annotations

import pytest

from tutor.views.picture import Mark, Role, cell
from tutor.views.select import one, table
from tutor.views.topics import topic


def test_an_all_reduce_stays_below_two_arrays_while_an_all_gather_grows():
    scene = topic("traffic").scene({"bytes": 100, "workers": 64})
    counts = [4, 8, 16, 32, 64]
    # 2 (N - 1) / N and N - 1 of the array
    assert [one(scene, f"workers={n} series=all-reduce") for n in counts] == pytest.approx(
        [150, 175, 187.5, 193.75, 196.875]
    )
    assert [one(scene, f"workers={n} series=all-gather") for n in counts] == [300, 700, 1500, 3100, 6300]


def test_one_value_in_sixteen_with_its_position_overtakes_the_dense_ring():
    found = topic("traffic").scene({"keep": 1 / 16})
    ratios = [of["sent"]["sparse"] / of["sent"]["all-reduce"] for of in found.data()["workers"]]
    # keep N (value + index) / (2 dense) = N (2 + 4) / 64
    assert ratios == pytest.approx([6 * n / 64 for n in (4, 8, 16, 32, 64)])
    without = topic("traffic").scene({"keep": 1 / 16, "index_bytes": 0}).data()["workers"][0]["sent"]
    assert without["sparse"] / without["all-reduce"] == pytest.approx(4 * 2 / 64)


def test_the_busiest_link_carries_an_array_for_each_other_worker_unless_it_is_a_ring():
    scene = topic("traffic").scene({"bytes": 1000, "workers": 8, "compare": "busiest-link"})
    assert table(scene, "") == [[1000, 1000, 1000], [1500, 3000, 3000], [1750, 7000, 7000]]
    # As the engine's traces count them
    for name, expected in (("ring", 112), ("naive", 448), ("direct", 448)):
        sent = topic("all-reduce").scene({"algorithm": name, "workers": 8, "length": 8, "seed": 1})
        assert sent.trace.busiest_link_bytes == expected


def test_as_it_is_drawn(show, rows_of):
    rows = rows_of(show("traffic", bytes=1e6, workers=4), 80)
    assert rows[:8] == [
        "N                  MB  of array  of all-reduce",
        "2 all-reduce   1         1x             1x      ━━━━━━━━━━━",
        "  all-gather   1         1x             1x      ━━━━━━━━━━━",
        "  sparse       0.1875    0.188x         0.188x  ━━",
        "4 all-reduce   1.5       1.5x           1x      ━━━━━━━━━━━━━━━━",
        "  all-gather   3         3x             2x      ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━",
        "  sparse       0.5625    0.562x         0.375x  ━━━━━━",
        "                                                0          1         2      3 MB",
    ]


@pytest.mark.parametrize("width", [40, 60, 80, 120, 250])
def test_bars_are_as_long_as_their_figures(show, width):
    picture = show("traffic")
    lengths = {}
    for row in range(1, 16):
        runs = picture.line(row, width)
        place = next(run.cell for run in runs if run.cell)
        lengths[place] = sum(len(run.text) for run in runs if run.role is Role.SENT)
    longest = max(lengths.values())
    most = max(picture.cells().values())
    for place, sent in picture.cells().items():
        assert abs(lengths[place] - max(1, sent / most * longest)) <= 1


def test_words_have_every_figure(show):
    words = show("traffic").words()
    assert words[0] == "4 workers, all-reduce: 20.22 GB, 1.5x the array, 1x the all-reduce"
    assert len(words) == 17


def test_a_figure_that_is_asked_for_is_nowhere_in_its_row(show, rows_of):
    place = cell(workers=64, series="all-gather")
    picture = show("traffic").marked({place: Mark(Role.BLANK)})
    row = next(row for row in rows_of(picture) if "all-gather" in row and "_" in row)
    assert row.split() == ["all-gather", "___", "?", "?", "?"]
    assert "63x" not in " ".join(picture.words())
    assert "849" not in " ".join(picture.words())
    told = show("traffic").marked({place: Mark(Role.DIFFERENCE, picture.written(place, 13.476e9))})
    assert "13.48≠849" in "\n".join(rows_of(told))


def test_one_worker_sends_nothing(show, rows_of):
    assert "–" in rows_of(show("traffic", workers=1))[1]
    assert set(show("traffic", workers=1).cells().values()) == {0}
