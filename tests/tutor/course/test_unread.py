"""Lessons of which only the outline is read: the same lessons, and the same mistakes at the same lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.course.load import LESSON_FILE, course_folder, load
from tutor.course.model import ASK, CODE, LIVE, CourseError, Lesson, Place
from tutor.course.parse import parse_lesson, read_text
from tutor.course.unread import UnreadStep, skim_lesson

FILE = Path("one") / LESSON_FILE
LESSON = """\
+++
id = "one"
title = "One"
+++

## First {#first}

Prose, and `code`.

```python
## No heading {#none}
```
~~~text
```ask
~~~
```live picture
show = "zero"
```
## Second {#second}
```ask question
kind = "number"
prompt = "P"
answer = "ring.steps workers=8"
```
"""


def read(lesson: Lesson) -> tuple[object, ...]:
    return (
        lesson.id,
        lesson.title,
        [(step.id, step.title, step.place, step.blocks, step.heads) for step in lesson.steps],
    )


@pytest.mark.parametrize("name", [lesson.id for lesson in load().lessons])
def test_a_lesson_of_the_course_is_the_same_once_it_is_read(name: str) -> None:
    file = course_folder() / name / LESSON_FILE
    text = read_text(file)
    whole = parse_lesson(text, file)
    assert read(skim_lesson(text, file)) == read(whole)


def test_nothing_is_read_before_somebody_asks() -> None:
    lesson = skim_lesson(LESSON, FILE)
    first, second = lesson.steps
    assert first.heads == ((LIVE, "picture"),)
    assert second.holds((ASK,), "question")
    assert not second.holds((CODE,))
    assert lesson.steps.index(second) == 1
    assert "blocks" not in vars(first)
    assert first.live is not None
    assert "blocks" in vars(first)
    assert "blocks" not in vars(second)


def test_home_and_look_ups_read_no_step_but_the_one_that_is_asked_for() -> None:
    course = load()
    question = course.ids(ASK)[20]
    found = course.question(question)
    assert found is not None
    assert found.id == question
    steps = [step for lesson in course.lessons for step in lesson.steps]
    assert all(isinstance(step, UnreadStep) for step in steps)
    assert [step.question.id for step in steps if "blocks" in vars(step) and step.question] == [question]
    assert course.question("no-such-thing") is None
    assert course.exercise("ring_all_reduce") is not None
    assert course.live("") is None


def test_a_course_of_ones_own_is_read_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text('title = "T"\nlessons = ["one"]\n')
    (tmp_path / "one").mkdir()
    (tmp_path / FILE).write_text(LESSON.replace('kind = "number"', 'kind = "riddle"'))
    with pytest.raises(CourseError) as refused:
        load(tmp_path)
    assert refused.value.place == Place(tmp_path / FILE, LESSON.split("\n").index('kind = "number"') + 1)


def outcome(lesson: Lesson) -> object:
    """What a lesson holds, read to its end, or the first mistake there."""
    try:
        return read(lesson)
    except CourseError as error:
        return str(error)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                *("## A {#a}", "## B", "## {#c}", "##", "## D {#d d}", "text", "", "```", "~~~", "````", "```ask q"),
                *(
                    "```live p",
                    'show = "zero"',
                    "```code",
                    "```code c",
                    '```ask q\nkind = "number"\n```',
                    "  ```python",
                ),
            ]
        ),
        max_size=9,
    )
)
def test_whatever_a_file_holds_it_is_the_same_lesson_or_the_same_mistake(lines: list[str]) -> None:
    text = LESSON.split("## First")[0] + "\n".join(lines)
    try:
        whole = outcome(parse_lesson(text, FILE))
    except CourseError as error:
        whole = str(error)
    try:
        skimmed = outcome(skim_lesson(text, FILE))
    except CourseError as error:
        skimmed = str(error)
    assert skimmed == whole
