"""What is half typed, kept a moment after it was typed and before anything ends."""

from __future__ import annotations

from collections.abc import Callable

from tutor.progress.store import ProgressError, Store

KEEP_AFTER_SECONDS = 0.5


class Drafts:
    """Drafts of one learner, by the id of the question or exercise.

    `wait(seconds, callback)` asks the app for a timer; `complain(line)` is told when a draft cannot be
    kept.
    """

    def __init__(
        self, store: Store, wait: Callable[[float, Callable[[], None]], object], complain: Callable[[str], None]
    ) -> None:
        self._store = store
        self._wait = wait
        self._complain = complain
        self._unkept: dict[str, str] = {}
        self._is_timed = False

    def __getitem__(self, item: str) -> str:
        """The draft of `item`, or an empty string."""
        if item in self._unkept:
            return self._unkept[item]
        return self._store.draft(item)

    def keep(self, item: str, text: str) -> None:
        """Notes a draft; it is on the disk half a second later, or half a second after a later one."""
        self._unkept[item] = text
        if not self._is_timed:
            self._is_timed = True
            self._wait(KEEP_AFTER_SECONDS, self._keep_or_complain)

    def drop(self, item: str) -> None:
        """Forgets what was noted for `item`: it has been sent, or dropped from the store elsewhere."""
        self._unkept.pop(item, None)

    def flush(self) -> None:
        """Writes everything noted. Raises ProgressError."""
        while self._unkept:
            item, text = next(iter(self._unkept.items()))
            self._store.keep_draft(item, text)
            # Typed on while it was being written: then the newer text stays noted
            if self._unkept.get(item) == text:
                del self._unkept[item]

    def _keep_or_complain(self) -> None:
        self._is_timed = False
        try:
            self.flush()
        except ProgressError as error:
            self._complain(str(error))
