"""ctrl+c in long work: status 130, one word, and no process is left."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


@pytest.fixture
def terminals(tmp_path: Path) -> Iterator[Any]:
    # The test folders are no packages: the helper is loaded by its place
    spec = importlib.util.spec_from_file_location("terminal_for_stopping", HERE / "terminal.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    opened: list[Any] = []

    def open_one(*argv: str) -> Any:
        opened.append(module.Terminal(tmp_path, command=[sys.executable, "-m", "tutor", *argv]))
        return opened[-1]

    yield open_one
    for terminal in opened:
        terminal.close()


def children(parent: int) -> set[int]:
    """The processes below `parent`."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue  # it has ended meanwhile
    found: set[int] = set()
    below = {parent}
    while below:
        below = {pid for pid, of in parents.items() if of in below} - found
        found |= below
    return found


def test_lint_says_what_it_runs_and_is_stopped(terminals: Any) -> None:
    terminal = terminals("lint")
    terminal.wait_for("exercises: ring_all_reduce")
    end = time.monotonic() + 20
    while not (running := children(terminal.process.pid)):  # between two checks there is none
        terminal.read(0.01)
        assert time.monotonic() < end
    terminal.press("ctrl+c")
    assert terminal.wait_for_end() == 130
    assert "stopped" in terminal.text
    assert "Traceback" not in terminal.raw.decode()
    end = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in running) and time.monotonic() < end:
        time.sleep(0.05)
    assert not [pid for pid in running if Path(f"/proc/{pid}").exists()]


def test_practice_is_left_with_what_was_answered(terminals: Any) -> None:
    terminal = terminals("practice", "ring", "--seed", "3")
    terminal.wait_for("Answer:")
    terminal.press("ctrl+c")
    assert terminal.wait_for_end() == 130
    assert "Traceback" not in terminal.raw.decode()
