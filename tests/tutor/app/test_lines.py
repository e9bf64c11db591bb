"""Rows that are wider than their place say so."""

from __future__ import annotations

import pytest
from rich.segment import Segment

from tutor.app.widgets.lines import clipped

ROW = [Segment("► "), Segment("A ring "), Segment("all-reduce")]


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (30, "► A ring all-reduce"),
        (19, "► A ring all-reduce"),
        (18, "► A ring all-redu…"),
        (10, "► A ring…"),
        (3, "►…"),
    ],
)
def test_a_row_that_is_cut_ends_in_dots(width: int, shown: str) -> None:
    assert "".join(segment.text for segment in clipped(ROW, width)) == shown
