"""The glossary of a course: read, looked up by any name, refused by file and line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.course.glossary import definition, find_term, read_glossary, same_name
from tutor.course.model import CourseError

GLOSSARY = """\
# Terms

[[term]]
name = "all-reduce"
also = ["allreduce"]
step = "a-step"
text = "It takes {{ring.steps workers=4}} steps."

[[term]]
name = "mesh"
step = "another"
text = "A grid of ranks."
"""


def written(folder: Path, text: str) -> Path:
    (folder / "glossary.toml").write_text(text)
    return folder


def test_terms_with_their_figures(tmp_path: Path) -> None:
    first, second = read_glossary(written(tmp_path, GLOSSARY))
    assert (first.name, first.also, first.step, first.place.line) == ("all-reduce", ("allreduce",), "a-step", 3)
    assert definition(first) == "It takes 6 steps."  # 2 (4 - 1)
    assert second.place.line == 9


def test_a_course_may_do_without(tmp_path: Path) -> None:
    assert read_glossary(tmp_path) == ()


@pytest.mark.parametrize("name", ["all-reduce", "ALL REDUCE", "allreduce", "All-Reduces", " all_reduce "])
def test_a_term_is_found_however_it_is_written(tmp_path: Path, name: str) -> None:
    found = find_term(read_glossary(written(tmp_path, GLOSSARY)), name)
    assert found is not None
    assert found.name == "all-reduce"
    assert find_term(read_glossary(tmp_path), "reduce") is None


@pytest.mark.parametrize(
    ("one", "several"),
    [("rank", "ranks"), ("micro-batch", "micro-batches"), ("mesh", "meshes"), ("process", "processes")],
)
def test_one_and_several_are_the_same(one: str, several: str) -> None:
    assert same_name(one) == same_name(several)


@pytest.mark.parametrize(
    ("before", "after", "line", "message"),
    [
        ('name = "mesh"\n', "", 9, "term 2: 'name' is missing"),
        ('text = "A grid of ranks."', 'text = " "', 9, "term 2: 'text' is empty"),
        ('step = "another"\n', "", 9, "term 2: 'step' is missing"),
        ('step = "another"', "step = 4", 9, "term 2: step is 4; accepted: text in quotes"),
        ('["allreduce"]', '"allreduce"', 3, "term 1: also is 'allreduce'; accepted: a list of texts"),
        ('step = "another"', 'steps = "another"', 9, "term 2: 'step' is missing"),
        ('name = "mesh"', 'name = "mesh"\nsee = "x"', 9, "term 2: unknown key 'see'; accepted: name, also, text, step"),
        ("# Terms", "terms = 1", 1, "glossary.toml: unknown key 'terms'"),
        ("# Terms", "term = 1", 3, "not TOML: "),
        ('"mesh"', "mesh", 10, "not TOML: "),
    ],
)
def test_what_cannot_be_read_is_named_by_line(tmp_path: Path, before: str, after: str, line: int, message: str) -> None:
    assert before in GLOSSARY
    with pytest.raises(CourseError) as refused:
        read_glossary(written(tmp_path, GLOSSARY.replace(before, after)))
    assert refused.value.place.file == tmp_path / "glossary.toml"
    assert refused.value.message.startswith(message)
    assert refused.value.place.line == line


@given(st.text())
def test_whatever_is_typed_has_a_name_to_compare(text: str) -> None:
    assert same_name(text) == same_name(text.upper().lower()) or not text.isascii()
    assert find_term((), text) is None
