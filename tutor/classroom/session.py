"""One learner's session: what it may do, and the course as far as the class has come."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tutor.classroom.folder import ACCOUNTS, ClassFolder, NoClass, Settings
from tutor.classroom.standing import AHEAD_SECONDS, ago
from tutor.course.model import Course
from tutor.permissions import Permissions
from tutor.places import Places
from tutor.progress.store import ProgressError, Store

_LEAST_ROOM = 1 << 20  # bytes


@dataclass(frozen=True)
class Entry:
    """Whose session it is, and what holds for it."""

    learner: str
    settings: Settings
    permissions: Permissions


def enter(folder: ClassFolder, name: str | None, environment: Mapping[str, str]) -> Entry:
    """The session of `name`, or of the account's own name. Raises NoClass, in one line, where there can be none."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        raise NoClass("a session is not run as the administrator: learners' code would be too")
    asked = environment.get("SSH_ORIGINAL_COMMAND", "").strip()
    if asked:
        raise NoClass("only the tutor can be opened here; connect without a command: ssh -t HOST")
    settings = folder.settings()
    if settings.shape == ACCOUNTS:
        own = _account()
        if name not in (None, own):
            raise NoClass(f"this account is {own}'s, and each learner has their own")
        name = own
    if name is None:
        raise NoClass("no learner is named; the key's forced command does it (`class add NAME --key FILE`)")
    folder.places(name)
    return Entry(name, settings, permissions(settings))


def can_keep(places: Places) -> None:
    """Raises ProgressError where nothing that is answered could be kept: better said before than after."""
    if not os.access(places.state, os.W_OK | os.X_OK):
        raise ProgressError(
            f"nothing could be kept: your folder, {places.state}, cannot be written. Please tell your instructor"
        )
    free = shutil.disk_usage(places.state).free
    if free < _LEAST_ROOM:
        raise ProgressError(
            f"nothing could be kept: the disk of this host is full ({free >> 10:,} KiB are left). "
            "Please tell your instructor"
        )


def permissions(settings: Settings) -> Permissions:
    """What learners of a class may do: nothing that reaches outside their own folder."""
    return Permissions(
        boxed_checks=True,
        run=False,
        any_file=False,
        own_course=False,
        external_editor=False,
        reveal=settings.reveal,
    )


def open_lessons(course: Course, settings: Settings) -> Course:
    """The course as far as it is open; whole where nothing says how far. Raises NoClass for a lesson there is not."""
    if not settings.open_until:
        return course
    ids = [lesson.id for lesson in course.lessons]
    if settings.open_until not in ids:
        raise NoClass(f"open_until is {settings.open_until!r}; accepted: {', '.join(ids)}")
    last = ids.index(settings.open_until) + 1
    whole = last == len(ids)
    return replace(course, lessons=course.lessons[:last], examination=course.examination if whole else None)


def greeting(course: Course, settings: Settings) -> list[str]:
    """What the learner is told first: the question of the day."""
    found = course.step_of(settings.question) if settings.question else None
    if found is None:
        return []
    lesson, step = found
    return [f"Question of the day: {step.title} ({lesson.title}, step {step.id})."]


def of_the_clock(store: Store) -> list[str]:
    """What the learner is told where what they did last is dated ahead: the host's clock was set back since."""
    last = store.last()
    ahead = 0.0 if last is None else last.at - store.now()
    if ahead <= AHEAD_SECONDS:
        return []
    return [f"This host's clock was set back ({ago(ahead)}). What you did before is kept, and comes first."]


def _account() -> str:
    import pwd

    return pwd.getpwuid(os.geteuid()).pw_name
