"""Where each second of a data-parallel step goes."""

from __future__ import annotations

import pytest

from tutor.views.picture import Mark, Role, cell
from tutor.views.select import one, table
from tutor.views.topics import topic


def test_the_courses_reference_step():
    # LLaMA 7B, 64 H100, 2^20 tokens: tokens (6 P + 12 L H Q T) / (64 x 0.473 x 989e12), and 2 (N - 1) / N of 13.476 GB
    flops = 2**20 * (6 * 6_738_415_616 + 12 * 32 * 32 * 128 * 4096)
    compute = flops / (64 * 0.473 * 989e12)
    sync = 2 * 63 / 64 * 2 * 6_738_415_616 / 50e9
    scene = topic("step").scene({})
    waiting, overlapped = table(scene, "")
    assert waiting == pytest.approx([compute / 3, compute * 2 / 3, sync, 0, sync, compute + sync, 0.357], rel=2e-3)
    assert overlapped == pytest.approx([compute / 3, compute * 2 / 3, sync, sync, 0, compute, 0.473], rel=2e-3)
    assert "a step takes 2.17 s waiting and 1.64 s overlapped" in scene.caption(0)


@pytest.mark.parametrize("factor", [1 / 10, 1 / 100])
def test_on_slower_links_no_overlap_hides_it(factor):
    scene = topic("step").scene({"bandwidth_factor": factor})
    sync, backward = (one(scene, f"way=overlapped part={part}") for part in ("sync", "backward"))
    assert sync == pytest.approx(0.5307 / factor, rel=1e-3)
    assert one(scene, "way=overlapped part=exposed") == pytest.approx(sync - backward)
    assert one(scene, "way=overlapped part=hidden") == pytest.approx(backward)


def test_the_json():
    found = topic("step").scene({"overlap": "yes", "recompute": True}).data()
    assert list(found) == ["model", "gpus", "hardware", "tokens", "bandwidth_factor", "recompute", "steps"]
    [step] = found["steps"]
    assert step["overlap"] is True
    assert step["seconds"] == pytest.approx(step["compute"] + step["exposed"])
    assert step["recompute"] == pytest.approx(step["forward"])
    assert step["hfu"] == pytest.approx(step["mfu"] * 4 / 3)
    assert [way["overlap"] for way in topic("step").scene({}).data()["steps"]] == [False, True]


def test_as_it_is_drawn(show, rows_of):
    rows = rows_of(show("step"), 80)
    assert rows[1].startswith("waiting    compute  forward──")
    assert rows[1].endswith("······")
    assert rows[2].endswith("━━→")
    # Hidden: the messages lie under the backward pass, and nobody waits
    assert "·" not in rows[3]
    assert rows[4].index("━") == rows[3].index("«")
    assert len(rows[4]) < len(rows[3])
    assert rows[7].split() == ["waiting", "0.547", "1.09", "0.531", "0", "0.531", "2.17", "35.7%"]


@pytest.mark.parametrize("width", [60, 80, 120, 250])
def test_lanes_are_to_scale(show, rows_of, width):
    rows = rows_of(show("step", overlap="no"), width)
    room = width - rows[1].index("forward") + 1
    assert len(rows[2]) == width
    assert rows[1].index("«") - (width - room) == pytest.approx(room * 0.547 / 2.173, abs=1)
    assert rows[2].index("━") - (width - room) == pytest.approx(room * 1.642 / 2.173, abs=1)


def test_a_narrow_window_turns_the_table(show, rows_of):
    rows = rows_of(show("step"), 40)
    assert all(len(row) <= 40 for row in rows)
    assert rows[6].split() == ["s", "waiting", "overlapped"]
    assert ["step", "2.17", "1.64"] in [row.split() for row in rows]
    assert any(row.split() == ["exposed", "0.531", "0"] for row in rows)


def test_words(show):
    assert show("step", recompute=True).words()[1] == (
        "overlapped: forward 0.547 s, recompute 0.547 s, backward 1.09 s, sync 0.531 s, hidden 0.531 s, exposed 0 s, "
        "step 2.19 s, MFU 35.5%, HFU 47.3%"
    )


def test_recomputation_is_in_hfu_and_not_in_mfu(show, rows_of):
    """A third more FLOPs in a third more time: the machine is used as well as before, the model gets less of it."""
    scene = topic("step").scene({"recompute": True, "overlap": "yes"})
    assert one(scene, "way=overlapped part=mfu") == pytest.approx(0.473 * 3 / 4, abs=5e-4)
    assert one(scene, "way=overlapped part=hfu") == pytest.approx(0.473, abs=5e-4)
    rows = rows_of(show("step", recompute=True, overlap="yes"), 80)
    assert any("╌ recomputed: in HFU, not in MFU" in row for row in rows)
    assert not any("HFU" in row for row in rows_of(show("step"), 80))


def test_what_is_asked_for_is_not_in_the_lanes(show, rows_of):
    place = cell(way="waiting", part="step")
    picture = show("step").marked({place: Mark(Role.BLANK)})
    rows = rows_of(picture)
    assert rows[1].split() == ["waiting", "compute", "?"]
    assert rows[2].split() == ["network", "?"]
    assert rows[3].startswith("overlapped compute  forward")
    assert rows[7].split() == ["waiting", "?", "?", "?", "?", "?", "____", "?"]
    assert "2.17" not in " ".join(picture.words())
    told = show("step").marked({place: Mark(Role.DIFFERENCE, picture.written(place, 1.64))})
    assert "1.64≠2.17" in rows_of(told)[7]


def test_one_gpu_sends_nothing(show, rows_of):
    assert rows_of(show("step", gpus=1))[2].split() == ["network"]
