"""What the README shows works as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tutor.authoring.lint import lint
from tutor.cli.main import main

README = (Path(__file__).parent.parent.parent / "README.md").read_text(encoding="utf-8")


def block(language: str, number: int = 0) -> str:
    """The README's code block of a language; four backticks hold blocks of three."""
    return re.findall(rf"^(`{{3,4}}){language}\n(.*?)^\1$", README, re.M | re.S)[number][1]


def test_the_lesson_shown_has_no_mistakes(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text(block("toml"), encoding="utf-8")
    (tmp_path / "doubling").mkdir()
    (tmp_path / "doubling" / "lesson.md").write_text(block("markdown"), encoding="utf-8")
    assert lint(tmp_path) == []


def test_the_check_shown_tells_right_from_wrong(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text(block("toml"), encoding="utf-8")
    folder = tmp_path / "doubling" / "exercises" / "double_all"
    (folder / "mutants").mkdir(parents=True)
    step = """
## Write it {#doubling-write}

```code double_all
title = "Double them"
prompt = "Return every number doubled."
hints = ["Two times each."]
why = "One by one."
```
"""
    (tmp_path / "doubling" / "lesson.md").write_text(block("markdown") + step, encoding="utf-8")
    (folder / "check.py").write_text(block("python"), encoding="utf-8")
    bodies = {
        "solution": "[2 * number for number in numbers]",
        "task": "numbers",
        "mutants/once": "numbers[:1] * 2",
        "mutants/squared": "[number**3 for number in numbers]",
        "mutants/summed": "[sum(numbers) * 3]",
    }
    for name, body in bodies.items():
        (folder / f"{name}.py").write_text(f"def double_all(numbers):\n    return {body}\n", encoding="utf-8")
    assert lint(tmp_path) == []


def test_the_engine_does_what_its_example_says() -> None:
    example = block("python", 1)
    names: dict[str, object] = {}
    exec(example, names)
    for line in example.splitlines():
        code, _, said = line.partition("# ")
        if code.strip() and said.startswith(("[", "'")):
            assert repr(eval(code, names)) == said, line


@pytest.mark.parametrize("line", [line[2:] for line in block("console").splitlines()])
def test_each_command_shown_works(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program, *argv = line.split()
    assert program == "worldsize"
    assert main(argv) == 0


def test_the_pictures_shown_exist() -> None:
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", README)
    assert pictures
    for picture in pictures:
        assert (Path(__file__).parent.parent.parent / picture).is_file(), picture
