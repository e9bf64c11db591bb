"""A whole small lesson to begin from: a live picture, a family of questions, an exercise with its check and mutants."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tutor.authoring import lesson_template as template
from tutor.course.fields import check_id
from tutor.course.load import COURSE_FILE, LESSON_FILE, read_course_file
from tutor.course.model import CourseError, Place

_LISTED = re.compile(r"^lessons[ \t]*=[ \t]*\[(?P<inside>[^]]*)\]", re.M)
_BELIEFS = re.compile(r"^\[misconceptions\][ \t]*(?:#.*)?\n", re.M)


class NotWritten(Exception):
    """A folder in which no lesson can be begun: one line that says why, and what would be accepted."""


@dataclass(frozen=True)
class Written:
    lesson: str  # its id
    course: Path
    files: tuple[Path, ...]
    changed: tuple[Path, ...]  # course.toml, where it was there


def write_lesson(folder: Path) -> Written:
    """Writes a lesson into `folder` and lists it in the course.toml beside, which is begun where there is none.

    Nothing that is there is written over. Raises NotWritten, and OSError where the disk refuses.
    """
    name, course = folder.name, folder.parent
    try:
        check_id(name, "lesson", Place(folder, 1))
    except CourseError as error:
        raise NotWritten(f"{folder}: {error.message}; it is the name of the folder") from None
    if os.path.lexists(folder) and (not folder.is_dir() or any(folder.iterdir())):
        raise NotWritten(f"{folder} is there already and is left as it is; accepted: a new name")
    file = course / COURSE_FILE
    is_new = not os.path.lexists(file)
    before = template.COURSE.replace("@course@", _title(course.name)) if is_new else _course_text(file)
    after = with_lesson(before, name, file)
    files = _files(name)
    course.mkdir(parents=True, exist_ok=True)
    _write_whole(folder, files)
    _replace(file, after)
    paths = tuple(folder / path for path in files)
    return Written(name, course, (file, *paths) if is_new else paths, () if is_new or after == before else (file,))


def with_lesson(text: str, lesson: str, file: Path) -> str:
    """The course.toml `text` with this lesson listed and the beliefs that its questions name. Raises NotWritten."""
    before = tomllib.loads(text)
    wanted = dict(before)
    listed = list(before.get("lessons", []))
    if lesson not in listed:
        wanted["lessons"] = [*listed, lesson]
        text = _listed(text, lesson)
    beliefs = before.get("misconceptions", {})
    new = {name: belief for name, belief in template.MISCONCEPTIONS.items() if name not in beliefs}
    if new:
        wanted["misconceptions"] = {**beliefs, **new}
        text = _with_beliefs(text, new)
    try:
        if tomllib.loads(text) == wanted:
            return text
    except tomllib.TOMLDecodeError:
        pass
    raise NotWritten(f'{file}: add "{lesson}" to its lessons first; they are written in a way that is left alone here')


def _listed(text: str, lesson: str) -> str:
    found = _LISTED.search(text)
    if found is None:
        return f'lessons = ["{lesson}"]\n{text}'
    inside = found["inside"].rstrip().rstrip(",")
    if not inside:
        new = f'"{lesson}"'
    elif "\n" in inside:
        new = f'{inside},\n    "{lesson}",\n'
    else:
        new = f'{inside}, "{lesson}"'
    return text[: found.start("inside")] + new + text[found.end("inside") :]


def _with_beliefs(text: str, new: dict[str, str]) -> str:
    lines = "".join(f"{name} = {json.dumps(belief)}\n" for name, belief in new.items())
    found = _BELIEFS.search(text)
    if found is None:
        return f"{text.rstrip()}\n\n[misconceptions]\n{lines}"
    return text[: found.end()] + lines + text[found.end() :]


def _course_text(file: Path) -> str:
    try:
        read_course_file(file.parent)
        return file.read_text(encoding="utf-8-sig")
    except CourseError as error:
        raise NotWritten(str(error)) from None


def _files(lesson: str) -> dict[str, str]:
    """The lesson's files by their path in its folder."""
    name = re.sub(r"\W", "_", lesson, flags=re.ASCII)
    name = f"lesson_{name}" if name[0].isdigit() else name
    exercise = f"exercises/{name}_mean"
    texts = {
        LESSON_FILE: template.LESSON,
        f"{exercise}/task.py": template.TASK,
        f"{exercise}/solution.py": template.SOLUTION,
        f"{exercise}/check.py": template.CHECK,
        **{f"{exercise}/mutants/{mutant}.py": text for mutant, text in template.MUTANTS.items()},
    }
    words = {"@id@": lesson, "@name@": name, "@title@": _title(lesson)}
    return {path: _filled(text, words.items()) for path, text in texts.items()}


def _filled(text: str, words: Iterable[tuple[str, str]]) -> str:
    for mark, word in words:
        text = text.replace(mark, word)
    return text


def _title(name: str) -> str:
    words = " ".join(re.split(r"[\W_]+", name)).strip()
    return f"{words[:1].upper()}{words[1:]}" or "A course"


def _write_whole(folder: Path, files: dict[str, str]) -> None:
    """All files or none: a half-written lesson would be in the way of the next try."""
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for path, text in files.items():
            (beside / path).parent.mkdir(parents=True, exist_ok=True)
            (beside / path).write_text(text, encoding="utf-8")
        beside.chmod(0o777 & ~_umask())
        if folder.is_dir():
            folder.rmdir()
        beside.rename(folder)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _replace(file: Path, text: str) -> None:
    beside = file.with_name(f"{file.name}.new")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, file)
