"""Many learners' lines read by one thread, how they are cut, and what that leaves on the host."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from terminal import Terminal

if TYPE_CHECKING:
    from class_host import ClassHost

PATIENCE = 120.0  # seconds; only a failing test waits as long
FRAME_SECONDS = 0.06  # a key's frame has come when nothing more does for so long
QUIET_SECONDS = 0.4
_MOST_SECONDS = 0.1  # from what is typed to the cut
WAYS = ("client", "session", "sshd")


class Line:
    """A learner's ssh on a terminal of 80 x 24; waiting for it lets others go on."""

    def __init__(self, command: list[str], home: Path) -> None:
        self.begun = self.last = time.perf_counter()
        self.terminal = Terminal(home, command=command)
        self.ended = False
        self._came = asyncio.Event()
        asyncio.get_running_loop().add_reader(self.terminal.master, self._read)

    def _read(self) -> None:
        if self.terminal.read(0):
            self.last = time.perf_counter()
        else:
            self.ended = True
            asyncio.get_running_loop().remove_reader(self.terminal.master)
        self._came.set()

    async def _more(self, seconds: float) -> bool:
        """Waits for more of it; False when nothing came for so long."""
        self._came.clear()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._came.wait(), seconds)
        return self._came.is_set() and not self.ended

    @property
    def text(self) -> str:
        return self.terminal.text

    @property
    def keys(self) -> str:
        """The row of keys."""
        return self.terminal.screen.display[-1]

    async def until(self, there: Callable[[], bool], what: str) -> float:
        """Waits for something to be on the screen, then for quiet; the moment at which it was there."""
        end = time.perf_counter() + PATIENCE
        while not there():
            assert not self.ended, f"it ended by itself; on the screen:\n{self.text}"
            assert time.perf_counter() < end, f"{what!r} did not come; on the screen:\n{self.text}"
            await self._more(1)
        at = self.last
        await self.quiet()
        return at

    async def quiet(self, seconds: float = QUIET_SECONDS) -> None:
        """Reads until nothing has come for so long."""
        while await self._more(seconds):
            pass

    async def shows(self, words: str) -> float:
        """Waits until these words are on the screen."""
        return await self.until(lambda: words in self.text, words)

    async def offers(self, key: str) -> float:
        """Waits until the row of keys says this."""
        return await self.until(lambda: key in self.keys, key)

    def type(self, text: str) -> None:
        os.write(self.terminal.master, text.encode())

    async def press(self, key: str) -> float:
        """Types a key that changes something, and reads until its frame has come: the seconds to its last byte."""
        begun = time.perf_counter()
        self.type(key)
        while self.last < begun:
            assert not self.ended, f"it ended by itself; on the screen:\n{self.text}"
            assert time.perf_counter() < begun + PATIENCE, f"nothing came of {key!r}; on the screen:\n{self.text}"
            await self._more(1)
        await self.quiet(FRAME_SECONDS)
        return self.last - begun

    async def end(self) -> None:
        """Waits until its ssh has gone."""
        end = time.perf_counter() + PATIENCE
        while not self.ended:
            assert time.perf_counter() < end, f"the line stays; on the screen:\n{self.text}"
            await self._more(1)

    def close(self) -> None:
        """Ends whatever is left."""
        if not self.ended:
            asyncio.get_running_loop().remove_reader(self.terminal.master)
        self.terminal.close()


async def cut(host: ClassHost, lines: dict[str, Line], typed: dict[str, str], drawn: random.Random) -> None:
    """Cuts every learner's line at some moment after this was typed: its ssh, its session, or sshd's part of it.

    The lines are those of a shared class, and each way is that of a third of them.
    """
    sessions = {words.split()[-1]: pid for pid, words in host.processes().items() if "class session" in words}
    order = list(lines)
    drawn.shuffle(order)
    for number, learner in enumerate(order):
        end = end_of(WAYS[number % len(WAYS)], lines[learner].terminal.process.pid, sessions[learner])
        lines[learner].type(typed[learner])
        await asyncio.sleep(drawn.uniform(0, _MOST_SECONDS))
        os.kill(end, signal.SIGKILL)
    for line in lines.values():
        await line.end()


def end_of(way: str, client: int, session: int) -> int:
    """The process to kill for a line to be cut in this way: the ssh, the session, or what of sshd has started it."""
    parent = int(Path(f"/proc/{session}/stat").read_text().rpartition(")")[2].split()[1])
    return {"client": client, "session": session, "sshd": parent}[way]


def left(host: ClassHost, seconds: float) -> dict[int, str]:
    """The learners' processes and sshd's parts of their connections that are still there after so long."""
    end = time.monotonic() + seconds
    while (found := host.processes() | host.connections()) and time.monotonic() < end:
        time.sleep(0.05)
    return found
