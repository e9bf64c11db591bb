"""Pictures that are laid out whole: where their foot begins, which does not scroll with the figures."""

from __future__ import annotations

import pytest

from tutor.views.topics import topic


@pytest.mark.parametrize("name", ["traffic", "step", "buckets", "sharded-memory"])
@pytest.mark.parametrize("width", [40, 80, 140])
def test_the_foot_is_the_words_under_the_last_blank_row(name: str, width: int) -> None:
    picture = topic(name).scene({}).picture(0)
    rows = ["".join(run.text for run in picture.line(row, width)) for row in range(picture.size(width).rows)]
    begin = len(rows) - picture.foot_rows(width)
    assert rows[begin].strip() == ""
    assert rows[-1].strip()
    assert all(row.strip() for row in rows[begin + 1 :])
