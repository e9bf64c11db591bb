"""`show TOPIC --animate`: what the keys do, and screens of every size. The terminal itself is in tests/system."""

from __future__ import annotations

import re

import pytest

from tutor.cli.demonstration import Demonstration, clipped
from tutor.cli.drawing import Drawing
from tutor.cli.main import main
from tutor.views.topics import TOPICS, topic

VALUES = [[1, 2, 3], [10, 20, 30], [100, 200, 300]]


def ring(**options: str) -> Demonstration:
    scene = topic("all-reduce").scene({"values": VALUES})
    return Demonstration("All-reduce", scene, range(scene.last_step + 1), Drawing(options))


def pressed(shown: Demonstration, *keys: str) -> int:
    for key in keys:
        shown.press(key)
    return shown.at


def test_arrows_and_a_presenters_buttons_go_from_step_to_step() -> None:
    shown = ring()
    assert pressed(shown, "right", "right") == 2
    assert pressed(shown, "left") == 1
    assert pressed(shown, "page down", "page down") == 3
    assert pressed(shown, "page up", "enter", "backspace") == 2
    assert pressed(shown, "end", "right") == 4
    assert pressed(shown, "home", "left", "x", "\x1b[99~") == 0
    assert not shown.ended
    pressed(shown, "q")
    assert shown.ended


def test_it_plays_to_the_last_step_and_begins_again() -> None:
    shown = ring()
    pressed(shown, "right", "space")
    for step in (2, 3, 4):
        assert shown.playing
        shown.tick()
        assert shown.at == step
    assert not shown.playing
    shown.tick()
    assert pressed(shown, "space") == 0
    assert shown.playing
    pressed(shown, "right")
    assert not shown.playing


def test_the_steps_that_were_asked_for_alone() -> None:
    shown = ring()
    shown.steps = [1, 2]
    assert "step 1 of 2" in shown.frame(80, 24)[-1]
    assert "303" in "\n".join(shown.frame(80, 24))  # the ring's first step, by hand: 300 + 3
    pressed(shown, "end")
    assert "step 2 of 2" in shown.frame(80, 24)[-1]


@pytest.mark.parametrize("name", TOPICS)
@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (200, 60), (33, 9), (20, 3), (5, 2), (1, 1)])
def test_a_screen_is_filled_and_never_overrun(name: str, columns: int, rows: int) -> None:
    scene = topic(name).scene({})
    shown = Demonstration(TOPICS[name].title, scene, range(scene.last_step + 1), Drawing({"ascii": ""}))
    frame = shown.frame(columns, rows)
    assert len(frame) == rows
    assert max(len(line) for line in frame) <= columns
    assert "".join(frame).isascii()


def test_a_picture_that_is_higher_than_the_screen_is_scrolled_to_its_end() -> None:
    scene = topic("pipeline").scene({"stages": 8})
    shown = Demonstration("Pipeline", scene, [0], Drawing({}))
    first = shown.frame(60, 12)
    assert "↑↓ scroll" in first[-1]
    assert "space" not in first[-1]  # one step: nothing plays
    seen = list(first)
    for _ in range(100):
        pressed(shown, "down")
        seen += shown.frame(60, 12)
    everything = shown.drawing.text(scene.picture(0), 60).split("\n")
    assert set(everything) <= set(seen)
    assert shown.frame(60, 12)[-2] == everything[-1]
    pressed(shown, *["up"] * 100)
    assert shown.frame(60, 12) == first


def test_colours_are_no_columns() -> None:
    line = "\x1b[1;38;5;3mab\x1b[0mcd"
    assert clipped(line, 3) == "\x1b[1;38;5;3mab\x1b[0mc"
    assert re.sub(r"\x1b\[[\d;]*m", "", clipped(line, 99)) == "abcd"


@pytest.mark.parametrize(
    ("options", "said"),
    [([], "needs a terminal"), (["--json"], "not with --json"), (["--svg", "x.svg"], "not with --svg")],
)
def test_without_a_terminal_it_is_one_line(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "all-reduce", "--animate", *options]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err
    assert captured.err.count("\n") == 1
