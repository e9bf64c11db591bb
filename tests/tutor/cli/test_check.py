"""`check`: a wrong run beside the engine's, the learner's own lines, what was printed, and the bill."""

from __future__ import annotations

from pathlib import Path

import pytest

import lessons
from tutor.cli.main import main

Capture = pytest.CaptureFixture[str]
COURSE = Path(lessons.__file__).parent

NEVER_ADDS = """
def ring_all_reduce(arrays):
    return [[array.copy() for array in arrays] for _ in range(2 * (len(arrays) - 1))]
"""
BROKEN = """
def half(array):
    return array / "2"

def ring_all_reduce(arrays):
    for number in range(40):
        print("line", number)
    return half(arrays[0])
"""


def said(capsys: Capture, *argv: str, status: int = 1) -> str:
    assert main(["check", *argv]) == status
    return capsys.readouterr().out


@pytest.fixture
def ring(tmp_path: Path) -> Path:
    file = tmp_path / "ring_all_reduce.py"
    file.write_text(NEVER_ADDS)
    return file


def test_the_first_difference_with_both_runs(capsys: Capture, ring: Path) -> None:
    text = said(capsys, str(ring))
    assert "yours after step 1" in text
    assert "the engine's after step 1" in text
    assert "after step 2" not in text
    assert "--steps 1:4 shows every step." in text


def test_a_watched_file_is_said_to_be_waited_for(capsys: Capture, ring: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(watch: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tutor.cli.files._until_saved", stopped)
    with pytest.raises(KeyboardInterrupt):
        main(["check", str(ring), "--watch"])
    assert capsys.readouterr().out.endswith("\nWaiting for ring_all_reduce.py to be saved again; ctrl+c ends.\n\n")


def test_steps_that_are_asked_for(capsys: Capture, ring: Path) -> None:
    text = said(capsys, str(ring), "--steps", "2:4")
    assert [step for step in (1, 2, 3, 4) if f"yours after step {step}" in text] == [2, 3, 4]
    assert said(capsys, str(ring), "--steps", "3").count("yours after step") == 1
    for steps, named in (("9:99", "'9:99'"), ("0", "'0'"), ("4:5", "'4:5'")):
        assert main(["check", str(ring), "--steps", steps]) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert f"--steps is {named}; accepted: steps from 1 to 4" in captured.err


def test_the_learners_lines_and_the_last_that_it_printed(capsys: Capture, ring: Path) -> None:
    ring.write_text(BROKEN)
    text = said(capsys, str(ring))
    rows = text.splitlines()
    calls = ["    line 8, in ring_all_reduce: return half(arrays[0])", '    line 3, in half: return array / "2"']
    assert rows[rows.index(calls[0]) + 1] == calls[1]
    assert "site-packages" not in text
    printed = [row for row in rows if row.startswith("  | ")]
    assert len(printed) == 21
    assert printed[0].endswith("more lines")
    assert printed[-1] == "  | line 39"
    every = said(capsys, str(ring), "--output")
    assert every.count("  | line 0\n") >= 1


def test_the_circle_and_the_bill(capsys: Capture) -> None:
    mutants = COURSE / "ring" / "exercises" / "ring_all_reduce_worker" / "mutants"
    stuck = said(capsys, str(mutants / "all_send_first.py"), "--exercise", "ring_all_reduce_worker")
    assert "─→ worker 1 ─→" in stuck or "-> worker 1 ->" in stuck
    assert "worker.send(chunks[(rank - step) % world_size], dst=right)" in stuck
    wasteful = said(capsys, str(mutants / "rank_0_collects.py"), "--exercise", "ring_all_reduce_worker")
    assert "48 B in 2 messages" in wasteful
    assert "steps one after another: yours 4, the engine's 4" in wasteful
    # What another case would cost is no news beside one whose values are wrong
    wrong = said(capsys, str(mutants / "mean.py"), "--exercise", "ring_all_reduce_worker")
    assert "The bill" not in wrong
