"""A class at work, for its test and its benchmark: what each learner does, and what all of them have seen."""

from __future__ import annotations

import asyncio
import contextlib
import random
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import class_lines
import class_records
from class_lines import Line
from class_records import LESSON, WRITTEN, judged

if TYPE_CHECKING:
    from class_host import ClassHost

F7, F8, LEFT, RIGHT, CLEAR = "\x1b[18~", "\x1b[19~", "\x1b[D", "\x1b[C", "\x15"
SHAPE = "shared"
_LOOK_SECONDS = 5.0
LEFT_SECONDS = 30.0  # in which a session whose line was cut has to end


@dataclass
class Seen:
    """What all learners together have seen, in seconds, and which numbers each has seen judged."""

    logins: list[float] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)
    typed: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    checks: list[float] = field(default_factory=list)
    said: dict[str, list[int]] = field(default_factory=dict)


class Learner:
    """One learner: a line that may be cut, and numbers that are all wrong, each given once."""

    def __init__(self, host: ClassHost, name: str, home: Path, seen: Seen) -> None:
        self.name = name
        self._host = host
        self._home = home
        self.seen = seen
        self._said = seen.said.setdefault(name, [])
        self._drawn = random.Random(name)
        self._number = 100
        self._line: Line | None = None

    @property
    def is_in(self) -> bool:
        return self._line is not None

    @property
    def line(self) -> Line:
        assert self._line is not None, f"{self.name} is not in"
        return self._line

    def come_in(self) -> None:
        """Connects; the first frame is not waited for."""
        self._line = Line(self._host.ssh(SHAPE, self.name, "-tt"), self._home)

    def leave(self) -> None:
        """Ends what is left of the line at this end."""
        if self._line is not None:
            self._line.close()
            self._line = None

    async def ready(self) -> None:
        """Waits until the home screen is there."""
        self.seen.logins.append(await self.line.shows("Continue") - self.line.begun)

    async def pause(self) -> None:
        await asyncio.sleep(self._drawn.uniform(0.5, 1.5))

    async def work(self, seconds: float) -> None:
        """Has the exercise checked, moves the picture, has it checked again, answers."""
        begun = time.monotonic()
        line = self.line
        await line.press("\r")
        await line.offers("Enter write the file")
        line.type("\r")
        await line.shows("edits it here")
        await self._check()
        await line.press(F7)
        await line.offers("change")
        while True:
            self.seen.steps += [await line.press(RIGHT), await line.press(LEFT)]
            await self.pause()
            if time.monotonic() >= begun + seconds / 2:
                break
        await line.press(F8)
        await line.shows("edits it here")
        await self._check()
        await line.press(F7)
        await line.offers("change")
        await self._ask()
        await self._answer(begun + seconds)

    async def come_back(self, seconds: float) -> None:
        """Goes on at the step where the line was cut, with another answer than the half-typed one."""
        end = time.monotonic() + seconds
        await self.line.press("\r")
        await self.line.shows("15/17")
        await self._ask()
        self.line.type(CLEAR)
        await self.line.quiet()
        await self._answer(end)

    async def _check(self) -> None:
        assert "Not right" not in self.line.text
        begun = time.perf_counter()
        self.line.type("c")
        self.seen.checks.append(await self.line.shows("Not right") - begun)
        await self.pause()

    async def _ask(self) -> None:
        """Goes on to the question."""
        while "F3 reveal" not in self.line.keys:  # by way of the whole picture; on a question Enter alone does nothing
            await self.line.press("\r")
            await self.line.quiet()

    async def _answer(self, end: float) -> None:
        """One number after another until then, at least one."""
        while True:
            number = self.next()
            self.seen.typed += [await self.line.press(digit) for digit in str(number)]
            begun = time.perf_counter()
            self.line.type("\r")
            self.seen.answers.append(await self.line.shows(judged(number)) - begun)
            self._said.append(number)
            if time.monotonic() >= end:
                return
            await self.pause()

    def next(self) -> int:
        """A number that was not given before."""
        self._number += 1
        return self._number

    def saw(self) -> None:
        """Takes in what was on the screen when the line went."""
        if judged(self._number) in self.line.text and self._number not in self._said:
            self._said.append(self._number)


@dataclass
class Shares:
    """The most memory (PSS, MiB) that a session took on average at any look, and its share of checkers then."""

    session: float = 0.0
    checkers: float = 0.0

    @property
    def whole(self) -> float:
        return self.session + self.checkers

    async def look(self, host: ClassHost) -> None:
        """Looks at all processes once; learners go on meanwhile."""
        sessions, others = [], 0.0
        for pid, words in host.processes().items():
            share = _memory(pid)
            if share and "class session" in words:
                sessions.append(share)
            else:
                others += share
            await asyncio.sleep(0)
        if sessions:
            now = Shares(statistics.mean(sessions), others / len(sessions))
            if now.whole > self.whole:
                self.session, self.checkers = now.session, now.checkers


def _memory(pid: int) -> float:
    """A process's share of memory in MiB (PSS); 0 where it has ended."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


class Class:
    """Learners who come in, work, and whose lines are cut."""

    def __init__(self, host: ClassHost, names: list[str], home: Path) -> None:
        self.host = host
        self.seen = Seen()
        self.most = Shares()
        self.cuts = 0
        self.left: dict[int, str] = {}  # processes that have outlived their lines
        self.learners = [Learner(host, name, home, self.seen) for name in names]
        self._drawn = random.Random(len(names))

    async def burst(self, some: list[Learner]) -> None:
        """All of these come in at the same moment."""
        for learner in some:
            learner.come_in()
        async with asyncio.TaskGroup() as group:
            for learner in some:
                group.create_task(learner.ready())

    async def lesson(self, some: list[Learner], rate: float, work: Callable[[Learner], Awaitable[None]]) -> None:
        """All of these work; who is not in yet comes in, so many a second."""

        async def attend(learner: Learner) -> None:
            if learner in coming:
                await learner.ready()
            await work(learner)

        coming = [learner for learner in some if not learner.is_in]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(attend(learner)) for learner in some if learner not in coming]
            for learner in coming:
                learner.come_in()
                tasks.append(group.create_task(attend(learner)))
                await asyncio.sleep(1 / rate)
            # Only now: what programs share is shared by all
            while (await asyncio.wait(tasks, timeout=_LOOK_SECONDS))[1]:
                await self.most.look(self.host)

    async def cut(self, some: list[Learner]) -> None:
        """Cuts the lines of these while each has just given an answer."""
        lines = {learner.name: learner.line for learner in some}
        typed = {learner.name: f"{learner.next()}\r" for learner in some}
        await class_lines.cut(self.host, lines, typed, self._drawn)
        self.cuts += len(lines)
        for learner in some:
            learner.saw()
        self.leave()
        self.left |= class_lines.left(self.host, LEFT_SECONDS)

    def leave(self) -> None:
        """Ends what is left of every line at the learner's end."""
        for learner in self.learners:
            learner.leave()


@contextlib.contextmanager
def a_class(host: ClassHost, names: list[str], home: Path) -> Iterator[Class]:
    """These learners, each before the exercise; no question closes while they are at work."""
    for name in names:
        class_records.stand_at(host, SHAPE, name, WRITTEN, LESSON)
    with host.answers_kept_back(SHAPE):
        try:
            yield Class(host, names, home)
        finally:
            host.end_connections(())


async def class_of(found: Class, burst: int, seconds: float, rate: float, cuts: int, again: float) -> None:
    """Some come in at the same moment and the others after them, and work so long; then every line is cut.

    As many as are missing to `cuts` come back, answer for `again` seconds, and are cut again, until it is enough.
    """
    try:
        await found.burst(found.learners[:burst])
        some = found.learners
        await found.lesson(some, rate, lambda learner: learner.work(seconds))
        await found.cut(some)
        while found.cuts < cuts:
            some = found.learners[: cuts - found.cuts]
            await found.lesson(some, rate, lambda learner: learner.come_back(again))
            await found.cut(some)
    finally:
        found.leave()
