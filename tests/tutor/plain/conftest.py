"""A course with a question of every kind and an exercise, and plain mode driven through standard input."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tutor.course.load import load
from tutor.permissions import own_machine
from tutor.plain.run import run
from tutor.progress.store import Store
from tutor.study import Study

_COURSE = Path(__file__).parents[1] / "app" / "course"
_KINDS = """\
+++
id = "kinds"
title = "More kinds"
about = "The other kinds of questions."
minutes = 5
needs = []
+++
## Several {#kinds-several}

A table:

| call | leaves |
|---|---|
| `all-reduce` | **all** of it |
| `reduce-scatter` | a slice |

```ask kinds-choices
kind = "choices"
in_order = true
prompt = "Which of them _add_?"
answer = "all-reduce, reduce-scatter"
hints = ["Two of them."]
why = "Reduce means add."
[[options]]
id = "all-reduce"
text = "all-reduce"
[[options]]
id = "all-gather"
text = "all-gather"
[[options]]
id = "reduce-scatter"
text = "reduce-scatter"
[[wrong]]
is = "all-gather"
misconception = "did-not-add"
say = "A gather adds nothing."
[[wrong]]
is = "!reduce-scatter"
misconception = "did-not-add"
say = "Look at the names."
```
## In order {#kinds-ordered}

```python
gathered = [*pieces]   # kept as it is
```

```ask kinds-order
kind = "order"
prompt = "Bring the phases of an all-reduce into their order."
answer = "scatter, gather"
hints = ["Sums first."]
why = "Only a finished sum is worth copying."
[[options]]
id = "scatter"
text = "reduce-scatter"
[[options]]
id = "gather"
text = "all-gather"
[[wrong]]
is = "gather, scatter"
misconception = "did-not-add"
say = "There is nothing to copy yet."
```
## A grid {#kinds-slots}

```live kinds-pipeline
show = "pipeline"
schedule = "gpipe"
stages = 2
micro_batches = 2
forward_only = true
```
```ask kinds-grid
kind = "grid"
live = "kinds-pipeline"
cells = "rank=1"
prompt = "What does stage 1 do in each slot?"
hints = ["It waits once."]
why = "It needs what stage 0 makes."
[[wrong]]
at = "rank=1 slot=0"
is = "cell rank=0 slot=0"
misconception = "did-not-add"
say = "Nothing has come yet."
```
## A family with a picture {#kinds-family}

```live kinds-ring
show = "all-reduce"
workers = 3
length = 3
seed = 1
```
```ask kinds-varied
kind = "table"
live = "kinds-ring"
live_with = { seed = "seed" }
cells = "step=1"
vary = { seed = [1, 2] }
prompt = "What comes after step 1?"
why = "It adds."
```
"""


_LAST = """\
+++
id = "last"
title = "The last"
about = "A lesson of one step."
minutes = 1
needs = []
+++
## The end {#last-one}

Nothing more.
"""


class Pipe(io.StringIO):
    """Standard output of a test."""

    encoding = "utf-8"


Speak = Callable[..., str]


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """The folder of the course: lessons demo, second, kinds and last."""
    folder = tmp_path / "course"
    shutil.copytree(_COURSE, folder)
    (folder / "kinds").mkdir()
    (folder / "kinds" / "lesson.md").write_text(_KINDS, encoding="utf-8")
    file = folder / "course.toml"
    file.write_text(file.read_text().replace('"second"]', '"second", "kinds", "last"]'))
    assert '"last"]' in file.read_text()
    (folder / "last").mkdir()
    (folder / "last" / "lesson.md").write_text(_LAST, encoding="utf-8")
    return folder


@pytest.fixture
def study(tmp_path: Path, course: Path) -> Iterator[Study]:
    """A learner who has just begun."""
    store = Store(tmp_path / "state" / "progress.db")
    yield Study(load(course), store, tmp_path / "exercises", own_machine())
    store.close()


@pytest.fixture
def speak(study: Study, monkeypatch: pytest.MonkeyPatch) -> Speak:
    """Types these lines into a fresh session of plain mode; gives all that it said."""

    def typed(*lines: str, where: str | None = None) -> str:
        out = Pipe()
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        monkeypatch.setattr("sys.stdout", out)
        run(study, where)
        return out.getvalue()

    return typed
