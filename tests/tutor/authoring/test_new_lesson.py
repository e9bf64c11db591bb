"""A lesson to begin from: whole, without mistakes, and written over nothing."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.answers.judge import judge
from tutor.answers.texts import prose
from tutor.authoring.lint import lint
from tutor.authoring.new_lesson import NotWritten, with_lesson, write_lesson
from tutor.cli.main import main
from tutor.course.load import load, read_course_file
from tutor.course.model import Prose
from tutor.views.topics import topic

SHIPPED = """\
title = "A course"  # of mine
lessons = [
    "first",  # the first
    "second",
]

[misconceptions]
one-phase-only = "As I say it."
"""


def test_an_empty_folder_becomes_a_course_without_a_mistake(tmp_path: Path) -> None:
    written = write_lesson(tmp_path / "course" / "two-phases")
    assert written.lesson == "two-phases"
    assert all(file.is_file() for file in written.files)
    assert written.changed == ()
    # With exercises: the solution passes, the task and the mutants do not
    assert lint(tmp_path / "course") == []


def test_it_has_a_live_picture_a_family_and_an_exercise(tmp_path: Path) -> None:
    write_lesson(tmp_path / "sums")
    course = load(tmp_path)
    (lesson,) = course.lessons
    assert lesson.title == "Sums"
    assert lesson.steps[0].live is not None
    (family,) = [question for question in course.questions().values() if question.vary]
    assert judge(course, family, "14").right  # 2 (8 - 1) steps
    assert list(course.exercises()) == ["sums_mean"]
    # What the text says that each worker sends is what its picture counts
    scene = topic(lesson.steps[0].live.topic).scene(lesson.steps[0].live.parameters)
    (said, *_) = (block for block in lesson.steps[0].blocks if isinstance(block, Prose))
    assert scene.data()["bytes_sent"] == [48] * 4
    assert "will have sent\n48 B in" in prose(course, lesson.steps[0], said)


def test_a_second_lesson_joins_the_course_and_leaves_what_is_there(tmp_path: Path) -> None:
    write_lesson(tmp_path / "sums")
    mine = (tmp_path / "sums" / "lesson.md").read_text().replace("Four workers", "My own words")
    (tmp_path / "sums" / "lesson.md").write_text(mine)
    written = write_lesson(tmp_path / "3d.layouts")
    assert written.changed == (tmp_path / "course.toml",)
    assert read_course_file(tmp_path).lessons == ("sums", "3d.layouts")
    assert (tmp_path / "sums" / "lesson.md").read_text() == mine
    assert lint(tmp_path, exercises=False) == []
    # A function's name cannot begin with a digit
    assert list(load(tmp_path).exercises()) == ["sums_mean", "lesson_3d_layouts_mean"]


def test_course_toml_keeps_its_own_words(tmp_path: Path) -> None:
    text = with_lesson(SHIPPED, "third", tmp_path)
    assert '    "second",\n    "third",\n]' in text
    assert 'title = "A course"  # of mine' in text
    assert 'one-phase-only = "As I say it."' in text
    assert "sent-is-gone = " in text
    # What is complete is left as it is
    assert with_lesson(text, "third", tmp_path) == text


@pytest.mark.parametrize(
    "text",
    [
        'title = "T"',
        'title = "T"\nlessons = []',
        'title = "T"\nlessons = ["a"]\n[misconceptions] # none\n',
        "lessons=[]",
    ],
)
def test_however_course_toml_is_written_the_lesson_is_listed(tmp_path: Path, text: str) -> None:
    assert tomllib.loads(with_lesson(text, "new", tmp_path))["lessons"][-1] == "new"


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(["a", "b#]", "c, d"]), max_size=3), st.sampled_from(["", " # a ] b", "\n"]))
def test_a_list_that_cannot_be_added_to_is_refused_and_never_spoilt(names: list[str], odd: str) -> None:
    text = (
        f'title = "T"\nlessons = [{odd if odd.startswith(chr(10)) else ""}{", ".join(map(json.dumps, names))}{odd}\n]\n'
    )
    refused = ""
    try:
        new = with_lesson(text, "new", Path("course.toml"))
    except NotWritten as error:
        refused = str(error)
    if refused:
        assert 'add "new" to its lessons first' in refused
    else:
        assert tomllib.loads(new)["lessons"] == [*names, "new"]


def test_a_folder_that_is_there_and_empty_will_do(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    write_lesson(tmp_path / "new")
    assert (tmp_path / "new" / "lesson.md").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["course.toml", "new"]


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("kept")
    with pytest.raises(NotWritten, match="is there already and is left as it is"):
        write_lesson(tmp_path / "mine")
    (tmp_path / "file").write_text("kept")
    with pytest.raises(NotWritten, match="is there already"):
        write_lesson(tmp_path / "file")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "mine"]


@pytest.mark.parametrize(
    ("course", "said"), [("lessons = 3\n", "course.toml:1: "), ("[[[", "course.toml:1: "), ("title = 1\n", ":1: ")]
)
def test_a_course_that_cannot_be_read_is_named_and_left(tmp_path: Path, course: str, said: str) -> None:
    (tmp_path / "course.toml").write_text(course)
    with pytest.raises(NotWritten, match=said):
        write_lesson(tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["course.toml"]
    assert (tmp_path / "course.toml").read_text() == course


def test_a_disk_that_refuses_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, *_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "rename", full)
    with pytest.raises(OSError, match="No space left"):
        write_lesson(tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new-lesson", "course/sums", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["lesson"] == "sums"
    assert str(tmp_path / "course" / "course.toml") in said["files"]
    assert main(["new-lesson", "steps", "--course", "course"]) == 0
    assert "added the lesson to" in capsys.readouterr().out
    assert main(["--course", "course", "lessons"]) == 0
    assert "steps" in capsys.readouterr().out
    assert main(["new-lesson", "course/sums"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["new-lesson", "course/my lesson"]) == 2
    assert "accepted: up to 80 letters, digits, - and _" in capsys.readouterr().err
