"""Notices that a learner's file has been saved."""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path

from tutor.checker.source import Unreadable, read_source


class Watch:
    """Notices that a file holds something else than before; asked every now and then.

    The time stamp is looked at first, since it costs nothing, and the content then, since a save may
    change nothing. File-system events would miss network folders. A file that is being written shows
    as changed again until it has settled; while there is none, as when an editor saves by renaming,
    it has not changed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp = self._look()
        self._digest = self._content()

    def changed(self) -> bool:
        """Whether the file was changed since the last time this said so."""
        stamp = self._look()
        if stamp == self._stamp:
            return False
        self._stamp = stamp
        digest = self._content()
        if digest is None or digest == self._digest:
            return False
        self._digest = digest
        return True

    def seen(self) -> None:
        """What the file holds now is known."""
        self._stamp = self._look()
        self._digest = self._content()

    def _look(self) -> tuple[int, int, int] | None:
        try:
            status = os.stat(self._path)
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def _content(self) -> bytes | None:
        try:
            return blake2b(read_source(self._path)).digest()
        except Unreadable:
            return None
