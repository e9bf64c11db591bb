"""Plain mode from its first line to its last."""

from __future__ import annotations

from tutor.plain.paper import Paper
from tutor.plain.session import Session
from tutor.study import Study


def run(study: Study, where: str | None = None) -> int:
    """The course from where the learner left off, or from the lesson or step `where`.

    The end of the input and ctrl+c leave it like :quit. Returns the exit status, 0; raises Unknown for a lesson
    that is not there.
    """
    if where is None:
        lesson, step = study.where() or (study.course.lessons[0], study.course.lessons[0].steps[0])
    elif (found := study.course.find_step(where)) is not None:
        lesson, step = found
    else:
        lesson = study.lesson(where)
        step = study.last_open_step(lesson)
    session = Session(study, Paper(), lesson, step)
    try:
        session.run()
    except KeyboardInterrupt:
        session.paper.say("")
    session.leave()
    return 0
