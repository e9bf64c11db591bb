"""What plain mode writes goes through any pipe and any terminal: no escape sequence, ASCII where need be, wrapped."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tutor.answers.cells import rows
from tutor.answers.tables import show_rows
from tutor.answers.truth import truth
from tutor.cli.main import main
from tutor.course.blocks import WITH_CELLS
from tutor.course.load import load
from tutor.course.model import Course, Lesson
from tutor.plain.paper import Paper
from tutor.study import Study

Speak = Callable[..., str]
ROOT = Path(__file__).parents[3]
COURSE = load()


def lines_of(course: Course, lesson: Lesson) -> list[str]:
    """What to type to take a lesson as a learner does: a wrong answer, a hint, the right one, and on."""
    typed = [f":go {lesson.steps[0].id}"]
    for step in lesson.steps:
        if step.question is not None:
            value = truth(course, step.question).value
            if step.question.kind in WITH_CELLS:
                right = show_rows([[holds for _, holds in row] for row in rows(course, step.question)])
            else:
                right = ", ".join(value) if isinstance(value, list) else str(value)
            typed += [
                "nonsense of no kind",
                ":hint",
                ":+",
                right if step.question.unit != "%" else f"{value * 100} %",
                "",
            ]
        elif step.exercise is not None:
            typed += [":hint", ":start", "", ""]
        else:
            typed.append("")
    return typed


@pytest.fixture
def take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs `plain` of the shipped course on a pipe with this encoding, as the command line does."""

    def run(lines: list[str], encoding: str = "utf-8") -> str:
        raw = io.BytesIO()
        out = io.TextIOWrapper(raw, encoding=encoding, write_through=True)
        monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "home"))
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        monkeypatch.setattr("sys.stdout", out)
        assert main(["plain"]) == 0
        return raw.getvalue().decode(encoding)

    return run


@pytest.mark.parametrize("lesson", COURSE.lessons, ids=lambda lesson: lesson.id)
def test_a_whole_lesson_on_a_pipe(lesson: Lesson, take: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "C")
    monkeypatch.delenv("LC_ALL", raising=False)
    said = take(lines_of(COURSE, lesson))
    asked = [step.question for step in lesson.steps if step.question is not None]
    assert said.count("\nRight: ") == len(asked)
    assert " ".join(said.split()).count("That does not count as a try.") == len(asked)
    assert said.isascii()
    assert all(sign == "\n" or sign.isprintable() for sign in said)
    wide = [line for line in said.splitlines() if len(line) > 80]
    assert all(line.startswith("    ") or "/" in line for line in wide), wide  # code, and names of files
    assert f"The end of {lesson.title}: " in said
    assert "cannot be shown" not in said


def test_nothing_of_the_course_is_unknown_in_ascii() -> None:
    from tutor.course.model import Prose
    from tutor.views.ascii import spelled

    for lesson in COURSE.lessons:
        for step in lesson.steps:
            for block in step.blocks:
                texts = [block.text] if isinstance(block, Prose) else []
                if step.question is not None:
                    texts += [step.question.prompt, step.question.why, *step.question.hints]
                    texts += [wrong.say for wrong in step.question.wrong]
                    texts += [option.text for option in step.question.options]
                for text in texts:
                    assert spelled(text).count("?") == text.count("?"), text


def test_what_is_not_ascii_is_written_where_the_locale_takes_it(
    take: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    typed = [":go", ":lessons", ":find utilisation"]
    assert take(typed) != ""
    with_signs = next(
        step
        for lesson in COURSE.lessons
        for step in lesson.steps
        for block in step.blocks
        if "×" in getattr(block, "text", "")
    )
    assert "×" in take([f":go {with_signs.id}"])
    assert "×" not in take([f":go {with_signs.id}"], encoding="latin-1")


def test_what_a_file_prints_moves_no_cursor(speak: Speak, study: Study) -> None:
    study.start("all_sums")
    path = study.exercise_path("all_sums")
    path.write_text("def all_sums(arrays):\n    print('\\x1b[2Jgone\\x07')\n    raise ValueError('\\x1b]0;title')\n")
    said = speak(":check", ":\x1b[31m", "\x1b[A", where="demo-write")
    assert "gone" in said
    assert all(sign == "\n" or sign.isprintable() for sign in said)


@pytest.mark.parametrize("columns", [20, 40, 132])
def test_lines_are_as_wide_as_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self) -> bool:
            return True

    out = Terminal()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LINES", "24")
    Paper().markdown("word " * 100 + "\n\n- " + "item " * 60 + "\n\n```\ncode " + "x" * 150)
    written = out.getvalue().splitlines()
    longest = max(len(line) for line in written if not line.startswith("    "))
    assert columns - 5 <= longest <= columns
    assert "    code " + "x" * 150 in written
    assert "\x1b" not in out.getvalue()


def test_paragraphs_are_parted_by_one_blank_line(capsys: pytest.CaptureFixture[str]) -> None:
    paper = Paper()
    paper.blank()
    paper.say("one")
    paper.blank()
    paper.blank()
    paper.markdown("two\n\n\n\nthree\n\n- four\n- five")
    assert capsys.readouterr().out == "one\n\ntwo\n\nthree\n\n- four\n- five\n"


def test_it_loads_no_textual_and_ends_well_with_its_input(tmp_path: Path) -> None:
    code = (
        "import sys; from tutor.cli.main import main; status = main(['plain', 'ring-first-step']); "
        "print(status, any(name.split('.')[0] in ('textual', 'rich') for name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=":hint\n:find ring",  # without an end of its last line
        cwd=ROOT,
        env=os.environ | {"TUTOR_HOME": str(tmp_path), "TERM": "dumb"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Hint 1 of 3" in done.stdout
    assert "ring (term)" in done.stdout
    assert done.stdout.endswith("0 False\n")
    assert done.stderr == ""
