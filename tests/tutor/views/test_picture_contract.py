"""What every picture keeps to, whatever it shows: cuts, widths, glyphs, cells, words."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simlib.errors import BadArgument
from tutor.views.ascii import GLYPHS
from tutor.views.picture import Mark, Picture, Role, cut
from tutor.views.topics import TOPICS, topic

WIDTHS = st.integers(40, 250)
LAYERS = ("transformer", "chain")
MARKS = st.builds(
    Mark,
    st.sampled_from([Role.YOURS, Role.ENGINE, Role.DIFFERENCE, Role.CURSOR, Role.BLANK]),
    st.none() | st.text(max_size=20),
)


@st.composite
def scenes(draw: Any) -> tuple[str, dict[str, Any]]:
    """A topic and parameters that it takes."""
    name = draw(st.sampled_from(list(TOPICS)))
    if name == "zero":
        return name, {
            "params": draw(st.integers(1, 10**13)),
            "gpus": draw(st.integers(1, 4096)),
            "stage": draw(st.none() | st.integers(0, 3)),
            "capacity": draw(st.none() | st.floats(1, 1e15)),
        }
    if name == "mesh":
        return name, {
            "data": draw(st.integers(1, 5)),
            "tensor": draw(st.integers(1, 4)),
            "pipeline": draw(st.integers(1, 5)),
            "gpus_per_server": draw(st.integers(1, 16)),
            "order": draw(st.sampled_from(["tp-dp-pp", "tp-pp-dp", "pp-dp-tp"])),
        }
    if name == "plan":
        return name, {
            "model": draw(st.sampled_from(["llama-7b", "llama-70b", "gpt-175b"])),
            "gpus": draw(st.sampled_from([1, 8, 64, 96])),
            "batch": draw(st.integers(1, 512)),
            "chunks": draw(st.none() | st.just(1)),
            "tensor": draw(st.none() | st.sampled_from([1, 4, 16])),
            "rows": draw(st.integers(1, 12)),
        }
    if name == "layout":
        return name, {
            "model": draw(st.sampled_from(["llama-7b", "llama-70b", "gpt-175b"])),
            "gpus": draw(st.sampled_from([8, 64, 96])),
            "tensor": draw(st.sampled_from([1, 4, 8])),
            "pipeline": draw(st.sampled_from([1, 4, 8])),
            "zero": draw(st.integers(0, 3)),
            "checkpointing": draw(st.sampled_from(["none", "selective", "full"])),
        }
    if name == "traffic":
        return name, {
            "compare": draw(st.sampled_from(["sent", "busiest-link"])),
            "bytes": draw(st.floats(1, 1e15)),
            "workers": draw(st.integers(1, 10**6)),
            "keep": draw(st.floats(1e-9, 1)),
        }
    if name in ("step", "peak"):
        again = st.booleans() if name == "step" else st.sampled_from(["both", "no", "yes"])
        return name, {
            "model": draw(st.sampled_from(["llama-7b", "gpt-175b"])),
            "gpus": draw(st.integers(1, 4096)),
            "tokens": draw(st.integers(1, 10**9)),
            "bandwidth_factor": draw(st.floats(0.001, 1000)),
            "overlap": draw(st.sampled_from(["both", "no", "yes"])),
            "recompute": draw(again),
        }
    if name == "buckets":
        return name, {
            "layers": draw(st.integers(1, 60)),
            "bytes": draw(st.floats(1, 1e12)),
            "cap": draw(st.floats(1, 1e12)),
            "seconds": draw(st.floats(1e-6, 1e3)),
            "workers": draw(st.integers(1, 1000)),
            "bandwidth": draw(st.floats(1, 1e15)),
            "alpha": draw(st.floats(0, 1)),
        }
    if name == "sharded-step":
        return name, {
            "workers": draw(st.integers(1, 12)),
            "length": draw(st.integers(1, 30)),
            "seed": draw(st.none() | st.integers(0, 99)),
            "stage": draw(st.integers(1, 3)),
            "learning_rate": draw(st.floats(0, 10)),
        }
    if name == "sharded-memory":
        return name, {
            "model": draw(st.sampled_from(["llama-7b", "gpt-175b", "palm-540b"])),
            "gpus": draw(st.integers(1, 10**5)),
            "prefetch": draw(st.integers(0, 200)),
        }
    if name == "schedules":
        schedules = st.sampled_from(["gpipe", "1f1b", "zb-h1", "zb-h2", "looped-bfs", "none"])
        return name, {
            "first": draw(schedules),
            "second": draw(schedules),
            "third": draw(schedules),
            "stages": draw(st.integers(1, 8)),
            "micro_batches": draw(st.integers(1, 12)),
            "chunks": draw(st.integers(1, 3)),
            "memory": draw(st.sampled_from(["yes", "no"])),
            "forward": draw(st.sampled_from([1, 2, 0.3, 2**0.5])),
            "last_stage": draw(st.sampled_from([1, 1.5, 2])),
        }
    if name == "pipelined":
        return name, {
            "stages": draw(st.integers(1, 3)),
            "micro_batches": draw(st.integers(1, 8)),
            "schedule": draw(st.sampled_from(["gpipe", "looped-bfs"])),
        }
    if name == "stages":
        return name, {
            "stages": draw(st.integers(1, 12)),
            "chunks": draw(st.integers(1, 4)),
            "layers": draw(st.integers(48, 300)),
            "placement": draw(st.sampled_from(["looped", "v"])),
        }
    if name in ("activations", "checkpointing"):
        parameters = {
            "model": draw(st.sampled_from(["gpt-175b", "megatron-1t"])),
            "layers": draw(st.none() | st.integers(1, 256)),
            "sequence": draw(st.none() | st.integers(1, 10**6)),
            "micro_batch": draw(st.integers(1, 1000)),
            "tensor": draw(st.integers(1, 64)),
        }
        if name == "activations":
            return name, parameters | {"capacity": draw(st.none() | st.floats(1, 1e15))}
        return name, parameters | {"every": draw(st.integers(0, 100)), "layer": draw(st.sampled_from(LAYERS))}
    if name == "pipeline":
        return name, {
            "schedule": draw(st.sampled_from(["gpipe", "1f1b"])),
            "stages": draw(st.integers(1, 12)),
            "micro_batches": draw(st.integers(1, 14)),
            "forward": draw(st.sampled_from([1, 2, 7, 0.3, 2**0.5])),
            "backward": draw(st.sampled_from([1, 2, 3, 14])),
            "forward_only": draw(st.booleans()),
        }
    if name == "tensor":
        part = draw(st.sampled_from(["mlp", "mlp-backward", "wrong-split", "attention"]))
        gpus = draw(st.integers(1, 8))
        if part == "attention":
            kv_heads = gpus * draw(st.integers(1, 4))
            heads = {"heads": kv_heads * draw(st.integers(1, 4)), "kv_heads": kv_heads}
            return name, {"part": part, "gpus": gpus, **heads}
        tokens = {"tokens": gpus * draw(st.integers(1, 3))}
        tokens |= {"sequence_parallel": draw(st.booleans())} if part == "mlp" else {}
        sizes = {"hidden": draw(st.integers(gpus, 12)), "seed": draw(st.integers(0, 99))}
        if part == "wrong-split":
            return name, {"part": part, "gpus": min(2, gpus), **sizes}
        return name, {"part": part, "gpus": gpus, **sizes, **tokens}
    workers = draw(st.integers(1, 20) | st.just(64))
    parameters = {
        "workers": workers,
        "length": draw(st.integers(1, 60)),
        "seed": draw(st.none() | st.integers(0, 99)),
        "dtype": draw(st.sampled_from(["auto", "float32"])),
        "nodes": draw(st.none() | st.sampled_from([count for count in range(1, 65) if workers % count == 0])),
    }
    for parameter in TOPICS[name].parameters:
        if parameter.name == "algorithm":
            parameters["algorithm"] = draw(st.sampled_from(parameter.choices))
        if parameter.name == "root":
            parameters["root"] = draw(st.integers(0, workers - 1))
    return name, parameters


@st.composite
def pictures(draw: Any) -> Picture:
    name, parameters = draw(scenes())
    try:
        scene = topic(name).scene(parameters)
    except BadArgument:  # a capacity or time that the engine does not take
        scene = topic(name).scene({})
    picture = scene.picture(draw(st.integers(0, scene.last_step)))
    places = list(picture.cells())
    if places and draw(st.booleans()):
        picture = picture.marked(draw(st.dictionaries(st.sampled_from(places[:50]), MARKS, max_size=4)))
    return picture


def text(runs: Any) -> str:
    return "".join(run.text for run in runs)


@settings(max_examples=150, deadline=None)
@given(pictures(), WIDTHS, st.data())
def test_a_cut_is_that_part_of_the_whole_row(picture: Picture, width: int, data: st.DataObject):
    size = picture.size(width)
    row = data.draw(st.integers(0, size.rows - 1))
    whole = picture.line(row, width)
    assert len(text(whole)) <= size.columns
    start = data.draw(st.integers(0, size.columns))
    stop = data.draw(st.none() | st.integers(start, size.columns + 5))
    part = picture.line(row, width, start, stop)
    assert text(part) == text(whole)[start:stop]
    # Column by column the same role and cell: how the runs are divided does not matter
    expected = [(run.role, run.cell) for run in cut(whole, start, stop) for character in run.text if character != " "]
    assert [(run.role, run.cell) for run in part for character in run.text if character != " "] == expected


@settings(max_examples=100, deadline=None)
@given(pictures(), WIDTHS)
def test_rows_are_one_cell_a_character_and_have_plain_forms(picture: Picture, width: int):
    size = picture.size(width)
    seen = {character for row in range(size.rows) for character in text(picture.line(row, width))}
    for character in seen:
        assert unicodedata.east_asian_width(character) not in "WF"
        assert unicodedata.combining(character) == 0
        assert unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    if Role.DIFFERENCE not in {run.role for row in range(size.rows) for run in picture.line(row, width)}:
        typed = {run.text for row in range(size.rows) for run in picture.line(row, width) if run.role in TYPED}
        assert {character for character in seen if ord(character) > 126} <= GLYPHS.keys() | set("".join(typed))


TYPED = (Role.YOURS, Role.ENGINE, Role.CURSOR, Role.BLANK)


@settings(max_examples=100, deadline=None)
@given(pictures(), WIDTHS)
def test_every_cell_in_a_row_is_a_cell_of_the_picture(picture: Picture, width: int):
    cells = picture.cells()
    size = picture.size(width)
    drawn = {run.cell for row in range(size.rows) for run in picture.line(row, width) if run.cell is not None}
    assert drawn == set(cells)
    assert len(cells) == len(list(cells))


@settings(max_examples=60, deadline=None)
@given(pictures(), WIDTHS)
def test_heads_and_foot_stay_in_sight(picture: Picture, width: int):
    size = picture.size(width)
    foot = picture.foot_rows(width)
    assert 0 <= picture.head_columns < 40
    assert picture.head_rows + foot <= size.rows
    for row in range(size.rows - foot, size.rows):
        assert len(text(picture.line(row, width))) <= width
        assert not any(run.cell for run in picture.line(row, width))


@settings(max_examples=60, deadline=None)
@given(pictures())
def test_words_are_lines_of_printable_text(picture: Picture):
    words = picture.words()
    assert words
    assert all(line and line.isprintable() for line in words)


@settings(max_examples=60, deadline=None)
@given(pictures(), st.integers(1, 39))
def test_too_narrow_a_width_is_still_drawn(picture: Picture, width: int):
    size = picture.size(width)
    assert all(len(text(picture.line(row, width))) <= size.columns for row in range(size.rows))


@pytest.mark.parametrize("row", [-1, 1000])
def test_rows_that_do_not_exist_are_empty(show, row):
    for name in ("all-reduce", "zero", "pipeline"):
        assert show(name).line(row, 80) == []
