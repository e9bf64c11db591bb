"""What is kept of a class, wherever it is: folders of several hosts, and files that `class export` wrote.

A learner who worked on two hosts is one learner: their events are put together by time, each once, and of two files
of an exercise the one that was changed last counts.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tutor.classroom.copies import MOST_PROGRESS, MOST_SOURCE, Unsafe, event_of, events_of, read_bytes, stamp
from tutor.classroom.folder import ClassFolder
from tutor.classroom.names import BadName, checked
from tutor.classroom.owners import caution
from tutor.classroom.standing import Watched
from tutor.progress.store import Event

FORMAT = 1  # of events that is what `progress --import` takes
_SOURCE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}\.py")
_MOST_FILES = 200
_WHAT = "accepted: a class's folder, or a file that `class export` wrote"


@dataclass(frozen=True)
class Source:
    """A file of a learner's: what it holds, and when it was changed."""

    changed: float  # seconds since 1970
    data: bytes


@dataclass(frozen=True)
class Exported:
    """What a file of `class export` holds."""

    learner: str
    events: list[Event]
    files: dict[str, Source]  # by the exercise file's name


def sources_of(exercises: Path) -> dict[str, Source]:
    """The Python files of a learner, by name. Raises Unsafe where what is there is no folder of such files."""
    try:
        descriptor = os.open(exercises, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise Unsafe(f"{exercises.name}: {error.strerror}") from None
    try:
        names = sorted(name for name in os.listdir(descriptor) if _SOURCE.fullmatch(name))
    finally:
        os.close(descriptor)
    found = {}
    for name in names[:_MOST_FILES]:
        try:
            source = source_of(exercises / name)
        except Unsafe:
            continue
        if source is not None:
            found[name] = source
    return found


def source_of(file: Path) -> Source | None:
    """One file of a learner's; None where there is none. Raises Unsafe for anything else in its place."""
    data = read_bytes(file, MOST_SOURCE)
    now = stamp(file)
    return None if data is None or now is None else Source(now.changed / 1e9, data)


def export(folder: ClassFolder, name: str) -> dict[str, Any]:
    """All that a class keeps of one learner, as JSON. Raises NoClass, BadName, Unsafe."""
    places = folder.places(name)
    return {
        "format": FORMAT,
        "class": folder.settings().title,
        "learner": name,
        "written": time.time(),
        "events": [
            {"uid": event.uid, "at": event.at, "kind": event.kind, "item": event.item, "detail": event.detail}
            for event in events_of(places.database)
        ],
        "files": {
            file: {"changed": source.changed, "text": source.data.decode("utf-8", "surrogateescape")}
            for file, source in sources_of(places.exercises).items()
        },
    }


def read_export(file: Path) -> Exported:
    """What a file of `class export` holds; events that make no sense are left out. Raises Unsafe."""
    data = read_bytes(file.resolve(), 2 * MOST_PROGRESS)
    try:
        document = json.loads(data or b"")
        learner = checked(document["learner"])
        rows = [(row["uid"], row["at"], row["kind"], row["item"], row["detail"]) for row in document["events"]]
        files = {
            name: Source(float(one["changed"]), one["text"].encode("utf-8", "surrogateescape"))
            for name, one in document["files"].items()
            if _SOURCE.fullmatch(name)
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, BadName):
        raise Unsafe(f"{file} is no record of a learner; {_WHAT}") from None
    return Exported(learner, [event for row in rows if (event := event_of(*row)) is not None], files)


@dataclass
class Records:
    """Learners' records from all of these places; `look` reads what has changed."""

    folders: Sequence[ClassFolder]
    exported: Sequence[Exported] = ()
    records: dict[str, list[Event]] = field(default_factory=dict)
    troubles: dict[str, str] = field(default_factory=dict)
    _watched: list[Watched] = field(default_factory=list)

    @property
    def question(self) -> str:
        """The question of the day, of the first class that has one."""
        return next((found for folder in self.folders if (found := folder.settings().question)), "")

    @property
    def cautions(self) -> list[str]:
        """What the shape of each class means for its records, a line for each that shares an account."""
        said = [(folder.path, caution(folder.settings())) for folder in self.folders]
        several = len(said) + len(self.exported) > 1
        return [f"{path}: {line}" if several else line for path, line in said if line]

    def look(self) -> int:
        """Reads what has changed; returns how many records were read."""
        self._watched = self._watched or [Watched() for _ in self.folders]
        read = 0
        for folder, watched in zip(self.folders, self._watched, strict=True):
            read += watched.look({name: folder.places(name).database for name in folder.learners()})
        parts = [watched.records for watched in self._watched]
        parts += [{one.learner: one.events} for one in self.exported]
        self.records = merged(parts)
        self.troubles = {}
        for watched in self._watched:
            self.troubles |= watched.troubles
        return read

    def source(self, learner: str, file: str) -> Source | None:
        """The file of this name that the learner changed last. Raises Unsafe where one cannot be read."""
        found = [one.files[file] for one in self.exported if one.learner == learner and file in one.files]
        for folder in self.folders:
            if learner in folder.learners():
                source = source_of(folder.places(learner).exercises / file)
                found += [] if source is None else [source]
        return max(found, key=lambda one: one.changed, default=None)

    def sources(self, learner: str) -> dict[str, Source]:
        """All files of a learner by name, of each the one that was changed last; unreadable ones are left out."""
        found: dict[str, Source] = {}
        parts = [one.files for one in self.exported if one.learner == learner]
        for folder in self.folders:
            if learner in folder.learners():
                try:
                    parts.append(sources_of(folder.places(learner).exercises))
                except Unsafe:
                    continue
        for part in parts:
            for name, source in part.items():
                if name not in found or source.changed > found[name].changed:
                    found[name] = source
        return found


def merged(several: Sequence[dict[str, list[Event]]]) -> dict[str, list[Event]]:
    """Records of several hosts by learner: each event once, in the order of time; one host's in its own order.

    Where a host's clock was set back, what happened there before counts as no later than what came after.
    """
    parts: dict[str, list[list[Event]]] = {}
    for records in several:
        for learner, events in records.items():
            parts.setdefault(learner, []).append(events)
    found = {}
    for learner, lists in parts.items():
        if len(lists) == 1:
            found[learner] = lists[0]
            continue
        once: dict[str, tuple[float, Event]] = {}
        for events in lists:
            latest = [*itertools.accumulate((event.at for event in reversed(events)), min)]
            for at, event in zip(reversed(latest), events, strict=True):
                once.setdefault(event.uid, (at, event))
        found[learner] = [event for _, event in sorted(once.values(), key=lambda one: one[0])]
    return found


def opened(names: Sequence[str]) -> Records:
    """The records of these folders and exported files. Raises NoClass and Unsafe."""
    folders, exported = [], []
    for name in names:
        path = Path(name).absolute()
        if path.is_file():
            exported.append(read_export(path))
            continue
        folders.append(ClassFolder(path))
        folders[-1].settings()
    return Records(folders, exported)
