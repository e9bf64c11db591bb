"""Opens what a command needs: the course and, where the learner is concerned, their record."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tutor.cli.output import BadUsage, complain
from tutor.course.load import load
from tutor.course.model import Course, CourseError
from tutor.permissions import Permissions
from tutor.program import NAME
from tutor.study import Study


def open_course(folder: str | None, permissions: Permissions) -> Course:
    """The shipped course, or the one in `folder` (`--course DIR`)."""
    if folder is not None:
        if not permissions.own_course:
            raise BadUsage("--course is off here")
        if not Path(folder).is_dir():
            raise BadUsage(f"--course {folder}: no such folder; accepted: a folder with a course.toml")
    try:
        return load(Path(folder).absolute() if folder is not None else None)
    except CourseError as error:
        raise BadUsage(str(error)) from None


@contextmanager
def open_study(folder: str | None, permissions: Permissions, *, only_reads: bool = False) -> Iterator[Study]:
    """The course with the learner's record; what the record has to tell goes to standard error.

    A command that only reads goes on without a record that cannot be opened, and says so.
    """
    from tutor.places import places
    from tutor.progress.store import ProgressError, Store

    course = open_course(folder, permissions)
    here = places()
    try:
        store = Store(here.database)
    except ProgressError as error:
        if not only_reads:
            raise
        complain(f"{NAME}: {error}; shown without it")
        store = Store(Path(":memory:"))
    try:
        for notice in store.notices:
            complain(notice)
        yield Study(course, store, here.exercises, permissions)
    finally:
        store.close()
