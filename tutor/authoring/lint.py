"""Looks for mistakes in a course: what cannot be read or computed, and what the course's own rules forbid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tutor.answers import cells
from tutor.authoring.examination import check_examination, refuse_back
from tutor.authoring.exercises import check_exercise, run_exercise
from tutor.authoring.glossary import check_glossary
from tutor.authoring.problem import Problem
from tutor.authoring.published import check_published
from tutor.authoring.questions import check_question
from tutor.authoring.screens import check_size
from tutor.authoring.words import check_exercise_words, check_lesson_words, check_prose, check_question_words
from tutor.course.fields import key_lines
from tutor.course.load import (
    LESSON_FILE,
    PROBLEMS_FILE,
    CourseFile,
    course_folder,
    is_there,
    read_course_file,
    read_lesson,
)
from tutor.course.model import Course, CourseError, Exercise, Lesson, Live, Place, Prose, Question, Step
from tutor.course.parse import read_text

__all__ = ["Problem", "lint"]


# How far it is: exercises done, exercises in all, and which file is run now
Progress = Callable[[int, int, str], None]


def lint(folder: Path | None = None, *, exercises: bool = True, progress: Progress | None = None) -> list[Problem]:
    """Every mistake of the course in `folder` (that of the tutor by default), in the order of its files.

    With `exercises`, solutions, tasks and mutants are run, which takes some seconds; `progress` is told before
    each of them. Never raises for what a course file holds.
    """
    folder = course_folder() if folder is None else Path(folder)
    try:
        listed = read_course_file(folder)
    except CourseError as error:
        return [Problem.of(error)]
    problems: list[Problem] = []
    lessons: list[Lesson] = []
    for name in listed.lessons:
        if not is_there(folder / name / LESSON_FILE):
            problems.append(
                Problem(listed.at("lessons"), f"lesson {name!r} is listed, but {name}/{LESSON_FILE} is not there")
            )
            continue
        try:
            lessons.append(read_lesson(folder / name))
        except CourseError as error:
            problems.append(Problem.of(error))
    examination = None
    if listed.examination:
        try:
            examination = read_lesson(folder / listed.examination, PROBLEMS_FILE)
        except CourseError as error:
            problems.append(Problem.of(error))
    course = Course(listed.title, folder, tuple(lessons), listed.misconceptions, examination)
    problems += _folders(folder, listed)
    problems += _names(course)
    if not problems:
        # What a lesson holds that cannot be read has not vanished
        problems += check_published(course)
    problems += check_glossary(course)
    for lesson in course.lessons:
        problems += _lesson(course, lesson)
    if exercises:
        problems += _runs(course, progress)
    if examination is not None:
        problems += _examination(course, examination)
    unique = dict.fromkeys(problems)
    return sorted(unique, key=lambda problem: (str(problem.place.file), problem.place.line))


def _folders(folder: Path, listed: CourseFile) -> Iterator[Problem]:
    """Lessons that nobody lists, and those listed twice."""
    for name in sorted({name for name in listed.lessons if listed.lessons.count(name) > 1}):
        yield Problem(listed.at("lessons"), f"lesson {name!r} is listed twice")
    try:
        there = sorted(path.parent.name for path in folder.glob(f"*/{LESSON_FILE}"))
    except OSError:
        return
    for name in there:
        if name not in listed.lessons:
            yield Problem(listed.at("lessons"), f"{name}/{LESSON_FILE} is there, but the lesson is not listed")


def _names(course: Course) -> Iterator[Problem]:
    """Ids that two things share."""
    everywhere = [*course.lessons, *([course.examination] if course.examination else [])]
    steps = [step for lesson in everywhere for step in lesson.steps]
    lives = [block for step in steps for block in step.blocks if isinstance(block, Live)]
    asked = [item for step in steps for item in (step.question, step.exercise) if item]
    yield from _twice("step", ((step.id, step.place) for step in steps))
    yield from _twice("live picture", ((live.id, live.place) for live in lives))
    yield from _twice("question or exercise", ((item.id, item.place) for item in asked))
    for lesson in everywhere:
        if lesson.id != lesson.folder.name:
            message = f"id {lesson.id!r} is not the name of its folder, {lesson.folder.name!r}"
            yield Problem(Place(_file(lesson), _front(lesson).get("id", 1)), message)


def _twice(what: str, named: Iterable[tuple[str, Place]]) -> Iterator[Problem]:
    first: dict[str, Place] = {}
    for name, place in named:
        if name in first:
            before = f"{first[name].file.parent.name}, line {first[name].line}"
            yield Problem(place, f"{what} {name!r} is there already, in {before}")
        first.setdefault(name, place)


def _file(lesson: Lesson) -> Path:
    """Where a lesson, or the examination, is written."""
    return lesson.steps[0].place.file


def _front(lesson: Lesson) -> dict[str, int]:
    """The lines of the keys in a lesson's front matter."""
    try:
        text = read_text(_file(lesson))
    except CourseError:
        return {}
    return key_lines(text.split("\n+++", 1)[0], 1)


def _runs(course: Course, progress: Progress | None) -> Iterator[Problem]:
    """What the files of all exercises do when they are checked."""
    found = [step.exercise for lesson in course.lessons for step in lesson.steps if step.exercise]
    for number, exercise in enumerate(found):

        def tell(file: Path, number: int = number, id: str = exercise.id) -> None:
            if progress is not None:
                progress(number, len(found), f"{id}, {file.name}")

        yield from run_exercise(exercise, tell)


def _lesson(course: Course, lesson: Lesson) -> Iterator[Problem]:
    front = _front(lesson)
    at = Place(lesson.folder / LESSON_FILE, front.get("needs", 1))
    for need in lesson.needs:
        if course.lesson(need) is None:
            yield Problem(at, f"needs {need!r}, which is no lesson of this course", warning=True)
    if not lesson.about:
        yield Problem(Place(at.file, front.get("about", 1)), "no about: the sentence that the home screen shows")
    yield from check_lesson_words(lesson, front)
    for step in lesson.steps:
        if step.question:
            yield from refuse_back(step.question)
        yield from _step(course, step)


def _examination(course: Course, examination: Lesson) -> Iterator[Problem]:
    front = _front(examination)
    yield from check_lesson_words(examination, front)
    yield from check_examination(course, examination, Place(_file(examination), 1))
    for step in examination.steps:
        yield from _step(course, step)


def _step(course: Course, step: Step) -> Iterator[Problem]:
    for block in step.blocks:
        if isinstance(block, Prose):
            yield from check_prose(course, step, block)
        elif isinstance(block, Live):
            yield from _live(block)
        elif isinstance(block, Question):
            yield from check_question_words(course, block)
            yield from check_question(course, block)
        elif isinstance(block, Exercise):
            yield from check_exercise_words(block)
            yield from check_exercise(block)
    yield from check_size(course, step)


def _live(live: Live) -> Iterator[Problem]:
    try:
        shown = cells.scene(live)
    except CourseError as error:
        yield Problem.of(error)
        return
    if live.step > shown.last_step:
        yield Problem(
            live.place, f"live {live.id}: step is {live.step}; accepted: a whole number from 0 to {shown.last_step}"
        )
