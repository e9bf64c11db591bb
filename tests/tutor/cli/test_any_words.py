"""Whatever is typed after any command: one line, a known status, no escape, no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from tutor.cli.main import main

COMMANDS = {
    "lessons": [],
    "exercises": [],
    "glossary": ["ring"],
    "search": ["ring"],
    "answer": ["ring-finished-on-zero", "32"],
    "hint": ["ring-finished-on-zero"],
    "reveal": ["ring-finished-on-zero"],
    "solution": ["zero_bytes"],
    "start": ["zero_bytes"],
    "check": ["x.py"],
    "run": ["x.py"],
    "show": ["all-reduce", "--values"],
    "calc": ["ring.steps", "workers=3"],
    "plan": ["--model", "llama-7b", "--hardware", "h100", "--gpus"],
    "exam": ["--last", "--seed"],
    "practice": ["ring", "--seed"],
    "progress": ["--import"],
    "lint": [],
    "new-lesson": [],
    "class": ["list"],
}
JUNK = {
    "an escape": "\x1b[31mred\x1b[0m",
    "endless": "x" * 100_000,
    "half characters and a NUL": "\udcff\0\udcfe",
    "lines": "a\nb\rc",
    "digits": "9" * 5000,
    "an unknown option": "--x\x1b[2J",
}


@pytest.mark.parametrize("junk", JUNK)
@pytest.mark.parametrize("command", COMMANDS)
def test_one_line_and_a_status(
    command: str, junk: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    known = COMMANDS[command]
    for argv in ([JUNK[junk]], [*known, JUNK[junk]])[len(known) == 0 :]:
        status = main([command, *argv])
        captured = capsys.readouterr()
        assert status in (0, 1, 2, 3)
        assert captured.err.count("\n") <= 1, captured.err
        assert len(captured.err) < 6_000
        assert "\x1b" not in captured.out + captured.err
        assert status in (0, 1) or captured.err
