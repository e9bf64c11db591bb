"""The doctor: each shortcoming is found, and told with what to do about it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tutor.checker import CouldNotCheck, proof
from tutor.cli.main import main
from tutor.doctor import FINE, NOTE, PROBLEM, examine, host, screen, walls
from tutor.places import Places


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path / "state", tmp_path / "exercises")


@pytest.fixture
def on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Pretends that there is a terminal of this kind and size."""

    def pretend(kind: str = "xterm-256color", columns: int = 80, rows: int = 24) -> None:
        for name in ("stdin", "stdout", "stderr"):
            monkeypatch.setattr(getattr(sys, name), "isatty", lambda: True, raising=False)
        monkeypatch.setenv("TERM", kind)
        monkeypatch.setattr(screen.shutil, "get_terminal_size", lambda fallback: os.terminal_size((columns, rows)))

    return pretend


def test_it_looks_at_everything_that_can_stand_in_the_way(places: Places) -> None:
    whats = [finding.what for finding in examine(places)]
    assert whats[:2] == ["Python", "packages"]
    assert {"terminal", "colours", "characters", "progress", "file system"} <= set(whats)
    assert whats[-2:] == ["checks on your own account", "checks in a class"]


def test_nothing_is_left_in_the_folder(places: Places) -> None:
    assert host.progress(places).state == FINE
    assert list(places.state.iterdir()) == []


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = host.progress(Places(tmp_path / "file" / "state", tmp_path))
    assert found.state == PROBLEM
    assert "TUTOR_HOME" in found.advice


MOUNTS = (
    "/dev/vda / ext4 rw 0 0\n"
    "server:/home /home nfs4 rw,vers=4.2 0 0\n"
    "tmpfs /home/ada/fast tmpfs rw 0 0\n"
    "//box/share /mnt/my\\040share cifs rw 0 0\n"
)


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/var/x", "ext4"),
        ("/home/ada/.local", "nfs4"),
        ("/home/ada/fast/x", "tmpfs"),
        ("/homeless", "ext4"),
        ("/mnt/my share/x", "cifs"),
    ],
)
def test_the_file_system_is_that_of_the_nearest_mount(folder: str, kind: str) -> None:
    assert host.kind_of(Path(folder), MOUNTS) == kind


def test_a_network_folder_is_named(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "kind_of", lambda folder: "nfs4")
    found = host.file_system(places)
    assert found.state == NOTE
    assert "nfs4" in found.found
    assert "TUTOR_HOME" in found.advice


def test_a_package_of_another_version_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        host, "requires", lambda name: ["textual==1.0", "numpy<3,>=2.1", "nowhere>=1", 'pyte; extra == "test"']
    )
    found = host.packages()
    assert found.state == PROBLEM
    assert found.found.startswith("textual is ")
    assert ", not 1.0" in found.found
    assert "nowhere is missing" in found.found
    assert "pyte" not in found.found


def test_an_old_python_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host.sys, "version_info", (3, 9, 1))
    assert host.python().state == PROBLEM


def test_terminals(on_a_terminal: Callable[..., None]) -> None:
    on_a_terminal()
    assert (screen.terminal().state, screen.terminal().found) == (FINE, "xterm-256color, 80x24")
    on_a_terminal("dumb")
    assert screen.terminal().state == PROBLEM
    assert "plain" in screen.terminal().advice
    on_a_terminal(columns=60)
    assert screen.terminal().state == NOTE
    on_a_terminal(rows=11)
    assert "40x12" in screen.terminal().advice


def test_without_a_terminal_the_commands_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False, raising=False)
    assert "ssh -t" in screen.terminal().advice


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({"COLORTERM": "truecolor"}, "16 million"),
        ({"TERM": "xterm-256color"}, "256"),
        ({"TERM": "linux"}, "16"),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, "none"),
    ],
)
def test_colours(environment: dict[str, str], found: str) -> None:
    assert screen.colours(environment).found.split(",")[0] == found


def test_over_ssh_the_lost_variable_is_named() -> None:
    assert "AcceptEnv COLORTERM" in screen.colours({"TERM": "xterm-256color", "SSH_CONNECTION": "x"}).advice


def test_a_locale_without_utf_8(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    found = screen.characters()
    assert found.state == NOTE
    assert "LANG=C.UTF-8" in found.advice


def test_walls_that_stand() -> None:
    assert walls.own_account().state == FINE


def test_walls_with_holes_are_told_as_what_could_be_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "holes", lambda limits: ("read", "tcp"))
    found = walls.own_account()
    assert found.state == NOTE
    assert found.found == "a file that is checked reads a file of yours and reaches a port of this machine (TCP)"
    assert "Only check code that you trust" in found.advice


def test_a_checker_that_cannot_run_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(limits: object) -> tuple[str, ...]:
        raise CouldNotCheck("the process for your file did not start: no numpy")

    monkeypatch.setattr(proof, "holes", broken)
    assert walls.own_account().state == PROBLEM


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        ("bubblewrap is not installed", "Install the package bubblewrap"),
        ("AppArmor keeps bubblewrap from making namespaces", "/etc/apparmor.d/bwrap"),
        ("this is the administrator's account, whose rights a box would keep", "account of your own"),
    ],
)
def test_why_a_class_cannot_be_held_here(reason: str, advice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "why_no_box", lambda: reason)
    found = walls.in_a_class()
    assert found.found == f"off: {reason}"
    assert advice in found.advice


def test_the_command_says_it_and_its_status_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(proof, "holes", lambda limits: ())
    monkeypatch.setattr(proof, "why_no_box", lambda: "")
    assert main(["doctor", "--json"]) == 0
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert {"what", "state", "found", "advice"} == set(findings[0])
    (tmp_path / "blocked").write_text("")
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "blocked"))
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "problem  progress: " in out
    assert max(map(len, out.splitlines())) <= 100
