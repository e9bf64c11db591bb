"""How many processes for learners' files may be starting at a time on one host, whoever starts them.

Loading NumPy takes all of a core for a moment. Sixty learners who save at once would otherwise make
sixty interpreters fight for the cores, and every terminal with them.
"""

from __future__ import annotations

import contextlib
import os
import random
import socket
import sys
import threading
import time
from collections.abc import Iterator

_LONGEST = 20.0  # seconds: a place that somebody never gives back must not keep all others out
_LOOK = 0.01  # seconds from one look for a free place to the next, on average
_NAME = "worldsize-cold-start"


def places() -> int:
    """How many may start at a time: two for each core."""
    return 2 * (os.cpu_count() or 1)


@contextlib.contextmanager
def entered(stop: threading.Event | None = None) -> Iterator[None]:
    """Holds one of the host's places, as soon as one is free; returns early, without one, when `stop` is set."""
    place = _wait(stop)
    try:
        yield
    finally:
        if place is not None:
            place.close()


def _wait(stop: threading.Event | None) -> socket.socket | None:
    if sys.platform != "linux":
        return None
    until = time.monotonic() + _LONGEST
    while True:
        place = _free()
        if place is not None or time.monotonic() > until or (stop is not None and stop.is_set()):
            return place
        time.sleep(random.uniform(0.5, 1.5) * _LOOK)


def _free() -> socket.socket | None:
    """A place that nobody holds.

    It is an abstract socket's name: one holder on the whole host, no file, and free again when its holder ends.
    """
    first = random.randrange(places())
    for number in range(places()):
        holder = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            holder.bind(f"\0{_NAME}-{(first + number) % places()}")
            return holder
        except OSError:
            holder.close()
    return None
