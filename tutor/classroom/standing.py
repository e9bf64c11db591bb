"""Where each learner of a class is, read off their record; everything in it may be the learner's own invention."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from tutor.course.model import ASK, CODE, Course
from tutor.progress.standing import REVEALED, SOLVED, standings
from tutor.progress.store import Event
from tutor.safe_text import visible

_STUCK_TRIES = 2  # wrong answers from which on somebody is stuck rather than at work
_LONGEST = 200
AHEAD_SECONDS = 300.0  # by which the clocks of several hosts may differ


@dataclass(frozen=True)
class Standing:
    """One learner. Times are seconds since 1970, None where nobody can say; `trouble` is why a record is unreadable."""

    learner: str
    lesson: str = ""
    step: str = ""
    here_since: float | None = None  # when this step was opened
    last: float | None = None  # the latest event
    solved: int = 0
    revealed: int = 0
    of: int = 0
    wrong_here: int = 0  # wrong answers to what this step asks
    stuck_on: str = ""  # the belief behind the latest wrong answer here
    trouble: str = ""

    @property
    def stuck(self) -> bool:
        """Whether it looks as if the learner does not get on."""
        return self.wrong_here >= _STUCK_TRIES


@dataclass(frozen=True)
class Board:
    """The whole class: its learners, and what most of them got wrong."""

    learners: tuple[Standing, ...]
    wrong: tuple[tuple[str, int], ...]  # question or exercise, and how many learners had it wrong
    beliefs: tuple[tuple[str, int], ...]  # misconception, and how many learners it met
    question: str = ""  # of the day
    question_right: int = 0
    question_tried: int = 0


def standing_of(learner: str, course: Course, events: Iterable[Event], now: float) -> Standing:
    """Where one learner is."""
    known = list(events)
    opened = [event for event in known if event.kind == "opened" and course.find_step(event.item)]
    states = standings(known)
    items = course.ids(ASK, CODE)
    solved = sum(states[item].state == SOLVED for item in items if item in states)
    revealed = sum(states[item].state == REVEALED for item in items if item in states)
    # What is dated ahead was done before the clock was set back, or its time is invented: it counts without its time
    last = max((event.at for event in known if event.at <= now + AHEAD_SECONDS), default=None)
    if not opened:
        return Standing(learner, last=last, solved=solved, revealed=revealed, of=len(items))
    found = course.find_step(opened[-1].item)
    assert found is not None
    lesson, step = found
    asked = {name for kind, name in step.heads if kind in (ASK, CODE)}
    here = [event for event in known if event.kind in ("answer", "check") and event.item in asked]
    open_here = any(item not in states or states[item].state not in (SOLVED, REVEALED) for item in asked)
    wrong = [event for event in here if event.detail.get("right") is not True]
    belief = next((text for event in reversed(wrong) if isinstance(text := event.detail.get("misconception"), str)), "")
    return Standing(
        learner,
        lesson.id,
        step.id,
        opened[-1].at if opened[-1].at <= now + AHEAD_SECONDS else None,
        last,
        solved,
        revealed,
        len(items),
        len(wrong) if open_here else 0,
        belief if open_here and belief in course.misconceptions else "",
    )


def board(
    course: Course,
    records: Mapping[str, list[Event]],
    troubles: Mapping[str, str],
    now: float,
    question: str = "",
) -> Board:
    """The board of a class from its learners' records; `troubles` are those that could not be read."""
    learners = [standing_of(name, course, events, now) for name, events in records.items()]
    learners += [Standing(name, trouble=visible(why)[:_LONGEST]) for name, why in troubles.items()]
    wrong: Counter[str] = Counter()
    beliefs: Counter[str] = Counter()
    asked = set(course.ids(ASK, CODE))
    right_today = tried_today = 0
    for events in records.values():
        answers = [event for event in events if event.kind in ("answer", "check", "practice")]
        wrong.update({event.item for event in answers if event.detail.get("right") is not True and event.item in asked})
        beliefs.update(
            {
                text
                for event in answers
                if isinstance(text := event.detail.get("misconception"), str) and text in course.misconceptions
            }
        )
        of_today = [event for event in answers if question and event.item == question]
        tried_today += bool(of_today)
        right_today += any(event.detail.get("right") is True for event in of_today)
    ordered = sorted(learners, key=lambda one: (not one.stuck, -(one.wrong_here), one.learner))
    return Board(tuple(ordered), _most(wrong), _most(beliefs), question, right_today, tried_today)


def _most(counted: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counted.items(), key=lambda one: (-one[1], one[0]))[:10])


def ago(seconds: float) -> str:
    """A span of time in one unit.

    >>> ago(59), ago(3600), ago(8000), ago(200_000)
    ('0 min', '60 min', '2 h', '2 d')
    """
    minutes = int(max(0.0, seconds) // 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h" if minutes < 2880 else f"{minutes // 1440} d"


def typed_in(event: Event) -> str:
    """What the learner typed, or what was said of their file; it may hold any sign."""
    found = event.detail.get("text") or event.detail.get("reason") or event.detail.get("error") or ""
    return str(found)[:10_000]


def as_json(found: Board) -> dict[str, Any]:
    """The board as JSON."""
    return {
        "learners": [asdict(one) | {"stuck": one.stuck} for one in found.learners],
        "wrong": [{"item": item, "learners": count} for item, count in found.wrong],
        "misconceptions": [{"id": item, "learners": count} for item, count in found.beliefs],
        "question": {"id": found.question, "right": found.question_right, "tried": found.question_tried},
    }


def as_csv(found: Board) -> str:
    """The learners as CSV; a cell never begins with a sign that a spreadsheet takes for a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = ("learner", "lesson", "step", "here_since", "last", "solved", "revealed", "of", "wrong_here", "stuck_on")
    writer.writerow([*names, "stuck", "trouble"])
    for one in found.learners:
        writer.writerow([*(_plain(getattr(one, name)) for name in names), one.stuck, _plain(one.trouble)])
    return out.getvalue()


def _plain(value: Any) -> Any:
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


@dataclass
class Watched:
    """Learners' records, each read again only when its file has changed."""

    records: dict[str, list[Event]] = field(default_factory=dict)
    troubles: dict[str, str] = field(default_factory=dict)
    _stamps: dict[str, object] = field(default_factory=dict)

    def look(self, files: Mapping[str, Any]) -> int:
        """Reads what has changed of these progress files, by learner; returns how many were read."""
        from tutor.classroom.copies import Unsafe, events_of, stamp

        for gone in set(self._stamps) - set(files):
            for kept in (self.records, self.troubles, self._stamps):
                kept.pop(gone, None)
        read = 0
        for name, file in files.items():
            now = stamp(file)
            if name in self._stamps and self._stamps[name] == now:
                continue
            read += 1
            self._stamps[name] = now
            self.records.pop(name, None)
            self.troubles.pop(name, None)
            try:
                self.records[name] = events_of(file)
            except Unsafe as error:
                self.troubles[name] = str(error)
        return read
