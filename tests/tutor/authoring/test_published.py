"""Ids that have been published stay, or are listed as retired."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tutor.authoring.lint import lint
from tutor.authoring.new_lesson import write_lesson
from tutor.authoring.published import publish
from tutor.cli.main import main
from tutor.course.load import load
from tutor.course.published import read_published


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A course of two lessons whose ids are published."""
    write_lesson(tmp_path / "sums")
    write_lesson(tmp_path / "steps")
    publish(load(tmp_path))
    return tmp_path


def change(file: Path, before: str, after: str) -> None:
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after))


def told(folder: Path) -> list[tuple[str, str]]:
    """File, with the text of the line that is named, and message."""
    found = []
    for problem in lint(folder, exercises=False):
        line = problem.place.file.read_text().split("\n")[problem.place.line - 1]
        found.append((f"{problem.place.file.name}: {line.strip()}", problem.message.split(";")[0]))
    return found


def test_all_that_a_record_names_is_published(folder: Path) -> None:
    published = read_published(folder)
    assert published is not None
    assert published.ids["lessons"] == ("sums", "steps")
    assert "sums-how-many" in published.ids["questions"]
    assert published.ids["exercises"] == ("sums_mean", "steps_mean")
    assert "steps-write-it" in published.ids["steps"]
    assert "one-phase-only" in published.ids["misconceptions"]
    assert lint(folder, exercises=False) == []
    assert publish(load(folder)) == 0


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [("ask sums-how-many", "ask sums-count", "question"), ("{#sums-remember}", "{#sums-end}", "step")],
)
def test_an_id_that_vanishes_is_a_mistake(folder: Path, before: str, after: str, kind: str) -> None:
    change(folder / "sums" / "lesson.md", before, after)
    name = before.split()[-1].strip("{#}")
    assert told(folder) == [(f'published.toml: "{name}",', f"{kind} '{name}' is gone, and learners' records name it")]


def test_a_lesson_and_a_misconception_that_vanish(folder: Path) -> None:
    change(folder / "course.toml", '"sums", ', "")
    for file in (folder / "sums").rglob("*"):
        file.rename(file.with_suffix(".old")) if file.is_file() else None
    gone = [message for _, message in told(folder)]
    assert "lesson 'sums' is gone, and learners' records name it" in gone
    assert "exercise 'sums_mean' is gone, and learners' records name it" in gone


def test_what_moves_to_another_lesson_is_still_there(folder: Path) -> None:
    sums, steps = folder / "sums" / "lesson.md", folder / "steps" / "lesson.md"
    text = sums.read_text()
    start, end = text.index("## Count the steps"), text.index("## Write it")
    sums.write_text(text[:start] + text[end:])
    steps.write_text(steps.read_text() + "\n" + text[start:end])
    assert told(folder) == []


def test_a_retired_id_may_go_but_never_come_back(folder: Path) -> None:
    file = folder / "published.toml"
    file.write_text(file.read_text() + '[retired]\nquestions = [\n  "sums-how-many",\n]\n')
    place = 'published.toml: "sums-how-many",'
    assert told(folder) == [(place, "question 'sums-how-many' is retired, but there")]
    (problem,) = lint(folder, exercises=False)
    assert problem.place.line == len(file.read_text().split("\n")) - 2
    change(folder / "sums" / "lesson.md", "ask sums-how-many", "ask sums-count")
    assert told(folder) == []
    # Publishing keeps what is retired, and takes it from the list of what has to stay
    assert publish(load(folder)) == 1
    published = read_published(folder)
    assert published is not None
    assert published.retired["questions"] == ("sums-how-many",)
    assert "sums-count" in published.ids["questions"]
    assert "sums-how-many" not in published.ids["questions"]


def test_a_lesson_that_cannot_be_read_has_not_vanished(folder: Path) -> None:
    change(folder / "sums" / "lesson.md", "## Write it", "##Write it\n```ask")
    assert [problem.place.file.name for problem in lint(folder, exercises=False)] == ["lesson.md"]


def test_a_course_without_the_file_is_not_looked_at(folder: Path) -> None:
    (folder / "published.toml").unlink()
    change(folder / "sums" / "lesson.md", "ask sums-how-many", "ask sums-count")
    assert told(folder) == []


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("steps = 3", 1, "published.toml: steps is 3; accepted: a list of texts"),
        ("\nstep = []", 2, "published.toml: unknown key 'step'"),
        ("retired = 1", 1, "published.toml: retired is 1"),
        ("[retired]\nstep = []", 1, "published.toml: retired: unknown key 'step'"),
        ('steps = ["a b"]', 1, "steps id 'a b'; accepted: up to 80 letters"),
        ("[[", 1, "not TOML"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_by_line(folder: Path, text: str, line: int, message: str) -> None:
    (folder / "published.toml").write_text(text)
    (problem,) = lint(folder, exercises=False)
    assert (problem.place.file.name, problem.place.line) == ("published.toml", line)
    assert problem.message.startswith(message)


def test_publishing_waits_until_there_is_no_mistake(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(folder / "sums" / "lesson.md", "ask sums-how-many", "ask sums-count")
    before = (folder / "published.toml").read_text()
    assert main(["lint", str(folder), "--publish"]) == 1
    assert "Nothing is published while there are mistakes." in capsys.readouterr().out
    assert (folder / "published.toml").read_text() == before
    (folder / "published.toml").unlink()
    assert main(["lint", "--course", str(folder), "--publish", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"problems": [], "published": 20}
