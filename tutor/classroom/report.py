"""Grades: what learners' answers and files are worth when the instructor's own tutor judges them again.

A learner can write anything into a progress file of their own. So nothing in it counts but what was typed: every
answer is judged anew, and every exercise is checked anew from the stored file, in the sandbox of whoever asks.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tutor.classroom.copies import Unsafe
from tutor.course.model import ASK, CODE, Course, Exercise, Question
from tutor.progress.store import Event
from tutor.safe_text import visible

RIGHT, WRONG, REVEALED, NOT_DONE, NOT_CHECKED = "right", "wrong", "revealed", "not done", "could not be checked"
_MOST_TRIES = 200  # answers to one question that are judged again


@dataclass(frozen=True)
class Mark:
    """One question or exercise of one learner: what the instructor's tutor makes of it, and what the record claims."""

    item: str
    result: str
    tries: int
    claimed: bool  # the record says that it was right
    note: str = ""

    @property
    def disputed(self) -> bool:
        """Whether the record claims what cannot be confirmed."""
        return self.claimed and self.result not in (RIGHT, NOT_CHECKED)


@dataclass(frozen=True)
class Grades:
    """All marks of one learner."""

    learner: str
    marks: tuple[Mark, ...]
    trouble: str = ""

    @property
    def right(self) -> int:
        """How many are right."""
        return sum(mark.result == RIGHT for mark in self.marks)


def grades(
    learner: str,
    course: Course,
    events: Iterable[Event],
    source: Callable[[str], bytes | None],
    check: Callable[[bytes, Exercise], tuple[bool, str]],
) -> Grades:
    """The marks of one learner. `source` gives the file of an exercise; it raises Unsafe for what is not read.

    `check` runs a source in a sandbox: passed or not, and the reason. It raises CouldNotCheck where it cannot.
    """
    by_item: dict[str, list[Event]] = {}
    for event in events:
        by_item.setdefault(event.item, []).append(event)
    marks = []
    for id in course.ids(ASK, CODE):
        question = course.question(id)
        if question is not None:
            marks.append(_of_question(course, question, by_item.get(id, [])))
            continue
        exercise = course.exercise(id)
        if exercise is not None:
            marks.append(_of_exercise(exercise, by_item.get(id, []), source, check))
    return Grades(learner, tuple(marks))


def _of_question(course: Course, question: Question, events: list[Event]) -> Mark:
    from tutor.answers.judge import judge
    from tutor.answers.verdict import NotUnderstood

    tries, result = 0, NOT_DONE
    claimed = any(event.kind == "answer" and event.detail.get("right") is True for event in events)
    for event in events[:_MOST_TRIES]:
        if event.kind == "reveal" and result != RIGHT:
            result = REVEALED
        text, seed = event.detail.get("text"), event.detail.get("seed")
        if event.kind != "answer" or not isinstance(text, str) or len(text) > 10_000:
            continue
        tries += 1
        if result in (RIGHT, REVEALED):
            continue
        try:
            verdict = judge(course, question, text, seed if type(seed) is int and 0 <= seed < 1 << 31 else None)
        except (NotUnderstood, ValueError):
            continue
        result = RIGHT if verdict.right else WRONG
    return Mark(question.id, result, tries, claimed)


def _of_exercise(
    exercise: Exercise,
    events: list[Event],
    source_of: Callable[[str], bytes | None],
    check: Callable[[bytes, Exercise], tuple[bool, str]],
) -> Mark:
    from tutor.checker import CouldNotCheck

    claimed = any(event.kind == "check" and event.detail.get("right") is True for event in events)
    tries = sum(event.kind == "check" for event in events)
    try:
        source = source_of(f"{exercise.id}.py")
    except Unsafe as error:
        return Mark(exercise.id, NOT_CHECKED, tries, claimed, visible(str(error))[:200])
    if source is None:
        return Mark(exercise.id, NOT_DONE, tries, claimed)
    if not tries and source == (exercise.folder / "task.py").read_bytes():
        return Mark(exercise.id, NOT_DONE, tries, claimed)
    try:
        passed, why = check(source, exercise)
    except CouldNotCheck as error:
        return Mark(exercise.id, NOT_CHECKED, tries, claimed, visible(str(error))[:200])
    if passed and any(event.kind == "reveal" for event in events):
        return Mark(exercise.id, REVEALED, tries, claimed)
    return Mark(exercise.id, RIGHT if passed else WRONG, tries, claimed, "" if passed else visible(why)[:200])


def as_json(found: Iterable[Grades]) -> list[dict[str, Any]]:
    """Grades as JSON."""
    return [
        {
            "learner": one.learner,
            "right": one.right,
            "of": len(one.marks),
            "trouble": one.trouble,
            "marks": [
                {name: getattr(mark, name) for name in ("item", "result", "tries", "disputed", "note")}
                for mark in one.marks
                if mark.result != NOT_DONE or mark.claimed
            ],
        }
        for one in found
    ]


def as_csv(found: Iterable[Grades]) -> str:
    """A row a learner, with the counts that a grade is made from."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["learner", "right", "revealed", "wrong", "not_checked", "disputed", "of"])
    for one in found:
        results = [mark.result for mark in one.marks]
        counts = [results.count(what) for what in (RIGHT, REVEALED, WRONG, NOT_CHECKED)]
        writer.writerow([one.learner, *counts, sum(mark.disputed for mark in one.marks), len(one.marks)])
    return out.getvalue()
