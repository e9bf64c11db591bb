"""The examination line by line: kept, taken up again, and its page."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tutor.course.load import load
from tutor.examination.room import Examination
from tutor.permissions import own_machine
from tutor.plain.examination import examine
from tutor.plain.paper import Paper
from tutor.plain.run import run
from tutor.progress.store import Store
from tutor.study import Study


class Pipe(io.StringIO):
    """Standard output of a test."""

    encoding = "utf-8"


@pytest.fixture
def learner(tmp_path: Path, exam_course: Path) -> Iterator[Study]:
    store = Store(tmp_path / "state" / "progress.db")
    yield Study(load(exam_course), store, tmp_path / "exercises", own_machine())
    store.close()


@pytest.fixture
def speak(learner: Study, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    def typed(*lines: str) -> str:
        out = Pipe()
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        monkeypatch.setattr("sys.stdout", out)
        run(learner, None)
        return " ".join(out.getvalue().split())

    return typed


def test_help_lists_the_commands_and_no_words_stand_two_blanks_apart(
    learner: Study, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for lines in (":help\n?\nskip\n:back\n", ":back\n"):
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        assert examine(learner, Paper())
        out = capsys.readouterr().out
        begin = out[: out.index("Problem ")]
        assert "skip leaves a problem" in " ".join(begin.split())
        assert "  " not in begin
        assert "no command" not in out
        assert out.count("An answer, skip, or one of these:") == lines.count("help") + lines.count("?")


def test_it_is_kept_and_goes_on(speak: Callable[..., str], learner: Study) -> None:
    said = speak(":exam", "skip", "?", ":hint", ":again", ":back", ":lessons")
    assert "The final examination: 10 problems, one try each" in said
    assert said.count("Problem 2 of 10") == 2
    assert ":hint is no command of the examination." in said
    assert "1 of 10 answered, and kept; :exam goes on." in said
    assert "one: Lesson one" in said
    said = speak(":exam", "skip", ":quit", ":lessons")
    assert "It goes on where you were: 1 of 10 are answered." in said
    assert "2 of 10 answered, and kept; :exam goes on. Everything is kept." in said
    assert "one: Lesson one" not in said
    sitting = Examination(learner).sitting()
    assert sitting is not None
    assert len(sitting.answers) == 2


def test_from_the_first_problem_to_the_page(
    speak: Callable[..., str], learner: Study, right_answer: Callable[..., str], tmp_path: Path
) -> None:
    assert "No examination is over yet; :exam begins one." in speak(":exam last")
    room = Examination(learner)
    sitting = room.begin(4)
    answers = [right_answer(learner.course, asked) for asked in sitting.problems]
    page = tmp_path / "page.md"
    said = speak(
        ":exam", "no answer at all", *answers, f":exam save {page}", f":exam save {page}", ":exam last", ":exam x"
    )
    assert "That does not count as a try." in said
    assert said.count("10 of 10 right (seed 4)") == 2
    assert "Not right" not in said
    assert f"Saved: {page}" in said
    assert "exists and is left as it is" in said
    assert ":exam x is no command; accepted: :exam, :exam last, :exam save NAME." in said
    assert "10 of 10 right (seed 4)" in page.read_text()


def test_a_table_is_asked_in_words_with_its_cells_blank(
    speak: Callable[..., str], learner: Study, right_answer: Callable[..., str]
) -> None:
    room = Examination(learner)
    sitting = room.begin(4)
    at = next(number for number, asked in enumerate(sitting.problems) if asked.question.kind == "table")
    said = speak(":exam", *["skip"] * at)
    asked: Any = said.rpartition(f"Problem {at + 1} of 10")[2]
    assert "at the start, worker 0: chunk 0 is" in asked
    assert "Type 3 rows in one line: values parted by spaces, rows by ;" in asked
    assert "Row 2: worker 1: chunk 0, chunk 1, chunk 2" in asked
