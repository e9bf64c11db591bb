"""What a learner can do, recorded as it happens. Every front (app, command line, plain) goes through it."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tutor.course.load import is_shipped
from tutor.course.model import ASK, CHOICE, CODE, Course, Exercise, Lesson, Question, Step, Term
from tutor.permissions import Permissions
from tutor.progress.standing import OPEN, REVEALED, SOLVED, ItemStanding, standings
from tutor.progress.store import Store

if TYPE_CHECKING:
    from tutor.answers.verdict import Verdict
    from tutor.checker.verdict import CheckResult

TRIES_BEFORE_REVEAL = 3
_WORKER = "_worker"  # how the names of exercises end that a worker runs
_WORK = ("start", "reset", "check")  # events of work on an exercise
_EXERCISE_LINE = "# exercise:"


_MOST_NAMED, _EXAMPLES = 20, 4  # names that are all listed; of more, some


class Unknown(LookupError):
    """A lesson, step, question or exercise that the course does not have, with what it does have."""

    def __init__(self, what: str, name: str, known: list[str]) -> None:
        from difflib import get_close_matches

        near = get_close_matches(name, known, n=3)
        if near:
            choice = f"did you mean {', '.join(near)}?"
        elif len(known) <= _MOST_NAMED:
            choice = f"there are: {', '.join(known)}"
        else:
            every = len(known) // _EXAMPLES
            choice = f"there are {len(known)}, such as {', '.join(known[::every][:_EXAMPLES])}"
        super().__init__(f"no {what} is called {name!r}; {choice}")


class NotAllowed(Exception):
    """Something that this session's permissions do not allow."""


@dataclass(frozen=True)
class Hint:
    text: str
    number: int  # from 1
    of: int


@dataclass(frozen=True)
class Revealed:
    """The answer of a question as a person reads it, with its reason; for an exercise, its solution file."""

    answer: str
    why: str


@dataclass(frozen=True)
class AnswerOutcome:
    verdict: Verdict
    tries: int  # wrong and right ones so far, this one counted
    revealed: Revealed | None  # set when this wrong try used up the last one
    next_hint: str | None  # for a wrong answer


@dataclass(frozen=True)
class Started:
    path: Path
    created: bool  # False: the file was there and is as it was


@dataclass(frozen=True)
class Reset:
    path: Path
    backup: Path | None  # where the old file went; None when there was none


@dataclass(frozen=True)
class LessonStanding:
    lesson: Lesson
    solved: int
    revealed: int
    total: int  # questions and exercises of the lesson
    steps_seen: int

    @property
    def in_words(self) -> str:
        """How far it is, as in `3 of 14 solved, 1 revealed`."""
        revealed = f", {self.revealed} revealed" if self.revealed else ""
        return f"{self.solved} of {self.total} solved{revealed}"


class Study:
    """One learner at one course.

    Raises Unknown for names that the course does not have, NotAllowed for what `permissions` forbid
    and ProgressError when the record cannot be kept.
    """

    def __init__(self, course: Course, store: Store, exercise_folder: Path, permissions: Permissions) -> None:
        self.course = course
        self.store = store
        self.exercise_folder = exercise_folder
        self.permissions = permissions
        self._terms: tuple[Term, ...] | None = None

    # Reading

    def lesson(self, lesson_id: str) -> Lesson:
        lesson = self.course.lesson(lesson_id)
        if lesson is None:
            raise Unknown("lesson", lesson_id, [lesson.id for lesson in self.course.lessons])
        return lesson

    def question(self, question_id: str) -> Question:
        question = self.course.question(question_id)
        if question is None:
            raise Unknown("question", question_id, self.course.ids(ASK))
        return question

    def exercise(self, exercise_id: str) -> Exercise:
        exercise = self.course.exercise(exercise_id)
        if exercise is None:
            raise Unknown("exercise", exercise_id, self.course.ids(CODE))
        return exercise

    def glossary(self) -> tuple[Term, ...]:
        """The terms of the course, read once. Raises CourseError."""
        if self._terms is None:
            from tutor.course.glossary import read_glossary

            self._terms = read_glossary(self.course.folder)
        return self._terms

    def term(self, name: str) -> Term:
        """The term that is called `name`, by any of its names. Raises CourseError."""
        from tutor.course.glossary import find_term

        found = find_term(self.glossary(), name)
        if found is None:
            known = [each for term in self.glossary() for each in (term.name, *term.also)]
            raise Unknown("term", name, known or ["none: the course has no glossary"])
        return found

    def where(self) -> tuple[Lesson, Step] | None:
        """The lesson and step where the learner was last: see `working_on`; None before the first step."""
        return self.working_on() or self._opened_last()

    def working_on(self) -> tuple[Lesson, Step] | None:
        """The exercise worked on since a step was last opened, as long as its check fails, with its lesson."""
        event = self.store.last("opened", *_WORK)
        if event is None or event.kind == "opened" or event.detail.get("right"):
            return None
        return self.course.step_of(event.item)

    def _opened_last(self) -> tuple[Lesson, Step] | None:
        event = self.store.last("opened")
        if event is None:
            return None
        found = self.course.find_step(event.item)
        if found is not None:
            return found
        # The step is gone from the course: its lesson is the nearest place that still exists
        lesson = self.course.lesson(str(event.detail.get("lesson", "")))
        return (lesson, lesson.steps[0]) if lesson is not None else None

    def last_open_step(self, lesson: Lesson) -> Step:
        """The step of this lesson that was open last, or its first one."""
        steps = {step.id: step for step in lesson.steps}
        seen = [event.item for event in self.store.events(kind="opened") if event.item in steps]
        return steps[seen[-1]] if seen else lesson.steps[0]

    def open_step(self, lesson: Lesson, step: Step) -> None:
        """Remembers that this step is open now."""
        last, work = self.store.last("opened"), self.working_on()
        if last is None or last.item != step.id or (work is not None and work[1].id != step.id):
            self.store.add("opened", step.id, lesson=lesson.id)

    def standings(self) -> Mapping[str, ItemStanding]:
        """How each question and exercise stands; those never tried are missing."""
        return standings(self.store.events())

    def standing(self, item: str) -> ItemStanding:
        return standings(self.store.events(item=item)).get(item, ItemStanding())

    def lessons(self) -> list[LessonStanding]:
        """How far each lesson of the course is."""
        now = self.standings()
        seen = {event.item for event in self.store.events(kind="opened")}
        result = []
        for lesson in self.course.lessons:
            items = [id for step in lesson.steps for kind, id in step.heads if kind in (ASK, CODE)]
            states = [now[item].state if item in now else OPEN for item in items]
            result.append(
                LessonStanding(
                    lesson,
                    states.count(SOLVED),
                    states.count(REVEALED),
                    len(items),
                    sum(step.id in seen for step in lesson.steps),
                )
            )
        return result

    # Questions

    def answer(self, question_id: str, text: str, seed: int | None = None) -> AnswerOutcome:
        """Judges a typed answer and records it. Raises NotUnderstood, unrecorded, for text that is no answer."""
        from tutor.answers.judge import hints, judge

        question = self.question(question_id)
        verdict = judge(self.course, question, text, seed)
        before = self.standing(question_id)
        detail = {"text": text, "right": verdict.right, "misconception": verdict.misconception}
        if seed is not None:
            detail["seed"] = seed
        self.store.add("answer", question_id, **detail)
        self.store.keep_draft(question_id, "")
        revealed = None
        hint = None
        if not verdict.right:
            wrong = before.wrong + 1
            if wrong >= tries_before_reveal(question) and before.state == OPEN:
                revealed = self.reveal(question_id, seed) if self.permissions.reveal else None
            if revealed is None and question.hints:
                hint = hints(self.course, question, seed)[min(wrong, len(question.hints)) - 1]
        return AnswerOutcome(verdict, before.tries + 1, revealed, hint)

    def tries_left(self, question_id: str) -> int:
        """How many wrong answers bring the answer; 0 once it is solved or revealed, and where none does."""
        now = self.standing(question_id)
        if not self.permissions.reveal:
            return 0
        left = tries_before_reveal(self.question(question_id)) - now.wrong
        return max(1, left) if now.state == OPEN else 0

    def hint(self, item: str, seed: int | None = None) -> Hint:
        """The next hint of a question or exercise; after the last one, the last again."""
        found = self._question_or_exercise(item)
        if not found.hints:
            raise Unknown("hint for", item, ["none"])
        number = min(self.standing(item).hints + 1, len(found.hints))
        if isinstance(found, Question):
            from tutor.answers.judge import hints

            text = hints(self.course, found, seed)[number - 1]
        else:
            from tutor.answers.texts import exercise_text

            text = exercise_text(found, found.hints[number - 1])
        self.store.add("hint", item, number=number)
        return Hint(text, number, len(found.hints))

    def reveal(self, item: str, seed: int | None = None) -> Revealed:
        """The answer with its reason. Remembered as revealed, unless it was solved before.

        Raises NotAllowed where answers are kept back.
        """
        if not self.permissions.reveal:
            raise NotAllowed("answers are not shown in this class: your instructor keeps them back")
        found = self._question_or_exercise(item)
        if isinstance(found, Exercise):
            from tutor.answers.texts import exercise_text

            answer = (found.folder / "solution.py").read_text(encoding="utf-8")
            revealed = Revealed(answer, exercise_text(found, found.why))
        else:
            from tutor.answers.judge import reason, truth

            revealed = Revealed(truth(self.course, found, seed).shown, reason(self.course, found, seed))
        self.store.add("reveal", item)
        return revealed

    def _question_or_exercise(self, item: str) -> Question | Exercise:
        found = self.course.question(item) or self.course.exercise(item)
        if found is None:
            raise Unknown("question or exercise", item, self.course.ids(ASK, CODE))
        return found

    # Exercises

    def exercise_path(self, exercise_id: str) -> Path:
        """Where the learner's file of this exercise is, or would be."""
        return self.exercise_folder / f"{self.exercise(exercise_id).id}.py"

    def start(self, exercise_id: str) -> Started:
        """Writes the exercise's task into the learner's folder, never over a file that is there."""
        exercise = self.exercise(exercise_id)
        path = self.exercise_path(exercise_id)
        task = (exercise.folder / "task.py").read_bytes()
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            # "x" and not a look first: two windows may start at the same moment
            with path.open("xb") as file:
                file.write(task)
        except FileExistsError:
            return Started(path, created=False)
        except OSError:
            # A half-written task would never be written again
            with contextlib.suppress(OSError):
                path.unlink()
            raise
        self.store.add("start", exercise_id, path=str(path))
        return Started(path, created=True)

    def reset(self, exercise_id: str) -> Reset:
        """Begins the exercise's file again; the old one is kept beside it under a numbered name."""
        path = self.exercise_path(exercise_id)
        backup = None
        if path.exists():
            numbers = (number for number in range(1, 10_000))
            backup = next(name for number in numbers if not (name := path.with_suffix(f".backup-{number}.py")).exists())
            path.rename(backup)
        self.store.add("reset", exercise_id, backup=str(backup) if backup else None)
        return Reset(self.start(exercise_id).path, backup)

    def exercise_of(self, path: Path, source: bytes) -> Exercise:
        """The exercise that a file is for: its first line `# exercise: ID`, or the file's stem."""
        return self.exercise(_named_in_first_line(source) or path.stem)

    def prepare_checks(self, exercise_id: str) -> None:
        """Keeps a process ready for checks of this exercise, until `no_more_checks`."""
        if self.permissions.check_files:
            from tutor.checker import Limits, spare

            limits = Limits.of_class() if self.permissions.boxed_checks else Limits()
            spare.keep(limits, workers=self.exercise(exercise_id).id.endswith(_WORKER))

    def no_more_checks(self) -> None:
        """Ends what `prepare_checks` keeps."""
        from tutor.checker import spare

        spare.end()

    def check(self, path: Path, exercise_id: str | None = None, stop: threading.Event | None = None) -> CheckResult:
        """Runs the file against its exercise and records the verdict.

        Raises CouldNotCheck (never recorded as right or wrong) when the file cannot be read or the
        checker fails.
        """
        if not self.permissions.check_files:
            raise NotAllowed("checks are off here")
        from tutor.checker import Limits, check_source, read_source

        # Read once: what is checked is what named its exercise
        within = None if self.permissions.any_file else self.exercise_folder
        source = read_source(path, within)
        exercise = self.exercise(exercise_id) if exercise_id else self.exercise_of(path, source)
        limits = Limits.of_class() if self.permissions.boxed_checks else Limits()
        trusted = is_shipped(self.course.folder)
        result = check_source(source, exercise, limits=limits, stop=stop, file=path.name, trusted=trusted)
        detail: dict[str, object] = {"right": result.passed, "path": os.path.abspath(path)}
        failing = next((case for case in result.cases if not case.passed), None)
        if result.error is not None:
            detail["error"] = result.error.kind
        elif failing is not None:
            detail["reason"] = failing.reason
        self.store.add("check", exercise.id, **detail)
        return result


def tries_before_reveal(question: Question) -> int:
    """After how many wrong answers the right one is revealed: before clicking through a few options would find it."""
    if question.kind == CHOICE:
        return max(1, min(TRIES_BEFORE_REVEAL, len(question.options) - 1))
    return TRIES_BEFORE_REVEAL


def _named_in_first_line(source: bytes) -> str | None:
    """The ID in a first line `# exercise: ID`; None where there is none."""
    first = source[:500].decode("utf-8", errors="replace").lstrip("\ufeff").split("\n", 1)[0].strip()
    return first.removeprefix(_EXERCISE_LINE).strip() if first.startswith(_EXERCISE_LINE) else None
