"""A line of frames between the desk and one rank."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Mapping
from typing import Any

from tutor.checker.inside import frames

_PART = 1 << 20


class Hung(Exception):
    """The other end has hung up."""


class Wire:
    """Frames in and out of a connected socket. Several threads may send; one receives."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._sending = threading.Lock()
        self._received = bytearray()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    @property
    def descriptor(self) -> int:
        return self._socket.fileno()

    def send(self, message: Mapping[str, Any]) -> None:
        """Sends one message. Raises Hung."""
        self.send_frame(frames.encode(message))

    def send_frame(self, frame: bytes) -> None:
        """Sends a message that is a frame already. Raises Hung."""
        try:
            with self._sending:
                self._socket.sendall(frame)
        except OSError:
            raise Hung from None

    def receive(self, most: int = (1 << 32) - 1) -> dict[str, Any]:
        """The next message, of at most so many bytes. Raises Hung."""
        try:
            header, body = frames.lengths(self._exactly(frames.LENGTHS.size), most)
            message = frames.decode(self._exactly(header), self._exactly(body))
        except (frames.FrameError, OSError):
            raise Hung from None
        if not isinstance(message, dict) or not isinstance(message.get("kind"), str):
            raise Hung
        return message

    def rest(self) -> bytes:
        """Everything until the other end hangs up, as it comes; for a line that carries no frames."""
        try:
            while len(self._received) < _PART and (part := self._socket.recv(_PART)):
                self._received += part
        except OSError:
            pass
        return bytes(self._received)

    def patience(self, seconds: float | None) -> None:
        """How long `receive` waits before it counts the other end as gone; None: for ever."""
        self._socket.settimeout(seconds)

    def close(self) -> None:
        """Hangs up, also on whoever waits in `receive`."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _exactly(self, count: int) -> bytes:
        while len(self._received) < count:
            part = self._socket.recv(_PART)
            if not part:
                raise Hung
            self._received += part
        taken = bytes(self._received[:count])
        del self._received[:count]
        return taken
