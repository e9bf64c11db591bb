"""Which problems an examination asks, with which numbers: spread over the lessons, and none shown before."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

from tutor.answers.families import member, members
from tutor.course.model import Course, Lesson, Question, Step

PROBLEMS = 10

# A member's variables: what tells it from the others, also after its family has grown
Numbers = tuple[tuple[str, float | str], ...]


@dataclass(frozen=True)
class Drawn:
    """One problem with the numbers of its member `seed`."""

    problem: str
    seed: int


@dataclass(frozen=True)
class Shown:
    """What a learner has seen of the problems so far."""

    numbers: Mapping[str, Collection[Numbers]] = field(default_factory=dict)  # of each problem
    times: Mapping[str, int] = field(default_factory=dict)  # how often examinations have asked each


def numbers(problem: Question, seed: int) -> Numbers:
    """The variables of one member, in a fixed order."""
    return tuple(sorted(member(problem, seed).items()))


def problems(course: Course, ids: Collection[str] | None = None) -> Iterator[tuple[Lesson, Step, Question]]:
    """Every problem (of these ids) that leads back into the course, with its step and the lesson that it is about."""
    for step in course.examination.steps if course.examination else ():
        # A step that nobody asks for is not even read
        wanted = ids is None or any(id in ids for _, id in step.heads)
        if wanted and step.question is not None:
            found = next((found for id in step.question.back if (found := course.find_step(id))), None)
            if found is not None:
                yield found[0], step, step.question


def draw(course: Course, seed: int, shown: Shown | None = None) -> list[Drawn]:
    """The problems of one examination, in the order of the course; fewer than ten where there are no more unseen.

    Lessons take turns: no lesson is asked twice while another has not been asked, and those asked least in
    earlier examinations come first. The same `seed` draws the same for the same `shown`.
    """
    shown = shown or Shown()
    left: dict[str, list[tuple[Question, list[int]]]] = {}
    place: dict[str, int] = {}
    asked: dict[str, int] = {}
    for number, (lesson, _, problem) in enumerate(problems(course)):
        place[problem.id] = number
        asked[lesson.id] = asked.get(lesson.id, 0) + shown.times.get(problem.id, 0)
        seen = shown.numbers.get(problem.id, ())
        unseen = [one for one, _ in members(problem) if numbers(problem, one) not in seen]
        if unseen:
            left.setdefault(lesson.id, []).append((problem, unseen))
    chosen: list[Drawn] = []
    while left and len(chosen) < PROBLEMS:
        turns = sorted(left, key=lambda lesson: (asked[lesson], _mixed(seed, lesson)))
        for turn in turns[: PROBLEMS - len(chosen)]:
            best = min(left[turn], key=lambda one: (shown.times.get(one[0].id, 0), _mixed(seed, one[0].id)))
            problem, unseen = best
            chosen.append(Drawn(problem.id, min(unseen, key=lambda one: _mixed(seed, f"{problem.id} {one}"))))
            left[turn].remove(best)
            if not left[turn]:
                del left[turn]
    lessons = [lesson.id for lesson in course.lessons]
    about = {problem.id: lessons.index(lesson.id) for lesson, _, problem in problems(course)}
    return sorted(chosen, key=lambda one: (about[one.problem], place[one.problem]))


def _mixed(seed: int, name: str) -> bytes:
    """A place in an order that the seed decides, alike in every version of Python."""
    return blake2b(f"{seed} {name}".encode(), digest_size=8).digest()
