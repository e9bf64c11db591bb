"""An exercise line by line: the file is written here, edited in any editor, and checked here."""

from __future__ import annotations

import shlex

from tutor.answers.texts import exercise_text
from tutor.checker.verdict import CouldNotCheck
from tutor.course.model import CourseError, Exercise
from tutor.plain.hints import say_hint
from tutor.plain.paper import Paper
from tutor.plain.verdict import report
from tutor.progress.standing import OPEN
from tutor.progress.store import ProgressError
from tutor.study import NotAllowed, Study, Unknown


class ExerciseTask:
    """The exercise of a step."""

    what = "exercise"
    prompted = "Exercise"
    ways = ":start writes the file, :check checks it, :hint helps"

    def __init__(self, study: Study, exercise: Exercise, paper: Paper) -> None:
        self.exercise = exercise
        self._study = study
        self._paper = paper
        self._path = study.exercise_path(exercise.id)

    @property
    def done(self) -> bool:
        """Whether it is solved, or its solution was shown."""
        return self._study.standing(self.exercise.id).state != OPEN

    def show(self) -> None:
        """What to write, and where the file is."""
        self._paper.blank()
        self._paper.markdown(exercise_text(self.exercise, self.exercise.prompt), "Exercise: ")
        self._paper.blank()
        state = self._study.standing(self.exercise.id).state
        done = "" if state == OPEN else f"{state.capitalize()}. "
        if self._path.exists():
            self._paper.say(f"{done}Your file is {self._path}. Edit it with any editor, save it, then :check.")
        else:
            self._paper.say(f"{done}:start writes the file {self._path}.")
        if self._study.store.draft(self.exercise.id):
            self._paper.say("The app holds changes to it that are not saved in the file.")

    def start(self) -> None:
        """Writes the file, never over one that is there."""
        try:
            started = self._study.start(self.exercise.id)
        except (OSError, ProgressError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            self._paper.say(f"{self._path} could not be written: {why}.")
            return
        if started.created:
            self._paper.say(f"Written: {self._path}")
            self._paper.say(f"Edit it with any editor, such as nano {shlex.quote(str(self._path))}, then :check.")
        else:
            self._paper.say(f"Already there, and left as it is: {self._path}")

    def check(self) -> bool:
        """Checks the file as it is on the disk; True when it is right."""
        if not self._path.exists():
            self._paper.say(f"There is no file to check yet: :start writes {self._path}.")
            return False
        self._paper.say("Checking...")
        try:
            result = self._study.check(self._path, self.exercise.id)
        except CouldNotCheck as error:
            self._paper.say(f"Could not be checked: {error}")
            return False
        except (NotAllowed, ProgressError, Unknown, OSError) as error:
            self._paper.say(f"{error}.")
            return False
        report(self._paper, result)
        if result.passed:
            self._paper.together(exercise_text(self.exercise, self.exercise.why), "Enter goes on.")
        return result.passed

    def answer(self, text: str) -> bool:
        """An exercise is answered by its file."""
        self._paper.say(
            "This step is answered by a file: :start writes it, :check checks it. ? lists what can be typed."
        )
        return False

    def hint(self) -> None:
        """The next hint."""
        say_hint(self._paper, self._study, self.exercise.id, self.what)

    def reveal(self) -> bool:
        """Shows the solution; True when the exercise is done with it."""
        try:
            shown = self._study.reveal(self.exercise.id)
        except (OSError, CourseError, NotAllowed, ProgressError) as error:
            self._paper.say(f"{error}.")
            return False
        self._paper.blank()
        for line in shown.answer.rstrip().splitlines():
            self._paper.line(line)
        self._paper.blank()
        self._paper.together(shown.why, "Enter goes on.")
        return True
