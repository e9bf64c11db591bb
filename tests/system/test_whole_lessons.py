"""Whole lessons in a real terminal, by their keys alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tutor import units
from tutor.answers import cells
from tutor.answers.texts import options_shown
from tutor.answers.truth import truth
from tutor.course.blocks import WITH_CELLS, WITH_OPTIONS, ids
from tutor.course.load import load
from tutor.course.model import NUMBER, Course, Question, Step

Open = Callable[..., Any]

# Lessons that are done from their first step to their last, with every kind of question among them: all thirteen would
# take minutes, and what they ask is answered in tests/lessons
WHOLE = ("why", "pipeline")


def test_whole_lessons_with_keys_alone(open_app: Open, home: Path) -> None:
    course = load()
    app = open_app()
    chosen = [(number, lesson) for number, lesson in enumerate(course.lessons) if lesson.id in WHOLE]
    for number, lesson in chosen:
        app.wait_for("Enter open")
        app.press("\x1b[H", *["down"] * (number + (1 if number else 0)), "enter")
        for place, step in enumerate(lesson.steps, 1):
            app.wait_for(f"{place}/{len(lesson.steps)} {step.title[:20]}")
            take(app, course, step, home)
    app.wait_for("Enter open")
    # The list is longer than the screen: each lesson comes into sight when it is chosen
    app.press("\x1b[H", "down")
    for lesson in course.lessons:
        if lesson.id not in WHOLE:
            app.press("down")
            continue
        total = sum(1 for step in lesson.steps if step.question or step.exercise)
        app.wait_for(f"{lesson.title}  {lesson.minutes} min")
        app.quiet()
        line = next(line for line in app.text.splitlines() if f"{lesson.title}  {lesson.minutes} min" in line)
        assert f"{total} of {total} solved" in line
        app.press("down")
    app.press("ctrl+q")
    assert app.wait_for_end() == 0
    # It comes back to where it was
    again = open_app()
    again.wait_for("Continue")


def take(app: Any, course: Course, step: Step, home: Path) -> None:
    """Does what a step asks for, and goes on."""
    if step.live is not None:
        app.press("right")
    if step.question is not None:
        app.go_on("F3 reveal")
        app.press(*keys_for(course, step.question), "enter")
        app.wait_for("Right")
        app.press("enter")
    elif step.exercise is not None:
        write(app, step, home / "exercises" / f"{step.exercise.id}.py")
    else:
        header = app.text.splitlines()[0]
        for _ in range(8):
            if app.text.splitlines()[0] != header:
                return
            app.press("enter")
            app.quiet()


def write(app: Any, step: Step, file: Path) -> None:
    """Lets the app write the file, sees it fail, saves the solution elsewhere, and sees that pass."""
    assert step.exercise is not None
    app.go_on("Enter write the file")
    app.press("enter")
    app.wait_for("edits it here")
    assert file.read_bytes() == (step.exercise.folder / "task.py").read_bytes()
    app.press("c")
    app.wait_for("Not right")
    file.write_bytes((step.exercise.folder / "solution.py").read_bytes())
    app.wait_for("Right: all")
    app.press("enter")


def keys_for(course: Course, question: Question) -> list[str]:
    """The keys that answer a question rightly."""
    if question.kind in WITH_OPTIONS:
        shown = [option.id for option in options_shown(course, question)]
        return [",".join(str(shown.index(id) + 1) for id in ids(question.answer))]
    if question.kind == NUMBER:
        value = truth(course, question).value
        unit = {units.BYTES: " B", units.SECONDS: " s"}.get(units.measure_of(question.unit), "")
        return [f"{value:.12g}{unit}"]
    assert question.kind in WITH_CELLS
    values = [value for row in cells.rows(course, question) for _, value in row]
    typed = ["." if value is None else value if isinstance(value, str) else f"{value:g}" for value in values]
    return [key for text in typed for key in (text, "right")]
