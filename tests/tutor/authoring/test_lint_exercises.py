"""Exercises run by the linter: a solution has to pass, a task and every mutant have to fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tutor.authoring.lint import Problem, lint

LESSON = """\
+++
id = "one"
title = "One"
about = "Doubling."
+++
## Write {#write}
```code double
title = "Double"
prompt = "Write `double`."
hints = ["Add it to itself."]
```
"""
CHECK = """\
def cases(seed):
    yield "two", {"number": 2}, None
    yield "five", {"number": 5}, None

def expected(arguments):
    return 2 * arguments["number"]
"""
FILES = {
    "task.py": "def double(number):\n    raise NotImplementedError\n",
    "solution.py": "def double(number):\n    return number + number\n",
    "check.py": CHECK,
    "mutants/square.py": "def double(number):\n    return number * number\n",
    "mutants/same.py": "def double(number):\n    return number\n",
    "mutants/none.py": "def double(number):\n    pass\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "course.toml").write_text('title = "T"\nlessons = ["one"]\n')
    exercise = tmp_path / "one" / "exercises" / "double"
    (exercise / "mutants").mkdir(parents=True)
    (tmp_path / "one" / "lesson.md").write_text(LESSON)
    for name, text in FILES.items():
        (exercise / name).write_text(text)
    return tmp_path


def told(problems: list[Problem]) -> list[str]:
    return [f"{problem.place.file.name}:{problem.place.line}: {problem.message}" for problem in problems]


def test_a_sound_exercise_has_no_problem(folder: Path) -> None:
    assert told(lint(folder)) == []


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("solution.py", FILES["mutants/square.py"], "solution.py:1: double: the solution fails: "),
        ("solution.py", "def double(number:\n", "solution.py:1: double: the solution fails: "),
        ("task.py", FILES["solution.py"], "task.py:1: double: this file passes; a task or mutant must fail"),
        ("mutants/same.py", FILES["solution.py"], "same.py:1: double: this file passes; a task or mutant must fail"),
        ("check.py", "cases = 3\n", "solution.py:1: double: could not be checked: "),
        ("check.py", None, "lesson.md:7: double: no file exercises/double/check.py"),
        ("mutants/same.py", None, "lesson.md:7: double: 2 in exercises/double/mutants; at least 3 wrong files"),
    ],
)
def test_an_exercise_that_is_not_sound_is_named(folder: Path, name: str, text: str | None, problem: str) -> None:
    file = folder / "one" / "exercises" / "double" / name
    if text is None:
        file.unlink()
    else:
        file.write_text(text)
    assert any(line.startswith(problem) for line in told(lint(folder))), told(lint(folder))


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ('hints = ["Add it to itself."]\n', "", "double: no hints"),
        ('"Add it to itself."', '"Add it to itself.", " "', "double: an empty hint"),
        ("Write `double`.", "Write 8 bytes.", "'8 bytes' is typed in; name the quantity in "),
        ("Write `double`.", "In {{ring.steps workers=0}} steps.", "double: {{ring.steps workers=0}}: "),
        ("Write `double`.", "In {{ring.bytes_sent workers=3 bytes=24 | B}} bytes.", "'32 B bytes' says the unit twice"),
        ("Write `double`.", "In {{ring.steps", "double: {{ is not closed by }}"),
    ],
)
def test_the_words_of_an_exercise_are_looked_at(folder: Path, before: str, after: str, problem: str) -> None:
    assert before in LESSON
    (folder / "one" / "lesson.md").write_text(LESSON.replace(before, after))
    (line,) = told(lint(folder, exercises=False))
    assert line.startswith(f"lesson.md:7: {problem}")


def test_files_may_be_left_unrun(folder: Path) -> None:
    exercise = folder / "one" / "exercises" / "double"
    (exercise / "solution.py").write_text(FILES["mutants/square.py"])
    assert lint(folder, exercises=False) == []
    (exercise / "task.py").unlink()
    assert told(lint(folder, exercises=False)) == ["lesson.md:7: double: no file exercises/double/task.py"]


def test_a_lesson_that_names_an_exercise_without_a_folder(folder: Path) -> None:
    (folder / "one" / "lesson.md").write_text(LESSON.replace("code double", "code treble"))
    assert told(lint(folder)) == [
        "lesson.md:7: treble: no file exercises/treble/task.py",
        "lesson.md:7: treble: no file exercises/treble/solution.py",
        "lesson.md:7: treble: no file exercises/treble/check.py",
        "lesson.md:7: treble: 0 in exercises/treble/mutants; at least 3 wrong files that the check must refuse are "
        "asked for",
    ]
