"""The linter on the glossary: it leads to steps that are there, and has what lessons print in bold."""

from __future__ import annotations

from pathlib import Path

import pytest

from tutor.authoring.lint import lint
from tutor.course.model import Place

LESSON = """\
+++
id = "one"
title = "One"
about = "About one."
+++
## First {#first}

**The question of this lesson.** Every **rank** has a **chunk**,
and `**no code**` is bold; \\**nor** what is escaped.

**If it was hard:** read of **ranks** *again*, and of **all  the
chunks** below.

## Second {#second}

Here a **chunk** is cut into **chunks**.
"""
GLOSSARY = """\
[[term]]
name = "rank"
also = ["world rank"]
step = "first"
text = "A number from 0, of {{ring.steps workers=4}}."

[[term]]
name = "chunk"
also = ["all the chunks"]
step = "second"
text = "A part."
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "course.toml").write_text('title = "T"\nlessons = ["one"]\n')
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "lesson.md").write_text(LESSON)
    (tmp_path / "glossary.toml").write_text(GLOSSARY)
    return tmp_path


def test_nothing_is_found_where_nothing_is_wrong(folder: Path) -> None:
    assert lint(folder) == []


@pytest.mark.parametrize(
    ("before", "after", "line", "message"),
    [
        ('step = "first"', 'step = "frist"', 1, "term 'rank': no step is called 'frist'"),
        ('name = "chunk"', 'name = "Ranks"', 7, "term 'Ranks': 'Ranks' names 'rank' already, on line 1"),
        ('"all the chunks"', '"world-rank"', 7, "term 'chunk': 'world-rank' names 'rank' already, on line 1"),
        (
            'step = "first"',
            'step = "second"',
            1,
            "term 'rank': step second has it under none of its names (rank, world",
        ),
        ('name = "chunk"', 'name = "!"', 7, "term '!': a name without a letter or digit"),
        ('"A part."', '"A part of 8 bytes."', 7, "'8 bytes' is typed in; name the quantity in {{…}}"),
        ('"A part."', f'"{"Long. " * 90}"', 7, "term 'chunk': its definition takes "),
        ("ring.steps", "ring.stops", 1, "term 'rank': {{ring.stops workers=4}}: ring.stops: quantity is"),
        ('text = "A part."', 'text = ""', 7, "term 2: 'text' is empty"),
        ('step = "second"', 'stop = "second"', 7, "term 2: 'step' is missing"),
        ("[[term]]", "[term", 1, "not TOML: "),
    ],
)
def test_a_mistake_is_named_with_its_line(folder: Path, before: str, after: str, line: int, message: str) -> None:
    assert before in GLOSSARY
    (folder / "glossary.toml").write_text(GLOSSARY.replace(before, after, 1))
    place = Place(folder / "glossary.toml", line)
    told = [problem.message for problem in lint(folder) if problem.place == place]
    assert any(said.startswith(message) for said in told), told


def test_a_bold_word_that_nothing_explains_is_named_once_a_lesson(folder: Path) -> None:
    (folder / "glossary.toml").write_text(GLOSSARY.replace('"chunk"', '"part"').replace('"all the chunks"', '"piece"'))
    told = [(at.place.line, at.message.split(",")[0]) for at in lint(folder) if at.place.file.name == "lesson.md"]
    assert told == [(8, "'chunk' is in bold"), (11, "'all the chunks' is in bold")]


def test_a_course_without_a_glossary_may_print_anything_in_bold(folder: Path) -> None:
    (folder / "glossary.toml").unlink()
    assert lint(folder) == []
