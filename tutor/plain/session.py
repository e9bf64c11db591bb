"""One learner at the course, line by line: what is typed leads from step to step."""

from __future__ import annotations

from itertools import pairwise

from tutor.answers import texts
from tutor.course.model import CourseError, Lesson, Live, Prose, Question, Step
from tutor.plain import commands
from tutor.plain.exercise import ExerciseTask
from tutor.plain.paper import Paper
from tutor.plain.picture import LivePicture
from tutor.plain.question import QuestionTask
from tutor.plain.typed import Typed, next_line, read
from tutor.progress.store import ProgressError
from tutor.study import Study, Unknown

Task = QuestionTask | ExerciseTask


class Session:
    """Where the learner is, and what the step that is open holds."""

    def __init__(self, study: Study, paper: Paper, lesson: Lesson, step: Step) -> None:
        self.study = study
        self.paper = paper
        self.lesson = lesson
        self.step = step
        self.picture: LivePicture | None = None
        self.task: Task | None = None
        self.asked_first = ""  # what was asked back and happens when it is typed once more
        self.ended = False

    def run(self) -> None:
        """Until the learner leaves, or the input ends."""
        self.paper.say(
            "Type an answer as it is, and Enter. Enter alone goes on. A line that begins with : is a command; "
            "? lists them. Where a lesson speaks of arrow keys, :+ is the right one and :- the left."
        )
        self.open(self.lesson, self.step)
        while not self.ended:
            task = self.task
            line = next_line(f"{task.prompted}: " if task is not None and not task.done else "Enter goes on: ")
            if line is None:
                break
            self.take(read(line))

    def take(self, typed: Typed) -> None:
        """Does what one line asks for."""
        before, self.asked_first = self.asked_first, ""
        if typed.name:
            commands.carry_out(self, typed, before)
        elif typed.answer:
            self.answer(typed.answer)
        else:
            self.go_on(before)

    def leave(self) -> None:
        """Says where one is, so that one finds it again."""
        number = self.lesson.steps.index(self.step) + 1
        self.paper.blank()
        self.paper.say(
            f"Everything is kept. You are in {self.lesson.title}, at step {number} of {len(self.lesson.steps)}; "
            "next time it goes on from there."
        )

    # Steps

    def open(self, lesson: Lesson, step: Step) -> None:
        """Shows a step, and remembers that it is open."""
        self.lesson, self.step = lesson, step
        try:
            self.study.open_step(lesson, step)
        except ProgressError as error:
            self.paper.say(f"{error}.")
        self._prepare()
        self.show()

    def _prepare(self, seed: int | None = None) -> None:
        """The step's picture and task."""
        step = self.step
        self.picture = None
        self.task = None
        try:
            if step.exercise is not None:
                self.task = ExerciseTask(self.study, step.exercise, self.paper)
            if step.question is not None:
                self.task = QuestionTask(self.study, step.question, self.paper, seed)
            self._draw_for(step.live)
        except CourseError as error:
            self.paper.say(f"A part of this step cannot be shown: {error}")

    def _draw_for(self, live: Live | None) -> None:
        task = self.task
        asking = task.asking if isinstance(task, QuestionTask) else None
        if live is None and asking is not None and asking.question.live:
            live = self.study.course.live(asking.question.live)  # of an earlier step
        if live is None:
            return
        self.picture = LivePicture(self.study.course, live, asking)
        if task is not None and task.done:
            self.picture.uncover()

    def show(self) -> None:
        """The whole step: prose, picture, question or exercise."""
        number = self.lesson.steps.index(self.step) + 1
        self.paper.blank()
        self.paper.say(f"{self.lesson.title}, step {number} of {len(self.lesson.steps)}: {self.step.title}")
        live_shown = False
        for block in self.step.blocks:
            try:
                if isinstance(block, Prose):
                    self.paper.markdown(texts.prose(self.study.course, self.step, block))
                    continue
                if self.picture is not None and not live_shown and (isinstance(block, Live | Question)):
                    live_shown = True
                    self.picture.show(self.paper)
                if not isinstance(block, Live) and self.task is not None:
                    self.task.show()
            except CourseError as error:
                self.paper.say(f"This part of the lesson cannot be shown: {error}")

    def go_on(self, asked_first: str) -> None:
        """Enter: the next step; an open task, and the end of a lesson, are asked about first."""
        task = self.task
        if task is not None and not task.done and asked_first not in ("leave", "next"):
            self.asked_first = "leave"
            self.paper.say(f"This {task.what} is open: {task.ways}. Enter once more leaves it open, and goes on.")
            return
        at = self.lesson.steps.index(self.step) + 1
        if at < len(self.lesson.steps):
            self.open(self.lesson, self.lesson.steps[at])
            return
        lessons = self.study.course.lessons
        following = next((lesson for before, lesson in pairwise(lessons) if before is self.lesson), None)
        if asked_first == "next" and following is not None:
            self.open(following, self.study.last_open_step(following))
            return
        standing = next(each for each in self.study.lessons() if each.lesson is self.lesson)
        self.paper.say(f"The end of {self.lesson.title}: {standing.in_words}.")
        if following is not None:
            self.asked_first = "next"
            self.paper.say(f"Enter once more goes on to the next lesson: {following.title}. :lessons lists all.")
        else:
            exam = " :exam begins the final examination." if self.study.course.examination else ""
            self.paper.say(f"That was the last lesson.{exam} :quit leaves.")

    # The task

    def answer(self, text: str) -> None:
        """An answer to the question of this step."""
        if text.startswith("\x1b"):
            self.paper.say("Arrow keys and the like do nothing here. :+ and :- change the picture, ? lists the rest.")
            return
        if self.task is None:
            self.paper.say("Nothing is asked here. Enter goes on; a command begins with : and ? lists them.")
            return
        if self.task.answer(text):
            self._settled()

    def _settled(self) -> None:
        if self.picture is not None:
            self.picture.uncover()

    def reveal(self, asked_first: str) -> None:
        """The answer or solution, once that is confirmed."""
        task = self.task
        if task is None:
            self.paper.say("Nothing is asked here.")
            return
        if isinstance(task, QuestionTask) and task.done:
            task.show()
            return
        if not task.done and asked_first != "reveal":
            self.asked_first = "reveal"
            thing = "answer" if task.what == "question" else "solution"
            self.paper.say(f"The {thing} then counts as revealed, not as solved. :reveal once more shows it.")
            return
        if task.reveal():
            self._settled()

    def vary(self) -> None:
        """The question with other numbers."""
        other = self.task.other() if isinstance(self.task, QuestionTask) else None
        if other is None:
            self.paper.say("This question has no other numbers." if self.task else "Nothing is asked here.")
            return
        self._prepare(other.asking.seed)
        if self.picture is not None and other.question.live_with:
            self.picture.show(self.paper)
        if self.task is not None:
            self.task.show()

    def go(self, where: str) -> None:
        """To a step of this lesson by its number, to a lesson, or to any step by its name."""
        if where.isdecimal():
            if not 1 <= int(where[:6]) <= len(self.lesson.steps):
                self.paper.say(f"{self.lesson.title} has no step {where}; there are 1 to {len(self.lesson.steps)}.")
                return
            self.open(self.lesson, self.lesson.steps[int(where) - 1])
            return
        found = self.study.course.find_step(where)
        if found is not None:
            self.open(*found)
            return
        try:
            lesson = self.study.lesson(where)
        except Unknown as error:
            self.paper.say(f"{error}. :go alone lists the steps of this lesson.")
            return
        self.open(lesson, self.study.last_open_step(lesson))
