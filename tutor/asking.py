"""One question as a front asks it: its words with the figures filled in, and how the learner stands with it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isclose

from tutor import units
from tutor.course.model import CHOICE, NUMBER, Course, CourseError, Option, Question
from tutor.progress.standing import OPEN, SOLVED
from tutor.study import AnswerOutcome, Revealed, Study


@dataclass(frozen=True)
class Told:
    """What is told of a question that is done: its answer and the reason."""

    answer: str
    why: str
    solved: bool


class Asking:
    """A question of the course, as the lesson shows it (the first member of a family), or its member `seed`."""

    def __init__(self, study: Study, question: Question, seed: int | None = None) -> None:
        self.study = study
        self.question = question
        self.seed = seed

    @cached_property
    def prompt(self) -> str:
        """Markdown. Raises CourseError."""
        from tutor.answers.texts import prompt

        return prompt(self.study.course, self.question, self.seed)

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """In the order in which they are shown. Raises CourseError."""
        from tutor.answers.texts import options_shown

        return options_shown(self.study.course, self.question, self.seed)

    @property
    def expects(self) -> str:
        """What is to be typed, unless it is cells of a picture. Raises CourseError."""
        return expects(self.study.course, self.question, self.seed)

    @property
    def done(self) -> bool:
        """Whether it is solved, or its answer was shown."""
        return self.study.standing(self.question.id).state != OPEN

    @property
    def tries_left(self) -> int:
        """Wrong answers that may still be given before the answer is shown."""
        return self.study.tries_left(self.question.id)

    @property
    def wrong_answers(self) -> list[str]:
        """What was answered wrongly so far, oldest first."""
        events = self.study.store.events(item=self.question.id, kind="answer")
        return [str(event.detail.get("text", "")) for event in events if not event.detail.get("right")]

    def same_number(self, text: str, other: str) -> bool:
        """Whether both are one number in two forms, 1/4 and 0.25, to a question that asks for a number."""
        from tutor.answers.judge import NotUnderstood, judge

        if self.question.kind != NUMBER or not text or not other:
            return False
        try:
            values = [judge(self.study.course, self.question, each, self.seed).value for each in (text, other)]
        except (NotUnderstood, CourseError):
            return False
        return isclose(*values, rel_tol=1e-9)

    def told(self) -> Told:
        """The answer and its reason, once the question is done. Raises CourseError."""
        from tutor.answers.texts import reason
        from tutor.answers.truth import truth

        course = self.study.course
        solved = self.study.standing(self.question.id).state == SOLVED
        return Told(truth(course, self.question, self.seed).shown, reason(course, self.question, self.seed), solved)

    def answer(self, text: str) -> AnswerOutcome:
        """Raises NotUnderstood, CourseError, ProgressError."""
        return self.study.answer(self.question.id, text, self.seed)

    def reveal(self) -> Revealed:
        """Raises CourseError, ProgressError."""
        return self.study.reveal(self.question.id, self.seed)


def expects(course: Course, question: Question, seed: int | None = None) -> str:
    """What is to be typed as an answer, unless it is cells of a picture. Raises CourseError."""
    from tutor.answers.truth import tolerance_shown

    if question.kind == CHOICE:
        return "the number of an option"
    if question.kind != NUMBER:
        return "the numbers of the options, with commas"
    measures = units.measure_of(question.unit)
    counted = "a factor" if question.unit == "x" else f"a number of {question.unit}" if question.unit else "a number"
    unit = {units.COUNT: counted, units.SHARE: "a share: a fraction or a percentage"}.get(
        measures, "a number with its unit"
    )
    nearness = tolerance_shown(course, question, seed)
    return f"{unit}, {nearness}" if nearness else unit
