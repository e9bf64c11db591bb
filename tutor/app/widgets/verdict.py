"""What a check found: every case, the first difference in words, and the same difference drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical

from simlib.errors import BadArgument
from tutor.app.theme import Words, words
from tutor.app.widgets.compared_view import ComparedView
from tutor.app.widgets.picture_view import PictureView
from tutor.app.widgets.said import Said, Spoken
from tutor.checker.verdict import Case, CheckResult
from tutor.safe_text import visible
from tutor.views.palette import DONE

if TYPE_CHECKING:
    from tutor.course.model import Exercise

_LAST_PRINTED = 6  # lines; all of them are a key away


class VerdictView(Vertical):
    """Text, and below it the picture of the first difference, if the check can draw it."""

    DEFAULT_CSS = """
    VerdictView { height: auto; }
    VerdictView PictureView, VerdictView .bill { margin: 1 0 0 0; }
    VerdictView .table { margin: 0; }
    """

    def __init__(self, *, classes: str | None = None, keys: tuple[str, str] = ("", ""), printed_key: str = "") -> None:
        """`keys` says how to go through what is compared, `printed_key` how to see all that was printed."""
        super().__init__(classes=classes)
        self._keys = keys
        self._printed_key = printed_key
        self._words = Said(classes="words")
        self.compared = ComparedView()
        self._bill_caption = Said(classes="bill")
        self._bill = PictureView(classes="table")
        self._bill.display = False
        self.printed = ""  # what the file printed
        self._picture = PictureView()
        self._picture.display = False
        self._caption = Said(classes="caption")
        self.display = False

    def compose(self) -> ComposeResult:
        yield self._words
        yield self._picture
        yield self._caption
        yield self.compared
        yield self._bill_caption
        yield self._bill

    def say(self, line: Text | str) -> None:
        """One line instead of a verdict."""
        self.display = bool(line)
        self.printed = ""
        self._words.say(line)
        self._draw(None)
        self._draw_bill(None)

    def show(self, result: CheckResult, exercise: Exercise) -> None:
        """Shows what a check found."""
        self.display = True
        self.printed = result.output
        self._words.say(*verdict_texts(result, exercise, words(self.app), self._printed_key))
        failing = next((case for case in result.cases if not case.passed), None)
        self._draw(failing)
        self._draw_bill(result)

    def _draw_bill(self, result: CheckResult | None) -> None:
        """What each worker sent and held, beside what is enough."""
        from tutor.views.bill_table import bill_table

        failing = None if result is None else next((case.name for case in result.cases if not case.passed), None)
        found = None if result is None else bill_table(result.bill, result.held, failing)
        self._bill.display = found is not None
        self._bill_caption.say(*([] if found is None else [Text(found[1], words(self.app).quiet)]))
        if found is not None:
            self._bill.show(found[0])

    def can(self, action: str) -> bool:
        """Whether there are steps to "turn", sides to "switch", a picture to "pan", lines "printed"."""
        if action == "printed":
            return self.display and bool(self.printed.strip())
        if action == "pan":
            return self.display and (self._picture.display or self.compared.display)
        is_compared = self.display and self.compared.comparison is not None
        return is_compared and (action == "turn" or not self.compared.shows_both)

    def pan(self, columns: int) -> None:
        """Moves a picture that is wider than its window."""
        if self.compared.display:
            self.compared.pan(columns, 0)
        else:
            self._picture.pan(columns, 0)

    def _draw(self, case: Case | None) -> None:
        view, caption = self._picture, self._caption
        self.compared.show(None)
        if case is None or case.picture is None:
            view.display = False
            caption.say()
            return
        from tutor.views.explain import comparison, explained

        if (compared := comparison(case.picture)) is not None:
            view.display = False
            caption.say()
            self.compared.show(compared, self._keys)
            return

        try:
            drawn = explained(case.picture)
        except (BadArgument, ValueError, LookupError, TypeError):
            # A check of somebody's own course may name what cannot be drawn: the words stand alone then
            self._draw(None)
            return
        view.display = True
        view.show(drawn.picture)
        caption.say(Text(drawn.caption, words(self.app).quiet))
        cell = case.picture.get("cell")
        if isinstance(cell, dict):
            self.call_after_refresh(view.bring_into_sight, tuple(sorted(cell.items())))


def verdict_texts(result: CheckResult, exercise: Exercise, style: Words, printed_key: str = "") -> list[Spoken]:
    """A verdict in words; `printed_key` shows all that was printed.

    Whatever a learner's file said comes as Text, never as markup.
    """
    texts: list[Spoken] = []
    failing = [case for case in result.cases if not case.passed]
    if result.passed:
        every = "the one case" if len(result.cases) == 1 else f"all {len(result.cases)} cases"
        texts.append(Text.assemble(("Right", style.right), f": {every}."))
        if exercise.why:
            texts.append(exercise.why)
    elif failing:
        many = f"{len(failing)} of {len(result.cases)} cases. The first" if len(result.cases) > 1 else "the one case"
        texts.append(Text.assemble(("Not right", style.wrong), f": {many}, {visible(failing[0].name)}:"))
        texts.append(style.of_ranks(visible(failing[0].reason)))
        texts += [Text(f"  {visible(str(call))}", style.code) for call in failing[0].trace]
    elif result.error is not None:
        line = f"line {result.error.line}: " if result.error.line is not None else ""
        kind = result.error.kind.replace("_", " ")
        said = visible(result.error.message, lines=True)
        texts.append(Text.assemble(("Not right", style.wrong), f" ({kind}): {line}", style.of_ranks(said)))
        texts += [Text(f"  {visible(str(call))}", style.code) for call in result.error.trace]
    if len(result.cases) > 1:
        texts.append(_cases(result, style))
    texts += _printed(result.output, style, printed_key)
    return texts


def _printed(output: str, style: Words, key: str) -> list[Text]:
    """The last lines of what was printed, and how to see the others."""
    lines = visible(output, lines=True).rstrip().splitlines()
    if not lines:
        return []
    more = len(lines) - _LAST_PRINTED
    texts = [Text("Your file printed:", style.quiet)]
    if more > 0:
        texts.append(Text(f"  … {more:,} more line{'' if more == 1 else 's'}{f' ({key})' if key else ''}", style.quiet))
    return texts + [Text(f"  {line}") for line in lines[-_LAST_PRINTED:]]


def _cases(result: CheckResult, style: Words) -> list[Text]:
    """Every case with its sign."""
    signs = {True: (f"{DONE} ", style.right), False: ("× ", style.wrong)}
    return [Text.assemble(signs[case.passed], (visible(case.name), style.quiet)) for case in result.cases]
