"""What becomes of the arithmetic that the GPUs could do in a step."""

from __future__ import annotations

import pytest

from tutor.views.picture import Mark, Role, cell
from tutor.views.select import one
from tutor.views.topics import topic

# LLaMA 7B, 64 H100, 2^20 tokens: seconds of compute at 0.473 of the peak, and of the all-reduce
COMPUTE = 2**20 * (6 * 6_738_415_616 + 12 * 32 * 32 * 128 * 4096) / (64 * 0.473 * 989e12)
SYNC = 2 * 63 / 64 * 2 * 6_738_415_616 / 50e9


def test_the_courses_reference_step():
    scene = topic("peak").scene({})
    waiting = COMPUTE + SYNC
    assert one(scene, "way=waiting part=model") == pytest.approx(0.473 * COMPUTE / waiting)
    assert one(scene, "way=waiting part=waiting") == pytest.approx(SYNC / waiting)
    assert one(scene, "way=waiting part=unreached") == pytest.approx(0.527 * COMPUTE / waiting)
    assert one(scene, "way=overlapped part=model") == pytest.approx(0.473)
    again = {part: one(scene, f"way=overlapped+recompute part={part}") for part in ("model", "recomputed", "hfu")}
    assert again == pytest.approx({"model": 0.473 * 3 / 4, "recomputed": 0.473 / 4, "hfu": 0.473})


def test_a_bars_parts_are_the_whole_peak():
    for factor in (0.01, 0.1, 1):
        for step in topic("peak").scene({"bandwidth_factor": factor}).data()["steps"]:
            assert sum(step[part] for part in ("model", "recomputed", "unreached", "waiting")) == pytest.approx(1)
            assert step["hfu"] == pytest.approx(step["model"] + step["recomputed"])


def test_which_ways_are_shown():
    def ways(**given):
        return [step["way"] for step in topic("peak").scene(given).data()["steps"]]

    assert ways() == ["waiting", "waiting+recompute", "overlapped", "overlapped+recompute"]
    assert ways(recompute="no") == ["waiting", "overlapped"]
    assert ways(recompute="yes", overlap="no") == ["waiting+recompute"]


def test_as_it_is_drawn(show, rows_of):
    rows = rows_of(show("peak"), 76)
    assert rows[1].startswith(" +recompute ■■")
    assert rows[2].split() == ["overlapped", "■" * 30 + "─" * 34]
    assert rows[4].split() == ["0%", "25%", "50%", "75%", "100%"]
    assert rows[6].split() == ["of", "peak", "MFU", "recomputed", "unreached", "waiting", "HFU"]
    assert rows[7].split() == ["waiting", "35.7%", "0%", "39.8%", "24.4%", "35.7%"]
    assert rows[-2:] == [
        "■ for the model: MFU   ╌ recomputed: HFU counts it too",
        "─ not reached while computing   · waiting",
    ]
    without = rows_of(show("peak", recompute="no"), 76)
    assert "╌" not in " ".join(without)
    assert "of peak MFU unreached waiting" in [" ".join(row.split()) for row in without]


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_every_bar_fills_the_width(show, rows_of, width):
    picture = show("peak")
    rows, head = rows_of(picture, width), picture.head_columns
    assert all(len(row) <= width for row in rows)
    assert all(len(row) == width for row in rows[:4])
    assert rows[2].count("■") == pytest.approx((width - head) * 0.473, abs=1)


def test_words(show):
    assert show("peak").words()[3] == (
        "overlapped+recompute: MFU 35.5%, recomputed 11.8%, unreached 52.7%, waiting 0%, HFU 47.3%"
    )


@pytest.mark.parametrize("width", [40, 76])
def test_what_is_asked_for_is_not_in_the_bar(show, rows_of, width):
    place = cell(way="waiting", part="model")
    picture = show("peak").marked({place: Mark(Role.BLANK)})
    rows = rows_of(picture, width)
    assert rows[0].split() == ["waiting", "?"]
    assert not any("35.7" in row or "24.4" in row for row in rows)
    assert "35.7" not in " ".join(picture.words())
    told = show("peak").marked({place: Mark(Role.DIFFERENCE, picture.written(place, 0.473))})
    assert any("47.3%≠35.7%" in row for row in rows_of(told, width))
