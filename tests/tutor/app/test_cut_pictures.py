"""A picture that is wider than its window shows no part of a number as a number."""

from __future__ import annotations

import re

import pytest

from tutor.app.widgets.picture_view import whole_words
from tutor.views.picture import Picture
from tutor.views.topics import topic


@pytest.fixture(scope="module")
def wide() -> Picture:
    return topic("pipeline").scene({"stages": 3, "micro_batches": 42, "forward_only": True}).picture(0)


@pytest.mark.parametrize("start", [0, 8, 9, 10, 41, 42, 43, 44])
def test_what_is_shown_of_a_row_are_whole_numbers(wide: Picture, start: int) -> None:
    for row in range(1, 4):
        for stop in range(start + 20, start + 24):
            whole = "".join(run.text for run in wide.line(row, 80))
            words = {(word.start(), word.group()) for word in re.finditer(r"\w+", whole)}
            shown = "".join(run.text for run in whole_words(wide, row, 80, start, stop))
            assert len(shown) == len(whole[start:stop])
            assert {(start + word.start(), word.group()) for word in re.finditer(r"\w+", shown)} <= words
            cut = re.search(r"\w\w", whole[stop - 1 : stop + 1])
            assert shown.rstrip().endswith("…") == bool(cut)


def test_a_row_that_fits_is_as_it_is(wide: Picture) -> None:
    columns = wide.size(80).columns
    for row in range(wide.size(80).rows):
        assert whole_words(wide, row, 80, 0, columns) == wide.line(row, 80, 0, columns)
