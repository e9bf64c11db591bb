"""Bytes of activations by layer, and along a step with checkpoints."""

from __future__ import annotations

import pytest

from tutor.views.picture import Mark, Role, cell
from tutor.views.select import one
from tutor.views.topics import topic

UNIT = 2048 * 12288  # s b h of GPT-3, one sequence


def test_gpt_3_on_eight_gpus():
    # Korthikanti et al. 2022, table 2: s b h times 114, 23, 14.25, 13, 4.25 and 2; 96 layers
    scene = topic("activations").scene({})
    units = {"none": 114, "tensor": 23, "tensor+sequence": 14.25, "tensor+selective": 13, "full": 2}
    for mode, count in (units | {"tensor+sequence+selective": 4.25}).items():
        assert one(scene, f"mode={mode} part=layer") == pytest.approx(UNIT * count)
        assert one(scene, f"mode={mode} part=total") == pytest.approx(UNIT * count * 96)
    assert one(scene, "mode=none part=scores") == UNIT * 80
    assert one(scene, "mode=none part=mlp") == UNIT * 19
    assert scene.caption(0).endswith("5 of 6 ways fit 80 GB")


def test_the_json_of_activations():
    found = topic("activations").scene({"mode": "full", "micro_batch": 4, "layers": 2}).data()
    assert list(found) == ["model", "sequence", "micro_batch", "tensor", "layers", "modes"]
    assert found["modes"] == [
        {
            "mode": "full",
            "input": 8 * UNIT,
            "norms": 0,
            "attention": 0,
            "scores": 0,
            "mlp": 0,
            "layer": 8 * UNIT,
            "total": 16 * UNIT,
        }
    ]


def test_whole_bytes_are_whole_numbers_in_the_json():
    modes = topic("activations").scene({}).data()["modes"]
    assert all(isinstance(size, int) for held in modes for name, size in held.items() if name != "mode")
    step = topic("checkpointing").scene({}).data()
    assert all(isinstance(moment["bytes"], int) for moment in step["moments"])
    assert isinstance(step["peak"], int)


def test_the_bars_as_they_are_drawn(show, rows_of):
    rows = rows_of(show("activations"), 80)
    assert rows[0].strip() == "H100: 80 GB ┃"
    line = rows[0].index("┃")
    assert [row[line] for row in rows[1:7]] == ["┃"] * 6
    assert rows[1][line + 1] == "▓"
    assert not any(row[line + 1 :].strip() for row in rows[2:7])
    assert rows[9].split() == ["GB", "input", "norms", "attention", "scores", "MLP", "layer", "total"]
    assert rows[10].split() == ["none", "0", "0.1007", "0.2768", "2.013", "0.4782", "2.869", "275.4"]
    assert rows[15].split() == ["full", "0.05033", "0", "0", "0", "0", "0.05033", "4.832"]
    assert rows[17].startswith("■ input (with full)   ░ norms   ▒ attention   ▓ its scores   ▄ MLP")


@pytest.mark.parametrize("width", [80, 120, 200])
def test_the_bars_are_to_scale(show, rows_of, width):
    picture = show("activations")
    rows, head = rows_of(picture, width), picture.head_columns
    assert len(rows[1]) == width
    room = width - head - 1
    assert rows[0].index("┃") - head == round(80e9 / (96 * 114 * UNIT) * room)
    assert len(rows[2]) >= rows[0].index("┃")
    assert rows[1].count("▓") == pytest.approx(room * 80 / 114, abs=1.5)


@pytest.mark.parametrize("width", [40, 60, 76])
def test_a_narrow_window_parts_the_table(show, rows_of, width):
    rows = rows_of(show("activations"), width)
    assert all(len(row) <= width for row in rows)
    assert sum(row.split()[:1] == ["GB"] for row in rows) == (3 if width == 40 else 2 if width == 60 else 1)
    assert [row.split()[-1] for row in rows if row.startswith("none")][-1] == "275.4"


def test_a_part_does_not_tell_what_another_asks_for(show, rows_of):
    rows = rows_of(show("activations").marked({cell(mode="none", part="layer"): Mark(Role.BLANK)}), 40)
    shown = [row.split() for row in rows if row.startswith("none")]
    assert shown[1:] == [["none", "?", "?"], ["none", "?", "?", "?"], ["none", "_____", "?"]]


def test_figures_stay_short_with_long_sequences(show, rows_of):
    rows = rows_of(show("activations", sequence=32768), 75)
    assert rows[10].split() == ["none", "0", "1.611", "4.429", "515.4", "7.65", "529.1", "50792"]


def test_what_is_past_the_line_is_marked(show):
    picture = show("activations")
    none, tensor = (picture.line(row, 80) for row in (1, 2))
    roles = [run.role for run in none if run.text.strip()]
    line = roles.index(Role.CAPACITY)
    assert set(roles[1:line]) == {Role.ACTIVATIONS}
    assert set(roles[line + 1 :]) == {Role.OVER}
    assert Role.OVER not in {run.role for run in tensor}


def test_one_way_alone(show, rows_of):
    scene = topic("activations").scene({"mode": "none", "layers": 1})
    assert scene.caption(0) == "GPT-3 175B, 1 layer, 1 x 2,048 tokens, t = 8: 2.869 GB of activations fit 80 GB"
    assert ": with full 4.832 GB of activations fit" in topic("activations").scene({"mode": "full"}).caption(0)
    rows = rows_of(scene.picture(0), 76)
    assert rows[-1] == "░ norms   ▒ attention   ▓ its scores   ▄ MLP"
    assert "do not fit" in topic("activations").scene({"mode": "none"}).caption(0)


def test_words_of_the_bars(show):
    words = show("activations").words()
    assert words[4] == (
        "tensor+sequence+selective: input 0 B, norms 12.58 MB, attention 34.6 MB, scores 0 B, MLP 59.77 MB, "
        "layer 107 MB, total 10.27 GB"
    )
    assert words[-1] == "memory of the card: H100: 80 GB"


def test_what_is_asked_for_is_not_in_the_bar(show, rows_of):
    place = cell(mode="tensor", part="layer")
    picture = show("activations").marked({place: Mark(Role.BLANK)})
    rows = rows_of(picture)
    assert rows[2].split() == ["tensor", "?", "┃"]
    assert rows[11].split() == ["tensor", "?", "?", "?", "?", "?", "______", "?"]
    assert "▒" in rows[1]
    assert "579 MB" not in " ".join(picture.words())
    told = show("activations").marked({place: Mark(Role.DIFFERENCE, picture.written(place, 114 * UNIT))})
    assert "2.869≠0.5788" in rows_of(told)[11]


# Along a step


def test_everything_kept_rises_to_the_end_of_the_forward_pass():
    scene = topic("checkpointing").scene({"every": 0})
    moments = scene.data()["moments"]
    assert [moment["pass"] for moment in moments] == ["forward"] * 96 + ["backward"] * 96
    assert scene.data()["peak"] == pytest.approx(96 * 23 * UNIT)
    assert moments[0]["bytes"] == moments[-1]["bytes"] == pytest.approx(23 * UNIT)
    assert scene.caption(0) == "GPT-3 175B, 96 layers of 578.8 MB, all kept: 55.57 GB at the peak"


def test_a_checkpoint_each_layer():
    scene = topic("checkpointing").scene({})
    assert one(scene, "moment=forward part=inputs") == 96 * 2 * UNIT
    assert one(scene, "moment=backward part=recomputed") == pytest.approx(23 * UNIT)
    assert one(scene, "moment=backward part=total") == pytest.approx((95 * 2 + 23) * UNIT)
    assert sum(moment["pass"] == "recompute" for moment in scene.data()["moments"]) == 96


@pytest.mark.parametrize(("every", "peak"), [(0, 16), (1, 16), (2, 9), (4, 7), (8, 9), (16, 16)])
def test_a_chain_of_sixteen(every, peak):
    """L / k - 1 checkpoints and k layers: least at the square root."""
    scene = topic("checkpointing").scene({"layers": 16, "every": every, "layer": "chain"})
    assert scene.data()["peak"] == peak * 2 * UNIT
    assert scene.caption(0).startswith("a chain as wide as GPT-3 175B, 16 layers of 50.33 MB")


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_the_step_as_it_is_drawn(show, rows_of, width):
    picture = show("checkpointing", layers=16, every=4, layer="chain")
    rows = rows_of(picture, width)
    assert all(len(row) <= width for row in rows)
    forward = rows[10].index("backward")
    assert not any("╌" in row[:forward] for row in rows[:10])
    assert "╌" in rows[0][forward:]
    # Seven inputs high at the most, four of them checkpoints at the end of the forward pass
    assert sum(row[:forward].endswith("■") for row in rows[:10]) == pytest.approx(10 * 4 / 7, abs=1)


def test_words_of_the_step(show):
    assert show("checkpointing").words()[1] == (
        "backward, most at layer 95: checkpoints 4.782 GB, kept by the forward pass 0 B, recomputed 578.8 MB, "
        "together 5.36 GB"
    )


def test_what_is_asked_for_is_not_along_the_step(show, rows_of):
    picture = show("checkpointing").marked({cell(moment="backward", part="total"): Mark(Role.BLANK)})
    rows = rows_of(picture)
    assert not any(fill in row for row in rows[:10] for fill in "█■╌")
    assert "5.36" not in " ".join(picture.words())
