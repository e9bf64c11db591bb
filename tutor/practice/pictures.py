"""Problems that are answered in a picture: a step of a ring, a row of a slot grid, the order of a stage's work."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from tutor.course.model import GRID, ORDER, TABLE, Course, Lesson, Live, Option, Question, Step, Wrong
from tutor.practice.problem import NOWHERE, Problem, Skill, made

_PICTURE = "practice-picture"
_LARGEST = 30


def skills(course: Course) -> Iterator[Skill]:
    """The skills whose lesson this course has; each belongs to the first step that shows such a picture."""
    for name, (topic, _) in _MAKERS.items():
        found = _first_step(course, topic)
        if found is not None:
            yield Skill(f"picture:{name}", *found)


def problem(skill: Skill, course: Course, draw: random.Random) -> Problem:
    """A picture with sizes and numbers that `draw` gives."""
    _, make = _MAKERS[skill.id.partition(":")[2]]
    return make(skill, course, draw)


def _first_step(course: Course, topic: str) -> tuple[Lesson, Step] | None:
    shows = ((lesson, step) for lesson in course.lessons for step in lesson.steps if step.live)
    return next(((lesson, step) for lesson, step in shows if step.live and step.live.topic == topic), None)


def _live(topic: str, **parameters: Any) -> Live:
    return Live(_PICTURE, topic, parameters, NOWHERE)


def _ring_step(skill: Skill, course: Course, draw: random.Random) -> Problem:
    workers = draw.choice((2, 3, 3, 4))
    values = [[draw.randint(1, _LARGEST) for _ in range(workers)] for _ in range(workers)]
    step = draw.randint(1, 2 * (workers - 1))
    adds = step < workers
    # The chunk that reaches worker 0 in this step, which comes from the last worker
    chunk = (workers - step) % workers if adds else (workers - (step - workers)) % workers
    before = f"cell step={step - 1} worker=0 chunk={chunk}"
    arrives = f"cell step={step - 1} worker={workers - 1} chunk={chunk}"
    wrong = [Wrong(f"[{before}]", "nothing-arrived", "Something arrives at every worker in every step.", NOWHERE)]
    if adds:
        said = "You replaced what worker 0 had. In a reduce-scatter step what arrives is added to it."
        wrong.append(Wrong(f"[{arrives}]", "did-not-add", said, NOWHERE))
    else:
        said = "You added what arrived. In an all-gather step a finished sum is copied."
        wrong.append(Wrong(f"[{before}] + [{arrives}]", "adds-in-both-phases", said, NOWHERE))
    phase = "reduce-scatter" if adds else "all-gather"
    question = Question(
        id="practice-ring-step",
        kind=TABLE,
        prompt=f"A ring of {workers} workers. What does every worker hold after step {step} of {2 * (workers - 1)}?",
        answer="",
        why=f"Step {step} is one of the {phase}: a chunk reaches each worker from its left neighbour"
        + (", and is added." if adds else ", and takes the place of what was there."),
        place=NOWHERE,
        hints=(
            f"Step {step} of {2 * (workers - 1)}: is that a reduce-scatter step or an all-gather step?",
            f"Chunk {chunk} reaches worker 0 in this step. The others receive the chunks after it, in turn.",
        ),
        wrong=tuple(Wrong(one.match, one.misconception, one.say, NOWHERE, f"worker=0 chunk={chunk}") for one in wrong),
        live=_PICTURE,
        cells=f"step={step}",
    )
    return made(skill, course, question, _live("all-reduce", algorithm="ring", values=values))


def _slots(skill: Skill, course: Course, draw: random.Random) -> Problem:
    stages, micro_batches = draw.choice((2, 3, 4)), draw.choice((2, 3, 4, 5))
    rank = draw.randrange(stages)
    question = Question(
        id="practice-forward-slots",
        kind=GRID,
        prompt=f"GPipe, forward only: {stages} stages, {micro_batches} micro-batches. Fill in the row of stage {rank}: "
        "the micro-batch of each slot, a dot for idle.",
        answer="",
        why=f"Stage {rank} waits until micro-batch 0 has passed the {rank} before it, and rests when all are through.",
        place=NOWHERE,
        hints=(
            "When does micro-batch 0 reach this stage?",
            f"It has {rank} stages before it, each of one slot. The grid is m + p - 1 slots wide.",
        ),
        wrong=(
            Wrong(
                f"{rank}F0" if rank else ".",
                "stages-start-together" if rank else "counts-from-one",
                "Nothing has reached it yet in slot 0." if rank else "Stage 0 can start at once.",
                NOWHERE,
                f"rank={rank} slot=0",
            ),
        ),
        live=_PICTURE,
        cells=f"rank={rank}",
    )
    shown = _live("pipeline", schedule="gpipe", stages=stages, micro_batches=micro_batches, forward_only=True)
    return made(skill, course, question, shown)


def _order(skill: Skill, course: Course, draw: random.Random) -> Problem:
    from simlib.pipeline import schedule

    stages, micro_batches = draw.choice((2, 3, 4)), draw.choice((2, 3))
    rank = draw.randrange(stages)
    row = [str(operation) for operation in schedule("1f1b", stages, micro_batches).orders[rank]]
    answer = [operation.lower() for operation in row]
    shuffled = draw.sample(row, len(row))
    all_forward = sorted(answer, key=lambda operation: (operation.strip("0123456789") != "f", operation))
    wrong: tuple[Wrong, ...] = ()
    if all_forward != answer:
        said = "That is GPipe's order: all forward passes first. 1F1B takes turns as soon as it can."
        wrong = (Wrong(",".join(all_forward), "1f1b-keeps-m", said, NOWHERE),)
    question = Question(
        id="practice-one-f-one-b",
        kind=ORDER,
        prompt=f"1F1B with {stages} stages and {micro_batches} micro-batches: in which order does stage {rank} work?",
        answer=",".join(answer),
        why=f"Its warm-up is {min(stages - rank - 1, micro_batches)} forward passes; then one forward, one backward.",
        place=NOWHERE,
        hints=(
            "How many stages come after this one? So many forward passes are its warm-up.",
            f"{min(stages - rank - 1, micro_batches)} forward passes, then forward and backward in turn.",
        ),
        wrong=wrong,
        options=tuple(Option(operation.lower(), operation) for operation in shuffled),
        in_order=True,
    )
    return made(skill, course, question)


_MAKERS: dict[str, tuple[str, Callable[[Skill, Course, random.Random], Problem]]] = {
    "ring-step": ("all-reduce", _ring_step),
    "forward-slots": ("pipeline", _slots),
    "one-f-one-b": ("pipeline", _order),
}
