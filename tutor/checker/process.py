"""The process that runs one learner's file: started, given its job, listened to, and ended whatever happens."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from tutor.checker import box, gate, isolation, spare, strays
from tutor.checker.inside import frames
from tutor.checker.limits import Limits
from tutor.checker.verdict import CouldNotCheck

_TICK = 0.02
_GRACE = 0.5  # the process stops itself, with a line number, this much before it is stopped
_PART = 1 << 16


class Stopped(CouldNotCheck):
    """The check was stopped from outside before it ended."""


@dataclass
class Outcome:
    """What became of the process: its messages, and how it ended."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    output: bytes = b""
    status: int = 0  # as of subprocess: negative for a signal
    cpu_seconds: float = 0.0
    time_over: bool = False
    output_flooded: bool = False
    result_too_large: bool = False
    malformed: str = ""
    closed_early: bool = False  # it hung up, and ran on

    @property
    def done(self) -> bool:
        return bool(self.messages) and self.messages[-1].get("kind") == "done"


def run(job: dict[str, Any], limits: Limits, stop: threading.Event | None = None) -> Outcome:
    """Runs `job` (see `inside.child`) in a process of its own and returns what it said.

    A spare that is ready for these limits is taken; else a process is started.
    Raises Stopped when `stop` is set, CouldNotCheck when the process never became ready.
    """
    child = spare.take(limits) or started(limits, stop)
    try:
        child.work(job, stop)
    finally:
        child.end()
        spare.renew(limits)
    return child.outcome


def started(limits: Limits, stop: threading.Event | None = None) -> Child:
    """A process that has NumPy loaded and stands behind its walls, ready for a job. Raises as `run` does."""
    isolation.protect_this_process()
    with gate.entered(stop):
        if stop is not None and stop.is_set():
            raise Stopped("the check was stopped")
        child = Child(limits)
        try:
            child.prepare(stop)
        except BaseException:
            child.end()
            raise
    return child


class Child:
    """One process with its three pipes and the threads that serve them. It has one job, and is ended in any case."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.outcome = Outcome()
        self._began = time.monotonic()
        self._around = isolation.surroundings(boxed=limits.boxed)
        self._folder = isolation.WorkingFolder()
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            self._around.command,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            cwd=self._folder.name,
            env=self._around.environment,
            start_new_session=True,
            bufsize=0,
        )
        self._ready = threading.Event()
        self._ended = threading.Event()  # a pipe closed, a limit passed, or every case answered
        self._threads: list[threading.Thread] = []
        self._serve(self._read_messages)
        self._serve(self._read_output)

    @property
    def alive(self) -> bool:
        """Whether it still waits for its job."""
        return not self._ended.is_set() and not self._has_exited()

    def _serve(self, work: Any, *arguments: Any) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        thread.start()
        self._threads.append(thread)

    def prepare(self, stop: threading.Event | None) -> None:
        """Sends limits and walls; returns when it is ready for its job."""
        self._serve(self._write, frames.encode(isolation.setup(self.limits, self._process.pid)))
        self._wait(self._ready, self.limits.start, stop)
        if not self._ready.is_set():
            self.end()
            said = self.outcome.output.decode("utf-8", "replace").strip().splitlines()
            raise CouldNotCheck(f"the process for your file did not start: {said[-1] if said else 'no reason given'}")

    def work(self, job: dict[str, Any], stop: threading.Event | None) -> None:
        """Sends the job; returns when there is nothing more to wait for."""
        self._began = time.monotonic()
        self._serve(self._write, frames.encode(job))
        if not self._wait(self._ended, self.limits.wall + _GRACE, stop):
            self.outcome.time_over = True

    def _wait(self, event: threading.Event, seconds: float, stop: threading.Event | None) -> bool:
        """Waits for `event`; False when the time is over. Raises Stopped."""
        until = time.monotonic() + seconds
        while not event.wait(_TICK):
            if stop is not None and stop.is_set():
                raise Stopped("the check was stopped")
            if self._ended.is_set() or self._has_exited():
                event.wait(_TICK)  # what it last said may still be in the pipe
                return True
            if time.monotonic() > until:
                return False
        return True

    def _has_exited(self) -> bool:
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        # looked at, not reaped: its number must stay taken until its group is ended
        return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _write(self, data: bytes) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[stdin.write(rest) :]
        except (OSError, ValueError):
            return  # it has ended; how, the others see

    def _read_messages(self) -> None:
        """Splits what comes on the result pipe into frames, until one says done or is none."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        received = bytearray()
        total = 0
        try:
            while part := os.read(descriptor, _PART):
                received += part
                total += len(part)
                if self._take_frames(received, total):
                    return
            if received:
                self.outcome.malformed = "it ends in the middle"
        except frames.TooLarge:
            self.outcome.result_too_large = True
        except frames.FrameError as error:
            self.outcome.malformed = str(error)
        except OSError:
            return
        finally:
            self._ended.set()

    def _take_frames(self, received: bytearray, total: int) -> bool:
        """Moves whole frames from `received` to the messages; True when the last one says done."""
        while len(received) >= frames.LENGTHS.size:
            if total > self.limits.result_most:
                raise frames.TooLarge
            header, body = frames.lengths(bytes(received[:8]), self.limits.result_most)
            size = frames.LENGTHS.size + header + body
            if len(received) < size:
                break
            message = frames.decode_frame(bytes(received[:size]))
            del received[:size]
            if not isinstance(message, dict) or not isinstance(message.get("kind"), str):
                raise frames.FrameError("it is no message")
            self.outcome.messages.append(message)
            if message["kind"] == "ready":
                self._note_walls(message.get("walls"))
                self._ready.set()
            elif message["kind"] == "done":
                return True
        return False

    def _note_walls(self, standing: Any) -> None:
        # said before any of the learner's code has run; what comes later under this name is not heard
        if not self._ready.is_set() and isinstance(standing, dict):
            missing = [str(name) for name, why in standing.items() if why]
            if missing:
                isolation.refused(missing)

    def _read_output(self) -> None:
        assert self._process.stderr is not None
        descriptor = self._process.stderr.fileno()
        total = 0
        try:
            while part := os.read(descriptor, _PART):
                # One byte more than is kept tells that there was more
                self.outcome.output += part[: max(0, self.limits.output_kept + 1 - total)]
                total += len(part)
                if total > self.limits.output_most:
                    self.outcome.output_flooded = True
                    self._ended.set()
                    return
        except OSError:
            return

    def end(self) -> None:
        """Ends the process, its group and what it left behind; afterwards nothing of it runs."""
        process = self._process
        if process.returncode is not None:
            return
        if not self.outcome.done and not self.outcome.time_over and self._ended.is_set():
            self._let_it_go()
        if hasattr(os, "killpg"):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                process.kill()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.outcome.status = box.status(process.returncode) if self.limits.boxed else process.returncode
            self.outcome.cpu_seconds = used.ru_utime + used.ru_stime
            if self.limits.boxed and self.outcome.status < 0:
                # the box does not say what was used in it: at most all the time since the job began
                self.outcome.cpu_seconds = time.monotonic() - self._began
        else:
            process.kill()
            self.outcome.status = process.wait()
        if not isolation.walls().seccomp:
            strays.end_all(self._around.token)
        for thread in self._threads:
            thread.join(timeout=1.0)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
        self._folder.cleanup()

    def _let_it_go(self) -> None:
        """Its pipe is closed: it is given a moment to end by itself, so that its own status can be read."""
        if self.outcome.output_flooded or self.outcome.result_too_large or self.outcome.malformed:
            return
        until = time.monotonic() + _GRACE
        while not self._has_exited():
            if time.monotonic() > until:
                self.outcome.closed_early = True
                return
            time.sleep(0.002)
