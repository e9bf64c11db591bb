"""The linter: one mistake at a time, each named with its line, and none in a course without one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.authoring.lint import Problem, lint
from tutor.course.model import Place

COURSE = """\
title = "A course"
lessons = ["ring"]

[misconceptions]
did-not-add = "A step replaces."
half = "Half will do."
"""
# Line numbers below are those of this text
LESSON = """\
+++
id = "ring"
title = "The ring"
about = "Who sends what to whom."
needs = []
+++
## First {#first}

Each of 3 workers sends {{ring.bytes_sent workers=3 bytes=24 | B}}; a card has \\80 GB.

```live picture
show = "all-reduce"
values = [[1, 2, 3], [10, 20, 30], [100, 200, 300]]
```
```ask steps
kind = "number"
vary = { n = [4, 8] }
prompt = "How many steps do {{n}} workers take?"
answer = "ring.steps workers=n"
hints = ["There are two phases."]
why = "Twice {{n - 1}}."
[[wrong]]
is = "n"
misconception = "half"
say = "Not {{n}}."
[[wrong]]
is = "[ring.steps workers=n] / 2"
misconception = "half"
say = "That is one phase."
```
## Second {#second}
```ask row
kind = "table"
live = "picture"
cells = "step=1"
prompt = "Fill in."
hints = ["Only one cell a row changes."]
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
## Third {#third}
```ask which
kind = "choice"
prompt = "Which?"
answer = "a"
hints = ["Think."]
why = "So."
options = [{ id = "a", text = "A" }, { id = "b", text = "B" }, { id = "c", text = "C" }]
[[wrong]]
is = "b"
misconception = "half"
say = "No."
[[wrong]]
is = "c"
misconception = "half"
say = "No."
```
"""
STEPS = "ring.steps workers=n"
CELL = "cell step=0 worker=1 chunk=0"
WRONG_B = '[[wrong]]\nis = "b"\nmisconception = "half"\nsay = "No."\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "course.toml").write_text(COURSE)
    (tmp_path / "ring").mkdir()
    (tmp_path / "ring" / "lesson.md").write_text(LESSON)
    return tmp_path


def found(folder: Path, before: str = "", after: str = "", *, file: str = "ring/lesson.md") -> list[Problem]:
    """What is found once `before` in a file has become `after`."""
    path = folder / file
    text = path.read_text()
    assert text.count(before) >= 1, before
    path.write_text(text.replace(before, after, 1))
    return lint(folder)


def test_nothing_is_found_where_nothing_is_wrong(folder: Path) -> None:
    assert lint(folder) == []


@pytest.mark.parametrize(
    ("before", "after", "line", "message"),
    [
        # Files and ids
        ('id = "ring"', 'id = "rang"', 2, "id 'rang' is not the name of its folder, 'ring'"),
        ('about = "Who sends what to whom."\n', "", 1, "no about: the sentence that the home screen shows"),
        ("{#second}", "{#first}", 31, "step 'first' is there already, in ring, line 7"),
        ("```ask which", "```ask row", 51, "question or exercise 'row' is there already, in ring, line 32"),
        ("kind = ", "knid = ", 15, "ask steps: 'kind' is missing"),
        # Prose
        ("3 workers", "3 workers of 24 B", 9, "'24 B' is typed in; name the quantity in {{…}}, or write \\24 B"),
        ("\\80 GB", "80 GB", 9, "'80 GB' is typed in"),
        ("3 workers", "50% of the workers", 9, "'50%' is typed in"),
        ("3 workers", "2× the workers", 9, "'2×' is typed in"),
        ('"There are two phases."', '"They take 5 ms."', 20, "'5 ms' is typed in"),
        ('"Fill in."', '"Fill in 8 bytes."', 36, "'8 bytes' is typed in"),
        ('say = "No."', 'say = "No, 3 GB."', 58, "'3 GB' is typed in"),
        ('text = "B"', 'text = "3 GB"', 57, "'3 GB' is typed in"),
        ('title = "The ring"', 'title = "The ring in 5 s"', 3, "'5 s' is typed in"),
        ("ring.bytes_sent", "ring.bytes", 9, "{{ring.bytes workers=3 bytes=24 | B}}: ring.bytes: quantity is"),
        ("workers=3 bytes", "wrokers=3 bytes", 9, "{{ring.bytes_sent wrokers=3 bytes=24 | B}}: ring.bytes_sent: "),
        ("bytes=24 | B", "bytes=24 | Q", 9, "{{ring.bytes_sent workers=3 bytes=24 | Q}}: 'Q' is no format"),
        ("| B}};", "| B}} bytes;", 9, "'32 B bytes' says the unit twice; write | , after the quantity"),
        ("Each of", "Each `of` {{n}}", 9, "{{n}}: 'n': no variable is called 'n'; there are none"),
        # Pictures
        ('show = "all-reduce"', 'show = "opera"', 11, "live picture: topic is 'opera'; accepted: all-reduce"),
        ("values = [[1", "wrokers = [[1", 11, "live picture: a parameter of all-reduce is 'wrokers'"),
        ("show = ", "step = 5\nshow = ", 11, "live picture: step is 5; accepted: a whole number from 0 to 4"),
        ('live = "picture"', 'live = "film"', 34, "row: no live picture is called 'film'"),
        ('cells = "step=1"', 'cells = "step=7"', 35, "row: step is 7; accepted: a whole number from 0 to 4"),
        ('cells = "step=1"', 'cells = "step=1 worker=3"', 35, "row: 'step=1 worker=3' names no cell of picture"),
        # Answers
        (STEPS, "14", 19, "steps: answer is typed in (14); name a quantity, a cell or a variable"),
        (f'"{STEPS}"', "14", 19, "steps: answer is typed in (14)"),
        (STEPS, "2 * 7", 19, "steps: answer is typed in (2 * 7)"),
        (STEPS, "ring.steps workers=m", 19, "steps: 'm': no variable is called 'm'; variables are: n"),
        (STEPS, "ring.steps", 19, "steps: ring.steps: workers is missing"),
        (STEPS, "(n", 19, "steps: answer: '(n': a quote or bracket is not closed"),
        (
            STEPS,
            "ring.bytes_sent workers=n bytes=n",
            19,
            "steps: the answer is in bytes; the question needs a unit",
        ),
        ('is = "n"', 'is = "7"', 22, "steps: wrong 1 is typed in (7)"),
        ('is = "n"', 'is = "m"', 22, "steps: wrong 1: 'm': no variable is called 'm'; variables are: n"),
        ('is = "n"', 'is = "2 * (n - 1)"', 22, "steps: wrong 1 comes within tolerance of the right answer (for n=4)"),
        ('is = "n"', 'is = "n - 1"', 26, "steps: wrong 2 comes within tolerance of wrong 1 (for n=4)"),
        ('is = "n"', 'is = "n + 6"', 22, "steps: wrong 1 comes within tolerance of the right answer (for n=8)"),
        ('is = "n"', 'is = "1 / (n - 8)"', 22, "steps: wrong 1: '1 / (n - 8)': it divides by zero (for n=8)"),
        ('hints = ["There are two phases."]\n', "", 15, "steps: no hints"),
        ('"There are two phases."', '"There are two phases.", " "', 20, "steps: an empty hint"),
        ('why = "Twice {{n - 1}}."\n', "", 15, "steps: no why: the reason that is told with the answer"),
        ('why = "Twice {{n - 1}}."', 'why = "Twice {{k - 1}}."', 21, "{{k - 1}}: 'k - 1': no variable is called 'k'"),
        ('conception = "half"', 'conception = "helf"', 22, "steps: unknown misconception 'helf'; near it: half"),
        ('conception = "half"', 'conception = "xyz"', 22, "steps: unknown misconception 'xyz'; add it to course.toml"),
        ("n = [4, 8] }", "n = [4, 8], k = [1, 2] }", 17, "steps: 'k' varies, but neither prompt nor picture shows it"),
        ("n = [4, 8] }", "n = [4, 8] }\ngiven = { k = 1 }", 18, "steps: nothing uses 'k'"),
        ("vary = { n", 'unit = "gb"\nvary = { n', 17, "steps: unit 'gb' is written GB"),
        ("vary = { n", 'unit = "12"\nvary = { n', 17, "steps: unit '12'; accepted: a unit such as GB, s or %, or a "),
        # Tables
        ('"worker=1 chunk=0"', '"worker=9 chunk=0"', 39, "row: wrong 1: 'worker=9 chunk=0' names none of the cells"),
        ('"worker=1 chunk=0"', '"worker=1"', 39, "row: wrong 1: 'worker=1' names 3 of the cells asked for"),
        (CELL, "cell step=1 worker=1 chunk=0", 39, "row: wrong 1 is what the cell holds"),
        (CELL, "cell step=0 worker=0 chunk=0", 44, "row: wrong 2 is the same as wrong 1"),
        (CELL, "10", 39, "row: wrong 1 is typed in (10)"),
        (CELL, "cell step=0", 39, "row: wrong 1: live picture: 'step=0' selects 9 cells"),
        # Options
        ('is = "b"', 'is = "a"', 58, "which: wrong 1 (a) fits the right answer"),
        ('is = "b"', 'is = "c"', 62, "which: wrong 2 is the same as wrong 1"),
        ('is = "b"', 'is = "b, c"', 58, "which: wrong 1 names 2 options; a choice has one"),
        (WRONG_B, "", 51, "which: 1 [[wrong]]; at least 2 known wrong answers are asked for"),
    ],
)
def test_a_mistake_is_named_with_its_line(folder: Path, before: str, after: str, line: int, message: str) -> None:
    problems = found(folder, before, after)
    told = [(problem.place.line, problem.message) for problem in problems]
    assert any(at == line and said.startswith(message) for at, said in told), told
    assert all(problem.place.file == folder / "ring" / "lesson.md" for problem in problems)


def test_lessons_and_their_list_have_to_agree(folder: Path) -> None:
    problems = found(folder, '["ring"]', '["ring", "zero", "ring"]', file="course.toml")
    place = Place(folder / "course.toml", 2)
    assert Problem(place, "lesson 'zero' is listed, but zero/lesson.md is not there") in problems
    assert Problem(place, "lesson 'ring' is listed twice") in problems
    (folder / "extra").mkdir()
    (folder / "extra" / "lesson.md").write_text("")
    assert Problem(place, "extra/lesson.md is there, but the lesson is not listed") in lint(folder)


def test_a_need_that_does_not_exist_yet_is_a_warning(folder: Path) -> None:
    problems = found(folder, "needs = []", 'needs = ["collectives"]')
    place = Place(folder / "ring" / "lesson.md", 5)
    assert problems == [Problem(place, "needs 'collectives', which is no lesson of this course", warning=True)]


def test_one_lesson_that_cannot_be_read_hides_no_other(folder: Path) -> None:
    found(folder, '["ring"]', '["ring", "zero"]', file="course.toml")
    (folder / "zero").mkdir()
    (folder / "zero" / "lesson.md").write_text("nothing")
    problems = found(folder, "{#second}", "{#first}")
    assert [problem.place.file.parent.name for problem in problems] == ["ring", "zero"]


def test_a_step_may_take_one_screen_and_a_page(folder: Path) -> None:
    paragraph = "\n\n" + "word " * 45
    # Each such paragraph takes three rows and an empty one
    assert found(folder, "Each of", f"{paragraph * 3}\n\nEach of") == []
    problems = found(folder, "Each of", f"{paragraph * 8}\n\nEach of")
    assert [problem.place.line for problem in problems] == [7]
    assert problems[0].message.startswith("step first takes about ")
    assert problems[0].message.endswith(" rows of 76; at most 44 fit one screen and a page")


@pytest.mark.parametrize("text", [None, "title = 3", "\x00", "[[["])
def test_a_folder_that_is_no_course_is_one_problem(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "course.toml").write_text(text)
    assert len(lint(tmp_path)) == 1


_KEYS = st.sampled_from(
    ["kind", "prompt", "answer", "cells", "live", "unit", "tolerance", "hints", "vary", "given", "why", "live_with"]
)
_VALUES = st.sampled_from(
    [
        *('"number"', '"choice"', '"table"', '"grid"', '"order"', '"P {{n}}"', '"ring.steps workers=n"', '"n/0"'),
        *('"cell"', '"cell step=1 worker=0 chunk=0"', '"step=1"', '"picture"', '"GB"', '"%"', "0", "0.5", "[]"),
        *('["{{"]', "{ n = [1] }", "{ n = [0, 9e9] }", "{ n = 3 }", "nan", "true", '"[["', '"{{n | GB}}"', '"a, b"'),
        *('[{ id = "a", text = "A" }]', '{ workers = "n" }'),
    ]
)
_LINES = st.tuples(_KEYS, _VALUES).map(" = ".join) | st.sampled_from(
    [
        *("[[wrong]]", 'is = "n"', 'at = "worker=0"', 'misconception = "half"', 'say = "{{n}}"', "[[options]]"),
        *('id = "a"', "```", ""),
    ]
)
_PIECES = st.sampled_from(
    [
        *("## S {#s}", "```live picture\nshow = 'all-reduce'\n```", "```live p\nshow = 'zero'\nstage = 'x'\n```"),
        *("```live q\nshow = 'pipeline'\nstages = [1]\n```", "{{ring.steps workers=0}}", "3 GB", "`", "{{"),
        *("```code c\n```", "```code ring\nprompt = '{{n}}'\n```"),
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(_LINES, max_size=14), st.lists(_PIECES | st.text(max_size=8), max_size=6), st.text(max_size=30))
def test_whatever_the_files_hold_the_linter_answers(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], pieces: list[str], course: str
) -> None:
    folder = tmp_path_factory.mktemp("course")
    (folder / "ring").mkdir()
    front = LESSON.split("## First")[0]
    block = "\n".join(["```ask q", *lines, "```"])
    text = "\n".join([front, "## A {#a}", block, *pieces])
    (folder / "ring" / "lesson.md").write_bytes(text.encode("utf-8", "surrogatepass"))
    (folder / "course.toml").write_text(COURSE)
    assert all(problem.message and problem.place.line >= 1 for problem in lint(folder, exercises=False))
    (folder / "course.toml").write_bytes(course.encode("utf-8", "surrogatepass"))
    assert lint(folder, exercises=False) or not course.strip()
