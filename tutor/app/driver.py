"""Textual's driver for Unix terminals, which sleeps while nobody types and notices when the terminal is gone."""

from __future__ import annotations

import os
import selectors
import sys
from codecs import getincrementaldecoder
from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING, Any, TextIO

from textual._parser import ParseError
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from tutor.app.signals import leave

if TYPE_CHECKING:
    from tutor.app.main import TutorApp

# How often an unfinished escape sequence is looked at again: Escape alone must not wait for the next key
_TICK_SECONDS = 0.05


def _in_screen() -> bool:
    """Whether GNU screen is between: with a mouse asked for, it keeps Escape until another key follows."""
    named = os.environ.get("TERM", "").startswith("screen") and "TMUX" not in os.environ  # as over ssh
    return "STY" in os.environ or named


class _WakingEvent(Event):
    """An event that also makes a pipe readable, so that a thread in `select` sees it."""

    def __init__(self) -> None:
        super().__init__()
        self.pipe, self._writing_end = os.pipe()
        os.set_blocking(self._writing_end, False)

    def set(self) -> None:
        super().set()
        with suppress(OSError):
            os.write(self._writing_end, b"!")

    def clear(self) -> None:
        super().clear()
        os.set_blocking(self.pipe, False)
        with suppress(OSError):
            os.read(self.pipe, 64)


class _Output:
    """A stream to a terminal that may go away: then what is written is lost, and nothing else happens."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def fileno(self) -> int:
        return self._stream.fileno()

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._stream.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()


class TerminalDriver(LinuxDriver):
    """Three things differ from the stock driver.

    Its input thread wakes ten times a second to look at a flag; this one waits on a pipe too, and so
    sleeps. It reads the end of a file for ever at full speed; this one ends the app. And it asks for all
    movements of the mouse wherever it is; this one not over ssh, and for nothing of it in GNU screen.
    """

    _app: TutorApp

    def __init__(self, app: Any, *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None):
        super().__init__(app, debug=debug, mouse=mouse and not _in_screen(), size=size)
        assert sys.__stderr__ is not None  # terminal_check has looked
        self._file = _Output(sys.__stderr__)  # type: ignore[assignment]
        self._waking = self.exit_event = _WakingEvent()

    def _enable_mouse_support(self) -> None:
        if not self._app.profile.remote:
            super()._enable_mouse_support()
        elif self._mouse:
            # Clicks and the wheel; every movement would travel too
            self.write("\x1b[?1000h\x1b[?1006h")
            self.flush()

    def run_input_thread(self) -> None:
        """Reads keys until the app stops, or the terminal is gone."""
        parser = XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")("replace").decode
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            selector.register(self._waking.pipe, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                unfinished = parser._timeout_time is not None
                ready = selector.select(_TICK_SECONDS if unfinished else None)
                if any(key.fd == self.fileno for key, _ in ready):
                    try:
                        data = os.read(self.fileno, 4096)
                    except BlockingIOError:
                        continue
                    except OSError:
                        data = b""  # EIO: the other end of the terminal has closed
                    if not data:
                        leave(self._app, 129)
                        return
                    for event in parser.feed(decode(data)):
                        self.process_message(event)
                for event in parser.tick():
                    self.process_message(event)
        with suppress(EOFError, ParseError):
            for _event in parser.feed(""):
                pass
