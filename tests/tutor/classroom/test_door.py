"""What the doctor makes of sshd's own account of a learner's connection."""

from __future__ import annotations

from pathlib import Path

import pytest

from tutor.classroom import door
from tutor.classroom.door import examine_door
from tutor.classroom.entrance import session_command
from tutor.classroom.folder import ACCOUNTS, SHARED, ClassFolder, Settings

PROGRAM = ("/opt/worldsize/bin/worldsize",)
GOOD = {
    "disableforwarding": "yes",
    "permituserrc": "no",
    "permituserenvironment": "no",
    "permittty": "yes",
    "forcecommand": "none",
    "maxstartups": "60:30:120",
    "clientaliveinterval": "30",
    "clientalivecountmax": "4",
    "usepam": "no",
    "acceptenv": "LANG\nacceptenv LC_*\nacceptenv COLORTERM NO_COLOR",
}


def states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: str, without: bool = False, **changes: str
) -> dict[str, tuple[str, str]]:
    """The state and the words of each finding, when sshd says this."""
    folder = ClassFolder(tmp_path / shape)
    folder.make(Settings(shape=shape))
    if not without:
        folder.add("ada")
    says = dict(GOOD)
    if shape == SHARED:
        says["authorizedkeysfile"] = str(folder.path / "authorized_keys")
    else:
        says["forcecommand"] = session_command(PROGRAM, folder.path)
    text = "".join(f"{name} {value}\n" for name, value in (says | changes).items())
    (tmp_path / "said").write_text(text)
    program = tmp_path / "sshd"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\ncat {tmp_path}/said\n')
    program.chmod(0o755)
    monkeypatch.setattr(door, "SSHD", (str(program),))
    monkeypatch.setattr(door, "_LIMITS", (str(tmp_path / "limits.conf"), str(tmp_path / "limits.d")))
    found = examine_door(folder, folder.settings(), PROGRAM)
    return {one.what.removeprefix("sshd, "): (one.state, one.found) for one in found}


@pytest.mark.parametrize(("shape", "account"), [(ACCOUNTS, "ada"), (SHARED, "worldsize-class")])
def test_a_door_as_it_should_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: str, account: str) -> None:
    found = states(tmp_path, monkeypatch, shape)
    assert [what for what, (state, _) in found.items() if state != "fine"] == ["limits"]
    assert f"user={account}," in (tmp_path / "asked").read_text()


@pytest.mark.parametrize(
    ("shape", "changes", "what", "state", "said"),
    [
        (SHARED, {"disableforwarding": "no"}, "what worldsize-class may do", "problem", "can be forwarded"),
        (SHARED, {"permituserenvironment": "yes"}, "what worldsize-class may do", "problem", "environment"),
        (ACCOUNTS, {"permittty": "no"}, "what ada may do", "problem", "no terminal"),
        (ACCOUNTS, {"forcecommand": "none"}, "what ada runs", "problem", "ForceCommand is none"),
        (ACCOUNTS, {"forcecommand": "/bin/sh"}, "what ada runs", "problem", "ForceCommand is /bin/sh"),
        (SHARED, {"authorizedkeysfile": ".ssh/authorized_keys"}, "what worldsize-class runs", "problem", "keys are"),
        (SHARED, {"acceptenv": "*"}, "what a learner's terminal says", "problem", "AcceptEnv takes *"),
        (SHARED, {"acceptenv": "LANG PYTHON*"}, "what a learner's terminal says", "problem", "takes PYTHON*"),
        (SHARED, {"acceptenv": "LANG LC_*"}, "what a learner's terminal says", "note", "without COLORTERM NO_COLOR"),
        (SHARED, {"maxstartups": "10:30:100"}, "logins at the same moment", "note", "10:30:100"),
        (SHARED, {"clientaliveinterval": "0"}, "lines that are cut", "note", "nobody notices"),
    ],
)
def test_what_is_open_is_found(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    shape: str,
    changes: dict[str, str],
    what: str,
    state: str,
    said: str,
) -> None:
    found = states(tmp_path, monkeypatch, shape, **changes)
    assert found[what][0] == state
    assert said in found[what][1]


def test_limits_are_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "limits.d").mkdir()
    (tmp_path / "limits.d" / "class.conf").write_text("# a class\n@worldsize-class hard nproc 64\n")
    assert states(tmp_path, monkeypatch, ACCOUNTS, usepam="yes")["limits"][0] == "fine"
    assert states(tmp_path, monkeypatch, SHARED, usepam="yes")["limits"][0] == "note"


def test_an_empty_class_and_an_sshd_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert states(tmp_path, monkeypatch, ACCOUNTS, without=True) == {"sshd": ("note", "nobody is in the class yet")}
    (tmp_path / "sshd").write_text("#!/bin/sh\necho 'no hostkeys available' >&2\nexit 1\n")
    folder = ClassFolder(tmp_path / ACCOUNTS)
    folder.add("ada")
    (one,) = examine_door(folder, folder.settings(), PROGRAM)
    assert (one.state, one.found) == ("note", "its settings cannot be read: no hostkeys available")
