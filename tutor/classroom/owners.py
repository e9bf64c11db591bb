"""Whose a learner's folder has to be: the account that the sessions run as writes, the instructors' group reads."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Sequence
from pathlib import Path

from tutor.classroom.folder import LEARNERS, SHARED, ClassFolder, Settings

_LISTED_BY_STAFF = 0o751  # learners pass through to their own folder, and see no other's name


def staff(settings: Settings) -> str:
    """The group of the instructors, who read what learners do."""
    return f"{settings.account}-staff"


def owner(settings: Settings, name: str) -> str:
    """The account that this learner's sessions run as."""
    return settings.account if settings.shape == SHARED else name


def command(program: Sequence[str], folder: ClassFolder, name: str) -> str:
    """What the administrator types, once the account is there, to hand the learner's folder over."""
    return shlex.join([*program, "class", "add", str(folder.path), name])


def hand_over(settings: Settings, folder: ClassFolder, name: str) -> str:
    """Hands the learner's folder over, and what lies in it; returns why that could not be, "" where it was.

    Only the administrator can, and only to an account and a group that are there.
    """
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "only the administrator can"
    import grp
    import pwd

    account, group = owner(settings, name), staff(settings)
    try:
        uid = pwd.getpwnam(account).pw_uid
    except KeyError:
        return f"there is no account {account}"
    try:
        gid = grp.getgrnam(group).gr_gid
    except KeyError:
        return f"there is no group {group}"
    everyone = folder.path / LEARNERS
    os.chown(everyone, -1, gid)
    everyone.chmod(_LISTED_BY_STAFF)
    place = everyone / name
    # What a learner's account could move meanwhile is not walked through with the administrator's rights
    if os.lstat(place).st_uid != uid:
        for root, folders, files in os.walk(place):
            for one in (*folders, *files):
                os.chown(Path(root, one), uid, gid, follow_symlinks=False)
    os.chown(place, uid, gid, follow_symlinks=False)
    place.chmod(0o2750)
    return ""


def account_of(folder: Path) -> str:
    """The account whose this folder is; its number where the system knows no name for it."""
    import pwd

    number = os.lstat(folder)[stat.ST_UID]
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)
