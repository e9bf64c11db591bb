"""Pictures as text: escape sequences only where asked for, ASCII, panels."""

from __future__ import annotations

import re

import pytest

from tutor.views.terminal import lines, text
from tutor.views.topics import topic

ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")


@pytest.fixture(params=["all-reduce", "all-gather", "zero", "pipeline"])
def picture(request, show):
    return show(request.param, step=0 if request.param == "zero" else None)


def test_no_colours_means_no_escape_sequence(picture):
    assert "\x1b" not in text(picture, 80)
    assert all(line == line.rstrip() for line in text(picture, 80).split("\n"))


@pytest.mark.parametrize("colours", ["truecolour", "256", "16", "mono"])
def test_colours_change_no_text_and_are_always_ended(picture, colours):
    coloured = text(picture, 80, colours=colours)
    bare = "\n".join(line.rstrip() for line in ESCAPE.sub("", coloured).split("\n"))
    assert bare == text(picture, 80)
    for line in coloured.split("\n"):
        codes = ESCAPE.findall(line)
        assert codes[1::2] == ["0"] * (len(codes) // 2)
        assert len(codes) % 2 == 0


def codes_of(picture, colours: str) -> set[str]:
    return {code for codes in ESCAPE.findall(text(picture, 80, colours=colours)) for code in codes.split(";")}


def test_each_depth_uses_only_its_own_codes(picture):
    attributes = {"0", "1", "4", "7"}
    assert codes_of(picture, "mono") <= attributes
    sixteen = {str(code) for code in (*range(30, 38), *range(90, 98))}
    assert codes_of(picture, "16") <= attributes | sixteen
    assert {"38", "2"} <= codes_of(picture, "truecolour")
    assert {"38", "5"} <= codes_of(picture, "256")


def test_ascii_is_ascii_and_as_wide(picture):
    plain = text(picture, 80, ascii_only=True)
    assert plain.isascii()
    assert "?" not in plain
    assert [len(line) for line in plain.split("\n")] == [len(line) for line in text(picture, 80).split("\n")]


def test_unknown_colours_are_refused(picture):
    with pytest.raises(ValueError, match="accepted: truecolour, 256"):
        text(picture, 80, colours="millions")


@pytest.mark.parametrize("width", [40, 60, 80, 100])
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("pipeline", {"schedule": "1f1b", "stages": 4, "micro_batches": 30}),
        ("all-reduce", {"workers": 16, "length": 40, "seed": 1}),
        ("all-gather", {"workers": 12, "length": 100, "seed": 1}),
    ],
)
def test_a_wide_picture_comes_in_panels_that_cut_no_cell(name, parameters, width):
    scene = topic(name).scene(parameters)
    picture = scene.picture(scene.last_step)
    assert picture.size(width).columns > width
    drawn = list(lines(picture, width))
    assert all(sum(len(run.text) for run in line) <= width for line in drawn)
    # Each cell is on exactly one row, whole
    whole = {}
    for row in range(picture.size(width).rows):
        for run in picture.line(row, width):
            if run.cell:
                whole[run.cell] = whole.get(run.cell, "") + run.text
    seen: dict[object, list[str]] = {}
    for line in drawn:
        on_this_row: dict[object, str] = {}
        for run in line:
            if run.cell:
                on_this_row[run.cell] = on_this_row.get(run.cell, "") + run.text
        for place, found in on_this_row.items():
            seen.setdefault(place, []).append(found)
    assert {place: "".join(parts) for place, parts in seen.items()} == whole
    assert all(len(parts) == 1 for parts in seen.values())
    heads = [line for line in drawn if line and line[0].text.startswith(("stage 0", "worker 0"))]
    assert len(heads) > 1
