"""A class at work, for tests and the benchmark: where learners stand, lines that are cut, and what is left of both."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tutor.classroom.copies import events_of

if TYPE_CHECKING:
    from class_host import ClassHost

# A step with a question where every wrong number is another try, and the step after it, with an exercise
LESSON, ASKED, WRITTEN = "cost", "cost-break-even", "cost-write-it"
_QUESTION = "cost-from-which-n"
_MOST_SECONDS = 0.1  # from what is typed to the cut


def judged(number: int) -> str:
    """What is on the screen once this number was judged."""
    return f" {number} workers"


def database(host: ClassHost, shape: str, learner: str) -> Path:
    return host.home(shape, learner) / "progress.db"


def stand_at(host: ClassHost, shape: str, learner: str, step: str, lesson: str) -> None:
    """Has the learner come back to this step, with nothing done yet."""
    from tutor.progress.store import Store

    file = database(host, shape, learner)
    file.unlink(missing_ok=True)
    store = Store(file)
    store.add("opened", step, lesson=lesson)
    store.close()
    whose = file.parent.stat()
    os.chown(file, whose.st_uid, whose.st_gid)
    file.chmod(0o640)


def cut(host: ClassHost, lines: Mapping[str, tuple[int, int]], typed: str, drawn: random.Random) -> None:
    """Cuts every line at some moment after this was typed, half of them at the learner's end and half at the session's.

    `lines` are the terminal and the ssh of each learner of a shared class.
    """
    sessions = {words.split()[-1]: pid for pid, words in host.processes().items() if "class session" in words}
    order = list(lines)
    drawn.shuffle(order)
    for number, learner in enumerate(order):
        terminal, client = lines[learner]
        with contextlib.suppress(OSError):
            os.write(terminal, typed.encode())
        time.sleep(drawn.uniform(0, _MOST_SECONDS))
        one = client if number % 2 else sessions.get(learner)
        if one is not None:  # that has not ended by itself
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)


def left(host: ClassHost, seconds: float) -> dict[int, str]:
    """The learners' processes and sshd's parts of their connections that are still there after so long."""
    end = time.monotonic() + seconds
    while (found := host.processes() | host.connections()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def lost(host: ClassHost, shape: str, seen: Mapping[str, Iterable[int]]) -> dict[str, set[str]]:
    """Of the numbers that learners have seen judged, those that their records do not hold."""
    found = {}
    for learner, numbers in seen.items():
        events = events_of(database(host, shape, learner))
        kept = {event.detail.get("text") for event in events if event.kind == "answer" and event.item == _QUESTION}
        if gone := {str(number) for number in numbers} - kept:
            found[learner] = gone
    return found
