"""The box of bubblewrap in which learners' files run where many share a host: what is not in it cannot be seen at all.

Landlock and seccomp stand inside it too. It has namespaces of its own, so that what a file could start ends with it.
"""

from __future__ import annotations

import functools
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from tutor.checker import landlock

PROGRAM = "bwrap"
PROCESS = 2  # the number of the first process in a box; 1 is bubblewrap's own
_SIGNALLED = 128  # what it adds to a signal's number to report that its process was ended by it


def refusal() -> str:
    """Why no box can be made here, as far as can be said without trying; "" where one may be."""
    if sys.platform != "linux":
        return "boxes are made on Linux only"
    if os.geteuid() == 0:
        return "this is the administrator's account, whose rights a box would keep"
    if shutil.which(PROGRAM) is None:
        return "bubblewrap is not installed"
    if Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").exists() and _restricted():
        return "AppArmor keeps bubblewrap from making namespaces"
    return ""


def advice(reason: str) -> str:
    """What to do about a `refusal`."""
    if "not installed" in reason:
        return "Install the package bubblewrap."
    if "administrator" in reason:
        return "Use an account of your own; a class runs as its learners."
    if "AppArmor" in reason:
        return (
            "Allow it by a profile: /etc/apparmor.d/bwrap with `abi <abi/4.0>, include <tunables/global> "
            "profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }`, then `apparmor_parser -r` on it."
        )
    return "A class needs a Linux host."


def around(command: Sequence[str], seen: Sequence[str]) -> list[str]:
    """The command in a box in which, beside devices, only the files and folders `seen` are, to be read.

    Folders of packages within them are empty, unless they are named themselves.
    """
    arguments = [shutil.which(PROGRAM) or PROGRAM, "--unshare-all", "--die-with-parent", "--cap-drop", "ALL"]
    arguments += ["--dev", "/dev", *_mounts(tuple(seen))]
    return [*arguments, "--chdir", "/", "--", *command]


@functools.cache
def _mounts(seen: tuple[str, ...]) -> tuple[str, ...]:
    mounts: list[str] = []
    # Outer folders first: what lies in one must not be covered by it
    for path in sorted(set(seen), key=lambda name: (name.count(os.sep), name)):
        mounts += ["--ro-bind-try", path, path]
        for hidden in (os.path.join(path, name) for name in landlock.PACKAGES if name != "__pycache__"):
            if os.path.isdir(hidden):
                mounts += ["--tmpfs", hidden]
    return (*mounts, "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache")


def status(code: int) -> int:
    """The status of the process in the box, as of subprocess, from that of bubblewrap.

    >>> status(0), status(70), status(139), status(-9)
    (0, 70, -11, -9)
    """
    return _SIGNALLED - code if code > _SIGNALLED else code


def _restricted() -> bool:
    try:
        text = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").read_text(encoding="ascii")
    except OSError:
        return False
    return text.strip() == "1" and not Path("/etc/apparmor.d/bwrap").exists()
