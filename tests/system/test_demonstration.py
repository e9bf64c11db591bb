"""`show TOPIC --animate` on a real terminal: it steps, plays, follows the window, and leaves everything as it was."""

from __future__ import annotations

import importlib.util
import signal
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ENTER, LEAVE, CURSOR = b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[?25h"


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    # The test folders are no packages: the helper is loaded by its place
    spec = importlib.util.spec_from_file_location("terminal_for_demonstration", HERE / "terminal.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    terminals: list[Any] = []

    def open_one(*argv: str, **environment: str) -> Any:
        command = [sys.executable, "-m", "tutor", "show", *argv, "--animate"]
        terminals.append(module.Terminal(tmp_path, environment=environment, command=command))
        return terminals[-1]

    yield open_one
    for terminal in terminals:
        terminal.close()


def test_from_the_first_step_to_the_shell(opened: Callable[..., Any]) -> None:
    terminal = opened("all-reduce", "--values", "1 2 3; 10 20 30; 100 200 300")
    before = termios.tcgetattr(terminal.master)
    assert "nothing sent yet" in terminal.wait_for("step 0 of 4")
    terminal.press("right")
    assert "303" in terminal.wait_for("step 1 of 4")
    terminal.press(" ")
    terminal.wait_for("playing")
    terminal.wait_for("step 4 of 4")
    terminal.wait_until_gone("playing")
    terminal.resize(40, 9)
    assert "step 4 of 4" in terminal.wait_for("q quits").splitlines()[8]
    terminal.press("q")
    assert terminal.wait_for_end() == 0
    assert terminal.raw.index(ENTER) < terminal.raw.index(LEAVE)
    assert terminal.raw.rindex(CURSOR) > terminal.raw.rindex(b"\x1b[?25l")
    assert termios.tcgetattr(terminal.master) == before


@pytest.mark.parametrize(
    ("how", "status"), [("ctrl+c", 130), (signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGHUP, 128 + signal.SIGHUP)]
)
def test_stopped_from_outside_the_screen_is_left(
    opened: Callable[..., Any], how: str | signal.Signals, status: int
) -> None:
    terminal = opened("pipeline", NO_COLOR="1", LC_ALL="C")
    before = termios.tcgetattr(terminal.master)
    shown = terminal.wait_for("q quits")
    assert shown.isascii()
    if isinstance(how, signal.Signals):
        terminal.process.send_signal(how)
    else:
        terminal.press(how)
    assert terminal.wait_for_end() == status
    assert LEAVE in terminal.raw
    assert b"Traceback" not in terminal.raw
    assert termios.tcgetattr(terminal.master) == before
