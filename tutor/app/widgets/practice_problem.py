"""A problem of a practice session: two tries, and what a wrong answer has in common with earlier ones."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.widget import Widget

from tutor.app.practising import Practising, reasons
from tutor.app.theme import words
from tutor.app.widgets.question import QuestionPanel, joined
from tutor.practice.words import ordinal


class PracticePanel(QuestionPanel):
    """Answers go to the session; nothing of it is kept as a draft, because its numbers never come again."""

    COUNTS_AS: ClassVar[str] = "The problem then counts as not known."

    @property
    def _problem(self) -> Practising:
        assert isinstance(self.asking, Practising)
        return self.asking

    @property
    def part_to_see(self) -> Widget:
        """What must be in sight where the whole panel cannot be: what was said last, or what is being written."""
        return self._feedback if self._feedback.display else self._answer

    def _judge(self, text: str) -> None:
        style = words(self.app)
        outcome = self._problem.give(text)
        verdict, solution = outcome.verdict, outcome.solution
        if verdict.right and solution is not None:
            self._settle(True)
            self._say(joined("Right", style.right, self._read_back(verdict)), reasons(solution), self._onwards())
            return
        head = joined("Not right", style.wrong, self._read_back(verdict))
        belief = None
        if outcome.belief and outcome.times > 1:
            belief = joined(
                f"The {ordinal(outcome.times)} time that this belief was behind it", style.strong, outcome.belief
            )
        if solution is not None:
            self._mark_wrong(text)
            self._settle(False)
            answer = joined("The answer", style.strong, solution.answer)
            self._say(head, verdict.reason, belief, answer, reasons(solution), self._onwards())
            return
        self._last_wrong, self._verdict = text, tuple(each for each in (head, verdict.reason, belief) if each)
        self.answer_widget.wrong(text, verdict.difference)
        self._say(head, verdict.reason, belief, self._tries(self.asking.tries_left))
        if outcome.hint:
            self._add_hint(outcome.hint)

    def action_hint(self) -> None:
        """Shows the next hint."""
        if self._done:
            return
        hint = self._problem.session.hint()
        if hint:
            self._add_hint(hint)
        else:
            self._say(Text("There are no hints for this one.", words(self.app).quiet))

    def _add_hint(self, hint: str) -> None:
        if hint not in self._hints:
            self._hints.append(hint)
        of = len(self.asking.question.hints)
        self._show_hints([f"**Hint {number} of {of}:** {text}" for number, text in enumerate(self._hints, 1)])

    def _tries(self, left: int) -> Text:
        count = "One try" if left == 1 else f"{left} tries"
        more = " F2 gives a hint." if len(self._hints) < len(self.asking.question.hints) else ""
        until = " before the answer is revealed" if self._problem.shows_answers else ""
        return Text(f"{count} left{until}.{more}", words(self.app).quiet)

    def _draft(self) -> str:
        return ""

    def _keep_draft(self, text: str) -> None:
        pass
