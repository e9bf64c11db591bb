"""A verdict read out: what differs, who waits for whom and what it cost, in words and without signs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import lessons
from tutor.checker import check_file
from tutor.checker.verdict import CheckResult
from tutor.course.model import Exercise, Place
from tutor.plain.paper import Paper
from tutor.plain.verdict import report

Capture = pytest.CaptureFixture[str]
SIGNS = "→≠«·═▲×┌─█"


def mutant(name: str, stem: str) -> CheckResult:
    folder = next(Path(lessons.__file__).parent.glob(f"*/exercises/{name}"))
    exercise = Exercise(name, name, folder, "", (), "", Place(folder / "check.py", 1))
    return check_file(folder / "mutants" / f"{stem}.py", exercise, 3)


@pytest.mark.parametrize(
    ("name", "stem", "words"),
    [
        ("ring_all_reduce", "chunks_upwards", ["chunk 0 is yours 308, expected 8", "step 2 of 4"]),
        ("one_f_one_b_order", "gpipe", ["stage 0 yours forward 3, expected idle", "3 are enough", "Yours:"]),
        ("gpipe_order", "last_micro_batch_missing", ["yours nothing, expected backward 2"]),
        ("ring_all_reduce_worker", "all_send_first", ["worker 2 waits for worker 0", "line 11: sends to 1"]),
        ("ring_all_reduce_worker", "rank_0_collects", ["yours 48 B in 2 messages, enough 32 B in 4 messages"]),
        ("ring_all_reduce", "np_split", ["line 10, in ring_all_reduce: chunks = [np.split("]),
    ],
)
def test_it_is_told_in_words(capsys: Capture, name: str, stem: str, words: list[str]) -> None:
    report(Paper(), mutant(name, stem))
    said = " ".join(capsys.readouterr().out.split())
    assert [each for each in words if each not in said] == []
    assert [sign for sign in SIGNS if sign in said] == []


def test_all_steps_and_all_lines_that_are_asked_for(capsys: Capture) -> None:
    result = mutant("ring_all_reduce", "chunks_upwards")
    report(Paper(), result, (1, 4))
    said = capsys.readouterr().out
    assert [number for number in range(6) if f"step {number} of 4" in said] == [1, 2, 3, 4]


def test_one_case_is_no_cases(capsys: Capture) -> None:
    result = mutant("ring_all_reduce", "chunks_upwards")
    failing = next(case for case in result.cases if not case.passed)
    report(Paper(), replace(result, cases=(failing,)))
    assert f"Not right: the one case, {failing.name}:" in capsys.readouterr().out
    right = replace(result, passed=True, cases=(replace(failing, passed=True),))
    report(Paper(), right)
    assert "passes its one case." in capsys.readouterr().out
