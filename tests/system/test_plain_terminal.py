"""Plain mode on a real terminal: lines as wide as it is, and the ways of leaving."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


def _terminal() -> Any:
    """The class of terminal.py beside this file; tests are no package."""
    spec = importlib.util.spec_from_file_location("terminal_for_plain", HERE / "terminal.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def open_plain(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens plain mode on a terminal; whatever is left of it at the end is ended."""
    opened = []
    module = _terminal()

    def open_one(*arguments: str, **how: Any) -> Any:
        command = [module.sys.executable, "-m", "tutor", *arguments]
        opened.append(module.Terminal(tmp_path / "home", command=command, **how))
        return opened[-1]

    yield open_one
    for terminal in opened:
        terminal.close()


def test_ctrl_c_leaves_once_and_ctrl_d_too(open_plain: Callable[..., Any]) -> None:
    dumb = {"TERM": "dumb", "LANG": "C", "COLORTERM": "truecolor"}
    first = open_plain("plain", "ring-first-step", columns=60, rows=50, environment=dumb)
    first.wait_for("Answer:")
    first.press("4 1 202", "enter")
    first.wait_for("Row 2 of 3")
    first.press("ctrl+c")
    assert first.wait_for_end() == 0
    assert "Everything is kept. You are in The ring, at step 3" in first.text

    again = open_plain("plain", columns=100, rows=50, environment=dumb)
    again.wait_for("Kept from before: 4 1 202.")
    again.press("34 20 50", "enter")
    again.wait_for("Row 3 of 3")
    again.press("100 720 200", "enter")
    again.wait_for("Right: 4 1 202; 34 20 50; 100 720 200.")
    again.wait_for("Enter goes on:")
    again.press("\x04")
    assert again.wait_for_end() == 0
    for terminal, columns in ((first, 60), (again, 100)):
        assert b"\x1b" not in terminal.raw
        assert terminal.raw.isascii()
        lines = terminal.raw.decode().replace("\r", "").split("\n")
        assert columns - 12 < max(map(len, lines)) <= columns


def test_the_app_leads_to_it_where_it_cannot_open(open_plain: Callable[..., Any]) -> None:
    app = open_plain(environment={"TERM": "dumb"})
    assert app.wait_for_end() == 3
    assert "-m tutor plain gives the whole course line by line" in " ".join(app.text.split())
