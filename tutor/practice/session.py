"""Practice as one learner does it: which problem comes next, what is said to an answer, and what is firm at the end."""

from __future__ import annotations

import random
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tutor.answers import texts
from tutor.answers.judge import judge, truth
from tutor.practice.beliefs import Beliefs
from tutor.practice.memory import AGAIN, GOOD, HARD, PRACTICE, Memory
from tutor.practice.problem import Problem, Skill
from tutor.practice.skills import Skills

if TYPE_CHECKING:
    from tutor.answers.verdict import Verdict
    from tutor.course.model import Step
    from tutor.study import Study

COUNT = 10  # problems of a session where the learner does not say
TRIES = 2
_WORK = ("answer", "check", "reveal", "hint")  # who does these from a shell has met the lesson, opened or not
KEPT_BACK = "your instructor keeps answers back"
_APART = 3  # problems between one of a skill and the next of the same


class NothingToPractise(LookupError):
    """A course, or a lesson of it, that has no skill to practise."""


@dataclass(frozen=True)
class Solution:
    """The right answer as a person reads it, the formula with this problem's numbers, and the reason."""

    answer: str
    worked: str
    why: str


@dataclass(frozen=True)
class Outcome:
    """What is to be said of an answer. The problem is `over` when it is right or there is no try left."""

    verdict: Verdict
    over: bool
    belief: str = ""  # the belief behind a wrong answer, in a sentence
    times: int = 0  # how often it has been behind one, this one counted
    solution: Solution | None = None
    hint: str = ""


@dataclass(frozen=True)
class Practised:
    """One problem of a session, over: its skill, how it went (AGAIN, HARD or GOOD), and the belief it showed."""

    skill: Skill
    rating: int
    belief: str = ""


@dataclass(frozen=True)
class Summary:
    """A session at its end: what is firm, what was hard, and what has to be looked at again."""

    firm: tuple[Practised, ...]
    hard: tuple[Practised, ...]
    not_firm: tuple[Practised, ...]


@dataclass
class _Under:
    """The problem that is being worked on."""

    problem: Problem
    tries: int = 0
    hints: int = 0
    belief: str = ""


@dataclass
class Session:
    """So many problems, chosen one after another. Raises ProgressError when the record cannot be kept."""

    practice: Practice
    scope: tuple[Skill, ...]
    count: int
    seed: int
    fixed: bool  # by the seed alone, whatever the record says
    done: list[Practised] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)  # ids of skills, in the order in which they were asked
    _now: _Under | None = None

    @property
    def number(self) -> int:
        """Of the problem that is being worked on, from 1."""
        return len(self.done) + 1

    def problem(self) -> Problem | None:
        """The problem to work on; None when the session is over or nothing is due any more."""
        if self._now is None and len(self.done) < self.count:
            skill = self._next()
            if skill is not None:
                draw = random.Random(f"{self.seed} {len(self.asked)} {skill.id}")
                self.asked.append(skill.id)
                self._now = _Under(self.practice.skills.problem(skill, draw))
        return self._now.problem if self._now else None

    def answer(self, text: str) -> Outcome:
        """Judges and records an answer to the problem. Raises NotUnderstood, unrecorded, for text that is none."""
        now = self._working()
        problem = now.problem
        verdict = judge(problem.course, problem.question, text, problem.seed)
        now.tries += 1
        over = verdict.right or now.tries >= TRIES
        belief = verdict.misconception or ""
        now.belief = belief or now.belief
        self._record(text, verdict.right, belief, over)
        times = self.practice.beliefs.times(belief) if belief else 0
        said = self.practice.study.course.misconceptions.get(belief, "")
        if over:
            self._over(self._rating(now, verdict.right))
            return Outcome(verdict, True, said, times, self._solution(problem, verdict.right))
        return Outcome(verdict, False, said, times, hint=self._hint(now))

    def hint(self) -> str:
        """The next hint; after the last one, the last again; empty where there is none."""
        return self._hint(self._working())

    def reveal(self) -> Solution:
        """The answer; the problem counts as not known."""
        now = self._working()
        self._record("", False, "", True, revealed=True)
        self._over(AGAIN)
        return self._solution(now.problem)

    def summary(self) -> Summary:
        """What became of each skill: the last word counts."""
        last = {practised.skill.id: practised for practised in self.done}.values()
        firm, hard, not_firm = (tuple(one for one in last if one.rating == rating) for rating in (GOOD, HARD, AGAIN))
        return Summary(firm, hard, not_firm)

    def _solution(self, problem: Problem, solved: bool = False) -> Solution:
        """What may be told: where a class keeps answers back, nothing to who has not found it."""
        told = solved or self.practice.study.permissions.reveal
        return solution_of(problem) if told else Solution(KEPT_BACK, "", "")

    # Which comes next

    def _next(self) -> Skill | None:
        if self.fixed:
            order = sorted(self.scope, key=lambda skill: random.Random(f"{self.seed} {skill.id}").random())
            return order[len(self.asked) % len(order)]
        memory, beliefs, at = self.practice.memory, self.practice.beliefs, self.practice.study.store.now()
        recent = set(self.asked[-_APART:])
        open_ = [skill for skill in self.scope if skill.id not in recent]
        # What went wrong in this session comes again, with other numbers, when it is no echo any more
        again = [skill for skill in open_ if skill.id in self.asked and memory.was_wrong(skill.id)]
        if again:
            return again[0]
        if len(self.asked) % 2:
            held = beliefs.held()
            meets = self.practice.skills.beliefs
            met = [skill for skill in open_ if meets[skill.id] & held and skill.id not in self.asked]
            if met:
                return max(met, key=lambda skill: sum(beliefs.times(name) for name in meets[skill.id] & held))
        due = [skill for skill in open_ if memory.is_due(skill.id, at)]
        if due:
            return min(due, key=lambda skill: memory.retrievability(skill.id, at))
        new = [skill for skill in open_ if not memory.knows(skill.id)]
        return self._drawn(new) if new else None

    def _drawn(self, new: list[Skill]) -> Skill:
        """One of the skills of the first lesson that has new ones."""
        first = [skill for skill in new if skill.lesson.id == new[0].lesson.id]
        return random.Random(f"{self.seed} {len(self.asked)}").choice(first)

    # What is kept

    def _working(self) -> _Under:
        if self._now is None and self.problem() is None:
            raise NothingToPractise("there is no problem left to answer")
        assert self._now is not None
        return self._now

    def _hint(self, now: _Under) -> str:
        problem = now.problem
        found = texts.hints(problem.course, problem.question, problem.seed)
        if not found:
            return ""
        now.hints = min(now.hints + 1, len(found))
        return found[now.hints - 1]

    @staticmethod
    def _rating(now: _Under, right: bool) -> int:
        if not right:
            return AGAIN
        return GOOD if now.tries == 1 and not now.hints else HARD

    def _record(self, text: str, right: bool, belief: str, over: bool, revealed: bool = False) -> None:
        now = self._working()
        detail: dict[str, object] = {"text": text, "right": right, "misconception": belief or None}
        if revealed:
            detail["revealed"] = True
        if over:
            detail["rating"] = AGAIN if revealed else self._rating(now, right)
        event = self.practice.study.store.add(PRACTICE, now.problem.skill.id, **detail)
        self.practice.memory.take_in(event)
        self.practice.beliefs.take_in(event)

    def _over(self, rating: int) -> None:
        now = self._working()
        said = self.practice.study.course.misconceptions.get(now.belief, "")
        self.done.append(Practised(now.problem.skill, rating, said if rating != GOOD else ""))
        self._now = None


class Practice:
    """One learner's practice at one course."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.skills = Skills(study.course)
        events = study.store.events()
        self.memory = Memory(events)
        self.beliefs = Beliefs(events, self.skills.beliefs)
        self._opened = {event.item for event in events if event.kind in ("opened", "read")}
        self._worked_on = {event.item for event in events if event.kind in _WORK}

    def due(self) -> int:
        """How many skills should be practised now."""
        at = self.study.store.now()
        return sum(self.memory.is_due(skill.id, at) for skill in self.skills.all)

    def session(self, lesson: str | None = None, count: int = COUNT, seed: int | None = None) -> Session:
        """A session over one lesson, or over those that have been opened. With `seed` its problems are always the same.

        Raises Unknown for a lesson that there is not, NothingToPractise where there is no skill.
        """
        if lesson is not None:
            lessons = {self.study.lesson(lesson).id}
        else:
            lessons = {one.id for one in self.study.course.lessons if any(map(self._met, one.steps))}
            practised = [skill.lesson.id for skill in self.skills.all if self.memory.knows(skill.id)]
            lessons |= set(practised)
            if not lessons and self.skills.all:
                lessons = {self.skills.all[0].lesson.id}
        scope = tuple(skill for skill in self.skills.all if skill.lesson.id in lessons)
        if not scope:
            raise NothingToPractise(f"{lesson or 'this course'} has nothing to practise")
        drawn = secrets.randbelow(1_000_000) if seed is None else seed
        return Session(self, scope, count, drawn, fixed=seed is not None)

    def _met(self, step: Step) -> bool:
        return step.id in self._opened or any(id in self._worked_on for _, id in step.heads)


def solution_of(problem: Problem) -> Solution:
    """The right answer of a problem, with the formula where the engine has one."""
    right = truth(problem.course, problem.question, problem.seed)
    why = texts.reason(problem.course, problem.question, problem.seed)
    return Solution(right.shown, "" if right.worked and right.worked in why else right.worked, why)
