"""A small course with an examination: six lessons, two problems about each, a table and a choice among them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

LESSONS = ("one", "two", "three", "four", "five", "six")
# Right is n + k, and 1000 more for the second problem of a lesson
_NUMBER = """\
```ask {id}
kind = "number"
unit = "steps"
back = ["{lesson}-taught", "{lesson}-first"]
vary = {{ n = [10, 20, 30, 40], k = [1, 2, 3] }}
prompt = "Problem {id}: {{{{n}}}} and {{{{k}}}}?"
answer = "n + k + {more} * n / n"
why = "They add."
[[wrong]]
is = "n + {more} * k / k"
misconception = "half"
say = "You left out {{{{k}}}}."
[[wrong]]
is = "n - k + {more} * n / n"
misconception = "did-not-add"
say = "You took it off."
```
"""
_CHOICE = """\
```ask {id}
kind = "choice"
back = ["{lesson}-taught"]
vary = {{ n = [10, 20, 30, 40], k = [1, 2, 3] }}
prompt = "What do {{{{n}}}} and {{{{k}}}} make?"
answer = "sum"
why = "They add."
[[options]]
id = "sum"
text = "{{{{n + k}}}}"
[[options]]
id = "first"
text = "{{{{n}}}} again"
[[options]]
id = "no"
text = "nothing"
[[wrong]]
is = "first"
misconception = "did-not-add"
say = "You left the first."
[[wrong]]
is = "no"
misconception = "half"
say = "They do make something."
```
"""
_TABLE = """\
```live {id}-picture
show = "all-reduce"
workers = 3
length = 3
seed = 1
```
```ask {id}
kind = "table"
live = "{id}-picture"
live_with = {{ seed = "seed" }}
cells = "step=1"
back = ["{lesson}-taught"]
vary = {{ seed = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] }}
prompt = "What comes after step 1?"
why = "It adds."
[[wrong]]
at = "worker=1 chunk=0"
is = "cell step=0 worker=1 chunk=0"
misconception = "did-not-add"
say = "That is the start."
[[wrong]]
at = "worker=1 chunk=0"
is = "cell step=0 worker=0 chunk=0"
misconception = "did-not-add"
say = "That is what came."
```
"""


def _lesson(id: str) -> str:
    return (
        f'+++\nid = "{id}"\ntitle = "Lesson {id}"\nabout = "About {id}."\nneeds = []\n+++\n'
        f"## First of {id} {{#{id}-first}}\n\nRead this.\n\n## Taught in {id} {{#{id}-taught}}\n\nAnd this.\n"
    )


@pytest.fixture
def exam_course(tmp_path: Path) -> Path:
    """The folder of the course; its problems are ID-a and ID-b of each lesson ID."""
    folder = tmp_path / "exam-course"
    folder.mkdir()
    (folder / "course.toml").write_text(
        f'title = "A course"\nlessons = {list(LESSONS)}\nexamination = "finals"\n\n'
        '[misconceptions]\nhalf = "Half will do."\ndid-not-add = "A step replaces."\n'.replace("'", '"')
    )
    problems = ['+++\nid = "finals"\ntitle = "The end"\nabout = "Ten problems."\nneeds = []\n+++\n']
    for lesson in LESSONS:
        (folder / lesson).mkdir()
        (folder / lesson / "lesson.md").write_text(_lesson(lesson))
        for letter, form in (("a", _NUMBER), ("b", {"two": _CHOICE, "three": _TABLE}.get(lesson, _NUMBER))):
            id = f"{lesson}-{letter}"
            more = 1000 if letter == "b" else 0
            problems.append(f"## Asked {id} {{#asked-{id}}}\n" + form.format(id=id, lesson=lesson, more=more))
    (folder / "finals").mkdir()
    (folder / "finals" / "problems.md").write_text("".join(problems))
    return folder


@pytest.fixture
def right_answer() -> Callable[..., str]:
    """What to type for a problem as it is asked, so that it is right."""

    def typed(course: object, asked: object) -> str:
        from tutor.answers.judge import truth
        from tutor.answers.tables import show_rows
        from tutor.course.model import Course
        from tutor.examination.room import Asked

        assert isinstance(course, Course)
        assert isinstance(asked, Asked)
        value = truth(course, asked.question, asked.seed).value
        return show_rows(value) if isinstance(value, list) else str(value)

    return typed
