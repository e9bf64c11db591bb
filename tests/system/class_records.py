"""Learners' records, for tests of a class and its benchmark: where somebody stands, and what is kept."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from tutor.classroom.copies import events_of
from tutor.progress.store import Event, Store

if TYPE_CHECKING:
    from class_host import ClassHost

# A step with a question where every wrong number is another try, and the step after it, with an exercise
LESSON, ASKED, WRITTEN = "cost", "cost-break-even", "cost-write-it"
QUESTION = "cost-from-which-n"


def judged(number: int) -> str:
    """What is on the screen once this number was judged."""
    return f" {number} workers"


def database(host: ClassHost, shape: str, learner: str) -> Path:
    return host.home(shape, learner) / "progress.db"


def stand_at(host: ClassHost, shape: str, learner: str, step: str, lesson: str, *answers: str) -> None:
    """Has the learner come back to this step, with nothing done yet but these wrong answers to `QUESTION`."""
    file = database(host, shape, learner)
    file.unlink(missing_ok=True)
    store = Store(file)
    store.add("opened", step, lesson=lesson)
    for text in answers:
        store.add("answer", QUESTION, text=text, right=False, misconception=None)
    store.close()
    whose = file.parent.stat()
    os.chown(file, whose.st_uid, whose.st_gid)
    file.chmod(0o640)


def kept(host: ClassHost, shape: str, learner: str, kind: str = "answer") -> list[Event]:
    """What the record holds of this kind, in its order."""
    return [event for event in events_of(database(host, shape, learner)) if event.kind == kind]


def texts(host: ClassHost, shape: str, learner: str) -> list[str]:
    """The answers that the record holds, as they were typed."""
    return [str(event.detail.get("text")) for event in kept(host, shape, learner)]


def draft(host: ClassHost, shape: str, learner: str) -> str:
    """What is half typed in answer to the question of `ASKED`."""
    file = database(host, shape, learner)
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        row = connection.execute("SELECT text FROM drafts WHERE item = ?", (QUESTION,)).fetchone()
    return "" if row is None else str(row[0])


def date_ahead(host: ClassHost, shape: str, learner: str, seconds: float) -> None:
    """What was done so far is dated later by this: so it is found on a host whose clock was set back since."""
    file = database(host, shape, learner)
    with closing(sqlite3.connect(file, timeout=30)) as connection, connection:
        connection.execute("UPDATE events SET at = at + ?", (seconds,))
    for one in (file, *file.parent.glob("exercises/*.py")):
        then = one.stat().st_mtime + seconds
        os.utime(one, (then, then))


def integrity(host: ClassHost, shape: str, learner: str) -> str:
    """SQLite's own word on the record: `ok` where it is whole. A journal that a cut has left is played back."""
    with closing(sqlite3.connect(database(host, shape, learner))) as connection:
        return str(connection.execute("PRAGMA integrity_check").fetchone()[0])


def lost(host: ClassHost, shape: str, seen: Mapping[str, Iterable[int]]) -> dict[str, set[str]]:
    """Of the numbers that learners have seen judged, those that their records do not hold."""
    found = {}
    for learner, numbers in seen.items():
        if gone := {str(number) for number in numbers} - set(texts(host, shape, learner)):
            found[learner] = gone
    return found
