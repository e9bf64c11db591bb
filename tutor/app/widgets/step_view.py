"""One step of a lesson: prose, the live picture, and the question or exercise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.geometry import Region
from textual.widget import Widget

from simlib.errors import BadArgument
from tutor.app.theme import words
from tutor.app.widgets.choice import Choice
from tutor.app.widgets.exercise import ExercisePanel
from tutor.app.widgets.keys import take_keys
from tutor.app.widgets.live_view import LiveView
from tutor.app.widgets.prose import Prose as ProseWidget
from tutor.app.widgets.question import QuestionPanel
from tutor.app.widgets.said import Said
from tutor.app.widgets.table import Table
from tutor.app.widgets.typed import Typed
from tutor.asking import Asking
from tutor.course.model import CHOICE, GRID, NUMBER, TABLE, CourseError, Exercise, Live, Prose, Question, Step
from tutor.views.live_model import LiveModel

if TYPE_CHECKING:
    from tutor.study import Study
    from tutor.views.terms import Wording


class StepView(VerticalScroll, can_focus=True):
    """Composed of the step's blocks in their order; the picture has the keys first, then what is asked."""

    DEFAULT_CSS = "StepView { height: 1fr; scrollbar-size: 1 1; scrollbar-gutter: stable; }"

    def __init__(
        self, study: Study, step: Step, asking: Asking | None = None, panel: type[QuestionPanel] = QuestionPanel
    ) -> None:
        """`asking` and `panel` are how the step's question is asked, where that is not as a lesson asks it."""
        super().__init__()
        self.step = step
        self._study = study
        # Pictures that could be turned would answer what is asked
        self._stands_still = asking is not None
        self._panel_class = panel
        self._asking = asking or (Asking(study, step.question) if step.question else None)
        # Not looked up by a query: every binding that is shown asks for it
        self._asked: QuestionPanel | ExercisePanel | None = None
        self._in_sight: Widget | None = None
        self._lives: dict[str, LiveView] = {}
        self._worded: Wording | None = None
        self._told: tuple[str, ...] = ()  # the texts so far: what they name has its mark in them
        # With nothing to turn or answer the text itself takes the keys
        self.can_focus = step.live is None and step.question is None and step.exercise is None

    def compose(self) -> ComposeResult:
        for block in self.step.blocks:
            if isinstance(block, Prose):
                yield self._prose(block)
            elif isinstance(block, Live):
                yield self._live(block)
            elif isinstance(block, Question):
                try:
                    yield from self._question(block)
                except CourseError as error:
                    yield self._broken(f"This question cannot be shown: {error}")
            elif isinstance(block, Exercise):
                self._asked = ExercisePanel(self._study, block)
                yield self._asked

    def _prose(self, block: Prose) -> Widget:
        from tutor.answers.texts import prose

        try:
            text = prose(self._study.course, self.step, block)
        except CourseError as error:
            return self._broken(f"This part of the lesson cannot be shown: {error}")
        before, self._told = self._told, (*self._told, text)
        return ProseWidget(text, lambda width: self._wording(width).after(before))

    def _wording(self, width: int) -> Wording:
        """The terms of the step's picture, as the lesson shows it; without one, those that the text introduces."""
        from tutor.views.terms import INTRODUCED, wording

        if self._worded is None:
            view = next(iter(self._lives.values()), None)
            self._worded = INTRODUCED if view is None else wording(view.model.picture, width)
        return self._worded

    def _live(self, live: Live) -> Widget:
        from tutor.answers import cells
        from tutor.views.topics import topic

        question = self.step.question
        try:
            if question is not None and question.live == live.id:
                # The member of a family that is asked about may have parameters of its own
                live = cells.live_picture(self._study.course, question, self._asking.seed if self._asking else None)
            model = LiveModel(topic(live.topic), live.parameters, live.step, fixed=self._stands_still)
        except BadArgument as error:
            return self._broken(f"This picture cannot be drawn: {live.place}: {error}")
        except CourseError as error:
            return self._broken(f"This picture cannot be drawn: {error}")
        view = self._lives[live.id] = LiveView(model)
        return view

    def _question(self, question: Question) -> ComposeResult:
        asking = self._asking
        assert asking is not None, "a step with a question asks it"
        if question.kind == CHOICE:
            yield self._panel(asking, Choice(asking.options, asking.wrong_answers))
            return
        if question.kind in (TABLE, GRID):
            yield from self._table(question, asking)
            return
        yield self._panel(asking, Typed(asking.expects))

    def _panel(self, asking: Asking, answer: Widget) -> QuestionPanel:
        panel = self._asked = self._panel_class(asking, answer)
        # The text above has shown the marks; a prompt is all bold, and introduces nothing
        panel.is_about(lambda width: self._wording(width).unmarked() if self._lives else None)
        return panel

    def _table(self, question: Question, asking: Asking) -> ComposeResult:
        from tutor.answers import cells

        if question.live not in self._lives:
            live = self._study.course.live(question.live)
            if live is not None:
                yield self._live(live)
        board = self._lives.get(question.live)
        rows = cells.places(self._study.course, question, asking.seed)
        step = cells.step_asked(self._study.course, question, asking.seed)
        if board is None or not any(rows):
            yield self._broken("The picture to fill in cannot be drawn.")
            return
        called = cells.called(self._study.course, question, asking.seed)
        yield self._panel(asking, Table(board, step, rows, question.kind == GRID, called))

    def _broken(self, line: str) -> Widget:
        said = Said(classes="complaint")
        said.say(Text(line, words(self.app).wrong))
        return said

    # Where the keys go

    @property
    def live(self) -> LiveView | None:
        """The live picture, if there is one."""
        return next(iter(self.query(LiveView)), None)

    @property
    def asked(self) -> QuestionPanel | ExercisePanel | None:
        """The question or exercise, if there is one."""
        return self._asked

    def take_focus(self) -> None:
        """Puts the keys on the picture, else on what is asked, else on the text; the text stays at its top."""
        if self.live is not None:
            take_keys(self.live)
        elif not self.focus_task():
            take_keys(self)

    def focus_task(self) -> bool:
        """Puts the keys on the question or exercise and brings it into sight; False when there is none."""
        asked = self.asked
        if asked is None:
            return False
        asked.take_focus()
        self.keep_in_sight(asked)
        return True

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """A number that is read off the lesson's picture is asked beside that picture, not beside a changed one."""
        question = self.step.question
        board = self._lives.get(question.live) if question is not None and question.kind == NUMBER else None
        if board is None or board.model.is_lessons:
            return
        if any(isinstance(holder, QuestionPanel) for holder in event.widget.ancestors):
            board.show_lessons(board.model.lesson_step)

    def keep_in_sight(self, widget: Widget | None) -> None:
        """Shows the widget, and again when it or what stands above it has changed its height."""
        self._in_sight = widget
        self._show_again()

    def watch_virtual_size(self, *_: object) -> None:
        self._show_again()

    def _show_again(self) -> None:
        if self._in_sight is not None:
            self.call_after_refresh(self._show_in_sight)

    def _show_in_sight(self) -> None:
        if self._in_sight is not None and self._in_sight.is_attached:
            self.show(self._in_sight)

    def _region_of(self, widget: Widget) -> Region:
        """Where a widget stands in the text, also one within another."""
        region, holder = widget.virtual_region, widget.parent
        while isinstance(holder, Widget) and holder is not self:
            region = region.translate(holder.virtual_region.offset)
            holder = holder.parent
        return region

    def show(self, widget: Widget) -> bool:
        """Scrolls as little as it takes to see the whole widget, or its top; False if it was in sight."""
        top, bottom = self.scroll_offset.y, self.scroll_offset.y + self.scrollable_content_region.height
        region = self._region_of(widget)
        if region.y >= top and region.bottom <= bottom:
            return False
        wanted = min(region.y, max(top, region.bottom - (bottom - top))) if region.y >= top else region.y
        before = self.scroll_offset.y
        self.scroll_to(y=wanted, animate=False)
        return round(wanted) != before
