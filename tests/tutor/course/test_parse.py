"""Lesson files read, and every fault of one named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.course.model import CourseError, Exercise, Live, Option, Prose, Question, Wrong
from tutor.course.parse import parse_lesson, read_text

FILE = Path("ring/lesson.md")
FRONT = """\
+++
id = "ring"
title = "The ring"
about = "Who sends what to whom."
minutes = 25
needs = ["collectives"]
+++
"""
LESSON = (
    FRONT
    + """
## Pass one chunk {#one-chunk}

Each worker sends {{ring.steps workers=3}} times.

```python
## not a step {#no}
```

After the code.

```live first-ring
show = "all-reduce"
algorithm = "ring"
workers = 3
step = 1
```

Before the question.

```ask ring-first-add
kind = "number"
prompt = "What is worker 1's first number?"
live = "first-ring"
answer = "cell step=1 worker=1 chunk=0"
hints = ["Who sends to it?", "Worker 0 does."]
why = "It adds."
given = { n = 4, name = "ring" }

[[wrong]]
is = "cell step=0 worker=1 chunk=0"
misconception = "did-not-add"
say = "That is the start."

[[wrong]]
is = "cell step=0 worker=0 chunk=0"
misconception = "passes-without-adding"
say = "That is what came."
```

After the question.

## Write it {#write-it}

```code ring_all_reduce
title = "A ring"
prompt = "Write it."
hints = ["Begin."]
```
"""
)


def parse(text: str) -> object:
    return parse_lesson(text, FILE)


def test_a_lesson_is_read_in_order() -> None:
    lesson = parse_lesson(LESSON, FILE)
    assert (lesson.id, lesson.title, lesson.about) == ("ring", "The ring", "Who sends what to whom.")
    assert (lesson.minutes, lesson.needs, lesson.folder) == (25, ("collectives",), Path("ring"))
    first, second = lesson.steps
    assert (first.id, first.title, first.place.line) == ("one-chunk", "Pass one chunk", 9)
    kinds = [type(block) for block in first.blocks]
    assert kinds == [Prose, Live, Prose, Question, Prose]
    prose = first.blocks[0]
    assert isinstance(prose, Prose)
    assert prose.text.startswith("Each worker sends {{ring.steps workers=3}} times.")
    assert "## not a step {#no}" in prose.text
    assert prose.text.endswith("After the code.")
    assert prose.place.line == 11
    assert second.exercise == Exercise(
        "ring_all_reduce",
        "A ring",
        Path("ring/exercises/ring_all_reduce"),
        "Write it.",
        ("Begin.",),
        "",
        second.exercise.place if second.exercise else None,  # type: ignore[arg-type]
    )


def test_a_live_block_keeps_its_parameters() -> None:
    live = parse_lesson(LESSON, FILE).steps[0].live
    assert live is not None
    assert (live.id, live.topic, live.step, live.place.line) == ("first-ring", "all-reduce", 1, 19)
    assert dict(live.parameters) == {"algorithm": "ring", "workers": 3}


def test_a_question_knows_the_lines_of_its_keys() -> None:
    question = parse_lesson(LESSON, FILE).steps[0].question
    assert question is not None
    assert question.answer == "cell step=1 worker=1 chunk=0"
    assert question.given == {"n": 4, "name": "ring"}
    assert question.hints == ("Who sends to it?", "Worker 0 does.")
    assert question.at("answer").line == 32
    assert [wrong.place.line for wrong in question.wrong] == [37, 42]
    assert question.wrong[0] == Wrong(
        "cell step=0 worker=1 chunk=0", "did-not-add", "That is the start.", question.wrong[0].place
    )


@pytest.mark.parametrize("key", ["options", "option"])
def test_options_may_be_tables_or_inline(key: str) -> None:
    tables = f'[[{key}]]\nid = "a"\ntext = "A"\n[[{key}]]\nid = "b"\ntext = "B"\n'
    inline = f'{key} = [{{ id = "a", text = "A" }}, {{ id = "b", text = "B" }}]\n'
    for options in (tables, inline):
        text = ask(f'kind = "choice"\nprompt = "P"\nanswer = "a"\n{options}')
        question = parse_lesson(text, FILE).steps[0].question
        assert question is not None
        assert question.options == (Option("a", "A"), Option("b", "B"))


def ask(toml: str) -> str:
    """A lesson with one question; the block's first line of TOML is line 10."""
    return f"{FRONT}## S {{#s}}\n```ask q\n{toml}\n```\n"


NUMBER = 'kind = "number"\nprompt = "P"\nanswer = "n"\n'


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "a lesson begins with a line +++, its TOML and another line +++"),
        ("+++\nid = 'x'\n", 1, "the front matter has no closing line +++"),
        ("+++\nid = 'x'\ntitle = \n+++\n", 3, "not TOML: Invalid value"),
        ("+++\nid = 'x'\ntitle = 'T'\nabuot = 'A'\n+++\n## S {#s}\n", 4, "front matter: unknown key 'abuot'"),
        ("+++\ntitle = 'T'\n+++\n", 1, "front matter: 'id' is missing"),
        (
            "+++\nid = 'x'\ntitle = 'T'\nminutes = 'long'\n+++\n",
            4,
            "front matter: minutes is 'long'; accepted: a whole",
        ),
        (FRONT, 8, "a lesson without steps"),
        (FRONT + "\nprose\n", 9, "text before the first step"),
        (FRONT + "## No id\n", 8, "step 'No id' has no id; write ## Title {#step-id}"),
        (FRONT + "## Bad {#a b}\n", 8, "step id 'a b'"),
        (FRONT + "## S {#s}\n\n```ask q\nkind = 'number'\n", 10, "this block has no closing line ```"),
        (FRONT + "## S {#s}\n```ask\n```\n", 9, "this ask block has no id; write ```ask some-id"),
        (FRONT + "## S {#s}\n```live p\n```\n", 9, "live p: 'show' is missing"),
        (ask('kind = "nubmer"'), 10, "ask q: kind is 'nubmer'; accepted: number, choice, choices, order, table, grid"),
        (ask('kind = "number"\nprompt = "P'), 11, "not TOML: "),
        (ask('kind = "number"\nprompt = """P'), 11, "not TOML: "),
        (ask('kind = "number"\nprompt = P\nanswer = "n"\nwhy = "W"'), 11, "not TOML: Invalid value"),
        (ask('kind = "number"\nkind = "choice"\nanswer = "n"'), 11, "not TOML: Cannot overwrite a value"),
        (ask(NUMBER + 'hint = "one"'), 13, "ask q: unknown key 'hint'; accepted: kind, given, vary, prompt"),
        (ask('kind = "number"\nprompt = ""\n'), 11, "ask q: 'prompt' is empty"),
        (ask('kind = "number"\nprompt = "P"\n'), 9, "ask q: 'answer' is missing"),
        (ask(NUMBER + "hints = 'one'"), 13, "ask q: hints is 'one'; accepted: a list of texts"),
        (ask(NUMBER + "tolerance = 2"), 13, "ask q: tolerance is 2; accepted: a share of the value"),
        (ask(NUMBER + "vary = { n = 3 }"), 13, "ask q: n is 3; accepted: a list of values, such as n = [2, 4, 8]"),
        (ask(NUMBER + "given = { n = 1 }\nvary = { n = [1] }"), 14, "ask q: 'n' is both given and varied"),
        (ask(NUMBER + "given = { cell = 1 }"), 13, "ask q: 'cell' cannot be a variable"),
        (ask(NUMBER + "given = { n = true }"), 13, "ask q: n is True; accepted: a number or text"),
        (ask(NUMBER + "given = { n = nan }"), 13, "ask q: n is nan; accepted: a number or text"),
        (ask(NUMBER + 'cells = "step=1"'), 13, "ask q: a number has no cells to fill; accepted for table and grid"),
        (ask(NUMBER + '[[wrong]]\nis = "n"\nsay = "no"'), 13, "ask q: wrong 1: 'misconception' is missing"),
        (
            ask(NUMBER + '[[wrong]]\nis = "n"\nat = "x=1"\nmisconception = "m"\nsay = "no"'),
            13,
            "ask q: 'at' names a cell",
        ),
        (ask('kind = "table"\nprompt = "P"\ncells = "step=1"'), 9, "ask q: a table needs 'live'"),
        (ask('kind = "table"\nprompt = "P"\nanswer = "1"'), 12, "ask q: a table has no answer"),
        (ask('kind = "choice"\nprompt = "P"\nanswer = "a"'), 9, "ask q: a choice needs two options or more"),
        (
            ask('kind = "choice"\nprompt = "P"\nanswer = "c"\noptions = [{id="a",text="A"},{id="b",text="B"}]'),
            12,
            "ask q: no option 'c'; there are: a, b",
        ),
        (
            ask('kind = "order"\nprompt = "P"\nanswer = "a"\noptions = [{id="a",text="A"},{id="b",text="B"}]'),
            12,
            "ask q: an order names every option once: a, b",
        ),
        (
            ask('kind = "choice"\nprompt = "P"\nanswer = "a"\noptions = [{id="a",text="A"},{id="a",text="B"}]'),
            13,
            "ask q: two options have the same id",
        ),
        (
            FRONT + "## S {#s}\n```live a\nshow = 'zero'\n```\n```live b\nshow = 'zero'\n```\n",
            12,
            "a second live picture in one step; begin another step before it",
        ),
    ],
)
def test_a_fault_is_named_with_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(CourseError) as caught:
        parse(text)
    assert caught.value.message.startswith(message), caught.value.message
    assert (caught.value.place.line, caught.value.place.file) == (line, FILE)


def test_line_ends_and_a_byte_order_mark_make_no_difference(tmp_path: Path) -> None:
    file = tmp_path / "lesson.md"
    file.write_bytes(b"\xef\xbb\xbf" + LESSON.replace("\n", "\r\n").encode())
    assert parse_lesson(read_text(file), FILE) == parse_lesson(LESSON, FILE)


def test_files_that_cannot_be_read_say_why(tmp_path: Path) -> None:
    latin = tmp_path / "latin.md"
    latin.write_bytes(b"+++\nid = 'caf\xe9'\n+++\n")
    big = tmp_path / "big.md"
    big.write_bytes(b"a" * 1_000_001)
    for file, line, message in [
        (tmp_path / "none.md", 1, "no such file"),
        (tmp_path, 1, "not a file"),
        (latin, 2, "not UTF-8 text"),
        (big, 1, "larger than 1,000,000 bytes"),
    ]:
        with pytest.raises(CourseError) as caught:
            read_text(file)
        assert (caught.value.place.line, caught.value.message) == (line, message)


_LINES = st.sampled_from(
    [
        *("+++", "id = 'x'", "title = 'T'", "## S {#s}", "## S", "```ask q", "```live p", "```code c", "```"),
        *("~~~", "````", "kind = 'number'", "kind = 'choice'", "prompt = 'P'", "answer = 'n'", "show = 'zero'"),
        *("[[wrong]]", "is = 'n'", "vary = {n=[1,2]}", "given = {", "options = [{}]", "{{n}}", "prose", ""),
        *("[[[[", '"""', "minutes = 99999999999"),
    ]
)


@settings(deadline=None)
@given(st.lists(_LINES | st.text(max_size=20), max_size=30).map("\n".join) | st.text(max_size=200))
def test_any_text_is_a_lesson_or_a_fault_with_a_line_of_it(text: str) -> None:
    text = text.replace("\r", "\n")
    for whole in (text, FRONT + text, f"{FRONT}## S {{#s}}\n```ask q\n{text}\n```\n"):
        line = 1
        try:
            parse_lesson(whole, FILE)
        except CourseError as error:
            line = error.place.line
        assert 1 <= line <= whole.count("\n") + 1
