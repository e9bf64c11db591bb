"""Whether this host can hold a class: looked at, and tried where trying is possible."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tutor.classroom.door import examine_door
from tutor.classroom.folder import KEYS, LEARNERS, SETTINGS, SHARED, ClassFolder, Settings
from tutor.classroom.owners import account_of, owner, staff
from tutor.doctor import FINE, NOTE, PROBLEM, Finding
from tutor.safe_text import visible

_LEAST_ROOM = 256 << 20  # bytes


def examine(folder: ClassFolder, program: Sequence[str], configuration: Path | None = None) -> list[Finding]:
    """Everything that is looked at; `configuration` is sshd's file. Raises NoClass for a folder that is no class."""
    settings = folder.settings()
    names = folder.learners()
    found = [_box(settings, names, program), _program(program[0]), _folder(folder), *_learners(folder)]
    found += [_owners(folder, settings, names), _room(folder)]
    if settings.shape == SHARED:
        found.append(_keys(folder))
    return [*found, *examine_door(folder, settings, program, configuration)]


def _box(settings: Settings, names: list[str], program: Sequence[str]) -> Finding:
    """Whether checks stand in a box, tried as a learner where the administrator asks."""
    from tutor.doctor.walls import in_a_class

    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        one = in_a_class()
        return Finding(one.what, FINE if one.state == FINE else PROBLEM, one.found, one.advice)
    what = "checks in a class"
    account = settings.account if settings.shape == SHARED else names[0] if names else ""
    found = _as_account(account, [*program, "doctor", "--json"]) if account else None
    if found is None:
        said = f"not tried: {f'there is no account {account}' if account else 'nobody is in the class yet'}"
        return Finding(what, NOTE, said, "The box is tried as a learner's account.")
    try:
        (one,) = [one for one in json.loads(found)["findings"] if one["what"] == what]
        return Finding(what, FINE if one["state"] == FINE else PROBLEM, f"{one['found']}, as {account}", one["advice"])
    except (ValueError, KeyError, TypeError):
        return Finding(what, PROBLEM, f"{account} cannot start the tutor: {visible(found.strip()[-200:])}")


def _as_account(account: str, command: list[str]) -> str | None:
    """What a command prints when this account runs it; None where there is no such account, or no way to be it."""
    import pwd

    try:
        there = pwd.getpwnam(account)
    except KeyError:
        return None
    if shutil.which("setpriv") is None:
        return None
    be = ["setpriv", f"--reuid={there.pw_uid}", f"--regid={there.pw_gid}", "--init-groups"]
    environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": there.pw_dir, "LANG": "C.UTF-8"}
    try:
        done = subprocess.run(
            [*be, *command],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            cwd="/",
            env=environment,
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return done.stdout or done.stderr


def _owners(folder: ClassFolder, settings: Settings, names: list[str]) -> Finding:
    """Whether each learner can write, and the instructors read."""
    import grp

    what = "whose the folders are"
    group = staff(settings)
    try:
        members = grp.getgrnam(group).gr_mem
    except KeyError:
        return Finding(what, PROBLEM, f"there is no group {group}", "`class sshd-config` prints how to make it.")
    for name in names:
        place = folder.places(name).state
        if account_of(place) != owner(settings, name) or place.group() != group:
            said = f"{place} is {account_of(place)}'s, and not {owner(settings, name)}'s with the group {group}"
            return Finding(what, PROBLEM, said, f"`class add {folder.path} {name}` as the administrator mends it.")
    if not members:
        return Finding(what, NOTE, f"nobody is in the group {group}", f"usermod --append --groups {group} INSTRUCTOR")
    return Finding(what, FINE, f"the learners', to be read by {', '.join(members)}")


def _room(folder: ClassFolder) -> Finding:
    """Whether the disk has room for what a class writes."""
    what = "room on the disk"
    free = shutil.disk_usage(folder.path).free
    if free < _LEAST_ROOM:
        return Finding(what, PROBLEM, f"{free >> 20:,} MiB", "An answer that cannot be kept ends a session.")
    return Finding(what, FINE, f"{free >> 30:,} GiB")


def _program(program: str) -> Finding:
    """Nobody but the administrator may change what every session starts."""
    what = "the program"
    path = Path(program)
    if not path.exists():
        return Finding(what, PROBLEM, f"{program} is not there", "Install the tutor where every account can start it.")
    # The script, and the interpreter that its first line names, which may lie in a home that nobody else can enter
    files = [path.resolve(), *_interpreter(path)]
    for one in dict.fromkeys(part for file in files for part in (file, *file.parents)):
        mode = one.stat().st_mode
        if not mode & stat.S_IXOTH:
            return Finding(what, PROBLEM, f"{one} cannot be entered by others", "Install it in /opt or /usr/local.")
        sticky = mode & stat.S_ISVTX
        if mode & stat.S_IWOTH and not sticky:
            return Finding(what, PROBLEM, f"{one} can be written by everybody", f"chmod o-w {one}")
    return Finding(what, FINE, program)


def _interpreter(script: Path) -> list[Path]:
    """The interpreter of a script by its first line, and the folders on the way to it; none where it names none."""
    try:
        with script.open("rb") as file:
            first = file.readline(500)
    except OSError:
        return []
    words = first.removeprefix(b"#!").split() if first.startswith(b"#!") else []
    if not words:
        return []
    named = Path(words[0].decode("utf-8", "replace"))
    return [named.absolute(), named.resolve()] if named.exists() else []


def _folder(folder: ClassFolder) -> Finding:
    what = "the class's folder"
    for part in (folder.path, folder.path / SETTINGS, folder.path / LEARNERS):
        try:
            mode = part.stat().st_mode
        except OSError as error:
            made = f"mkdir -m 711 {part}" if part.name == LEARNERS else f"`class init {folder.path}` makes it."
            return Finding(what, PROBLEM, f"{part}: {error.strerror}", made)
        if mode & (stat.S_IWOTH | stat.S_IWGRP):
            return Finding(what, PROBLEM, f"{part} can be written by others", f"chmod go-w {part}")
    return Finding(what, FINE, str(folder.path))


def _learners(folder: ClassFolder) -> list[Finding]:
    """Whether one learner could look into another's folder."""
    open_ = []
    names = folder.learners()
    for name in names:
        place = folder.places(name).state
        if place.stat().st_mode & (stat.S_IROTH | stat.S_IXOTH | stat.S_IWOTH):
            open_.append(name)
    if open_:
        said = f"{len(open_)} can be read by everybody, {open_[0]} among them"
        return [Finding("learners' folders", PROBLEM, said, f"chmod o-rwx {folder.path / LEARNERS}/*")]
    return [Finding("learners' folders", FINE, f"{len(names)} learner{'' if len(names) == 1 else 's'}")]


def _keys(folder: ClassFolder) -> Finding:
    what = "keys"
    file = folder.path / KEYS
    if not file.exists():
        return Finding(what, NOTE, "nobody has a key yet", "`class add NAME --key FILE` gives one.")
    bad = [
        line
        for line in file.read_text(encoding="utf-8").splitlines()
        if line and not line.startswith('restrict,pty,command="')
    ]
    if bad:
        return Finding(what, PROBLEM, f"{len(bad)} lines of {file} are no forced commands", "Take them out.")
    if file.stat().st_mode & (stat.S_IWOTH | stat.S_IWGRP):
        return Finding(what, PROBLEM, f"{file} can be written by others", f"chmod go-w {file}")
    return Finding(what, FINE, str(file))
