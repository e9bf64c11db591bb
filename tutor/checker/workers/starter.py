"""The process from which a crew's workers are forked: NumPy loaded once, waiting to hear how many are wanted."""

from __future__ import annotations

import os
import signal
import socket
import subprocess

from tutor.checker import isolation, strays


class Starter:
    """One such process, with the socket that controls it. It runs none of the learner's code. See `inside.crew`."""

    def __init__(self, boxed: bool = False) -> None:
        isolation.protect_this_process()
        self._folder = isolation.WorkingFolder()
        self._around = isolation.surroundings("crew", boxed)
        self.control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                self._around.command,
                stdin=theirs.fileno(),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=self._folder.name,
                env=self._around.environment,
                start_new_session=True,
            )

    @property
    def alive(self) -> bool:
        """Whether it still waits."""
        return self._process.poll() is None

    @property
    def ended(self) -> bool:
        """Whether `end` has been called."""
        return self._process.returncode is not None

    def said(self) -> bytes:
        """What it printed before it ended; ends it."""
        self._kill()
        assert self._process.stdout is not None
        return self._process.stdout.read()

    def end(self) -> None:
        """Ends it and every worker that it started, and leaves nothing behind."""
        self.control.close()
        if self._process.returncode is None:
            self._kill()
            self._process.wait()
        if not isolation.walls().seccomp:
            strays.end_all(self._around.token)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._folder.cleanup()

    def _kill(self) -> None:
        # until it is waited for, its group's number is taken
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            os.kill(self._process.pid, signal.SIGKILL)
