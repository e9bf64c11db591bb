"""The planner's table, and one layout's seconds and bytes."""

from __future__ import annotations

import pytest

from simlib.errors import BadArgument
from simlib.planner import plan
from tutor.views.picture import Mark, Role, cell
from tutor.views.select import one
from tutor.views.topics import topic

LLAMA = {"model": "llama-70b", "hardware": "h100", "gpus": 64, "batch": 256, "chunks": 1}


def test_fastest_first_with_what_was_refused(show, rows_of):
    made = plan("llama-70b", "h100", 64, 256, chunks=1)
    scene = topic("plan").scene(LLAMA)
    assert scene.last_step == 8
    times = [one(scene, f"step=0 layout={number} part=seconds") for number in range(1, 9)]
    assert times == sorted(times) == [layout.step_seconds for layout in made.layouts[:8]]
    rows = rows_of(scene.picture(0))
    assert rows[0].split() == [
        "data",
        "tensor",
        "pipe",
        "ZeRO",
        "micro",
        "recompute",
        "GB",
        "s/step",
        "MFU",
        "held",
        "by",
    ]
    assert rows[1].split() == ["1", "32", "2", "1", "3", "1", "selective", "68.2", "16.32", "45.3%", "recompute"]
    assert rows[10] == f"{len(made.layouts)} fit."
    assert rows[11] == f"{made.rejected['too little memory']:,} refused: too little memory."
    assert all(len(row) <= 80 for row in rows)


def test_a_step_looks_into_each_layout():
    scene = topic("plan").scene(LLAMA)
    for step in (1, 4):
        layout = scene.made.layouts[step - 1]
        parts = [one(scene, f"step={step} of=step part={part}") for part in ("compute", "tensor", "bubble", "total")]
        assert parts == [layout.parts.compute, layout.parts.tensor, layout.parts.bubble, layout.step_seconds]
        assert one(scene, f"step={step} of=memory part=total") == layout.bytes_per_gpu
    assert "data 32 x tensor 2 x pipeline 1, ZeRO 3, 8 micro-batches of 1" in scene.caption(1)


def test_chunks_have_a_column_where_there_are_several(show, rows_of):
    assert "chunks" in rows_of(show("plan", 0, gpus=64))[0]
    assert "chunks" not in rows_of(show("plan", 0, **LLAMA))[0]


def test_a_narrow_window_has_letters(show, rows_of):
    rows = rows_of(show("plan", 0, **LLAMA), 46)
    assert rows[0].split() == ["d", "t", "p", "Z", "b", "redo", "GB", "s", "MFU"]
    assert all(len(row) <= 46 for row in rows)


def test_where_nothing_fits_it_says_why(show, rows_of):
    picture = show("plan", 0, model="gpt-175b", gpus=8)
    assert topic("plan").scene({"model": "gpt-175b", "gpus": 8}).last_step == 0
    assert picture.cells() == {}
    assert picture.words()[0] == "No layout fits."
    assert any(row.endswith("refused: too little memory.") for row in rows_of(picture))


def test_pinned_choices_are_kept():
    found = topic("plan").scene({**LLAMA, "tensor": 8, "zero": 1, "rows": 3}).data()
    assert len(found["layouts"]) == 3
    assert {(layout["tensor"], layout["zero"]) for layout in found["layouts"]} == {(8, 1)}


def test_the_table_in_words(show):
    said = show("plan", 0, **LLAMA).words()[0]
    assert said.startswith("layout 1 of 707: data 32, tensor 2, pipeline 1, zero 3, micro-batch 1, recompute selective")
    assert "bytes on a GPU 68.2 GB, seconds a step 16.32 s, MFU 45.3%, held back by recompute and tensor" in said


def test_one_layout_beside_the_fastest(show, rows_of):
    picture = show("layout", tensor=8, pipeline=4, zero=1)
    rows = rows_of(picture)
    assert rows[0].split() == ["a", "step", "s", "share"]
    assert rows[1].split()[:3] == ["compute", "15.733", "84.4%"]
    # Waited for, then hidden
    assert "━┄" in rows[3]
    assert rows[8].split() == ["total", "18.633"]
    assert rows[16].split() == ["total", "56.44", "of", "80", "GB"]
    assert any(row.startswith("Tensor: 2.41 s, in the fastest 0.302 s") for row in rows)
    assert len(rows) <= 26


def test_one_that_does_not_fit_says_by_how_much(show):
    scene = topic("layout").scene({"tensor": 1, "pipeline": 1, "zero": 3})
    assert scene.caption(0).endswith(": does not fit")
    assert scene.data()["layout"]["fits"] is False
    assert any(line.startswith("Too full by 207 GB: it needs 287 GB of 80 GB") for line in scene.picture(0).words())
    alone = topic("layout").scene({"model": "gpt-175b", "gpus": 8, "tensor": 8, "pipeline": 1, "zero": 0})
    assert alone.picture(0).words()[-1] == "No layout of this model fits these GPUs."


def test_what_is_asked_for_is_not_in_the_bars(show, rows_of):
    place = cell(of="step", part="total")
    picture = show("layout").marked({place: Mark(Role.BLANK)})
    rows = rows_of(picture)
    assert rows[1].split() == ["compute", "?", "?"]
    assert "18.6" not in " ".join(picture.words()[:15])
    told = show("layout").marked({place: Mark(Role.DIFFERENCE, "16")})
    assert "16≠18.633" in rows_of(told)[8]


def test_bars_are_to_scale(show, rows_of):
    rows = rows_of(show("layout", tensor=16, pipeline=2), 120)
    compute, tensor = rows[1].count("■"), rows[3].count("━")
    assert tensor / compute == pytest.approx(9.87 / 15.62, rel=0.03)


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("layout", {"tensor": 5}, "tensor is 5; accepted: a divisor of the 64 GPUs"),
        ("layout", {"tensor": 8, "pipeline": 8, "zero": 1}, "zero is 1; accepted: 0 where there is one copy"),
        ("layout", {"micro_batch": 3}, "micro_batch is 3; accepted: a divisor of the 128 sequences of each copy"),
        ("plan", {"gpus": 0}, "gpus is 0"),
        ("plan", {"model": "gpt-5"}, "model is 'gpt-5'"),
        ("plan", {"checkpointing": "some"}, "checkpointing is 'some'; accepted: none, selective, full"),
    ],
)
def test_what_cannot_be_planned_is_named(name, given, said):
    with pytest.raises(BadArgument, match=said):
        topic(name).scene(given)
