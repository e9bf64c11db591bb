"""A lesson's live picture in words, and its handles typed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from simlib.errors import BadArgument
from tutor.answers import cells
from tutor.asking import Asking
from tutor.course.blocks import WITH_CELLS
from tutor.course.model import Course, CourseError, Live
from tutor.plain.paper import Paper
from tutor.plain.typed import named
from tutor.views.live_model import STEP, Handle, LiveModel
from tutor.views.picture import Cell, Mark, Picture, Role
from tutor.views.topics import topic

_LONGEST = 24  # of a value that is said beside its name


@dataclass(frozen=True)
class Blanks:
    """Cells that the learner is to say: they stay covered in the lesson's picture from `step` on."""

    places: Collection[Cell] = ()
    step: int = 0


class LivePicture:
    """A picture that can be moved. Raises CourseError where it cannot be drawn."""

    def __init__(self, course: Course, live: Live, asking: Asking | None) -> None:
        self.blanks = Blanks()
        if asking is not None and asking.question.live == live.id:
            question, seed = asking.question, asking.seed
            live = cells.live_picture(course, question, seed)
            if question.kind in WITH_CELLS:
                places = [place for row in cells.places(course, question, seed) for place in row]
                self.blanks = Blanks(places, cells.step_asked(course, question, seed))
        try:
            self.model = LiveModel(topic(live.topic), live.parameters, live.step)
        except BadArgument as error:
            raise CourseError(live.place, f"live {live.id}: {error}") from None

    @property
    def picture(self) -> Picture:
        """What is to be seen now; what is asked for is blank."""
        model = self.model
        if not self.blanks.places or not model.is_lessons or model.step < self.blanks.step:
            return model.picture
        return model.picture.marked({place: Mark(Role.BLANK) for place in self.blanks.places})

    def uncover(self) -> None:
        """What was asked for has been answered."""
        self.blanks = Blanks()

    def show(self, paper: Paper) -> None:
        """The picture, and what can be changed."""
        paper.blank()
        paper.picture(self.picture, f"Picture: {self.model.caption}")
        handles = [handle for handle in self.model.handles() if handle.name != STEP]
        last = self.model.scene.last_step
        moves = [f":step {self.model.step} of {last}"] if last else []
        moves += [f":{handle.label} {handle.text}" for handle in handles if len(handle.text) <= _LONGEST]
        moves += [f":{handle.label}" for handle in handles if len(handle.text) > _LONGEST]
        if moves:
            chosen = self.model.selected
            turned = f" :+ and :- change {chosen.label}." if chosen is not None else ""
            paper.say(f"To change: {', '.join(moves)}.{turned} :picture lists all.", rest="  ")

    def list_handles(self, paper: Paper) -> None:
        """The picture, and everything that can be set."""
        paper.blank()
        paper.picture(self.picture, f"Picture: {self.model.caption}")
        paper.say("What can be set, as it is now:")
        for handle in self._all():
            paper.say(f":{handle.label} {handle.text.removesuffix(f' of {self.model.scene.last_step}')}", "  ")
            paper.say(handle.help, "      ")
        if not self.model.is_lessons:
            paper.say(":picture again is the lesson's picture once more.")

    def again(self, paper: Paper) -> None:
        """Back to the lesson's picture."""
        self.model.reset()
        self.show(paper)

    # Changes

    def turn(self, by: int, paper: Paper) -> None:
        """Changes what is chosen by one place, as the app's right and left arrow keys do."""
        model = self.model
        before = model.selected
        if before is None:
            paper.say("Nothing can be changed in this picture.")
            return
        try:
            model.turn(by)
        except BadArgument as error:
            paper.say(f"{error}.")
            return
        if model.selected == before:
            paper.say(f"There is no {'further' if by > 0 else 'earlier'} one: {before.label} {before.text}.")
        else:
            self._say(paper)

    def choose(self, name: str, paper: Paper) -> None:
        """Makes this the handle that is changed by one place."""
        self.model.choose(name)
        handle = next(handle for handle in self._all() if handle.name == name)
        paper.say(f"{handle.label} {handle.text}: {handle.help}. :+ and :- change it, :{handle.label} and a value too.")

    def handle(self, typed: str, *, exact: bool = False) -> str | None:
        """The name of the step or parameter that was typed, or None."""
        names = {handle.label: handle.name for handle in self._all()}
        typed = typed.replace("_", "-")
        found = [typed] if typed in names else [] if exact else named(typed, names)
        return names[found[0]] if len(found) == 1 else None

    def set(self, name: str, text: str, paper: Paper) -> None:
        """Sets the step or a parameter to what was typed."""
        try:
            self.model.set(name, text)
            self.model.choose(name)
        except BadArgument as error:
            paper.say(f"{error}.")
            return
        self._say(paper)

    def _say(self, paper: Paper) -> None:
        paper.picture(self.picture, f"Picture: {self.model.caption}")

    def _all(self) -> list[Handle]:
        self.model.show_all = True
        try:
            return self.model.handles()
        finally:
            self.model.show_all = False
