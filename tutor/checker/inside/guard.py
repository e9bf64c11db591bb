"""An audit hook that stops a learner's file from touching the machine by accident.

It is a guard, not a wall: Python code can get round it. Where the system has walls (`walls`), they
stand behind it; the guard is what gives the attempt a name and a line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

_WHAT = {
    "input": "asks for input",
    "process": "starts or signals a process",
    "network": "opens a network connection",
    "write": "writes, moves or deletes a file",
    "read": "reads a file",
}
_EVENTS = {
    "builtins.input": "input",
    "pdb.Pdb": "input",
    "socket.__new__": "network",
    "socket.bind": "network",
    "socket.connect": "network",
    "socket.getaddrinfo": "network",
    "sqlite3.connect": "write",
    "pty.spawn": "process",
    "subprocess.Popen": "process",
    "signal.pthread_kill": "process",
    "webbrowser.open": "process",
}
_OS_EVENTS = {
    "process": ("exec", "fork", "forkpty", "kill", "killpg", "posix_spawn", "spawn", "startfile", "system"),
    "write": (
        *("chflags", "chmod", "chown", "link", "lockf", "mkdir", "remove", "removexattr", "rename", "rmdir"),
        *("setxattr", "symlink", "truncate", "utime"),
    ),
    "read": ("getxattr", "listxattr"),
}
_EVENTS.update({f"os.{name}": what for what, names in _OS_EVENTS.items() for name in names})


class Forbidden(PermissionError):
    """What the learner's file tried is not allowed in a check; its text says what, in a few words."""


def real_paths(readable: Sequence[str]) -> tuple[str, ...]:
    """These files and folders without links in their paths, as `install` takes them."""
    return tuple(os.path.realpath(root) + os.sep for root in readable)


def install(roots: tuple[str, ...]) -> None:
    """From now on opening, writing, connecting and starting raise Forbidden, for good.

    Only files under `roots` may be read: those that `import` needs.
    """
    realpath, fsdecode, devices = os.path.realpath, os.fsdecode, (os.devnull, "/dev/urandom")
    writing = os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        kind = _EVENTS.get(event)
        if kind is not None:
            raise Forbidden(_WHAT[kind])
        if event == "open":
            path, mode, flags = arguments
            if isinstance(path, int) or path is None:
                return
            name = fsdecode(path)
            if name in devices:
                return
            if (isinstance(flags, int) and flags & writing) or (isinstance(mode, str) and set(mode) & set("wax+")):
                raise Forbidden(f"writes the file {name}")
            if not (realpath(name) + os.sep).startswith(roots):
                raise Forbidden(f"reads the file {name}")

    sys.addaudithook(hook)
