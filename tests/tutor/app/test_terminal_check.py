"""Where the app cannot open, one line says why; asking loads no Textual."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest

from tutor.app import terminal_check
from tutor.app.profile import Profile, terminal_profile
from tutor.app.terminal_check import too_small, why_not


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Streams that are terminals. Called in the test: between a fixture and its test pytest changes them again."""
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, Screen())
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    for name in ("NO_COLOR", "COLORTERM", "LC_ALL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "en_GB.UTF-8")
    return monkeypatch


def test_a_terminal_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    on_terminal(monkeypatch)
    assert why_not() is None


@pytest.mark.parametrize(("stream", "name"), [("stdin", "input"), ("stdout", "output"), ("stderr", "error")])
def test_a_stream_that_is_no_terminal_is_named(monkeypatch: pytest.MonkeyPatch, stream: str, name: str) -> None:
    terminal = on_terminal(monkeypatch)
    terminal.setattr(sys, stream, io.StringIO())
    assert f"standard {name} is not one" in str(why_not())
    terminal.setattr(sys, stream, None)
    assert f"standard {name} is not one" in str(why_not())


@pytest.mark.parametrize("kind", ["dumb", "unknown", ""])
def test_a_terminal_without_a_cursor_is_refused(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    terminal = on_terminal(monkeypatch)
    terminal.setenv("TERM", kind)
    assert f"TERM is {kind or 'not set'}" in str(why_not())
    assert str(why_not()).endswith(" plain gives the whole course line by line")


@pytest.mark.parametrize(
    ("columns", "rows", "says"),
    [
        (80, 11, "too small: 80x11; needed: 40x12"),
        (39, 11, "too small; needed: 40x12"),
        (30, 24, "needed: 40x12"),
        (20, 5, "min 40x12"),
    ],
)
def test_the_least_size_is_said_in_one_row(monkeypatch: pytest.MonkeyPatch, columns: int, rows: int, says: str) -> None:
    terminal = on_terminal(monkeypatch)
    terminal.setenv("COLUMNS", str(columns))
    terminal.setenv("LINES", str(rows))
    assert why_not() == says


def test_the_least_size() -> None:
    assert too_small(40, 12) is None
    assert too_small(39, 12) is not None
    assert too_small(40, 11) is not None


def test_a_reason_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    terminal.setenv("TERM", "dumb")
    assert "\n" not in str(why_not())


def test_asking_loads_no_textual() -> None:
    code = "from tutor.app.terminal_check import why_not; why_not(); import sys; print('textual' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_colours_letters_and_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    assert terminal_profile() == Profile()
    terminal.setenv("TERM", "screen")
    assert terminal_profile().few_colours
    terminal.setenv("COLORTERM", "truecolor")
    assert not terminal_profile().few_colours
    terminal.setenv("NO_COLOR", "")
    assert terminal_profile().few_colours
    terminal.setenv("LANG", "C")
    assert terminal_profile().ascii_only
    terminal.setenv("LC_ALL", "de_DE.UTF-8")
    assert not terminal_profile().ascii_only
    terminal.setattr(Screen, "encoding", "iso-8859-1")
    assert terminal_profile().ascii_only
    terminal.setenv("SSH_CONNECTION", "somewhere")
    assert terminal_profile().remote


def test_what_the_learner_has_set_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    for name in ("TEXTUAL_FPS", "ESCDELAY", "TEXTUAL_SMOOTH_SCROLL"):
        terminal.delenv(name, raising=False)
    terminal.setenv("TEXTUAL_ANIMATIONS", "basic")
    Profile(remote=True).set_environment()
    assert os.environ["TEXTUAL_ANIMATIONS"] == "basic"
    assert os.environ["TEXTUAL_FPS"] == "15"
    for name in ("TEXTUAL_FPS", "ESCDELAY", "TEXTUAL_SMOOTH_SCROLL"):
        terminal.delenv(name)
    Profile().set_environment()
    assert "TEXTUAL_FPS" not in os.environ
    assert terminal_check.LEAST_COLUMNS == 40
