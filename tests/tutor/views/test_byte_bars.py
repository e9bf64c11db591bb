"""Bars of bytes: the figures in the cells, what fits, what is over the line, equal parts equally long."""

from __future__ import annotations

import pytest

from tutor.views.picture import Mark, Role, cell
from tutor.views.select import one
from tutor.views.topics import topic

SEVEN_BILLION_ON_8 = {"params": 7e9, "gpus": 8}


def test_cells_hold_the_bytes_of_each_stage():
    # 16 P; 4 P + 12 P / N; 2 P + 14 P / N; 16 P / N
    scene = topic("zero").scene(SEVEN_BILLION_ON_8)
    assert [one(scene, f"stage={stage} part=total") for stage in range(4)] == [112e9, 38.5e9, 26.25e9, 14e9]
    assert one(scene, "stage=1 part=optimizer") == 12 * 7e9 / 8
    assert one(scene, "stage=2 part=gradients") == 2 * 7e9 / 8
    assert one(scene, "stage=3 part=weights") == 2 * 7e9 / 8


def test_bytes_sent_are_half_as_much_again_at_stage_3():
    scene = topic("zero").scene({"params": 6.738e9, "gpus": 64})
    sent = [one(scene, f"stage={stage} part=sent") for stage in range(4)]
    assert sent[0] == sent[1] == sent[2] == pytest.approx(26.5e9, rel=2e-3)
    assert sent[3] == pytest.approx(1.5 * sent[0])


def test_the_table_as_it_is_drawn(show, rows_of):
    rows = rows_of(show("zero", **SEVEN_BILLION_ON_8))
    table = [row.split() for row in rows[-5:-1]]
    assert table[0] == ["stage", "0", "14", "14", "84", "112", "!", "over", "by", "32", "GB", "24.5"]
    assert table[1] == ["stage", "1", "14", "14", "10.5", "38.5", "✓", "fits", "24.5"]
    assert table[3] == ["stage", "3", "1.75", "1.75", "10.5", "14", "✓", "fits", "36.75"]


@pytest.mark.parametrize("width", [40, 60, 80, 140, 250])
def test_the_line_is_crossed_only_by_what_is_over_it(show, rows_of, width):
    picture = show("zero", **SEVEN_BILLION_ON_8)
    rows = rows_of(picture, width)
    line = rows[0].index("┃")
    assert "H100: 80 GB" in rows[0]
    bars = rows[1:5]
    assert all(row[line] == "┃" for row in bars)
    assert [len(row) > line + 1 for row in bars] == [True, False, False, False]
    over = [run for run in picture.line(1, width) if run.role is Role.OVER]
    assert "".join(run.text for run in over) == bars[0][line + 1 :]
    # 112 GB against 80: the part past the line is four tenths of the part before it, to a column
    assert abs(len(bars[0][line + 1 :]) - 0.4 * (line - picture.head_columns)) <= 1


@pytest.mark.parametrize("width", range(40, 251, 7))
def test_equal_parts_are_equally_long_and_nothing_vanishes(show, rows_of, width):
    for row in rows_of(show("zero", **SEVEN_BILLION_ON_8), width)[1:3]:
        assert row.count("█") == row.count("▒") > 0
    tiny = rows_of(show("zero", params=6.738e9, gpus=64), width)[4]
    assert any(fill in tiny for fill in "█▒░")


@pytest.mark.parametrize("params", [1e6, 3e9, 2e10, 1e12, 7e9])
@pytest.mark.parametrize("gpus", [1, 8, 64, 1000])
def test_a_bar_passes_the_line_exactly_where_it_is_too_large(show, rows_of, params, gpus):
    picture = show("zero", params=params, gpus=gpus)
    for stage, row in enumerate(rows_of(picture)[1:5]):
        over = picture.cells()[cell(stage=stage, part="total")] > 80e9
        assert any(run.role is Role.OVER for run in picture.line(1 + stage, 80)) == over
        assert "┃" in row or not over


def test_one_stage_alone(show, rows_of):
    picture = show("zero", stage=2, **SEVEN_BILLION_ON_8)
    assert {dict(place)["stage"] for place in picture.cells()} == {2}
    assert sum(row.startswith("stage") for row in rows_of(picture)) == 2


def test_a_bare_capacity_has_no_name(show, rows_of):
    picture = show("zero", capacity=40e9, **SEVEN_BILLION_ON_8)
    assert rows_of(picture)[0].strip() == "40 GB ┃"
    assert picture.words()[1].startswith(
        "stage 1: on each GPU weights 14 GB, gradients 14 GB, optimizer 10.5 GB, total 38.5 GB, fits"
    )
    assert "over by 72 GB" in picture.words()[0]


def test_a_capacity_far_beyond_the_bars_is_said(show, rows_of):
    assert rows_of(show("zero", params=1e6))[0].strip() == "H100: 80 GB, far to the right"


def test_a_figure_that_is_asked_for_is_not_in_the_bars_either(show, rows_of):
    picture = show("zero", **SEVEN_BILLION_ON_8).marked({cell(stage=1, part="total"): Mark(Role.BLANK)})
    rows = rows_of(picture)
    assert rows[2].split() == ["stage", "1", "?", "┃"]
    assert rows[-4].split() == ["stage", "1", "14", "14", "10.5", "____", "24.5"]
    assert "38.5" not in "".join(rows + picture.words())


def test_a_difference_stands_beside_the_engines_figure(show, rows_of):
    picture = show("zero", **SEVEN_BILLION_ON_8)
    marked = picture.marked({cell(stage=3, part="total"): Mark(Role.DIFFERENCE, "26.25")})
    assert sum("26.25≠14" in row for row in rows_of(marked)) == 1
    assert "yours 26.25, expected 14 GB" in marked.words()[3]


def test_the_unit_follows_the_size(show, rows_of):
    units = [rows_of(show("zero", params=params))[-6].split()[0] for params in (1, 1e3, 1e6, 7e9, 1e12, 1e15)]
    assert units == ["B", "KB", "MB", "GB", "TB", "PB"]


def test_a_sign_stands_apart_from_its_figure(show, rows_of):
    for width in (40, 48, 56, 64):
        rows = rows_of(show("zero", params=6.738e9, gpus=64), width)
        signs = [row for row in rows if "!" in row or "✓" in row]
        assert len(signs) == 4
        assert all(" ! " in row or " ✓ " in row for row in signs)


def test_the_caption_agrees_with_the_table(show, rows_of):
    given = {"params": 6.738e9, "gpus": 64, "stage": 2}
    assert topic("zero").scene(given).caption(0).endswith("stage 2: 14.95 GB of model states fit 80 GB")
    assert any(" 14.95 " in row for row in rows_of(show("zero", **given)))


def test_one_parameter_and_one_gpu(show):
    assert topic("zero").scene({"params": 1, "gpus": 1}).caption(0).startswith("1 parameter on 1 GPU:")
    assert topic("zero").scene({"params": 2, "gpus": 2}).caption(0).startswith("2 parameters on 2 GPUs:")
