"""What the README shows works as it stands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tutor.cli.main import main

README = (Path(__file__).parent.parent.parent / "README.md").read_text(encoding="utf-8")


AUTHORING = README.split("\n## Write a lesson\n")[1].split("\n## ")[0]


def blocks(language: str, text: str = README) -> list[str]:
    """The code blocks of a language; four backticks hold blocks of three."""
    return [found[1] for found in re.findall(rf"^(`{{3,4}}){language}\n(.*?)^\1$", text, re.M | re.S)]


def commands(text: str) -> list[list[str]]:
    """The words of each command that a console block shows."""
    return [shlex.split(line.removeprefix("$ ")) for line in text.splitlines()]


def run(words: list[str]) -> int:
    program, *argv = words
    assert program == "worldsize"
    return main(argv)


def test_from_an_empty_folder_to_a_lesson_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    begin, end = blocks("console", AUTHORING)
    for words in commands(begin):
        assert run(words) == 0, words
    # What is shown is put in the place of the block with the same name
    file = tmp_path / "my-course" / "two-phases" / "lesson.md"
    shown = blocks("markdown", AUTHORING)
    assert [block.split()[0] for block in shown] == ["```live", "```ask"]
    for block in shown:
        text = file.read_text(encoding="utf-8")
        head = block.splitlines()[0]
        old = re.findall(rf"^{head}\n.*?^```\n", text, re.M | re.S)
        assert len(old) == 1, head
        file.write_text(text.replace(old[0], block), encoding="utf-8")
    (path,) = re.findall(r"`(exercises/\S+/mutants/\S+\.py)`", AUTHORING)
    (mutant,) = blocks("python", AUTHORING)
    (file.parent / path).write_text(mutant, encoding="utf-8")
    capsys.readouterr()
    for words in commands(end):
        assert run(words) == 0, words
    said = capsys.readouterr().out
    assert said.count("No mistakes found.") == 2
    assert "new ids published" in said


def test_what_the_section_promises_is_there() -> None:
    from tutor.authoring.lesson_template import LESSON, MISCONCEPTIONS

    for name in re.findall(r'misconception = "(\S+)"', AUTHORING):
        assert name in MISCONCEPTIONS
    assert "cell step=1 worker=1 chunk=0" in LESSON
    assert "```code @name@_mean" in LESSON


def test_the_engine_does_what_its_example_says() -> None:
    example = blocks("python")[-1]
    names: dict[str, object] = {}
    exec(example, names)
    for line in example.splitlines():
        code, _, said = line.partition("# ")
        if code.strip() and said.startswith(("[", "'")):
            assert repr(eval(code, names)) == said, line


@pytest.mark.parametrize("words", commands(blocks("console")[0]), ids=" ".join)
def test_each_command_shown_works(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(words) == 0


def test_the_pictures_shown_exist() -> None:
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", README)
    assert pictures
    for picture in pictures:
        assert (Path(__file__).parent.parent.parent / picture).is_file(), picture


def test_the_deadlock_shown_is_what_a_check_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (shown,) = (block for block in blocks("text") if "Deadlock" in block)
    mutants = Path(__file__).parents[2] / "lessons/ring/exercises/ring_all_reduce_worker/mutants"
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert main(["check", str(mutants / "all_send_first.py"), "--exercise", "ring_all_reduce_worker"]) == 1
    said = capsys.readouterr().out
    assert shown.rstrip() in said
