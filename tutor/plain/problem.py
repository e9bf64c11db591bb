"""A problem of practice or of the examination, as it is asked line by line."""

from __future__ import annotations

from tutor.answers import texts
from tutor.asking import expects
from tutor.course.blocks import WITH_CELLS
from tutor.course.model import Course, Prose, Question, Step
from tutor.examination.pictures import blank_picture
from tutor.plain.paper import Paper
from tutor.plain.question import say_rows


def say_problem(paper: Paper, course: Course, step: Step, question: Question, seed: int | None) -> None:
    """What leads up to the question, its picture with blanks, the question, and how to answer it."""
    for block in step.blocks:
        if isinstance(block, Prose):
            paper.markdown(texts.prose(course, step, block))
    drawn = blank_picture(course, question, seed)
    if drawn is not None:
        paper.blank()
        paper.picture(drawn.picture, drawn.caption)
    paper.markdown(texts.prompt(course, question, seed))
    for number, option in enumerate(texts.options_shown(course, question, seed), 1):
        paper.say(option.text, f"{number:>3}  ")
    if question.kind in WITH_CELLS:
        say_rows(paper, course, question, seed, one_by_one=False)
    else:
        paper.say(f"Type {expects(course, question, seed)}.")
