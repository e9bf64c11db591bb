"""Reading what learners have written, as somebody else: copies first, and nothing that is not a plain file.

A learner may put a link, a pipe or a program's trap in the place of any file. Whoever reads here does not follow
links, reads regular files alone, no more of them than a learner needs, and never as the administrator.
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tutor.progress.store import Event

MOST_PROGRESS = 64 << 20  # bytes
MOST_SOURCE = 1 << 20
_PART = 1 << 20
_LATEST = 1e11  # seconds since 1970
_ROUNDS, _WHILE = 3, 0.05


class Unsafe(Exception):
    """Something that is not read: one line that says why."""


def refuse_root() -> None:
    """Raises Unsafe for the administrator: what learners wrote is read with no more rights than it takes."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        raise Unsafe("learners' files are not read as the administrator; use an instructor's account")


@dataclass(frozen=True)
class Stamp:
    """What tells that a file has changed."""

    size: int
    changed: int


def stamp(file: Path) -> Stamp | None:
    """The file's stamp; None where there is none. Links are not followed."""
    try:
        found = os.lstat(file)
    except OSError:
        return None
    return Stamp(found.st_size, found.st_mtime_ns)


def read_bytes(file: Path, most: int) -> bytes | None:
    """What a regular file holds; None where there is none. Raises Unsafe for anything else in its place.

    Neither the file nor the folder that it is in may be a link: a learner can put one in the place of either.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        parent = os.open(file.parent, flags | getattr(os, "O_DIRECTORY", 0))
        try:
            descriptor = os.open(file.name, flags, dir_fd=parent)
        finally:
            os.close(parent)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unsafe(f"{file.name}: {error.strerror}") from None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise Unsafe(f"{file.name} is no regular file")
        if found.st_size > most:
            raise Unsafe(f"{file.name} has {found.st_size:,} bytes; at most {most:,} are read")
        parts = []
        left = most + 1
        while left and (part := os.read(descriptor, min(left, _PART))):
            parts.append(part)
            left -= len(part)
        if not left:
            raise Unsafe(f"{file.name} has more than {most:,} bytes")
        return b"".join(parts)
    finally:
        os.close(descriptor)


def events_of(database: Path) -> list[Event]:
    """The events of a learner's progress, read from a copy; those that make no sense are left out.

    Raises Unsafe for a file that is no progress file, or none that can be read.
    """
    for _ in range(_ROUNDS):
        before = stamp(database)
        try:
            return _events_of(database)
        except Unsafe:
            # Copied in the middle of being written, perhaps. Its journal is not played back: a learner can forge one
            time.sleep(_WHILE)
            if stamp(database) == before and not os.path.lexists(f"{database}-journal"):
                raise
    return _events_of(database)


def _events_of(database: Path) -> list[Event]:
    data = read_bytes(database, MOST_PROGRESS)
    if data is None:
        return []
    with _copied(data) as copy:
        try:
            with closing(sqlite3.connect(f"file:{copy}?mode=ro&immutable=1", uri=True)) as connection:
                connection.execute("PRAGMA trusted_schema = OFF")
                connection.execute("PRAGMA cell_size_check = ON")
                if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                    raise Unsafe(f"{database.name} is damaged")
                # A view or a trigger in the place of the table is a program of the learner's
                kinds = connection.execute("SELECT type, count(*) FROM sqlite_master GROUP BY type").fetchall()
                if any(kind in ("view", "trigger") for kind, _ in kinds):
                    raise Unsafe(f"{database.name} holds views or triggers, which no progress file does")
                rows = connection.execute("SELECT uid, at, kind, item, detail FROM events ORDER BY number")
                return [event for row in rows if (event := _stored(row)) is not None]
        except sqlite3.Error as error:
            raise Unsafe(f"{database.name}: {error}") from None


@contextmanager
def _copied(data: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="worldsize-") as folder:
        copy = Path(folder, "copy.db")
        copy.write_bytes(data)
        yield copy


def _stored(row: tuple[object, ...]) -> Event | None:
    uid, at, kind, item, detail = row
    try:
        return event_of(uid, at, kind, item, json.loads(str(detail)[:100_000]))
    except (ValueError, RecursionError):
        return None


def event_of(uid: object, at: object, kind: object, item: object, detail: object) -> Event | None:
    """An event, if these make one: names that are texts, and a time between 1970 and the year 5000."""
    if not (isinstance(uid, str) and isinstance(kind, str) and isinstance(item, str) and isinstance(detail, dict)):
        return None
    if not isinstance(at, (int, float)) or not 0 <= at < _LATEST:
        return None
    return Event(uid, float(at), kind, item, detail)
