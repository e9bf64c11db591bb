"""A course folder read: course.toml, and the lessons it lists that are there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tutor.course.fields import Fields, check_id, toml
from tutor.course.model import Course, Lesson, Place
from tutor.course.parse import parse_lesson, read_text
from tutor.course.unread import skim_lesson

COURSE_FILE, LESSON_FILE, PROBLEMS_FILE = "course.toml", "lesson.md", "problems.md"


def course_folder() -> Path:
    """Where the course that comes with the tutor is."""
    import lessons

    return Path(str(lessons.__file__)).parent


def is_shipped(folder: Path) -> bool:
    """Whether this is the folder of the course that comes with the tutor: its programs are the tutor's own."""
    try:
        return folder.resolve() == course_folder().resolve()
    except OSError:
        return False


@dataclass(frozen=True)
class CourseFile:
    """What course.toml says."""

    title: str
    lessons: tuple[str, ...]  # folders, in the order of the course
    misconceptions: Mapping[str, str]  # id -> the belief
    file: Path
    lines: Mapping[str, int]  # key -> its line
    examination: str = ""  # the folder with the problems of the final examination; empty where there is none

    def at(self, key: str) -> Place:
        return Place(self.file, self.lines.get(key, 1))


def load(folder: Path | None = None) -> Course:
    """The course in `folder`, or the one that comes with the tutor.

    Lessons that course.toml lists and that have no folder yet are left out. Raises CourseError, with
    file and line, for whatever cannot be read as a course.
    """
    # The tutor's own lessons are known to be without a mistake: their steps are read as they are opened
    read = skim_lesson if folder is None else parse_lesson
    folder = course_folder() if folder is None else Path(folder)
    course = read_course_file(folder)
    files = [folder / name / LESSON_FILE for name in course.lessons]
    lessons = [read(read_text(file), file) for file in files if is_there(file)]
    problems = folder / course.examination / PROBLEMS_FILE
    examination = read(read_text(problems), problems) if course.examination else None
    return Course(course.title, folder, tuple(lessons), course.misconceptions, examination)


def read_course_file(folder: Path) -> CourseFile:
    """The course.toml of a course. Raises CourseError."""
    file = folder / COURSE_FILE
    text = read_text(file)
    # The file has no fence before its first line, hence line 0
    fields = Fields(toml(text, file, 1), COURSE_FILE, Place(file, 0), text)
    title = fields.text("title", required=True)
    listed = fields.texts("lessons")
    for name in listed:
        check_id(name, "lesson", fields.at("lessons"))
    misconceptions = fields.mapping("misconceptions")
    for identity, belief in misconceptions.items():
        check_id(identity, "misconception", fields.at(identity))
        if not isinstance(belief, str) or not belief.strip():
            raise fields.error(identity, f"misconception {identity!r} has no belief; accepted: a sentence in quotes")
    examination = fields.text("examination")
    if examination:
        check_id(examination, "examination", fields.at("examination"))
    fields.done()
    return CourseFile(title, listed, misconceptions, file, fields.lines, examination)


def is_there(file: Path) -> bool:
    """Whether there is such a file; one that cannot be looked at counts, so that reading it says why."""
    try:
        return file.exists()
    except OSError:
        return True


def read_lesson(folder: Path, name: str = LESSON_FILE) -> Lesson:
    """The lesson in `folder`, or the problems there, which are written in the same way. Raises CourseError."""
    file = folder / name
    return parse_lesson(read_text(file), file)
