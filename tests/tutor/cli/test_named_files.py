"""Files that a command is given by name: a pipe is refused, not waited for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tutor.cli.main import main

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    "words",
    [
        ["progress", "--import"],
        ["plan", "--model", "gpt-175b", "--hardware", "h100", "--gpus", "8", "--own"],
        ["class", "add", "CLASS", "ada", "--key"],
    ],
)
def test_a_pipe_is_refused_at_once(words: list[str], tmp_path: Path, capsys: Capture) -> None:
    pipe, folder = tmp_path / "pipe", tmp_path / "class"
    os.mkfifo(pipe)
    assert main(["class", "init", str(folder), "--shape", "shared"]) == 0
    capsys.readouterr()
    words = [str(folder) if word == "CLASS" else word for word in words]
    assert main([*words, str(pipe)]) == 2
    said = capsys.readouterr().err
    assert ": a named pipe, no regular file" in said
    assert said.count("\n") == 1
