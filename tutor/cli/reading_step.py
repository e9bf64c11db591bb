"""`lessons LESSON` and `lessons STEP`: what a lesson holds, and a step to read, to print or to pipe."""

from __future__ import annotations

from typing import Any

from tutor.answers import cells, texts
from tutor.cli.output import RIGHT, say, say_json
from tutor.course.model import ASK, CODE, Exercise, Lesson, Live, Prose, Question, Step
from tutor.plain.paper import Paper
from tutor.program import program
from tutor.progress.standing import ItemStanding
from tutor.study import Study


def print_steps(study: Study, lesson: Lesson, *, as_json: bool, course: str) -> int:
    """Lists the steps of a lesson with what each asks; `course` is what commands need to find this course again."""
    standings = study.standings()
    if as_json:
        say_json({"lesson": lesson.id, "steps": [_step_json(study, lesson, step) for step in lesson.steps]})
        return RIGHT
    Paper().say(f"{lesson.title}: {lesson.about}")
    ids = max(len(step.id) for step in lesson.steps)
    for number, step in enumerate(lesson.steps, 1):
        say(f"{number:>3}  {step.id:<{ids}}  {step.title}")
        for kind, id in step.heads:
            what = {ASK: "question", CODE: "exercise"}.get(kind)
            if what is not None:
                say(f"     {what} {id}: {standings.get(id, ItemStanding()).state}")
    say()
    whole = f"{program()} plain {lesson.id}{course} goes through them."
    Paper().say(f"{program()} lessons STEP{course} prints one; {whole}")
    return RIGHT


def print_step(study: Study, lesson: Lesson, step: Step, *, as_json: bool, course: str) -> int:
    """Prints a step: its text, its picture as it opens, what it asks."""
    if as_json:
        say_json(_step_json(study, lesson, step))
        return RIGHT
    paper = Paper(drawn=True)
    paper.say(f"{lesson.title}, step {lesson.steps.index(step) + 1} of {len(lesson.steps)}: {step.title}")
    for block in step.blocks:
        paper.blank()
        if isinstance(block, Prose):
            paper.markdown(texts.prose(study.course, step, block))
        elif isinstance(block, Live):
            scene = cells.scene(block)
            at = min(block.step, scene.last_step)
            paper.picture(scene.picture(at), scene.caption(at))
        elif isinstance(block, Question):
            paper.markdown(texts.prompt(study.course, block, None))
            for number, option in enumerate(texts.options_shown(study.course, block, None), 1):
                paper.say(f"{option.text}  ({option.id})", f"{number:>3}  ")
            paper.say(f"{program()} answer {block.id} TEXT{course}")
        elif isinstance(block, Exercise):
            paper.markdown(block.prompt)
            paper.say(f"{program()} start {block.id}{course}")
    return RIGHT


def _step_json(study: Study, lesson: Lesson, step: Step) -> dict[str, Any]:
    prose = [texts.prose(study.course, step, block) for block in step.blocks if isinstance(block, Prose)]
    return {
        "step": step.id,
        "lesson": lesson.id,
        "title": step.title,
        "text": "\n\n".join(prose),
        "question": step.question.id if step.question else None,
        "exercise": step.exercise.id if step.exercise else None,
    }
