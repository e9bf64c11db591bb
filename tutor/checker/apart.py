"""A course's check.py in a process of its own, behind walls: a course that somebody gave away is a program too.

It knows what is right, so that process is never the learner's. It may import the engine.
"""

from __future__ import annotations

import importlib.util
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tutor.checker import gate, isolation
from tutor.checker.inside import frames
from tutor.checker.limits import MIB, Limits

_LIMITS = Limits(cpu=60, wall=30.0, data=1024 * MIB, address_space=4096 * MIB, result_most=256 * MIB)
_GRACE = 1.0
_PART = 1 << 18
_IMPORTED = ("simlib", "greenlet")


class CheckFailed(Exception):
    """The check.py failed, in its own words; `line` is its line where there is one."""

    def __init__(self, said: str, line: int | None = None) -> None:
        self.line = line
        super().__init__(said)


class Apart:
    """A check.py that is loaded elsewhere: its functions by `function`, its constants by `constant`. `end` it.

    Raises CheckFailed when it cannot be loaded.
    """

    def __init__(self, path: Path, name: str) -> None:
        self._around = isolation.surroundings("checks")
        self._folder = isolation.WorkingFolder()
        packages = [_folder_of(package) for package in _IMPORTED]
        command = [*self._around.command, *dict.fromkeys(str(package.parent) for package in packages)]
        with gate.entered():
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self._folder.name,
                env=self._around.environment,
                start_new_session=True,
                bufsize=0,
            )
            try:
                self._send(isolation.setup_of_checks(_LIMITS, self._process.pid, packages))
                self._receive(_LIMITS.start)
                source = np.frombuffer(path.read_bytes(), np.uint8)
                self._held = self._ask({"kind": "load", "source": source, "file": str(path), "name": name})
            except BaseException:
                self.end()
                raise
        self._path = str(path)

    def constant(self, name: str, default: Any = None) -> Any:
        """What the file says under this name."""
        return self._held.get(name, default)

    def function(self, name: str) -> Callable[..., Any] | None:
        """The file's function of this name, which is called there; None where it has none."""
        if name not in self._held["functions"]:
            return None

        def call(*arguments: Any) -> Any:
            return self._ask({"kind": "call", "file": self._path, "function": name, "arguments": list(arguments)})

        return call

    def end(self) -> None:
        """Ends the process."""
        if self._process.returncode is not None:
            return
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (AttributeError, ProcessLookupError, PermissionError):
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        self._folder.cleanup()

    def _ask(self, question: dict[str, Any]) -> Any:
        self._send(question)
        answer = self._receive(_LIMITS.wall + _GRACE)
        if answer.get("kind") == "value":
            return answer.get("value")
        said = f"{answer.get('type')}: {answer.get('text')}"
        line = answer.get("line")
        raise CheckFailed(said, line if type(line) is int else None)

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        rest = memoryview(frames.encode(message))
        try:
            while rest:
                rest = rest[self._process.stdin.write(rest) :]
        except OSError:
            raise CheckFailed("its process has ended") from None

    def _receive(self, seconds: float) -> dict[str, Any]:
        until = time.monotonic() + seconds
        start = self._exactly(frames.LENGTHS.size, until)
        try:
            header, body = frames.lengths(start, _LIMITS.result_most)
            answer = frames.decode(self._exactly(header, until), self._exactly(body, until))
        except frames.FrameError as error:
            raise CheckFailed(f"what came back cannot be read: {error}") from None
        if not isinstance(answer, dict):
            raise CheckFailed("what came back is no answer")
        return answer

    def _exactly(self, count: int, until: float) -> bytes:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        parts = []
        while count:
            ready, _, _ = select.select([descriptor], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                self.end()
                raise CheckFailed(f"it took longer than {_LIMITS.wall:g} s")
            part = os.read(descriptor, min(count, _PART))
            if not part:
                raise CheckFailed("its process has ended")
            parts.append(part)
            count -= len(part)
        return b"".join(parts)


def _folder_of(package: str) -> Path:
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:  # pragma: no cover - both are installed with the tutor
        raise CheckFailed(f"{package} is not installed")
    return Path(found.origin).parent
