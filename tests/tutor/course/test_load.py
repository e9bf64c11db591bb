"""A course folder read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tutor.course.load import course_folder, load
from tutor.course.model import CourseError

COURSE = """\
title = "A course"
lessons = ["one", "two", "later"]

[misconceptions]
half = "Half will do."
"""


def lesson(name: str) -> str:
    return f"""\
+++
id = "{name}"
title = "Lesson {name}"
+++
## Step {{#{name}-step}}
```live {name}-picture
show = "zero"
```
```ask {name}-question
kind = "number"
prompt = "P"
answer = "ring.steps workers=8"
```
## Write {{#{name}-write}}
```code {name}_code
```
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "course.toml").write_text(COURSE)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "lesson.md").write_text(lesson(name))
    return tmp_path


def test_lessons_come_in_the_order_of_the_course_and_only_those_that_are_there(folder: Path) -> None:
    course = load(folder)
    assert (course.title, course.folder) == ("A course", folder)
    assert [lesson.id for lesson in course.lessons] == ["one", "two"]
    assert dict(course.misconceptions) == {"half": "Half will do."}


def test_things_are_found_by_their_ids(folder: Path) -> None:
    course = load(folder)
    two = course.lesson("two")
    assert two is not None
    assert course.lesson("later") is None
    assert course.find_step("two-write") == (two, two.steps[1])
    assert course.find_step("two-question") is None
    assert set(course.questions()) == {"one-question", "two-question"}
    assert course.exercises()["one_code"].folder == folder / "one" / "exercises" / "one_code"
    live = course.live("two-picture")
    assert live is not None
    assert live.topic == "zero"
    assert course.step_of("two_code") == (two, two.steps[1])
    assert course.step_of("none") is None


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (None, 1, "no such file"),
        ("title = ", 1, "not TOML: "),
        ('lessons = ["one"]', 1, "course.toml: 'title' is missing"),
        ('title = "T"\nlessons = "one"', 2, "course.toml: lessons is 'one'; accepted: a list of texts"),
        ('title = "T"\nlessons = ["../one"]', 2, "lesson id '../one'; accepted: up to 80 letters"),
        ('title = "T"\nlesons = []', 2, "course.toml: unknown key 'lesons'; accepted: title, lessons, misconceptions"),
        ('title = "T"\n[misconceptions]\nhalf = 2', 3, "course.toml: misconception 'half' has no belief"),
    ],
)
def test_a_fault_of_course_toml_is_named_with_its_line(
    tmp_path: Path, text: str | None, line: int, message: str
) -> None:
    if text is not None:
        (tmp_path / "course.toml").write_text(text)
    with pytest.raises(CourseError) as caught:
        load(tmp_path)
    assert caught.value.message.startswith(message)
    assert caught.value.place.file == tmp_path / "course.toml"
    assert caught.value.place.line == line


def test_a_fault_of_a_lesson_is_named_with_its_file(folder: Path) -> None:
    (folder / "two" / "lesson.md").write_bytes(b"+++\n\xff\n+++\n")
    with pytest.raises(CourseError) as caught:
        load(folder)
    assert str(caught.value) == f"{folder / 'two' / 'lesson.md'}:2: not UTF-8 text"


def test_a_folder_in_place_of_a_lesson_file_is_named(folder: Path) -> None:
    (folder / "later" / "lesson.md").mkdir(parents=True)
    with pytest.raises(CourseError, match="not a file"):
        load(folder)


def test_the_course_that_comes_with_the_tutor_is_the_default() -> None:
    assert load() == load(course_folder())
    assert load().lessons


def test_loading_waits_for_neither_numpy_nor_the_engine() -> None:
    code = "from tutor.course.load import load; load(); import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "tutor.course.parse" in loaded
    assert not {"numpy", "simlib", "textual", "tutor.views", "tutor.course.expressions"} & set(loaded)
