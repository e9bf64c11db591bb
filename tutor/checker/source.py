"""Reads a learner's file as bytes, whatever lies under its name, and says where its text cannot be read."""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path

from tutor.checker.verdict import CouldNotCheck, Failure
from tutor.regular_file import kind_of
from tutor.safe_text import visible

MOST_BYTES = 1 << 20
_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")  # the form of PEP 263


class Unreadable(CouldNotCheck):
    """There is no file to check under this name: one line that says why."""


def read_source(path: Path | str, within: Path | None = None) -> bytes:
    """The bytes of a regular file of at most 1 MiB, read at once. Links are followed, but not out of `within`.

    Raises Unreadable for everything else: nothing there, a folder, a pipe or device, a dangling
    link, no permission, a larger file, a file outside `within`. It never waits for a pipe.
    """
    shown = visible(os.fspath(path))
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:
        raise Unreadable(f"{shown} {_why(path, error)}") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable(f"{shown} is {kind_of(status.st_mode)}; a Python file is needed")
        if within is not None and not _is_within(descriptor, path, within):
            raise Unreadable(f"{shown} is not in your folder, {visible(os.fspath(within))}; only files there are read")
        if status.st_size > MOST_BYTES:
            raise Unreadable(f"{shown} is {status.st_size:,} bytes large; a file of at most {MOST_BYTES:,} is read")
        parts = []
        left = MOST_BYTES + 1
        while left and (part := os.read(descriptor, left)):
            parts.append(part)
            left -= len(part)
    except OSError as error:
        raise Unreadable(f"{shown} {_why(path, error)}") from None
    finally:
        os.close(descriptor)
    if not left:
        raise Unreadable(f"{shown} grows while it is read; a file of at most {MOST_BYTES:,} bytes is read")
    return b"".join(parts)


def _is_within(descriptor: int, path: Path | str, folder: Path) -> bool:
    """Whether the open file lies in the folder, links followed. Where it can, it asks for the file that is open."""
    opened = f"/proc/self/fd/{descriptor}"
    real = os.path.realpath(opened if os.path.exists(opened) else path)
    return Path(real).is_relative_to(os.path.realpath(folder))


def _why(path: Path | str, error: OSError | ValueError) -> str:
    if isinstance(error, ValueError):
        return "is no name of a file"
    if isinstance(error, FileNotFoundError) and os.path.islink(path):
        return "is a link to a file that does not exist"
    if isinstance(error, IsADirectoryError) or (isinstance(error, PermissionError) and os.path.isdir(path)):
        return "is a folder; a Python file is needed"
    known: dict[int | None, str] = {
        errno.ENOENT: "does not exist",
        errno.ENOTDIR: "does not exist",
        errno.EACCES: "may not be read by you",
        errno.EPERM: "may not be read by you",
        errno.ELOOP: "is a link that leads back to itself",
        errno.ENAMETOOLONG: "is too long a name for a file",
        errno.ENXIO: "is a socket or a device; a Python file is needed",
    }
    return known.get(error.errno, f"cannot be read ({error.strerror or type(error).__name__})")


def text_failure(source: bytes) -> Failure | None:
    """Why these bytes are no Python text at all, with the line; None when they are.

    UTF-8 is read, with or without a byte-order mark, with any line ends.
    """
    where = source.find(b"\0")
    if where >= 0:
        if source[:2] in (b"\xff\xfe", b"\xfe\xff") or _mostly_every_other_is_nul(source):
            return Failure("syntax", "The file is UTF-16 text. Save it as UTF-8.", 1)
        return Failure("syntax", "The file holds a NUL byte, which no Python file may.", _line(source, where))
    try:
        source.decode("utf-8")
    except UnicodeDecodeError as error:
        said = next((found[1].decode() for line in source.split(b"\n")[:2] if (found := _CODING.match(line))), None)
        but = f" Its first lines say {visible(said)}, but only UTF-8 is read." if said else ""
        message = f"Byte 0x{source[error.start]:02X} is not UTF-8.{but} Save the file as UTF-8."
        return Failure("syntax", message, _line(source, error.start))
    return None


def _mostly_every_other_is_nul(source: bytes) -> bool:
    """Whether the text has been written in two bytes a character, most of them ASCII, without a mark."""
    halves = (source[::2], source[1::2])
    return len(source) >= 4 and len(source) % 2 == 0 and any(2 * half.count(0) > len(half) for half in halves)


def _line(source: bytes, position: int) -> int:
    return len(re.findall(rb"\r\n|\r|\n", source[:position])) + 1
