"""Whether this host can hold a class: looked at, and tried where trying is possible."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tutor.classroom.folder import KEYS, LEARNERS, SETTINGS, SHARED, ClassFolder
from tutor.doctor import FINE, NOTE, PROBLEM, Finding

_SSHD = ("/usr/sbin/sshd", "/usr/local/sbin/sshd")
_LEAST_STARTUPS = 20


def examine(folder: ClassFolder, program: Sequence[str]) -> list[Finding]:
    """Everything that is looked at. Raises NoClass for a folder that is no class."""
    settings = folder.settings()
    found = [_box(), _program(program[0]), _folder(folder), *_learners(folder)]
    if settings.shape == SHARED:
        found.append(_keys(folder))
    return [*found, _sshd()]


def _box() -> Finding:
    from tutor.doctor.walls import in_a_class

    one = in_a_class()
    return Finding(one.what, FINE if one.state == FINE else PROBLEM, one.found, one.advice)


def _program(program: str) -> Finding:
    """Nobody but the administrator may change what every session starts."""
    what = "the program"
    path = Path(program)
    if not path.exists():
        return Finding(what, PROBLEM, f"{program} is not there", "Install the tutor where every account can start it.")
    for one in (path.resolve(), *path.resolve().parents):
        mode = one.stat().st_mode
        if not mode & stat.S_IXOTH:
            return Finding(what, PROBLEM, f"{one} cannot be entered by others", "Install it in /opt or /usr/local.")
        sticky = mode & stat.S_ISVTX
        if mode & stat.S_IWOTH and not sticky:
            return Finding(what, PROBLEM, f"{one} can be written by everybody", f"chmod o-w {one}")
    return Finding(what, FINE, program)


def _folder(folder: ClassFolder) -> Finding:
    what = "the class's folder"
    for part in (folder.path, folder.path / SETTINGS, folder.path / LEARNERS):
        try:
            mode = part.stat().st_mode
        except OSError as error:
            return Finding(
                what, PROBLEM, f"{part}: {error.strerror}", f"`class init {folder.path}` makes what is missing."
            )
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
    return [Finding("learners' folders", FINE, f"{len(names)} learners")]


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


def _sshd() -> Finding:
    """What sshd would do, by its own account; only the administrator may ask it."""
    what = "sshd"
    found = next((name for name in _SSHD if os.path.exists(name)), shutil.which("sshd"))
    if found is None:
        return Finding(what, PROBLEM, "OpenSSH's server is not installed", "Install the package openssh-server.")
    done = subprocess.run([found, "-T"], capture_output=True, text=True, check=False, timeout=20)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        return Finding(what, NOTE, f"its settings cannot be read: {said}", f"As the administrator: {found} -T")
    settings = dict(line.partition(" ")[::2] for line in done.stdout.splitlines())
    startups = settings.get("maxstartups", "10").partition(":")[0]
    if startups.isdigit() and int(startups) < _LEAST_STARTUPS:
        return Finding(
            what, NOTE, f"MaxStartups is {startups}", "A class that logs in together needs MaxStartups 60:30:120."
        )
    return Finding(what, FINE, f"MaxStartups {startups}")
