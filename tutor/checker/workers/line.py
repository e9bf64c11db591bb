"""The line to one worker's process: frames in, frames out, and why it is cut."""

from __future__ import annotations

import select
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from tutor.checker.inside import frames
from tutor.checker.process import Stopped

_TICK_MS = 20
_PART = 1 << 18

CLOSED, LATE, PRINTS, TOO_LARGE, TOO_MUCH, MALFORMED = "closed", "late", "prints", "too large", "too much", "malformed"


class LineCut(Exception):
    """Nothing more comes from a worker: `why` is one of the words above."""

    def __init__(self, why: str, worker: int, detail: str = "") -> None:
        self.why = why
        self.worker = worker
        self.detail = detail
        super().__init__(f"worker {worker}: {why}")


@dataclass
class Watch:
    """What all lines of a crew look at while they wait."""

    until: float  # on the monotonic clock
    room: int  # bytes that the workers together may still send
    stop: threading.Event | None = None
    printed_too_much: set[int] = field(default_factory=set)  # workers

    def look(self, worker: int) -> None:
        """Raises Stopped, or LineCut when the time is over or a worker prints without end."""
        if self.stop is not None and self.stop.is_set():
            raise Stopped("the check was stopped")
        if self.printed_too_much:
            raise LineCut(PRINTS, min(self.printed_too_much))
        if time.monotonic() > self.until:
            raise LineCut(LATE, worker)


class Line:
    """The line to worker `rank`. What it sends waits in the socket until it is asked for, so it cannot fill memory."""

    def __init__(self, descriptor: int, rank: int, watch: Watch, most: int) -> None:
        self._socket = socket.socket(fileno=descriptor)
        self._socket.setblocking(False)
        self._rank = rank
        self._watch = watch
        self._most = most
        self._received = bytearray()
        self.closed = False

    def receive(self) -> dict[str, Any]:
        """The next message; waits for it. Raises LineCut, Stopped."""
        self._watch.look(self._rank)  # a worker that never pauses does not outlast its time
        while True:
            try:
                message = self._taken()
            except frames.TooLarge:
                raise LineCut(TOO_LARGE, self._rank) from None
            except frames.FrameError as error:
                raise LineCut(MALFORMED, self._rank, str(error)) from None
            if message is not None:
                return message
            try:
                part = self._socket.recv(_PART)
            except BlockingIOError:
                self._wait(select.POLLIN)
                continue
            except OSError:
                part = b""
            if not part:
                self.closed = True
                if self._received:
                    raise LineCut(MALFORMED, self._rank, "it ends in the middle")
                raise LineCut(CLOSED, self._rank)
            self._received += part
            self._watch.room -= len(part)
            if self._watch.room < 0:
                raise LineCut(TOO_MUCH, self._rank)

    def send(self, frame: bytes) -> None:
        """Sends a whole frame. Raises LineCut, Stopped."""
        rest = memoryview(frame)
        while rest:
            try:
                rest = rest[self._socket.send(rest) :]
            except BlockingIOError:
                self._wait(select.POLLOUT)
            except OSError:
                self.closed = True
                raise LineCut(CLOSED, self._rank) from None

    def close(self) -> None:
        """Hangs up."""
        self._socket.close()

    def _wait(self, event: int) -> None:
        poll = select.poll()
        poll.register(self._socket, event)
        while not poll.poll(_TICK_MS):
            self._watch.look(self._rank)

    def _taken(self) -> dict[str, Any] | None:
        """The first whole frame of what has come, if there is one."""
        if len(self._received) < frames.LENGTHS.size:
            return None
        header, body = frames.lengths(bytes(self._received[: frames.LENGTHS.size]), self._most)
        size = frames.LENGTHS.size + header + body
        if len(self._received) < size:
            return None
        message = frames.decode_frame(bytes(self._received[:size]))
        del self._received[:size]
        if not isinstance(message, dict) or not isinstance(message.get("kind"), str):
            raise frames.FrameError("it is no message")
        return message
