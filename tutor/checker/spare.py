"""A process kept ready for the next check, where checks follow one another: NumPy loaded and waiting.

There is one for functions, behind its walls already, and one from which workers are forked. Nothing is
kept until `keep` is called: a single check needs no spare.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from tutor.checker.limits import Limits
from tutor.checker.verdict import CouldNotCheck

if TYPE_CHECKING:
    from tutor.checker.process import Child
    from tutor.checker.workers.starter import Starter


class _Process(Protocol):
    @property
    def alive(self) -> bool: ...

    def end(self) -> None: ...


Kept = TypeVar("Kept", bound=_Process)
Wish = TypeVar("Wish")


class _Keeper(Generic[Kept, Wish]):
    """Keeps what `start` gives, started in a thread that lives as long as this process.

    The system ends a spare together with the thread that started it, so a passing thread will not do.
    """

    def __init__(self, start: Callable[[Wish], Kept]) -> None:
        self._start = start
        self._changed = threading.Condition()
        self._wish: Wish | None = None  # what the next spare is started for
        self._kept: tuple[Wish, Kept] | None = None
        self._thread: threading.Thread | None = None
        self._keeping = False
        self._starting = False

    def keep(self, wish: Wish) -> None:
        with self._changed:
            there = self._keeping
            self._keeping = True
        if not there:
            self.renew(wish)

    def renew(self, wish: Wish) -> None:
        with self._changed:
            if not self._keeping:
                return
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="spare", daemon=True)
                self._thread.start()
                atexit.register(self.end)
            self._wish = wish
            self._changed.notify_all()

    def take(self, wish: Wish) -> Kept | None:
        with self._changed:
            found, self._kept = self._kept, None
        if found is None:
            return None
        made_for, process = found
        if made_for == wish and process.alive:
            return process
        process.end()
        return None

    def end(self) -> None:
        with self._changed:
            self._keeping, self._wish = False, None
            found, self._kept = self._kept, None
        if found is not None:
            found[1].end()

    def ready(self) -> bool:
        with self._changed:
            return self._kept is not None

    def idle(self) -> bool:
        with self._changed:
            return not self._starting and self._wish is None

    def _serve(self) -> None:
        while True:
            with self._changed:
                while self._wish is None or self._kept is not None:
                    self._changed.wait()
                wish, self._wish = self._wish, None
                self._starting = True
            try:
                process: Kept | None = self._start(wish)
            except (CouldNotCheck, OSError):
                process = None  # the next check starts its own, and says why it cannot
            with self._changed:
                kept = self._keeping and process is not None
                if process is not None and kept:
                    self._kept = wish, process
            if process is not None and not kept:
                process.end()
            with self._changed:
                self._starting = False


def _child(limits: Limits) -> Child:
    from tutor.checker.process import started

    return started(limits)


def _starter(boxed: bool) -> Starter:
    from tutor.checker import gate
    from tutor.checker.workers.starter import Starter

    with gate.entered():
        return Starter(boxed)


# A starter is told its limits later: one in a box will do for any check in a box
_functions = _Keeper(_child)
_workers = _Keeper(_starter)


def keep(limits: Limits | None = None, *, workers: bool = False) -> None:
    """From now on a spare is kept ready, for functions or for programs of workers, and after each check another."""
    limits = limits or Limits()
    if workers:
        _workers.keep(limits.boxed)
    else:
        _functions.keep(limits)


def take(limits: Limits) -> Child | None:
    """The spare for functions, if one is ready that has these limits. The caller ends it."""
    return _functions.take(limits)


def renew(limits: Limits) -> None:
    """Starts the next spare for functions, with these limits, where spares are kept."""
    _functions.renew(limits)


def take_starter(boxed: bool) -> Starter | None:
    """The spare for workers, if there is one. The caller ends it."""
    return _workers.take(boxed)


def renew_starter(boxed: bool) -> None:
    """Starts the next spare for workers, where spares are kept."""
    _workers.renew(boxed)


def ready(*, workers: bool = False) -> bool:
    """Whether a spare waits for a job."""
    return (_workers if workers else _functions).ready()


def idle() -> bool:
    """Whether none is being started."""
    return _functions.idle() and _workers.idle()


def end() -> None:
    """Ends every spare and keeps none from now on."""
    _functions.end()
    _workers.end()
