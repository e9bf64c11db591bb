"""A question asked and answered line by line."""

from __future__ import annotations

from collections.abc import Mapping

from tutor.answers import cells, choices, tables
from tutor.answers.families import count_members
from tutor.answers.verdict import NotUnderstood
from tutor.asking import Asking
from tutor.course.blocks import WITH_CELLS
from tutor.course.model import CHOICE, GRID, Course, CourseError, Question
from tutor.plain.hints import say_hint
from tutor.plain.paper import Paper
from tutor.progress.store import ProgressError
from tutor.study import AnswerOutcome, NotAllowed, Study
from tutor.views.picture import Cell

_UNFILLED = "?"  # a cell without an answer, in what is kept half typed


class QuestionTask:
    """The question of a step, or another member of its family."""

    what = "question"
    prompted = "Answer"
    ways = ":hint helps"

    def __init__(self, study: Study, question: Question, paper: Paper, seed: int | None = None) -> None:
        self.asking = Asking(study, question, seed)
        self.done = seed is None and self.asking.done
        self._study = study
        self._paper = paper
        self._last_wrong = ""
        self._rows: list[str] = []  # of a table, typed row by row

    @property
    def question(self) -> Question:
        return self.asking.question

    # Asking

    def show(self) -> None:
        """The question, its options, and how to answer it; of one that is done, what was learned."""
        paper, asking = self._paper, self.asking
        paper.blank()
        paper.markdown(asking.prompt, "Question: ")
        for number, option in enumerate(asking.options, 1):
            paper.say(option.text, f"{number:>3}  ")
        if self.done:
            told = asking.told()
            paper.blank()
            paper.together(f"{'Solved' if told.solved else 'Revealed'}: {told.answer}", told.why, self._onwards())
            return
        if self.question.kind in WITH_CELLS:
            say_rows(paper, self._study.course, self.question, asking.seed, one_by_one=True)
        else:
            paper.say(f"Type {asking.expects}.")
        self._show_draft()
        if asking.study.standing(self.question.id).wrong and asking.seed is None:
            paper.say(self._tries())

    def _show_draft(self) -> None:
        draft = self._study.store.draft(self.question.id) if self.asking.seed is None else ""
        if not draft or self.question.kind == CHOICE:
            return
        if self.question.kind in WITH_CELLS and _UNFILLED in draft:
            rows = [row.strip() for row in draft.split(";")]
            whole = next((at for at, row in enumerate(rows) if _UNFILLED in row), len(rows))
            self._rows = rows[:whole] if len(rows) == len(self._asked_rows()) else []
            if self._rows:
                self._paper.say(f"Kept from before: {'; '.join(self._rows)}. {self._next_row()}")
            return
        self._paper.say(f"What you typed last: {draft}")

    # Answering

    def answer(self, text: str) -> bool:
        """Has an answer judged; True when the question is done with it."""
        if self.done:
            self._paper.say(f"This question is done. {self._onwards()}")
            return False
        try:
            whole = self._whole(text)
            return whole is not None and self._judged(whole)
        except NotUnderstood as error:
            self._paper.say(f"{error}. That does not count as a try.")
        except (CourseError, ProgressError) as error:
            self._paper.say(f"{error}.")
        return False

    def _judged(self, text: str) -> bool:
        if self.question.kind == CHOICE:
            text = choices.read_choice(text, self.asking.options)
            if self.asking.seed is None and text in self.asking.wrong_answers:
                self._paper.say(f"You have tried that one: it is not right. {self._tries()}")
                return False
        if text == self._last_wrong or self.asking.same_number(text, self._last_wrong):
            self._paper.say(f"That is the answer you gave before. {self._tries()}")
            return False
        outcome = self.asking.answer(text)
        self._say(outcome)
        if not outcome.verdict.right and outcome.revealed is None:
            self._last_wrong = text
            if self.asking.seed is None:
                self._study.store.keep_draft(self.question.id, text)
            return False
        self.done = True
        return True

    def _say(self, outcome: AnswerOutcome) -> None:
        verdict = outcome.verdict
        understood = verdict.understood.rstrip(".")
        self._paper.blank()
        if verdict.right:
            self._paper.together(f"Right: {understood}.", verdict.reason, self._onwards())
        elif outcome.revealed is not None:
            shown = outcome.revealed
            texts = [verdict.reason, f"The answer: {shown.answer}", shown.why, self._onwards()]
            self._paper.together(f"Not right: {understood}.", *texts)
        else:
            self._paper.together(f"Not right: {understood}.", verdict.reason, self._tries())

    def _whole(self, text: str) -> str | None:
        """The answer, or None while rows of a table are still to come."""
        if self.question.kind not in WITH_CELLS:
            return text
        lengths = [len(row) for row in self._asked_rows()]
        count = len(lengths)
        typed = [row.strip() for row in text.split(";") if row.strip()]
        at_once = len(typed) == count or len(text.replace(",", " ").split()) == sum(lengths)
        if count == 1 or not typed or text.startswith("[") or (not self._rows and at_once):
            return text
        at = len(self._rows)
        if at + len(typed) > count:
            raise NotUnderstood(f"there are {count - at} rows to come, not {len(typed)}")
        for row, length in zip(typed, lengths[at:], strict=False):
            tables.read_rows(row, [length], words=self.question.kind == GRID)
        rows = [*self._rows, *typed]
        if len(rows) < count:
            self._rows = rows
            self._keep(rows)
            self._paper.say(self._next_row())
            return None
        self._rows = []
        return "; ".join(rows)

    def _next_row(self) -> str:
        rows = self._asked_rows()
        at = len(self._rows)
        called = cells.called(self._study.course, self.question, self.asking.seed)
        return f"Row {at + 1} of {len(rows)}: {_cells(rows[at], called)}. :again begins at row 1."

    def _keep(self, rows: list[str]) -> None:
        """Keeps the rows typed so far, as the app reads them too."""
        if self.asking.seed is None:
            missing = [" ".join([_UNFILLED] * len(row)) for row in self._asked_rows()[len(rows) :]]
            self._study.store.keep_draft(self.question.id, "; ".join([*rows, *missing]))

    def start_over(self) -> None:
        """Forgets the rows typed so far."""
        if self._rows:
            self._rows = []
            self._study.store.keep_draft(self.question.id, "")

    def _asked_rows(self) -> list[list[Cell]]:
        return cells.places(self._study.course, self.question, self.asking.seed)

    # Help

    def hint(self) -> None:
        """The next hint."""
        if self.done:
            self._paper.say(f"This question is done. {self._onwards()}")
            return
        say_hint(self._paper, self._study, self.question.id, self.what, self.asking.seed)

    def reveal(self) -> bool:
        """Shows the answer; True when the question is done with it."""
        try:
            shown = self.asking.reveal()
        except (CourseError, NotAllowed, ProgressError) as error:
            self._paper.say(f"{error}.")
            return False
        self.done = True
        self._paper.blank()
        self._paper.together(f"The answer: {shown.answer}", shown.why, self._onwards())
        return True

    def other(self) -> QuestionTask | None:
        """The same question with other numbers, or None where it has none."""
        count = count_members(self.question)
        if count < 2:
            return None
        return QuestionTask(self._study, self.question, self._paper, ((self.asking.seed or 0) + 1) % count)

    def _onwards(self) -> str:
        return "Enter goes on; :vary asks it with other numbers." if self.question.vary else "Enter goes on."

    def _tries(self) -> str:
        left = self.asking.tries_left
        hint = " :hint helps." if self.question.hints else ""
        if not left:
            return f"Try again; :reveal shows the answer.{hint}"
        return f"{'One try' if left == 1 else f'{left} tries'} left before the answer is revealed.{hint}"


def say_rows(paper: Paper, course: Course, question: Question, seed: int | None, *, one_by_one: bool) -> None:
    """Which cells a table or grid asks for, row by row, and how to type them."""
    rows = cells.places(course, question, seed)
    called = cells.called(course, question, seed)
    idle = " An idle slot is a point." if question.kind == GRID else ""
    if len(rows) == 1:
        paper.say(f"Type {len(rows[0])} values parted by spaces.{idle}")
    elif one_by_one:
        paper.say(f"Type {len(rows)} rows of values parted by spaces: one by one, or in one line parted by ;{idle}")
    else:
        paper.say(f"Type {len(rows)} rows in one line: values parted by spaces, rows by ;{idle}")
    for number, row in enumerate(rows, 1):
        paper.say(f"Row {number}: {_cells(row, called)}", "  ", "      ")


def _cells(row: list[Cell], called: Mapping[str, str]) -> str:
    """The cells of a row in words, what they share said once: `worker 0: chunk 0, chunk 1`."""
    names = [cells.name(place, row, called).split(", ") for place in row]
    shared = [part for part in names[0] if all(part in name for name in names)] if len(names) > 1 else []
    own = [" ".join(part for part in name if part not in shared) for name in names]
    if len(own) > 3 and (run := _run(own)):
        own = [run]
    return f"{', '.join(shared)}: {', '.join(own)}" if shared else ", ".join(own)


def _run(names: list[str]) -> str:
    """`slot 3 to slot 20` for cells that follow each other; empty where they do not."""
    words = {name.rpartition(" ")[0] for name in names}
    numbers = [name.rpartition(" ")[2] for name in names]
    if len(words) != 1 or not all(number.isdecimal() for number in numbers):
        return ""
    first = int(numbers[0])
    if [int(number) for number in numbers] != list(range(first, first + len(numbers))):
        return ""
    return f"{words.pop()}s {numbers[0]} to {numbers[-1]}, {len(names)} values"
