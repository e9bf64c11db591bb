"""What is seen of a step before NumPy, the engine and the pictures are loaded: its title and its first words."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Container, VerticalScroll

from tutor.app.screens.base import TutorScreen
from tutor.app.widgets.prose import Prose
from tutor.course.model import CourseError
from tutor.course.model import Prose as ProseBlock

if TYPE_CHECKING:
    from textual.screen import Screen

    from tutor.course.model import Lesson, Step
    from tutor.study import Study

_LESSON = "tutor.app.screens.lesson"


class Opening(TutorScreen):
    """Gives way to the lesson's screen by itself, as soon as that can be shown."""

    CSS_PATH: ClassVar = "opening.tcss"
    AUTO_FOCUS = ""
    HELP: ClassVar[str] = "A step of a lesson, of which the picture is about to be drawn."

    def __init__(self, study: Study, lesson: Lesson, step: Step) -> None:
        super().__init__()
        self._study, self._lesson, self._step = study, lesson, step
        self._typed: list[str] = []  # meanwhile

    def names(self) -> tuple[str, str, str]:
        number = self._lesson.steps.index(self._step) + 1
        return self._lesson.title, f"{number}/{len(self._lesson.steps)} {self._step.title}", ""

    def compose_body(self) -> ComposeResult:
        from tutor.answers.texts import prose

        with Container(), VerticalScroll(can_focus=False):
            for block in self._step.blocks:
                if not isinstance(block, ProseBlock):
                    return
                try:
                    yield Prose(prose(self._study.course, self._step, block))
                except CourseError:
                    return  # said on the lesson's screen

    def on_key(self, event: events.Key) -> None:
        """Keys are for the lesson's screen, which is a moment away."""
        event.stop()
        self._typed.append(event.key)

    def on_mount(self) -> None:
        self.call_after_refresh(self._give_way)

    def _give_way(self) -> None:
        from tutor.app.screens.lesson import LessonScreen

        app, lesson = self.app, LessonScreen(self._study, self._lesson, self._step)

        async def switch() -> None:
            await app.switch_screen(lesson)
            for key in self._typed:
                app.simulate_key(key)

        # The app does it: a screen cannot wait for its own end
        app.call_later(switch)


def lesson_screen(study: Study, lesson: Lesson, step: Step) -> Screen[None]:
    """The lesson's screen at a step, or where loading it would take a while, what can be seen of it at once."""
    loaded = sys.modules.get(_LESSON)
    if loaded is None or getattr(loaded.__spec__, "_initializing", False):
        return Opening(study, lesson, step)
    from tutor.app.screens.lesson import LessonScreen

    return LessonScreen(study, lesson, step)
