"""The app in a real terminal: what happens when the terminal or the process goes, stops, or is another one."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
Open = Callable[..., Any]


# Leaving, wanted or not


def at_a_number(app: Any) -> None:
    """Opens the first lesson of the test course at its second step and types half an answer."""
    app.wait_for("No GPU needed")
    app.press("enter")
    app.wait_for("1/6")
    app.press("n")
    app.wait_for("2/6")
    app.press("1", "3")
    app.wait_for("Answer  13")


@pytest.fixture
def command(request: pytest.FixtureRequest) -> list[str]:
    course = request.path.parent.parent / "tutor" / "app" / "course"
    return [sys.executable, "-m", "tutor", "--course", str(course)]


@pytest.mark.parametrize("how", ["quit", "kill", "term", "hang up"])
def test_it_opens_again_on_the_same_step_with_what_was_typed(open_app: Open, command: list[str], how: str) -> None:
    app = open_app(command=command)
    at_a_number(app)
    if how == "quit":
        app.press("ctrl+q")
        assert app.wait_for_end() == 0
    elif how == "term":
        app.process.send_signal(signal.SIGTERM)
        assert app.wait_for_end() == 128 + signal.SIGTERM
    elif how == "hang up":
        os.close(app.master)
        assert app.process.wait(10) == 128 + signal.SIGHUP
    else:
        time.sleep(0.8)  # what is typed is on the disk half a second later
        app.process.kill()
        app.process.wait()
    again = open_app(command=command)
    again.wait_for("Continue")
    again.press("enter")
    again.wait_for("2/6")
    again.wait_for("Answer  13")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_gives_the_terminal_back(open_app: Open, command: list[str], number: signal.Signals) -> None:
    app = open_app(command=command)
    at_a_number(app)
    app.process.send_signal(number)
    assert app.wait_for_end() == 128 + number
    assert app.raw.rfind(b"\x1b[?1049l") > app.raw.rfind(b"\x1b[?1049h")
    assert app.raw.rfind(b"\x1b[?25h") > app.raw.rfind(b"\x1b[?25l")


@pytest.mark.skipif(sys.platform != "linux", reason="what a process has loaded is read from /proc")
def test_a_session_does_without_openssl(open_app: Open) -> None:
    app = open_app()
    app.wait_for("Enter open")
    app.press("enter")
    loaded = Path(f"/proc/{app.process.pid}/maps")
    end = time.monotonic() + 30
    # asyncio, hashlib and NumPy would each load it
    while "_multiarray_umath" not in loaded.read_text():
        assert time.monotonic() < end
        app.read(0.1)
    app.wait_for("1/")
    libraries = {line.split("/")[-1] for line in loaded.read_text().splitlines() if "/" in line}
    assert [name for name in libraries if name.startswith(("libcrypto", "libssl", "_ssl", "_hashlib"))] == []


def test_a_hang_up_that_is_ignored_leaves_no_process(open_app: Open, command: list[str]) -> None:
    app = open_app(command=["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *command])
    at_a_number(app)
    os.close(app.master)
    assert app.process.wait(10) == 128 + signal.SIGHUP


def test_a_terminal_that_takes_no_output_cannot_hold_the_process(open_app: Open, command: list[str]) -> None:
    app = open_app(command=command)
    app.wait_for("No GPU needed")
    app.press("enter")
    app.wait_for("1/6")
    # Nobody reads: the terminal's buffer fills, and then the app's queue
    for _ in range(300):
        app.press("right", "left")
        time.sleep(0.003)
    app.process.send_signal(signal.SIGTERM)
    assert app.process.wait(10) == 128 + signal.SIGTERM


def test_stopped_and_continued_it_draws_itself_again(open_app: Open, command: list[str]) -> None:
    app = open_app(command=command)
    app.wait_for("No GPU needed")
    app.press("enter")
    app.wait_for("1/6")
    app.press("ctrl+z")
    wait_for_state(app, "T")
    while app.read(0.1):
        pass
    app.screen.reset()
    app.process.send_signal(signal.SIGCONT)
    app.wait_for("1/6")
    app.wait_for("? help")
    app.press("right")
    app.wait_for("step 1 of 4")


def wait_for_state(app: Any, state: str) -> None:
    """Waits until the process is in this state, as /proc or ps name it."""
    for _ in range(200):
        app.read(0.05)
        done = subprocess.run(
            ["ps", "-o", "stat=", "-p", str(app.process.pid)], capture_output=True, text=True, check=False
        )
        if done.stdout.startswith(state):
            return
    raise AssertionError(f"it is not in state {state}: {done.stdout}")


def test_resized_at_any_moment(open_app: Open, command: list[str]) -> None:
    app = open_app(command=command)
    at_a_number(app)
    app.resize(20, 5)
    app.wait_for("too small: 20x5;")
    app.wait_for("needed: 40x12")
    app.resize(120, 40)
    app.wait_for("Answer  13")
    app.resize(80, 24)
    app.wait_for("Answer  13")
    app.press("ctrl+q")
    assert app.wait_for_end() == 0


# Terminals that will not do


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"environment": {"TERM": "dumb"}}, "TERM is dumb"),
        ({"columns": 39, "rows": 11}, "too small; needed: 40x12"),
        ({"columns": 20, "rows": 5}, "min 40x12"),
    ],
)
def test_a_terminal_that_will_not_do_gets_one_line(open_app: Open, how: dict[str, Any], says: str) -> None:
    app = open_app(**how)
    assert app.wait_for_end() == 3
    assert says in app.text.replace("\n", "")
    if "columns" in how:
        lines = app.raw.decode().splitlines()
        assert len(lines) == 1
        assert len(lines[0]) <= how["columns"]
    assert b"\x1b" not in app.raw
    assert "Traceback" not in app.text


@pytest.mark.parametrize("stream", ["stdin", "stdout", "stderr"])
def test_a_stream_that_is_no_terminal_gets_one_line(home: Path, stream: str) -> None:
    master, slave = os.openpty()
    streams: dict[str, Any] = {"stdin": slave, "stdout": slave, "stderr": slave, stream: subprocess.DEVNULL}
    process = subprocess.Popen(
        [sys.executable, "-m", "tutor"],
        env=os.environ | {"TERM": "xterm", "TUTOR_HOME": str(home)},
        cwd=HERE.parent.parent,
        **streams,
    )
    os.close(slave)
    assert process.wait(20) == 3
    said = b"" if stream == "stderr" else os.read(master, 4096)
    os.close(master)
    assert stream == "stderr" or said.count(b"\n") == 1
    assert b"Traceback" not in said


@pytest.mark.parametrize(
    "environment",
    [{"LANG": "C"}, {"TERM": "linux"}, {"NO_COLOR": "1"}, {"TERM": "screen", "LANG": "C", "NO_COLOR": "1"}],
)
def test_other_terminals_say_the_same(open_app: Open, command: list[str], environment: dict[str, str]) -> None:
    app = open_app(command=command, environment=environment)
    app.wait_for("No GPU needed")
    app.press("enter")
    app.wait_for("1/6")
    app.press("right")
    app.wait_for("step 1 of 4")
    app.press("enter")
    app.wait_for("F3 reveal")
    app.press("2", "enter")
    app.wait_for("Right.")
    text = app.wait_for("Each column was added up.")
    if environment.get("LANG") == "C" or environment.get("TERM") == "linux":
        assert text.isascii()
    if "NO_COLOR" in environment:
        colours = {character.fg for row in app.screen.buffer.values() for character in row.values()}
        assert colours <= {"default"}


@pytest.mark.parametrize(("environment", "seconds"), [({}, 0.005), ({"SSH_CONNECTION": "far away"}, 0.12)])
def test_a_key_that_comes_in_pieces_is_that_key(
    open_app: Open, command: list[str], environment: dict[str, str], seconds: float
) -> None:
    app = open_app(command=command, environment=environment)
    app.wait_for("No GPU needed")
    app.press("enter")
    app.wait_for("1/6")
    for piece in ("\x1b", "[", "C"):
        app.press(piece)
        time.sleep(seconds)
    app.wait_for("step 1 of 4")
    # Alone it is Escape, although no other key follows it
    app.press("escape")
    app.wait_for("No GPU needed")


@pytest.mark.parametrize(("columns", "rows"), [(40, 12), (200, 60)])
def test_a_question_is_answered_in_the_smallest_and_in_a_large_window(
    open_app: Open, command: list[str], columns: int, rows: int
) -> None:
    app = open_app(command=command, columns=columns, rows=rows)
    app.wait_for("choose")
    app.press("enter")
    app.wait_for("1/6")
    app.go_on("Enter answer")
    app.press("2", "enter")
    app.wait_for("Right.")
    app.press("ctrl+q")
    assert app.wait_for_end() == 0


@pytest.mark.parametrize(
    ("environment", "asked"),
    [
        ({}, {b"1000", b"1003", b"1006", b"1015"}),
        ({"SSH_CONNECTION": "far away"}, {b"1000", b"1006"}),  # every movement would travel
        ({"STY": "1.pts"}, set()),  # GNU screen keeps Escape back while a mouse is asked for
        ({"TERM": "screen"}, set()),
        ({"TERM": "screen", "TMUX": "/tmp/tmux,1,0"}, {b"1000", b"1003", b"1006", b"1015"}),
    ],
)
def test_no_more_of_the_mouse_is_asked_for_than_serves(
    open_app: Open, command: list[str], environment: dict[str, str], asked: set[bytes]
) -> None:
    app = open_app(command=command, environment=environment)
    app.wait_for("No GPU needed")
    assert set(re.findall(rb"\x1b\[\?(10\d\d)h", app.raw)) - {b"1004", b"1049"} == asked
