"""The lessons, the steps of one, and words that are looked up."""

from __future__ import annotations

from tutor.course.model import CourseError, Lesson, Step
from tutor.plain.markdown import unmarked
from tutor.plain.paper import Paper
from tutor.search import Search
from tutor.study import Study

_MOST = 8  # hits that are said


def list_lessons(study: Study, paper: Paper) -> None:
    """Every lesson with how far it is."""
    paper.blank()
    for standing in study.lessons():
        lesson = standing.lesson
        paper.say(f"{lesson.id}: {lesson.title}, {lesson.minutes} minutes, {standing.in_words}.", rest="  ")
        paper.say(lesson.about, "  ")
    if study.course.examination is not None:
        paper.say("The final examination: :exam")
    paper.say(":go and the first word of a line opens that lesson.")


def list_steps(study: Study, paper: Paper, lesson: Lesson, here: Step) -> None:
    """The steps of a lesson, those with something to do with how it stands."""
    paper.blank()
    paper.say(f"{lesson.title}:")
    standings = study.standings()
    for number, step in enumerate(lesson.steps, 1):
        states = [
            standings[id].state if id in standings else "open" for kind, id in step.heads if kind in ("ask", "code")
        ]
        notes = [*(["you are here"] if step is here else []), *states]
        noted = f" ({', '.join(notes)})" if notes else ""
        paper.say(f"{step.title}{noted}", f"{number:>3}  ")
    paper.say(":go and a number opens that step, :go and the name of a lesson that lesson.")


def look_up(study: Study, paper: Paper, words: str) -> None:
    """What has these words, best first: the meaning of a term, steps, exercises; without words, all terms."""
    try:
        terms = study.glossary()
    except CourseError as error:
        paper.say(f"{error}.")
        return
    if not words:
        names = sorted((term.name for term in terms), key=str.casefold)
        paper.say(f"Terms: {', '.join(names)}." if names else "This course has no glossary.")
        paper.say(":find and a term says what it means.")
        return
    finder = Search(study.course, terms)
    hits = finder.find(words)
    if not hits:
        near = finder.near(words)
        also = f" Did you mean {' or '.join(near)}?" if near else ""
        paper.say(f"Nothing has {words!r}.{also}")
    for hit in hits[:_MOST]:
        paper.say(f"{hit.name} ({hit.kind}){f': {unmarked(hit.text)}' if hit.text else ''}", rest="  ")
        if hit.step:
            paper.say(f"{hit.where} (:go {hit.step})", "  ")
    if len(hits) > _MOST:
        paper.say(f"And {len(hits) - _MOST} more: more words find less.")
