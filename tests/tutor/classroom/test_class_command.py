"""`class …` on the command line: says what it does, and with --dry-run does nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tutor.classroom import owners
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


def test_a_dry_run_changes_nothing(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["class", "init", place, "--dry-run"]) == 0
    assert not Path(place).exists()
    main(["class", "init", place, "--shape", "shared"])
    key = tmp_path / "ada.pub"
    key.write_text(KEY)
    main(["class", "add", place, "ada", "--key", str(key)])
    main(["class", "remove", place, "ada"])
    main(["class", "add", place, "ada", "--key", str(key)])
    before = everything(tmp_path)
    capsys.readouterr()
    file = tmp_path / "ada.json"
    for words, did in (
        (["add", place, "bob"], ["Would make ", "Would be left to the administrator"]),
        (["add", place, "ada", "--key", str(key)], ["Would set the mode of ", "Would write "]),
        (["remove", place, "ada"], ["Would move ", "Would take ada's lines out of "]),
        (["forget", place, "ada"], [f"Would delete {place}/learners/ada\n", f"Would delete {place}/removed/ada-"]),
        (["pace", place, "--open-until", "ring"], ["Would write ", "Lessons are open as far as ring."]),
        (["export", place, "ada", str(file)], [f"Would write 0 events and 0 files of ada to {file}."]),
        (["session", place, "--learner", "ada"], ["Would open the tutor for ada"]),
        (["list", place], ["1 learner\n"]),
        (["sshd-config", place], ["nothing on this host is changed"]),
        (["board", place], ["not begun"]),
        (["report", place], ["disputed"]),
    ):
        with monkeypatch.context() as somebody:
            somebody.setattr("os.geteuid", lambda: 1000)
            assert main(["class", *words, "--dry-run"]) == 0, words
        out = capsys.readouterr().out
        assert [one for one in did if one not in out] == [], (words, out)
        assert everything(tmp_path) == before, words
    main(["class", "doctor", place, "--dry-run"])
    assert "the class's folder" in capsys.readouterr().out
    assert everything(tmp_path) == before
    file.write_text("mine")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert main(["class", "export", place, "ada", str(file), "--dry-run"]) == 2
    main(["class", "pace", place, "--open-until", "all"])
    assert "All lessons are open." in capsys.readouterr().out


def test_a_dry_run_is_of_every_class_command() -> None:
    from tutor.cli.class_ import _COMMANDS
    from tutor.cli.main import parser

    dirs = {name: ["DIR"] for name in _COMMANDS}
    dirs |= {name: ["DIR", "ada"] for name in ("add", "remove", "forget")} | {"export": ["DIR", "ada", "FILE"]}
    for name, words in dirs.items():
        arguments, rest = parser().parse_known_args(["class", name, *words, "--dry-run"])
        assert (arguments.dry_run, rest) == (True, []), name


@pytest.mark.parametrize("dry", [False, True])
def test_what_is_made_is_named_with_its_mode(place: str, capsys: pytest.CaptureFixture[str], dry: bool) -> None:
    option = ["--dry-run"] if dry else []
    folder = Path(place).parent / "above" / "class"
    main(["class", "init", str(folder), *option])
    said = [line.removeprefix("Would ") for line in capsys.readouterr().out.splitlines()[1:-1]]
    s = "" if dry else "s"
    assert said == [
        f"make{s} {folder.parent}",
        f"make{s} {folder} with mode 755",
        f"make{s} {folder}/learners with mode 711",
        f"make{s} {folder}/removed with mode 700",
        f"write{s} {folder}/class.toml with mode 644",
    ]
    # A folder that somebody has made before is opened to everybody: that is said too
    Path(place).mkdir(mode=0o700)
    main(["class", "init", place, *option])
    assert f"et{s} the mode of {place} to 755\n" in capsys.readouterr().out
    assert Path(place).stat().st_mode & 0o777 == (0o700 if dry else 0o755)
    main(["class", "init", place])
    capsys.readouterr()
    main(["class", "add", place, "ada", *option])
    assert f"ake{s} {place}/learners/ada with mode 2750\n" in capsys.readouterr().out
    main(["class", "add", place, "ada"])
    capsys.readouterr()
    main(["class", "add", place, "ada", *option])
    assert f"et{s} the mode of {place}/learners/ada to 2750\n" in capsys.readouterr().out
    for made, mode in (("learners", 0o711), ("removed", 0o700), ("class.toml", 0o644), ("learners/ada", 0o2750)):
        assert Path(place, made).stat().st_mode & 0o7777 == mode


def test_what_the_administrator_hands_over_is_named(
    place: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    main(["class", "init", place, "--account", "autumn"])
    capsys.readouterr()
    monkeypatch.setattr(owners, "obstacle", lambda *_: "")
    main(["class", "add", place, "ada", "--dry-run"])
    assert capsys.readouterr().out.splitlines() == [
        f"Would make {place}/learners/ada with mode 2750",
        f"Would give {place}/learners/ada to ada, to be read by the group autumn-staff",
        f"Would give {place}/learners to the group autumn-staff with mode 751",
    ]


def test_a_shared_class_says_what_that_means(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["class", "init", place, "--shape", "shared", "--dry-run"])
    main(["class", "init", place, "--shape", "shared"])
    assert capsys.readouterr().out.count("trusted less: all sessions run as one account (worldsize-class)") == 2
    main(["class", "init", f"{place}-2"])
    assert "trusted" not in capsys.readouterr().out


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


@pytest.mark.parametrize("shape", ["shared", "accounts"])
def test_the_doctor_of_a_class_in_which_nobody_is_yet(
    place: str, shape: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["class", "init", place, "--shape", shape])
    capsys.readouterr()
    assert main(["class", "doctor", place, "--json"]) in (0, 1)
    captured = capsys.readouterr()
    assert "checks in a class" in {one["what"] for one in json.loads(captured.out)["findings"]}
    assert captured.err == ""


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
