"""The record of one learner: events that are only ever added, and drafts not yet sent.

Events are never changed, so two windows of one learner cannot lose each other's work. A rollback
journal, not WAL, because home folders in classes are on NFS.
"""

from __future__ import annotations

import json
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

VERSION = 1
_BUSY_SECONDS = 5.0

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE events (
    number INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    at REAL NOT NULL,
    kind TEXT NOT NULL,
    item TEXT NOT NULL,
    detail TEXT NOT NULL
);
CREATE INDEX events_by_item ON events (item, kind);
CREATE TABLE drafts (item TEXT PRIMARY KEY, text TEXT NOT NULL, at REAL NOT NULL) WITHOUT ROWID;
"""


class ProgressError(Exception):
    """Progress that cannot be read or kept, in one line that says what stands in the way."""


@dataclass(frozen=True)
class Event:
    """One thing that a learner did: `kind` is opened, answer, hint, reveal, start, check, reset or one of exam's."""

    uid: str
    at: float  # seconds since 1970, UTC
    kind: str
    item: str  # the step, question or exercise
    detail: dict[str, Any]


class Store:
    """The progress file. Every `add` is one committed transaction.

    `notices` holds what the learner must be told (a damaged file that was set aside). Raises
    ProgressError when the folder or the file cannot be used.
    """

    def __init__(self, file: Path, clock: Callable[[], float] = time.time) -> None:
        self.file = file
        self.notices: list[str] = []
        self._clock = clock
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ProgressError(f"cannot make the folder for progress, {file.parent}: {error.strerror}") from None
        try:
            self._connection = self._open()
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise ProgressError(f"cannot open your progress, {file}: {error}") from None
            self._set_aside()
            try:
                self._connection = self._open()
            except sqlite3.Error as second:
                raise ProgressError(f"cannot begin a progress file, {file}: {second}") from None

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.file, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("PRAGMA synchronous = FULL")
            # Two windows that start at once must not both create the tables
            connection.execute("BEGIN IMMEDIATE")
            try:
                self._prepare(connection)
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Checks the file, and makes the tables in a new one."""
        report = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if report != "ok":
            raise sqlite3.DatabaseError(f"file is damaged: {report}")
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not tables:
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
            connection.execute("INSERT INTO meta VALUES ('version', ?)", (str(VERSION),))
            connection.execute("INSERT INTO meta VALUES ('learner', ?)", (uuid.uuid4().hex,))
        elif not {"meta", "events", "drafts"} <= tables:
            raise sqlite3.DatabaseError("file is damaged: it is not a progress file")
        version = connection.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
        if version is None or not version[0].isdigit():
            raise sqlite3.DatabaseError("file is damaged: it has no version")
        if int(version[0]) > VERSION:
            raise ProgressError(
                f"{self.file} was written by a newer version (format {version[0]}, this one reads {VERSION}): update, "
                "or set TUTOR_HOME to another folder"
            )

    def _set_aside(self) -> None:
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(self._clock()))
        for number in range(1000):
            name = f"{self.file.stem}.damaged-{stamp}{f'-{number}' if number else ''}{self.file.suffix}"
            aside = self.file.with_name(name)
            if not aside.exists():
                break
        try:
            self.file.rename(aside)
            # A journal of the damaged file must not be played into the fresh one
            journal = self.file.with_name(self.file.name + "-journal")
            if journal.exists():
                journal.rename(aside.with_name(aside.name + "-journal"))
        except OSError as error:
            raise ProgressError(f"your progress, {self.file}, is damaged and cannot be set aside: {error}") from None
        self.notices.append(f"Your progress file was damaged. It was set aside as {aside}; a fresh one was begun.")

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def _said(self, doing: str) -> Iterator[None]:
        """Turns what SQLite raises into one line."""
        try:
            yield
        except sqlite3.Error as error:
            raise ProgressError(f"cannot {doing} {self.file}: {error}") from None

    def add(self, kind: str, item: str, **detail: Any) -> Event:
        """Records one event; it is on the disk when this returns."""
        event = Event(uuid.uuid4().hex, self._clock(), kind, item, detail)
        with self._said("keep your progress in"):
            self._connection.execute(
                "INSERT INTO events (uid, at, kind, item, detail) VALUES (?, ?, ?, ?, ?)",
                (event.uid, event.at, kind, item, json.dumps(detail)),
            )
        return event

    def add_once(self, uid: str, kind: str, item: str, **detail: Any) -> bool:
        """Records an event that has a name of its own; False when it has been recorded already, here or elsewhere."""
        return self.take_in([Event(uid, self._clock(), kind, item, detail)]) == 1

    @property
    def learner(self) -> str:
        """What tells this record from that of any other learner."""
        with self._said("read your progress in"):
            return str(self._connection.execute("SELECT value FROM meta WHERE key = 'learner'").fetchone()[0])

    def now(self) -> float:
        """Seconds since 1970, UTC, by the clock that events are dated with."""
        return self._clock()

    def events(self, item: str | None = None, kind: str | None = None) -> list[Event]:
        """The events, oldest first, of one item or kind or of all."""
        query = "SELECT uid, at, kind, item, detail FROM events"
        conditions = [
            (f"{column} = ?", value) for column, value in (("item", item), ("kind", kind)) if value is not None
        ]
        if conditions:
            query += " WHERE " + " AND ".join(condition for condition, _ in conditions)
        with self._said("read your progress in"):
            rows = self._connection.execute(query + " ORDER BY number", [value for _, value in conditions]).fetchall()
        return [Event(uid, at, kind, item, json.loads(detail)) for uid, at, kind, item, detail in rows]

    def last(self, *kinds: str) -> Event | None:
        """The latest event of one of these kinds, or of any, or None."""
        either = f" WHERE kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
        query = f"SELECT uid, at, kind, item, detail FROM events{either} ORDER BY number DESC LIMIT 1"
        with self._said("read your progress in"):
            row = self._connection.execute(query, kinds).fetchone()
        return None if row is None else Event(row[0], row[1], row[2], row[3], json.loads(row[4]))

    def draft(self, item: str) -> str:
        """What was typed for `item` and not yet sent, or an empty string."""
        with self._said("read your progress in"):
            row = self._connection.execute("SELECT text FROM drafts WHERE item = ?", (item,)).fetchone()
        return "" if row is None else str(row[0])

    def keep_draft(self, item: str, text: str) -> None:
        """Keeps what is half typed; an empty text drops it. Half a character, which no file can hold, becomes `?`."""
        text = text.encode("utf-8", errors="replace").decode("utf-8")
        with self._said("keep your progress in"):
            if text:
                self._connection.execute(
                    "INSERT INTO drafts VALUES (?, ?, ?) "
                    "ON CONFLICT (item) DO UPDATE SET text = excluded.text, at = excluded.at",
                    (item, text, self._clock()),
                )
            else:
                self._connection.execute("DELETE FROM drafts WHERE item = ?", (item,))

    def take_in(self, events: Iterable[Event]) -> int:
        """Adds events of another file that this one does not hold yet; returns how many were new."""
        added = 0
        with self._said("keep your progress in"):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                for event in events:
                    added += self._connection.execute(
                        "INSERT OR IGNORE INTO events (uid, at, kind, item, detail) VALUES (?, ?, ?, ?, ?)",
                        (event.uid, event.at, event.kind, event.item, json.dumps(event.detail)),
                    ).rowcount
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
        return added


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the file itself is bad, rather than busy, read-only or on a full disk."""
    text = str(error)
    return "damaged" in text or "not a database" in text or "malformed" in text or "corrupt" in text
