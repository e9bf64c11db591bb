"""The ids that learners' records name: published.toml beside course.toml, which a course may do without.

    steps = [
      "ring-first-look",
    ]
    [retired]
    steps = [
      "ring-old-step",
    ]

A published id stays for good, wherever it moves; one that is taken out of the course is listed as retired,
and is never given to anything else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tutor.course.fields import Fields, check_id, toml
from tutor.course.model import Course, Place
from tutor.course.parse import read_text

PUBLISHED_FILE = "published.toml"
# What a record names: events and drafts are kept under these ids
KINDS = ("lessons", "steps", "questions", "exercises", "misconceptions")
_RETIRED = "retired"


@dataclass(frozen=True)
class Published:
    """What published.toml says: ids by kind."""

    ids: Mapping[str, tuple[str, ...]]
    retired: Mapping[str, tuple[str, ...]]
    file: Path
    text: str = ""

    def at(self, kind: str, name: str, *, retired: bool = False) -> Place:
        """The line on which this id stands."""
        lines = self.text.split("\n")
        header = next((number for number, line in enumerate(lines) if line.strip() == f"[{_RETIRED}]"), len(lines))
        start, stop = (header, len(lines)) if retired else (0, header)
        key = next((number for number in range(start, stop) if lines[number].lstrip().startswith(kind)), start)
        found = (number for number in range(key, stop) if f'"{name}"' in lines[number])
        return Place(self.file, next(found, key) + 1)


def ids_of(course: Course) -> dict[str, list[str]]:
    """The ids that a course has, by kind, in its order; an examination's problems are questions."""
    problems = course.examination.steps if course.examination else ()
    return {
        "lessons": [lesson.id for lesson in course.lessons],
        "steps": [step.id for lesson in course.lessons for step in lesson.steps],
        "questions": [*course.questions(), *(step.question.id for step in problems if step.question)],
        "exercises": list(course.exercises()),
        "misconceptions": list(course.misconceptions),
    }


def read_published(folder: Path) -> Published | None:
    """What has been published of the course in `folder`; None without a file. Raises CourseError."""
    file = folder / PUBLISHED_FILE
    try:
        if not file.exists():
            return None
    except OSError:
        pass  # Reading it says why
    text = read_text(file)
    fields = Fields(toml(text, file, 1), PUBLISHED_FILE, Place(file, 0), text)
    out = Fields(fields.mapping(_RETIRED), f"{PUBLISHED_FILE}: {_RETIRED}", fields.at(_RETIRED), "")
    published = Published(_by_kind(fields), _by_kind(out), file, text)
    fields.done()
    out.done()
    return published


def _by_kind(fields: Fields) -> dict[str, tuple[str, ...]]:
    return {kind: tuple(check_id(name, kind, fields.at(kind)) for name in fields.texts(kind)) for kind in KINDS}


def published_text(ids: Mapping[str, tuple[str, ...]], retired: Mapping[str, tuple[str, ...]]) -> str:
    """The text of a published.toml with these ids, one a line, so that a change of one is a change of one line."""
    parts = [
        "# Ids that learners' records name. `lint` refuses a course in which one of them is gone and not",
        "# listed below [retired]; `lint --publish` adds what is new.",
        *_lists(ids),
    ]
    if any(retired.values()):
        parts += ["", f"[{_RETIRED}]", *_lists(retired)]
    return "\n".join(parts) + "\n"


def _lists(ids: Mapping[str, tuple[str, ...]]) -> list[str]:
    lines = []
    for kind in KINDS:
        if ids.get(kind):
            lines += [f"{kind} = [", *(f'  "{name}",' for name in ids[kind]), "]"]
    return lines
