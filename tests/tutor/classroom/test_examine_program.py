"""Whether every account can start the program: the script, and the interpreter that its first line names."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tutor.classroom.examine import _program
from tutor.doctor import FINE, PROBLEM


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that others may enter, as pytest's own is not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.mark.parametrize(("mode", "state"), [(0o755, FINE), (0o700, PROBLEM)])
def test_the_interpreter_is_looked_at_too(open_folder: Path, mode: int, state: str) -> None:
    home = open_folder / "home"
    home.mkdir(mode=mode)
    home.chmod(mode)
    interpreter = home / "python"
    interpreter.write_text("")
    interpreter.chmod(0o755)
    script = open_folder / "worldsize"
    script.write_text(f"#!{interpreter}\n")
    script.chmod(0o755)
    found = _program(str(script))
    assert found.state == state, found
    if state == PROBLEM:
        assert found.found == f"{home} cannot be entered by others"


@pytest.mark.parametrize("first", [b"", b"\x7fELF", b"#!\n", b"#!/nowhere/python\n"])
def test_a_program_without_an_interpreter_to_look_at(open_folder: Path, first: bytes) -> None:
    script = open_folder / "worldsize"
    script.write_bytes(first)
    script.chmod(0o755)
    assert _program(str(script)).state == FINE
