"""Reads a file that the learner names, and never waits for a pipe or a device under its name."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def read_regular(path: Path, most: int | None = None) -> bytes:
    """The bytes of a regular file, links followed; of a larger one than `most`, one byte more than that.

    Raises OSError with a `strerror` that fits behind the name: for nothing there, a folder, a pipe, a device.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except ValueError:
        raise OSError(errno.EINVAL, "no name of a file", str(path)) from None
    with os.fdopen(descriptor, "rb") as file:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, f"{kind_of(mode)}, no regular file", str(path))
        return file.read() if most is None else file.read(most + 1)


def kind_of(mode: int) -> str:
    """What lies under a name, by its mode, where it is no regular file."""
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")
