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


def caution(settings: Settings) -> str:
    """What the shape of the class means for what is recorded in it; "" where the system keeps learners apart."""
    if settings.shape != SHARED:
        return ""
    return (
        f"Progress is trusted less: all sessions run as one account ({settings.account}), "
        "and a learner who breaks out could write another's record."
    )


def obstacle(settings: Settings, name: str) -> str:
    """Why the learner's folder cannot be handed over, "" where it can.

    Only the administrator can, and only to an account and a group that are there.
    """
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "only the administrator can"
    import grp
    import pwd

    account, group = owner(settings, name), staff(settings)
    try:
        pwd.getpwnam(account)
    except KeyError:
        return f"there is no account {account}"
    try:
        grp.getgrnam(group)
    except KeyError:
        return f"there is no group {group}"
    return ""


def handing_over(settings: Settings, folder: ClassFolder, name: str) -> list[str]:
    """What `hand_over` does, a line each."""
    everyone, group = folder.path / LEARNERS, staff(settings)
    return [
        f"gives {everyone / name} to {owner(settings, name)}, to be read by the group {group}",
        f"gives {everyone} to the group {group} with mode {_LISTED_BY_STAFF:o}",
    ]


def hand_over(settings: Settings, folder: ClassFolder, name: str) -> str:
    """Hands the learner's folder over, and what lies in it; returns why that could not be, "" where it was."""
    refused = obstacle(settings, name)
    if refused:
        return refused
    import grp
    import pwd

    uid, gid = pwd.getpwnam(owner(settings, name)).pw_uid, grp.getgrnam(staff(settings)).gr_gid
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
