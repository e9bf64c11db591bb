"""`exam` on the command line: asked line by line, kept, taken up again, and its page."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tutor.cli.main import main
from tutor.course.load import load

Capture = pytest.CaptureFixture[str]
Exam = Callable[..., tuple[str, str]]


@pytest.fixture
def exam(exam_course: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> Exam:
    """Runs `exam` with these lines on standard input; gives what it printed."""

    def run(*options: str, lines: str = "", status: int = 0) -> tuple[str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        got = main(["exam", *options, "--course", str(exam_course)])
        captured = capsys.readouterr()
        assert got == status, captured.err
        return captured.out, captured.err

    return run


def test_ten_problems_line_by_line_and_the_page(exam: Exam) -> None:
    out, err = exam("--seed", "4", lines="skip\n" * 10)
    asked = [line.split(":")[0] for line in out.splitlines() if line.startswith("Problem ") and " of 10: " in line]
    assert asked == [f"Problem {number} of 10" for number in range(1, 11)]
    assert "0 of 10 right (seed 4)." in out
    assert "## Not yet firm" in out
    assert "- Your answer: none" in out
    assert "exam --last --save" in out
    assert err == ""


def test_the_end_of_the_input_keeps_it_for_the_next_time(exam: Exam) -> None:
    out, _ = exam("--seed", "4", lines="skip\nskip\n")
    assert "2 of 10 answered, and kept." in out
    out, _ = exam(lines="skip\n")
    assert "2 of 10 are answered." in out
    assert "Problem 3 of 10" in out
    assert "Problem 1 of 10" not in out
    assert "3 of 10 answered, and kept." in out
    _, err = exam("--seed", "5", status=2)
    assert "the examination with seed 4 is under way (3 of 10 answered)" in err
    exam("--seed", "4")


def test_what_is_no_answer_is_asked_again(exam: Exam) -> None:
    out, err = exam("--seed", "4", lines="what\n\n11\n")
    assert "that does not count as a try" in err
    assert out.count("Problem 1 of 10") == 1
    assert "1 of 10 answered, and kept." in out


def test_json_is_one_document_of_where_one_is(exam: Exam, exam_course: Path) -> None:
    out, _ = exam("--seed", "4", "--json", lines="skip\n")
    now = json.loads(out)
    examination = load(exam_course).examination
    assert examination is not None
    assert (now["ended"], now["answered"], now["of"], now["seed"]) == (False, 1, 10, 4)
    assert now["problem"]["number"] == 2
    assert now["problem"]["id"] in [step.question.id for step in examination.steps if step.question]
    out, _ = exam("--json", lines="skip\n" * 9)
    ended = json.loads(out)
    assert (ended["ended"], ended["score"], ended["of"], ended["saved"]) == (True, 0, 10, None)
    assert ended["firm"] == []
    assert len(ended["problems"]) == 10
    again, _ = exam("--last", "--json")
    assert json.loads(again) == ended


def test_a_right_answer_is_firm_on_the_page(exam: Exam) -> None:
    problem = json.loads(exam("--seed", "4", "--json")[0])["problem"]
    first, second = (int(part) for part in problem["prompt"].rstrip("?").split(": ")[1].split(" and "))
    more = 1000 if problem["id"].endswith("b") else 0
    out, _ = exam("--json", lines=f"{first + second + more}\n" + "skip\n" * 9)
    ended = json.loads(out)
    assert (ended["score"], ended["problems"][0]["right"]) == (1, True)


def test_saving(exam: Exam, tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    out, _ = exam("--save", str(file), lines="skip\n" * 10)
    assert f"Saved: {file}" in out
    assert file.read_text().startswith("# Final examination: A course\n")
    # The page comes all the same where its file cannot be written
    out, err = exam("--last", "--save", str(file), status=2)
    assert "## Not yet firm" in out
    assert "exists and is left as it is; accepted: a new name" in err
    out, err = exam("--last", "--save", str(tmp_path / "no" / "page.md"), status=2)
    assert "No such file or directory" in err
    out, _ = exam("--last", "--save")
    assert "examination-20" in out
    assert Path(out.rsplit("Saved: ", 1)[1].strip()).read_text() == file.read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seed", "x"], "--seed is 'x'; accepted: a whole number"),
        (["--seed", "-1"], "accepted: a whole number"),
        (["--last"], "no examination is over yet"),
        (["--last", "--seed", "3"], "--last shows a page that is there already"),
        (["now"], "unrecognised: now"),
    ],
)
def test_bad_usage_is_one_line(exam: Exam, options: list[str], message: str) -> None:
    out, err = exam(*options, status=2)
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_a_course_without_one(exam: Exam, exam_course: Path) -> None:
    toml = exam_course / "course.toml"
    toml.write_text(toml.read_text().replace('examination = "finals"\n', ""))
    _, err = exam(status=3)
    assert "this course has no examination" in err


def test_without_any_input_it_is_kept(exam: Exam, monkeypatch: pytest.MonkeyPatch, exam_course: Path) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert main(["exam", "--course", str(exam_course)]) == 0


def test_on_a_terminal_an_answer_is_read_back_before_it_is_given(
    exam: Exam, exam_course: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    # Read back, typed anew, read back, given; then no answer, and a skip needs no second thought
    monkeypatch.setattr("sys.stdin", Terminal("12\n13\n\nmany\n\nskip\n"))
    assert main(["exam", "--seed", "4", "--course", str(exam_course)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Your answer: 12 steps. Enter gives it, or type another." in out
    assert "Your answer: 13 steps. Enter gives it, or type another." in out
    assert "That does not count as a try." in out
    assert "2 of 10 answered, and kept." in out
    result = json.loads(exam("--json", lines="skip\n" * 8)[0])
    assert [problem["given"] for problem in result["problems"]][:2] == ["13 steps", ""]


@pytest.mark.parametrize("command", [["answer", "one-a", "3"], ["hint", "one-a"], ["reveal", "one-a"]])
def test_no_other_command_knows_the_problems(exam_course: Path, capsys: Capture, command: list[str]) -> None:
    assert main([*command, "--course", str(exam_course)]) == 2
    assert "'one-a'" in capsys.readouterr().err


def test_progress_says_how_one_stands_with_it(exam: Exam, exam_course: Path, capsys: Capture) -> None:
    def stands() -> str:
        assert main(["progress", "--course", str(exam_course)]) == 0
        return capsys.readouterr().out.splitlines()[-1]

    assert stands() == "examination  not begun"
    exam(lines="skip\n")
    assert stands() == "examination  1 of 10 answered"
    exam(lines="skip\n" * 9)
    assert stands() == "examination  0 of 10 right last time"


def test_saving_after_the_end_begins_no_other(exam: Exam, tmp_path: Path, exam_course: Path, capsys: Capture) -> None:
    exam("--seed", "4", lines="skip\n" * 10)
    page = tmp_path / "page.md"
    out, _ = exam("--save", str(page))
    assert "0 of 10 right (seed 4)." in page.read_text(encoding="utf-8")
    assert "Problem 1 of 10" not in out
    # One that has begun without an answer does not hide how the last one went
    exam(lines="")
    assert main(["progress", "--course", str(exam_course)]) == 0
    assert "0 of 10 right last time" in capsys.readouterr().out
