"""Versions, and the folder where progress is kept."""

from __future__ import annotations

import os
import re
import sys
import uuid
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from tutor.doctor.finding import FINE, NOTE, PROBLEM, Finding
from tutor.places import Places
from tutor.program import NAME

_LEAST_PYTHON = (3, 11)
_LEAST_FREE = 10 << 20  # bytes
_NETWORK = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "fuse.sshfs", "lustre", "gpfs", "ceph"}
_MOUNTS = Path("/proc/mounts")


def python() -> Finding:
    """The version of Python."""
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < _LEAST_PYTHON:
        return Finding("Python", PROBLEM, found, f"Install Python {'.'.join(map(str, _LEAST_PYTHON))} or newer.")
    return Finding("Python", FINE, found)


def packages() -> Finding:
    """The packages that the tutor stands on, in the versions that it asks for."""
    try:
        wanted = [text for text in requires(NAME) or [] if "extra ==" not in text]
    except PackageNotFoundError:
        return Finding("packages", NOTE, f"{NAME} runs from a checkout", "pip install . checks the versions.")
    said, wrong = [], []
    for text in wanted:
        name = re.split(r"[^\w.-]", text, maxsplit=1)[0]
        try:
            installed = version(name)
        except PackageNotFoundError:
            wrong.append(f"{name} is missing")
            continue
        said.append(f"{name} {installed}")
        pinned = re.fullmatch(rf"{re.escape(name)}==([\w.]+)", text)
        if pinned and pinned[1] != installed:
            wrong.append(f"{name} is {installed}, not {pinned[1]}")
    if wrong:
        return Finding("packages", PROBLEM, ", ".join(wrong), f"pip install --force-reinstall {NAME} mends them.")
    return Finding("packages", FINE, ", ".join(said))


def progress(places: Places) -> Finding:
    """Whether progress can be written, by writing."""
    folder = places.state
    what = "progress"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        trial = folder / f".doctor-{uuid.uuid4().hex}"
        with trial.open("xb") as file:
            file.write(b"x" * 4096)
            file.flush()
            os.fsync(file.fileno())
        trial.unlink()
    except OSError as error:
        said = f"{folder}: {error.strerror or error}"
        return Finding(what, PROBLEM, said, "Make it writable, free some space, or set TUTOR_HOME to another folder.")
    if hasattr(os, "statvfs"):
        free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
        if free < _LEAST_FREE:
            return Finding(what, NOTE, f"{folder}: {free >> 20} MiB are free", "Free some space.")
    return Finding(what, FINE, str(folder))


def file_system(places: Places) -> Finding:
    """What the folder of progress lies on: a network's locks are slower, and some do not hold."""
    kind = kind_of(places.state)
    if kind in _NETWORK:
        advice = (
            "It works: one file a learner, locked for each answer. Where answers are slow to be kept, set TUTOR_HOME "
            "to a folder on a local disk."
        )
        return Finding("file system", NOTE, f"{kind}, over the network", advice)
    return Finding("file system", FINE, kind or "local, as far as can be told")


def kind_of(folder: Path, mounts: str | None = None) -> str:
    """The kind of file system that `folder` lies on, as the system's table of mounts calls it; "" where there is none.

    >>> kind_of(Path("/home/ada/x"), "a / ext4 rw 0 0\\nserver:/home /home nfs4 rw 0 0\\n")
    'nfs4'
    """
    if mounts is None:
        try:
            mounts = _MOUNTS.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
    path = Path(os.path.realpath(folder)) if _MOUNTS.exists() else folder
    best, kind = -1, ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = Path(fields[1].encode().decode("unicode_escape"))
        if path.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), fields[2]
    return kind
