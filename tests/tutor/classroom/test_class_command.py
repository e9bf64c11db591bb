"""`class …` on the command line: says what it does, and with --dry-run does nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tutor.classroom.folder import ClassFolder
from tutor.cli.main import main

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0 ada@home\n"


@pytest.fixture
def place(tmp_path: Path) -> str:
    return str(tmp_path / "class")


def everything(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() if file.is_file() else b"" for file in folder.rglob("*")}


def test_from_nothing_to_a_class_and_back(place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = tmp_path / "ada.pub"
    key.write_text(KEY)
    assert main(["class", "init", place, "--shape", "shared", "--title", "Autumn"]) == 0
    assert main(["class", "add", place, "ada", "--key", str(key)]) == 0
    assert main(["class", "add", place, "bob"]) == 0
    assert main(["class", "list", place, "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == {
        "title": "Autumn",
        "shape": "shared",
        "learners": ["ada", "bob"],
    }
    keys = Path(place, "authorized_keys")
    assert keys.read_text().count("restrict,pty,command=") == 1
    assert keys.stat().st_mode & 0o777 == 0o644
    assert main(["class", "pace", place, "--open-until", "ring", "--reveal", "off"]) == 0
    assert ClassFolder(Path(place)).settings().open_until == "ring"
    assert main(["class", "remove", place, "ada"]) == 0
    assert keys.read_text() == ""
    assert main(["class", "forget", place, "ada", "--yes"]) == 0
    assert ClassFolder(Path(place)).learners() == ["bob"]
    assert list(Path(place, "removed").iterdir()) == []


def test_a_dry_run_changes_nothing(place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["class", "init", place, "--dry-run"]) == 0
    assert not Path(place).exists()
    main(["class", "init", place, "--shape", "shared"])
    main(["class", "add", place, "ada"])
    key = tmp_path / "ada.pub"
    key.write_text(KEY)
    before = everything(Path(place))
    capsys.readouterr()
    for words in (
        ["add", place, "bob", "--key", str(key), "--dry-run"],
        ["remove", place, "ada", "--dry-run"],
        ["forget", place, "ada", "--dry-run"],
        ["pace", place, "--open-until", "ring", "--dry-run"],
    ):
        assert main(["class", *words]) == 0
    assert everything(Path(place)) == before
    out = capsys.readouterr().out
    for did in ("Would make ", "Would give ", "Would write ", "Would move ", "Would delete "):
        assert did in out
    main(["class", "pace", place, "--open-until", "all"])
    assert "All lessons are open." in capsys.readouterr().out


def test_a_class_that_is_there_says_its_shape(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["class", "init", place, "--shape", "shared"])
    capsys.readouterr()
    assert main(["class", "init", place, "--shape", "accounts"]) == 0
    out = capsys.readouterr().out
    assert "is a class already (shared)" in out
    assert "--shape accounts changes nothing" in out
    assert main(["class", "init", place, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["shape"] == "shared"


def test_forget_asks(place: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    main(["class", "init", place])
    main(["class", "add", place, "ada"])
    monkeypatch.setattr("sys.stdin", None)
    assert main(["class", "forget", place, "ada"]) == 2
    assert "--yes" in capsys.readouterr().err
    assert ClassFolder(Path(place)).learners() == ["ada"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["init", "{}", "--shape", "tent"], "--shape is 'tent'; accepted: accounts, shared"),
        (["list", "{}/none"], "is no class"),
        (["add", "{}", "Ada"], "accepted: 1 to 32 lower-case letters"),
        (["add", "{}", "ada", "--key", "/nowhere"], "--key is for a class that shares one account"),
        (["pace", "{}", "--open-until", "tea"], "--open-until is 'tea'; accepted: all, why"),
        (["pace", "{}", "--question", "tea"], "--question is 'tea'"),
        (["pace", "{}", "--reveal", "maybe"], "--reveal is 'maybe'; accepted: on, off"),
        (["session", "{}"], "administrator|no learner|not in this class|account"),
        (["remove", "{}", "eve"], "eve is not in this class"),
    ],
)
def test_bad_input_is_one_line(place: str, words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    import re

    main(["class", "init", place])
    capsys.readouterr()
    assert main(["class", *(word.format(place) for word in words)]) == 2
    error = capsys.readouterr().err
    assert re.search(said, error), error
    assert error.count("\n") == 1


def test_the_pieces_are_printed_and_name_the_class(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["class", "init", place, "--shape", "shared"])
    assert main(["class", "sshd-config", place]) == 0
    out = capsys.readouterr().out
    assert f"AuthorizedKeysFile {place}/authorized_keys" in out
    assert "nothing on this host is changed" in out


def test_the_doctor_finds_what_is_open(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["class", "init", place, "--shape", "shared"])
    main(["class", "add", place, "ada"])
    Path(place, "learners", "ada").chmod(0o755)
    Path(place, "class.toml").chmod(0o666)
    Path(place, "authorized_keys").write_text("ssh-ed25519 AAAA free\n")
    capsys.readouterr()
    assert main(["class", "doctor", place, "--json"]) == 1
    found = {one["what"]: one for one in json.loads(capsys.readouterr().out)["findings"]}
    assert found["learners' folders"]["state"] == "problem"
    assert found["the class's folder"]["advice"].startswith("chmod go-w")
    assert found["keys"]["found"].startswith("1 lines")


def test_one_key_lets_in_one_learner(place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["class", "init", place, "--shape", "shared"])
    key = tmp_path / "ada.pub"
    key.write_text(KEY)
    assert main(["class", "add", place, "ada", "--key", str(key)]) == 0
    assert main(["class", "add", place, "ada", "--key", str(key)]) == 0
    capsys.readouterr()
    assert main(["class", "add", place, "bob", "--key", str(key)]) == 2
    assert "ada has this key already" in capsys.readouterr().err
    assert "bob" not in Path(place, "authorized_keys").read_text()
