"""`practice` on the command line: problems one after another from standard input."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from tutor.cli.main import main


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))


def practise(monkeypatch: pytest.MonkeyPatch, lines: str, *arguments: str) -> int:
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    return main(["practice", *arguments])


def test_answers_hints_and_the_end(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert practise(monkeypatch, "hint\n1\n2\nreveal\nreveal\n", "ring", "--seed", "4", "--count", "2") == 0
    out = capsys.readouterr().out
    assert out.startswith("Nothing is due today. 2 problems, two tries each.")
    assert "Problem 1 of 2, from The ring: " in out
    assert out.count("Not right") == 2
    assert out.count("The answer: ") == 2
    assert "Not firm yet:\n- The ring: " in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_end_of_the_input_keeps_what_was_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert practise(monkeypatch, "reveal\nreveal\n", "ring", "--seed", "4") == 0
    assert "Not firm yet:" in capsys.readouterr().out
    assert practise(monkeypatch, "", "ring") == 0
    assert "No problem was finished." in capsys.readouterr().out


def test_the_answer_is_shown_when_it_is_asked_for_twice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert practise(monkeypatch, "reveal\nhint\nreveal\n", "ring", "--seed", "4") == 0
    out = capsys.readouterr().out
    assert out.count("reveal once more shows the answer") == 2
    assert "No problem was finished." in out


def test_one_problem_is_no_problems(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert practise(monkeypatch, "", "ring", "--count", "1") == 0
    assert "1 problem, two tries. " in capsys.readouterr().out


def test_json_has_the_problems_and_what_is_firm(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert practise(monkeypatch, "reveal\nreveal\n", "ring", "--seed", "4", "--count", "2", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["seed"] == 4
    assert [problem["right"] for problem in found["problems"]] == [False, False]
    assert len(found["not_firm"]) == 2
    assert main(["practice", "--due", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"due": 0}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--count", "0"], "--count is '0'; accepted: a whole number from 1"),
        (["--count", "5000"], "--count is 5000; accepted: a whole number from 1 to 1000"),
        (["--seed", "-1"], "--seed is '-1'; accepted: a whole number from 0"),
        (["tea"], "no lesson is called 'tea'"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["practice", *arguments]) == 2
    assert said in capsys.readouterr().err
