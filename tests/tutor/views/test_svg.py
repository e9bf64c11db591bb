"""SVG documents: well-formed, escaped, the same every time, all text where it belongs."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tutor.views.picture import Mark, Role, cell
from tutor.views.svg import svg
from tutor.views.topics import TOPICS

SVG = "{http://www.w3.org/2000/svg}"


def parsed(document: str) -> ElementTree.Element:
    return ElementTree.fromstring(document)


@pytest.mark.parametrize("name", TOPICS)
@pytest.mark.parametrize("background", ["dark", "light"])
def test_well_formed_and_the_same_every_time(show, name, background):
    first, second = (svg(show(name), title="A title", background=background) for _ in range(2))
    assert first == second
    root = parsed(first)
    assert root.tag == f"{SVG}svg"
    across, down = float(root.get("width")), float(root.get("height"))
    for element in root.iter(f"{SVG}text"):
        assert 0 <= float(element.get("x")) < across
        assert 0 <= float(element.get("y")) < down
    assert root.find(f"{SVG}title").text == "A title"
    assert root.find(f"{SVG}desc").text


def test_each_word_stands_at_its_column(show, rows_of):
    picture = show("all-reduce", step=1)
    texts = [(float(e.get("x")), e.text) for e in parsed(svg(picture, width=80)).iter(f"{SVG}text")]
    row = rows_of(picture)[1]
    margin, column = 24, 9
    assert (margin + column * row.index("303"), "303") in texts
    assert (margin + column * row.index("→303"), "→") in texts


def test_text_is_escaped(show):
    picture = show("all-reduce", step=1).marked({cell(worker=0, chunk=0, index=0): Mark(Role.DIFFERENCE, "<&>")})
    root = parsed(svg(picture, title='<script>"&', caption="a < b"))
    texts = ["".join(element.itertext()) for element in root.iter()]
    assert '<script>"&' in texts
    assert "a < b" in texts
    assert any("<&>≠1" in text for text in texts)
    assert not list(root.iter(f"{SVG}script"))


def test_fills_are_shapes_and_differ_in_print(show):
    root = parsed(svg(show("zero")))
    fills = {element.get("fill") for element in root.iter(f"{SVG}rect")}
    assert {"url(#dense-dark)", "url(#light-dark)"} <= fills
    assert not any("█" in (element.text or "") for element in root.iter(f"{SVG}text"))


def test_the_lines_of_a_tree_meet_from_row_to_row(show):
    root = parsed(svg(show("all-reduce", step=0, algorithm="tree", workers=4)))
    strokes = [path.get("d") for path in root.iter(f"{SVG}path")]
    # Worker 0's joint to worker 1 goes down to where worker 1's goes up from
    ends = {part.partition("V")[2] for path in strokes for part in path.split("M") if "V" in part}
    assert all(sum(path.count(f"V{end}") for path in strokes) >= 2 for end in ends)
    assert not any("┬" in (text.text or "") for text in root.iter(f"{SVG}text"))


def test_what_stands_above_makes_no_picture_wider(show):
    picture = show("all-reduce")
    narrow, wide = (
        parsed(svg(picture, title=title, caption="of 8 workers, done at 14 ms", width=80))
        for title in ("short", "a long title " * 12)
    )
    assert narrow.get("width") == wide.get("width")
    assert float(wide.get("height")) > float(narrow.get("height"))
    written = [element for element in wide.iter(f"{SVG}text") if "long title" in element.text]
    assert len(written) > 1
    across = float(wide.get("width"))
    assert all(float(one.get("x")) + float(one.get("textLength")) <= across for one in wide.iter(f"{SVG}text"))
    heights = [float(one.get("y")) for one in written]
    assert heights == sorted(set(heights))
