"""An examination as one learner sits it: begun, answered problem by problem, ended; recorded as it happens.

Every event has a name of its own that two sessions give alike, so whichever is second changes nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tutor.course.model import Course, Lesson, Prose, Question, Step
from tutor.examination import ANSWERED, BEGUN, ENDED, NOT_BEGUN, SHOWN
from tutor.examination.draw import PROBLEMS, Drawn, Numbers, Shown, draw, numbers, problems
from tutor.examination.result import Judged, Result, way_back
from tutor.progress.store import Event

if TYPE_CHECKING:
    from tutor.study import Study

ITEM = "examination"  # what the events of a whole examination are about


class NoExamination(LookupError):
    """There is nothing to sit: no problems in this course, or none left that were not shown before."""


class UnderWay(Exception):
    """Another examination has begun and is not over."""


@dataclass(frozen=True)
class Asked:
    """One problem of a sitting."""

    number: int  # from 1
    of: int
    lesson: Lesson  # that it is about
    step: Step
    question: Question
    seed: int


@dataclass(frozen=True)
class Sitting:
    """An examination under way, as the record has it now."""

    id: str
    seed: int
    problems: tuple[Asked, ...]
    answers: Mapping[int, str | None]  # number -> what was typed; None where it was left unanswered

    @property
    def next(self) -> Asked | None:
        """The first problem that is not answered yet."""
        return next((asked for asked in self.problems if asked.number not in self.answers), None)


class Examination:
    """One learner's examinations. Raises ProgressError when the record cannot be kept."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self._store = study.store
        self.course: Course = study.course

    @property
    def exists(self) -> bool:
        """Whether the course has one."""
        return any(True for _ in problems(self.course))

    @property
    def in_words(self) -> str:
        """How the learner stands with it, in a few words."""
        sitting, last = self.sitting(), self.last()
        if sitting is not None and (sitting.answers or last is None):
            return f"{len(sitting.answers)} of {len(sitting.problems)} answered"
        return f"{last.score} of {len(last.problems)} right last time" if last is not None else NOT_BEGUN

    # Sitting

    def sitting(self) -> Sitting | None:
        """The examination that is under way, or None."""
        ended = [event.detail.get("exam") for event in self._store.events(kind=ENDED)]
        for event in reversed(self._store.events(kind=BEGUN)):
            if event.uid not in ended:
                sitting = self._sitting(event)
                # One of another course is none of this
                if sitting.problems:
                    return sitting
        return None

    def begin(self, seed: int | None = None) -> Sitting:
        """Draws the problems; without a seed, by chance. Raises UnderWay and NoExamination."""
        if not self.exists:
            raise NoExamination("this course has no examination")
        # Counted before anything else: a session that begins meanwhile gives its own the same name
        count = len(self._store.events(kind=BEGUN)) + 1
        if self.sitting() is not None:
            raise UnderWay("an examination is under way")
        seed = secrets.randbelow(1_000_000) if seed is None else seed
        drawn = draw(self.course, seed, self._shown())
        if not drawn:
            raise NoExamination("you have seen every problem of the examination with all its numbers")
        self._store.add_once(
            f"{self._store.learner}:exam:{count}",
            BEGUN,
            ITEM,
            seed=seed,
            problems=[[one.problem, one.seed] for one in drawn],
        )
        sitting = self.sitting()
        if sitting is None:
            raise UnderWay("another examination was under way until now")
        return sitting

    def show(self, sitting: Sitting, asked: Asked) -> None:
        """Remembers that this problem was shown: its numbers never come again."""
        self._store.add_once(
            f"{sitting.id}:shown:{asked.number}",
            SHOWN,
            asked.question.id,
            exam=sitting.id,
            seed=asked.seed,
            numbers=dict(numbers(asked.question, asked.seed)),
        )

    def understood(self, asked: Asked, text: str) -> str:
        """How this text would be taken as an answer, without giving it. Raises NotUnderstood."""
        from tutor.answers.judge import judge

        return judge(self.course, asked.question, text, asked.seed).understood

    def answer(self, sitting: Sitting, asked: Asked, text: str | None) -> bool:
        """Records the one answer to a problem, None to leave it unanswered; False when it had one already.

        Raises NotUnderstood, unrecorded, for text that is no answer to this kind of question. Whether it is
        right is not said before the end.
        """
        detail: dict[str, object] = {"right": False, "misconception": None}
        if text is not None:
            from tutor.answers.judge import judge

            verdict = judge(self.course, asked.question, text, asked.seed)
            detail = {"right": verdict.right, "misconception": verdict.misconception}
        new = self._store.add_once(
            f"{sitting.id}:answer:{asked.number}",
            ANSWERED,
            asked.question.id,
            exam=sitting.id,
            number=asked.number,
            seed=asked.seed,
            text=text,
            **detail,
        )
        self._store.keep_draft(asked.question.id, "")
        return new

    def again(self, sitting: Sitting) -> Sitting:
        """The same sitting as the record has it now: another session may have gone on."""
        event = next(event for event in self._store.events(kind=BEGUN) if event.uid == sitting.id)
        return self._sitting(event)

    # The end

    def end(self, sitting: Sitting) -> Result:
        """The result, once every problem is answered; it is remembered. Raises CourseError."""
        sitting = self.again(sitting)
        assert sitting.next is None, "an examination ends with its last answer"
        judged = tuple(self._judged(asked, sitting.answers[asked.number]) for asked in sitting.problems)
        about = {problem.lesson for problem in judged}
        left_out = tuple(lesson.title for lesson in self.course.lessons if lesson.id not in about)
        result = Result(self.course.title, sitting.seed, self._store.now(), judged, left_out)
        self._store.add_once(f"{sitting.id}:result", ENDED, ITEM, exam=sitting.id, result=result.to_json())
        return self.last() or result

    def last(self) -> Result | None:
        """The result of the last examination in this course, as its page said it then."""
        for event in reversed(self._store.events(kind=ENDED)):
            try:
                result = Result.from_json(event.detail["result"])
            except (KeyError, TypeError, ValueError):
                continue  # of a record that was written elsewhere
            if result.course == self.course.title:
                return result
        return None

    # The record

    def _sitting(self, event: Event) -> Sitting:
        drawn = _drawn(event.detail.get("problems"))
        ids = {one.problem for one in drawn}
        known = {problem.id: (lesson, step, problem) for lesson, step, problem in problems(self.course, ids)}
        # A problem that the course has dropped since is not asked
        there = [one for one in drawn if one.problem in known]
        asked = tuple(
            Asked(number, len(there), *known[one.problem], one.seed) for number, one in enumerate(there, start=1)
        )
        of_problem = {one.question.id: one.number for one in asked}
        answers = {
            of_problem[answer.item]: text if isinstance(text := answer.detail.get("text"), str) else None
            for answer in self._store.events(kind=ANSWERED)
            if answer.detail.get("exam") == event.uid and answer.item in of_problem
        }
        seed = event.detail.get("seed")
        return Sitting(event.uid, seed if isinstance(seed, int) else 0, asked, answers)

    def _shown(self) -> Shown:
        """Which numbers of which problems this learner has seen, here or wherever else they were shown."""
        known = {problem.id: problem for _, _, problem in problems(self.course)}
        seen: dict[str, set[Numbers]] = {}
        times: dict[str, int] = {}
        for event in self._store.events():
            problem = known.get(event.item)
            if problem is None:
                continue
            times[problem.id] = times.get(problem.id, 0) + (event.kind == SHOWN)
            seed, held = event.detail.get("seed"), event.detail.get("numbers")
            if isinstance(held, dict) and all(isinstance(value, (int, float, str)) for value in held.values()):
                seen.setdefault(problem.id, set()).add(tuple(sorted(held.items())))
            elif isinstance(seed, int):
                seen.setdefault(problem.id, set()).add(numbers(problem, seed))
        return Shown(seen, times)

    def _judged(self, asked: Asked, text: str | None) -> Judged:
        from tutor.answers import texts
        from tutor.answers.judge import judge, truth

        course, question, seed = self.course, asked.question, asked.seed
        verdict = None if text is None else judge(course, question, text, seed)
        right = verdict is not None and verdict.right
        misconception = verdict.misconception if verdict is not None else None
        prose = [texts.prose(course, asked.step, block) for block in asked.step.blocks if isinstance(block, Prose)]
        return Judged(
            problem=question.id,
            title=asked.step.title,
            lesson=asked.lesson.id,
            lesson_title=asked.lesson.title,
            question="\n\n".join([*prose, texts.prompt(course, question, seed)]),
            picture=self._picture(asked),
            options=tuple(option.text for option in texts.options_shown(course, question, seed)),
            given=verdict.understood if verdict is not None else "",
            right=right,
            said=verdict.reason if verdict is not None and not right else "",
            misconception=misconception,
            belief=course.misconceptions.get(misconception, "") if misconception else "",
            answer=truth(course, question, seed).shown,
            why=texts.reason(course, question, seed),
            back=way_back(course, question.back),
        )

    def _picture(self, asked: Asked) -> str:
        from tutor.examination.page import COLUMNS
        from tutor.examination.pictures import blank_picture
        from tutor.views.terminal import text

        drawn = blank_picture(self.course, asked.question, asked.seed)
        return "" if drawn is None else text(drawn.picture, COLUMNS, ascii_only=True)


def _drawn(listed: object) -> list[Drawn]:
    """The problems that a record lists; a record may come from elsewhere, and hold anything."""
    pairs = listed if isinstance(listed, list) else []
    return [
        Drawn(pair[0], pair[1])
        for pair in pairs
        if isinstance(pair, list) and [type(part) for part in pair] == [str, int] and pair[1] >= 0
    ]


__all__ = ["PROBLEMS", "Asked", "Examination", "NoExamination", "Sitting", "UnderWay"]
