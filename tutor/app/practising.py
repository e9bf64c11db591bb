"""One problem of a practice session as the app asks it: two tries, hints, and the worked solution after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tutor.asking import Asking
from tutor.practice.session import TRIES, Outcome, Solution
from tutor.study import Revealed, Study

if TYPE_CHECKING:
    from tutor.practice.problem import Problem
    from tutor.practice.session import Session


class Practising(Asking):
    """The problem that a session has under way. It stands in a course of its own, with its picture."""

    def __init__(self, study: Study, session: Session, problem: Problem) -> None:
        there = Study(problem.course, study.store, study.exercise_folder, study.permissions)
        super().__init__(there, problem.question, problem.seed)
        self.session = session
        self.problem = problem
        self._wrong: list[str] = []

    @property
    def done(self) -> bool:
        return False  # once it is over, the next one is shown

    @property
    def tries_left(self) -> int:
        return TRIES - len(self._wrong)

    @property
    def wrong_answers(self) -> list[str]:
        return self._wrong

    @property
    def shows_answers(self) -> bool:
        """Whether the solution comes after the last try; not where a class keeps answers back."""
        return self.study.permissions.reveal

    def give(self, text: str) -> Outcome:
        """Raises NotUnderstood, CourseError, ProgressError."""
        outcome = self.session.answer(text)
        if not outcome.verdict.right:
            self._wrong.append(text)
        return outcome

    def reveal(self) -> Revealed:
        """Raises CourseError, ProgressError."""
        solution = self.session.reveal()
        return Revealed(solution.answer, reasons(solution))


def reasons(solution: Solution) -> str:
    """Markdown: the formula with this problem's numbers, if there is one, and the reason."""
    return "\n\n".join(part for part in (solution.worked, solution.why) if part)
