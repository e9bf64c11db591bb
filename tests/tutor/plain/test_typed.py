"""What a typed line means, and lines that are none."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.plain.commands import COMMANDS
from tutor.plain.typed import Typed, named, next_line, read
from tutor.views.topics import TOPICS


@given(st.text(max_size=30))
def test_a_line_is_one_of_three(line: str) -> None:
    typed = read(line)
    assert (bool(typed.name), bool(typed.answer), typed.goes_on).count(True) == 1
    if not line.strip().startswith((":", "?")):
        assert typed.answer == line.strip()


@pytest.mark.parametrize(
    "answer", ["1 2 303; 11 20 30", ". . 0F0", "-3", "/2", "1/4", "38.5 GB", "none", "?!", "b", "q"]
)
def test_answers_are_never_commands(answer: str) -> None:
    assert read(f"\ufeff{answer}\r\n") == Typed(answer=answer)


def test_a_letter_is_enough_for_every_command() -> None:
    for name in COMMANDS.keys() - {"practice"}:
        assert named(name[0], COMMANDS)[0] == name
    assert named("pr", COMMANDS) == ["practice"]


def test_no_picture_has_a_parameter_that_a_command_hides() -> None:
    names = {parameter.name.replace("_", "-") for topic in TOPICS.values() for parameter in topic.parameters}
    assert not names & COMMANDS.keys()


class _Bytes(io.TextIOWrapper):
    def __init__(self, raw: bytes) -> None:
        super().__init__(io.BytesIO(raw), encoding="ascii")


def test_any_bytes_can_be_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", _Bytes(b"\xff\x00\n" + b"x" * 250_000 + b"\nlast"))
    assert next_line("") == "\ufffd\x00\n"
    assert set(next_line("") or "") == {"x"}  # the beginning of an endless line, and its rest is gone
    assert next_line("") == "last"
    assert next_line("") is None


@pytest.mark.parametrize("stdin", [None, "closed"])
def test_no_input_is_the_end_of_the_input(monkeypatch: pytest.MonkeyPatch, stdin: str | None) -> None:
    stream = io.StringIO()
    stream.close()
    monkeypatch.setattr("sys.stdin", stream if stdin else None)
    assert next_line("") is None
