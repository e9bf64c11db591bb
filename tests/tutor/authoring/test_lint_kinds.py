"""The linter on grids, on tables with empty cells, and on known wrong answers that are of another kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tutor.authoring.lint import lint

FRONT = '+++\nid = "one"\ntitle = "One"\nabout = "About one."\n+++\n'
COURSE = 'title = "T"\nlessons = ["one"]\n[misconceptions]\nhalf = "Half."\n'
WRONG = '[[wrong]]\nat = "{at}"\nis = "{match}"\nmisconception = "half"\nsay = "{say}"\n'
ASKED = 'prompt = "Fill in {{1 + 1}}."\nhints = ["Look."]\nwhy = "So."\n'

GRID = f"""{FRONT}\
## Grid {{#grid}}
```live slots
show = "pipeline"
stages = 2
micro_batches = 3
forward_only = true
```
```ask row
kind = "grid"
live = "slots"
cells = "rank=1"
{ASKED}\
{WRONG.format(at="rank=1 slot=0", match="1F0", say="Not yet.")}\
{WRONG.format(at="rank=1 slot=2", match="1F0", say="That was before.")}\
```
"""
TABLE = f"""{FRONT}\
## Table {{#table}}
```live slice
show = "reduce-scatter"
values = [[1, 2], [10, 20]]
step = 1
```
```ask held
kind = "table"
live = "slice"
cells = "step=0 worker=0"
given = {{ op = "sum" }}
{ASKED}\
{WRONG.format(at="worker=0 chunk=0", match="cell step=0 worker=1 chunk=0", say="Another's.")}\
{WRONG.format(at="worker=0 chunk=1", match="cell step=0 worker=1 chunk=1", say="Another's, no {{op}}.")}\
```
"""
NUMBER = f"""{FRONT}\
## Number {{#number}}
```ask steps
kind = "number"
given = {{ op = "sum" }}
answer = "ring.steps workers=4"
{ASKED}\
[[wrong]]
is = "[ring.steps workers=4] / 2"
misconception = "half"
say = "One phase of {{{{op}}}}."
[[wrong]]
is = "[ring.steps workers=5]"
misconception = "half"
say = "One too many."
```
"""
CHOICE = f"""{FRONT}\
## Choice {{#choice}}
```live shown
show = "zero"
```
```ask which
kind = "choice"
answer = "a"
options = [{{ id = "a", text = "A" }}, {{ id = "b", text = "B" }}, {{ id = "c", text = "C" }}]
{ASKED}\
[[wrong]]
is = "b"
misconception = "half"
say = "No."
[[wrong]]
is = "c"
misconception = "half"
say = "No."
```
## Again {{#again}}
```live other
show = "zero"
```
"""


def told(folder: Path, lesson: str) -> list[tuple[str, str]]:
    """The text of the line that is named, and the message."""
    (folder / "course.toml").write_text(COURSE)
    (folder / "one").mkdir(exist_ok=True)
    (folder / "one" / "lesson.md").write_text(lesson)
    lines = lesson.split("\n")
    return [(lines[problem.place.line - 1], problem.message) for problem in lint(folder)]


@pytest.mark.parametrize("lesson", [GRID, TABLE, NUMBER, CHOICE])
def test_nothing_is_found_where_nothing_is_wrong(tmp_path: Path, lesson: str) -> None:
    assert told(tmp_path, lesson) == []


@pytest.mark.parametrize(
    ("lesson", "before", "after", "line", "message"),
    [
        (GRID, 'slot=2"\nis = "1F0"', 'slot=2"\nis = "1F1"', "[[wrong]]", "row: wrong 2 is what the cell holds"),
        (GRID, 'slot=2"\nis = "1F0"', 'slot=0"\nis = "1F0"', "[[wrong]]", "row: wrong 2 is the same as wrong 1"),
        (GRID, 'is = "1F0"', 'is = "two words"', "[[wrong]]", "row: wrong 1: 'two words' is nothing that a slot"),
        (GRID, 'is = "1F0"', 'is = "1X0"', "[[wrong]]", "row: wrong 1: '1X0' is nothing that a slot holds; accepted: "),
        (GRID, 'at = "rank=1 slot=2"', 'at = "rank=0 slot=2"', "[[wrong]]", "row: wrong 2: 'rank=0 slot=2' names none"),
        (TABLE, "reduce-scatter", "all-gather", 'cells = "step=0 worker=0"', "held: a table asks for numbers, and"),
        (TABLE, "cell step=0 worker=1 chunk=0", "op", "[[wrong]]", "held: wrong 1: comes to 'sum', which is no number"),
        (NUMBER, '"[ring.steps workers=5]"', '"op"', "[[wrong]]", "steps: wrong 2 comes to 'sum', which is no number"),
        (CHOICE, 'is = "b"', 'is = ","', "[[wrong]]", "which: wrong 1 names no option"),
        (CHOICE, "```live other", "```live shown", "```live shown", "live picture 'shown' is there already, in one"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line(
    tmp_path: Path, lesson: str, before: str, after: str, line: str, message: str
) -> None:
    assert before in lesson
    found = told(tmp_path, lesson.replace(before, after, 1))
    assert any(at == line and said.startswith(message) for at, said in found), found
