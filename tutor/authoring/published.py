"""Ids that have been published stay: checks that none has gone, and publishes new ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from tutor.authoring.problem import Problem
from tutor.course.model import Course, CourseError
from tutor.course.published import KINDS, PUBLISHED_FILE, Published, ids_of, published_text, read_published


def check_published(course: Course) -> Iterator[Problem]:
    """Published ids that the course no longer has, and retired ones that are there again."""
    try:
        published = read_published(course.folder)
    except CourseError as error:
        yield Problem.of(error)
        return
    if published is None:
        return
    there = ids_of(course)
    for kind in KINDS:
        for name in published.ids[kind]:
            if name not in there[kind] and name not in published.retired[kind]:
                message = f"{_one(kind)} {name!r} is gone, and learners' records name it; bring it back, or list it"
                yield Problem(published.at(kind, name), f"{message} below [retired]")
        for name in published.retired[kind]:
            if name in there[kind]:
                place = published.at(kind, name, retired=True)
                yield Problem(place, f"{_one(kind)} {name!r} is retired, but there; a new one needs an id of its own")


def publish(course: Course) -> int:
    """Adds the ids that are new to the course's published.toml, and returns how many. Raises CourseError, OSError."""
    before = read_published(course.folder) or Published(_none(), _none(), course.folder / PUBLISHED_FILE)
    after: dict[str, tuple[str, ...]] = {}
    for kind, names in ids_of(course).items():
        new = [name for name in names if name not in before.ids[kind]]
        kept = [name for name in before.ids[kind] if name not in before.retired[kind]]
        after[kind] = (*kept, *new)
    added = sum(len(set(after[kind]) - set(before.ids[kind])) for kind in KINDS)
    if added or not before.text:
        _write(before.file, published_text(after, before.retired))
    return added


def _none() -> dict[str, tuple[str, ...]]:
    return dict.fromkeys(KINDS, ())


def _write(file: Path, text: str) -> None:
    """All of it or nothing: half a list would let the other half go unseen."""
    beside = file.with_name(f"{file.name}.new")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, file)


def _one(kind: str) -> str:
    return kind.removesuffix("s")
