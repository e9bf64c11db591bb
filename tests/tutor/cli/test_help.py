"""`--help` of every command: it fits the terminal, is a sentence, and says what each argument is."""

from __future__ import annotations

import argparse

import pytest

from tutor.cli.main import main, parser
from tutor.program import NAME


def commands() -> dict[str, argparse.ArgumentParser]:
    (found,) = (action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    return dict(found.choices)


COMMANDS = commands()


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_and_explains(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    # Wherever this Python is, whose path may be any length
    monkeypatch.setattr(COMMANDS[name], "prog", f"{NAME} {name}")
    text = COMMANDS[name].format_help()
    assert max(map(len, text.splitlines())) <= 80
    description = COMMANDS[name].description or ""
    assert description[:1].isupper()
    assert description.endswith(".")
    for action in COMMANDS[name]._actions:
        assert action.help or isinstance(action, argparse._SubParsersAction), action.dest


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["search"], "WORDS is missing"),
        (["answer"], "QUESTION is missing"),
        (["check"], "FILE is missing"),
        (["class", "add"], "DIR, NAME are missing"),
    ],
)
def test_what_is_missing_is_named(argv: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 2
    err = capsys.readouterr().err
    assert said in err
    assert "--help" in err
    assert err.count("\n") == 1
