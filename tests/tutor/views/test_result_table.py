"""A wrong result beside the right one, in every width, with signs that need no colour."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from simlib.errors import BadArgument
from tutor.checker.compare import Rules
from tutor.checker.drawn import picture_of
from tutor.views.ascii import to_ascii
from tutor.views.explain import Explained, explained
from tutor.views.picture import Mark, Picture, Role, cell, cut

RowsOf = Callable[..., list[str]]


def drawn(expected: Any, got: Any, path: tuple[int, ...]) -> Explained:
    picture = picture_of(expected, got, path, Rules(), lambda path: f"worker {path[0]}")
    assert picture is not None
    return explained(picture)


@pytest.fixture
def two_workers() -> Explained:
    expected = [np.array([1.0, 2.0, 3.5]), np.array([1.0, 2.0, 3.5])]
    return drawn(expected, [expected[0], np.array([1.0, 20.0, -3.25])], (1, 1))


@pytest.fixture
def wide() -> Explained:
    expected = [np.arange(40.0) + 100 * worker for worker in range(9)]
    got = [array.copy() for array in expected]
    got[5][30] = -1
    got[6] += 1
    return drawn(expected, got, (5, 30))


def test_a_row_that_differs_has_the_learner_s_under_it(two_workers: Explained, rows_of: RowsOf) -> None:
    assert two_workers.caption == "2 of 6 numbers in your result differ."
    assert rows_of(two_workers.picture) == [
        "                    0    1    2",
        "worker 0            1    2    3.5",
        "worker 1  expected  1    2    3.5",
        "          yours     1  ≠20  (-3.25)",
        "",
        "≠a the first difference   (a) differs too",
    ]


def test_arrays_of_several_rows_have_a_name_above_them(rows_of: RowsOf) -> None:
    found = drawn([np.eye(2)], [np.zeros((2, 2))], (0, 0, 0))
    assert rows_of(found.picture)[:6] == [
        "                    0   1",
        "worker 0",
        "  row 0  expected   1   0",
        "         yours     ≠0   0",
        "  row 1  expected   0   1",
        "         yours      0  (0)",
    ]


def test_what_is_missing_is_a_dot_and_said_to_be_nothing(rows_of: RowsOf) -> None:
    found = drawn([[4], [3, 2]], [[4], [3]], (1, 1))
    rows = rows_of(found.picture)
    assert rows[3] == "          yours     3  ≠·"
    assert rows[-1] == "≠a the first difference   · nothing there"


def test_numbers_that_read_alike_are_written_in_full(rows_of: RowsOf) -> None:
    found = drawn([[0.1, 0.1]], [[0.1000000001, 0.10000000017]], (0, 0))
    assert "≠0.1000000001  (0.10000000017)" in "\n".join(rows_of(found.picture))


def test_rows_that_are_left_out_are_counted(rows_of: RowsOf) -> None:
    expected = [np.arange(2) + worker for worker in range(40)]
    got = [array + 1 if worker in (1, 20) else array for worker, array in enumerate(expected)]
    rows = rows_of(drawn(expected, got, (20, 0)).picture)
    above = next(row for row in rows if "above" in row)
    below = next(row for row in rows if "below" in row)
    assert above.endswith("more rows above, 1 of them different")
    assert below.endswith("more rows below, all right")
    assert int(above.split()[0]) + int(below.split()[0]) + sum(row.startswith("worker") for row in rows) == 40


@pytest.mark.parametrize("width", [30, 40, 60, 80, 140, 400])
def test_the_columns_around_the_difference_are_shown(wide: Explained, rows_of: RowsOf, width: int) -> None:
    rows = rows_of(wide.picture, width)
    assert wide.picture.size(width).columns <= width
    assert any("≠-1" in row for row in rows)
    shown = rows[0].split()
    assert "30" in shown
    assert [int(column) for column in shown] == list(range(int(shown[0]), int(shown[-1]) + 1))
    assert any(f"columns {shown[0]} to {shown[-1]} of 40" in row for row in rows) == (len(shown) < 40)


@pytest.mark.parametrize("width", [40, 80, 140])
def test_a_cut_is_part_of_its_row(wide: Explained, width: int) -> None:
    picture = wide.picture
    size = picture.size(width)
    for row in range(size.rows):
        whole = picture.line(row, width)
        for start, stop in ((0, 10), (7, 30), (25, None)):
            cut_text = "".join(run.text for run in picture.line(row, width, start, stop))
            assert cut_text == "".join(run.text for run in cut(whole, start, stop))
    begin = size.rows - picture.foot_rows(width)
    assert "".join(run.text for run in picture.line(begin, width)).strip() == ""


def test_without_colour_the_first_difference_has_a_sign_of_its_own(two_workers: Explained, rows_of: RowsOf) -> None:
    text = "\n".join(rows_of(two_workers.picture))
    assert (text.count("≠"), text.count("(-3.25)")) == (2, 1)
    assert "?" not in to_ascii(text)


def test_in_words(two_workers: Explained) -> None:
    assert two_workers.picture.words() == [
        "worker 0: 1 2 3.5, all right",
        "worker 1: 1 (yours 20, expected 2) (yours -3.25, expected 3.5)",
    ]


def test_cells_hold_what_was_expected_and_can_be_marked(two_workers: Explained) -> None:
    picture: Picture = two_workers.picture
    place = cell(part="worker 1", row=0, column=2)
    assert picture.cells()[place] == 3.5
    marked = picture.marked({place: Mark(Role.ENGINE), cell(part="nobody", row=0, column=0): Mark(Role.DIFFERENCE)})
    runs = [run for row in range(marked.size(80).rows) for run in marked.line(row, 80)]
    assert [run.text for run in runs if run.role is Role.ENGINE] == ["=3.5"]


def test_one_number_is_drawn_without_the_number_of_its_column(rows_of: RowsOf) -> None:
    found = picture_of(5, 6, (), Rules())
    assert found is not None
    shown = explained(found)
    assert shown.caption == "The number in your result differs."
    assert rows_of(shown.picture)[:2] == ["result  expected   5", "        yours     ≠6"]


def test_a_topic_that_does_not_exist_is_named() -> None:
    with pytest.raises(BadArgument, match="topic is 'x'"):
        explained({"topic": "x"})
