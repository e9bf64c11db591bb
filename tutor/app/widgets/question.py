"""A question: its prompt, the way of answering it, and what is said to the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget

from tutor.answers.verdict import NotUnderstood
from tutor.app.theme import words
from tutor.app.widgets.answer import Answered, AnswerWidget, Drafted
from tutor.app.widgets.choice import Choice
from tutor.app.widgets.prose import no_picture
from tutor.app.widgets.said import Said
from tutor.app.widgets.typed import Typed
from tutor.asking import Asking
from tutor.course.model import CHOICE, CourseError
from tutor.progress.store import ProgressError
from tutor.study import AnswerOutcome, NotAllowed, Unknown

if TYPE_CHECKING:
    from tutor.answers.verdict import Verdict
    from tutor.app.main import TutorApp
    from tutor.views.terms import Wording


class QuestionPanel(Vertical):
    """Judges through study and says what came of it."""

    BINDINGS: ClassVar = [
        Binding("f2", "hint", "hint", id="question.hint", tooltip="the next hint"),
        Binding(
            "f3", "reveal", "reveal", id="question.reveal", tooltip="reveal the answer, which then counts as revealed"
        ),
    ]

    COUNTS_AS: ClassVar[str] = "It counts as revealed, not as solved."

    class GoOn(Message):
        """The question is done and the learner presses Enter once more."""

    class Settled(Message):
        """The question has just been solved, or its answer shown."""

    class Spoke(Message):
        """There is something new to read in the panel."""

    if TYPE_CHECKING:

        @property
        def app(self) -> TutorApp: ...  # type: ignore[override]

    def __init__(self, asking: Asking, answer: Widget, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.asking = asking
        self._answer = answer
        self._prompt = asking.prompt
        self._feedback = Said(classes="feedback")
        self._hinted = Said(classes="hints")
        self._hints: list[str] = []
        self._confirming = False
        self._nudged = False
        self._last_wrong = ""
        self._verdict: tuple[Text | str, ...] = ()  # what was said to it
        self._done = asking.done
        self._wording: Callable[[int], Wording | None] = no_picture

    def is_about(self, wording: Callable[[int], Wording | None]) -> None:
        """The picture that the question stands below: what is said of it has its colours, as in the text above."""
        self._wording = wording

    def compose(self) -> ComposeResult:
        prompt = Said(classes="prompt")
        for said in (prompt, self._feedback, self._hinted):
            said.wording = self._wording
        prompt.say(self._prompt)
        yield prompt
        if self.asking.options and isinstance(self._answer, Typed):
            listed = Said(classes="options")
            listed.say("\n".join(f"{number}. {option.text}" for number, option in enumerate(self.asking.options, 1)))
            yield listed
        yield self._answer
        yield self._feedback
        yield self._hinted

    @property
    def answer_widget(self) -> AnswerWidget:
        return self._answer  # type: ignore[return-value]

    @property
    def done(self) -> bool:
        return self._done

    def on_mount(self) -> None:
        if self._done:
            self._tell()
            return
        draft = self._draft()
        if draft:
            self.answer_widget.restore(draft)
        self._say(self._tries(self.asking.tries_left) if self.asking.wrong_answers else None)

    def take_focus(self) -> None:
        """Puts the keys where the answer goes."""
        self.answer_widget.take_focus()

    # Answering

    @on(Drafted)
    def _drafted(self, event: Drafted) -> None:
        event.stop()
        self._confirming = False
        if self._nudged:
            self._say(None)
        if not self._done:
            self._keep_draft(event.text)

    @on(Answered)
    def _answered(self, event: Answered) -> None:
        event.stop()
        self._confirming = False
        style = words(self.app)
        if self._done:
            self.post_message(self.GoOn())
            return
        if not event.text:
            self._say(Text(self.answer_widget.NOTHING_YET, style.quiet))
            self._nudged = True
            return
        self._give(event.text)

    def _give(self, text: str) -> None:
        """Has an answer judged."""
        style = words(self.app)
        again = self._given_before(text)
        if again:
            said = self._verdict if self._is_last_wrong(text) else ()
            self._say(*said, Text(again, style.quiet), self._tries(self.asking.tries_left))
            return
        try:
            self._judge(text)
        except NotUnderstood as error:
            self._say(Text(str(error), style.wrong), Text("That does not count as a try.", style.quiet))
        except (CourseError, ProgressError) as error:
            self._say(Text(str(error), style.wrong))

    def _judge(self, text: str) -> None:
        """Raises NotUnderstood, CourseError, ProgressError."""
        outcome = self.asking.answer(text)
        self.app.drafts.drop(self.asking.question.id)
        self._judged(text, outcome)

    # What is half typed

    def _draft(self) -> str:
        return self.app.drafts[self.asking.question.id]

    def _keep_draft(self, text: str) -> None:
        self.app.drafts.keep(self.asking.question.id, text)

    def _given_before(self, text: str) -> str:
        """What to say of an answer that is known to be wrong; empty where it is a new one."""
        if self._is_last_wrong(text):
            return "That is the answer you gave before."  # Enter pressed twice is one answer
        if isinstance(self._answer, Choice) and text in self.asking.wrong_answers:
            return "You have tried that one: it is not right."
        return ""

    def _is_last_wrong(self, text: str) -> bool:
        return text == self._last_wrong or self.asking.same_number(text, self._last_wrong)

    def _judged(self, text: str, outcome: AnswerOutcome) -> None:
        style = words(self.app)
        verdict = outcome.verdict
        if verdict.right:
            self._settle(True)
            self._say(joined("Right", style.right, self._read_back(verdict)), verdict.reason, self._onwards())
            return
        head = joined("Not right", style.wrong, self._read_back(verdict))
        if outcome.revealed is not None:
            self._mark_wrong(text)
            self._settle(False)
            answer = joined("The answer", style.strong, outcome.revealed.answer)
            self._say(head, verdict.reason, answer, outcome.revealed.why, self._onwards())
            return
        self._last_wrong, self._verdict = text, (head, verdict.reason)
        self.answer_widget.wrong(text, verdict.difference)
        self._keep_draft(text)
        self._say(head, verdict.reason, self._tries(self.asking.tries_left))

    def _read_back(self, verdict: Verdict) -> str:
        """How a typed answer was understood, unless that can be seen or is said anyway."""
        seen = self.asking.options and not verdict.right  # the numbers are still there, and the list above them
        told = seen or not isinstance(self._answer, Typed) or verdict.understood in verdict.reason
        return "" if told else verdict.understood

    def _settle(self, solved: bool) -> None:
        self._done = True
        self._show_hints([])
        self.answer_widget.settle(solved)
        self._mark_right()
        self.post_message(self.Settled())

    def _mark_wrong(self, text: str) -> None:
        """An option that is the last wrong one is marked like those before it."""
        if isinstance(self._answer, Choice):
            self._answer.wrong(text, None)

    def _mark_right(self) -> None:
        question = self.asking.question
        if isinstance(self._answer, Choice) and question.kind == CHOICE:
            self._answer.mark_right(question.answer)

    def _tell(self) -> None:
        """What was learned here, for one who comes back."""
        style = words(self.app)
        self.answer_widget.settle(True)
        self._mark_right()
        try:
            told = self.asking.told()
        except CourseError as error:
            self._say(Text(str(error), style.wrong))
            return
        head = ("Solved", style.right) if told.solved else ("Revealed", style.strong)
        self._say(joined(*head, told.answer), told.why)

    # Help

    def action_hint(self) -> None:
        """Shows the next hint."""
        if self._done:
            return
        style = words(self.app)
        try:
            hint = self.asking.study.hint(self.asking.question.id)
        except Unknown:
            self._say(Text("There are no hints for this question.", style.quiet))
            return
        except (CourseError, ProgressError) as error:
            self._say(Text(str(error), style.wrong))
            return
        if hint.text not in self._hints:
            self._hints.append(hint.text)
        first = hint.number - len(self._hints) + 1
        self._show_hints([f"**Hint {number} of {hint.of}:** {text}" for number, text in enumerate(self._hints, first)])

    def _show_hints(self, shown: list[str]) -> None:
        if not shown:
            self._hints = []
        self._hinted.say(*shown)
        self.post_message(self.Spoke())

    def action_reveal(self) -> None:
        """Shows the answer; it then counts as revealed, not as solved."""
        if self._done:
            return
        style = words(self.app)
        if not self._confirming:
            self._confirming = True
            self._say(Text(f"Reveal the answer? {self.COUNTS_AS} F3 again: yes.", style.strong))
            return
        try:
            revealed = self.asking.reveal()
        except (CourseError, NotAllowed, ProgressError) as error:
            self._say(Text(str(error), style.wrong))
            return
        self._settle(False)
        self._say(joined("The answer", style.strong, revealed.answer), revealed.why, self._onwards())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hints and the answer are for questions that are open."""
        return not (action in ("hint", "reveal") and self._done)

    # Words

    def _tries(self, left: int) -> Text:
        style = words(self.app)
        count = "One try" if left == 1 else f"{left} tries"
        question = self.asking.question
        more = self.asking.study.standing(question.id).hints < len(question.hints)
        hint = " F2 gives a hint." if more else ""
        if not left:
            return Text(f"Try again.{hint}", style.quiet)
        return Text(f"{count} left before the answer is revealed.{hint}", style.quiet)

    def _onwards(self) -> Text:
        return Text("Enter goes on.", words(self.app).quiet)

    def _say(self, *texts: Text | str | None) -> None:
        self._nudged = False
        self._feedback.say(*(text for text in texts if text))
        self.refresh_bindings()
        self.post_message(self.Spoke())


def joined(head: str, look: Style, said: str) -> Text:
    """`Right: 38.5 GB`: what was said comes from the learner, so it is never markup."""
    text = Text()
    text.append(f"{head}: " if said else f"{head}.", look)
    text.append(said)
    return text
