"""Starts the processes of a crew: NumPy is loaded once, then one process is forked for each worker.

It runs none of the learner's code. On its control socket it reads a frame: how many workers there are, their limits
and what all their walls have in common. It answers with their process ids, their sockets and their output pipes. At
last it reads which of them have hung up, as JSON, and answers with how each has ended. When the tutor is
gone, so are they.
"""

from __future__ import annotations

import ctypes
import fcntl
import gc
import json
import os
import signal
import socket
import sys
import time
from typing import Any, NoReturn

_PR_SET_PDEATHSIG = 1
_GRACE = 0.5  # for a worker that has hung up to end by itself, so that its own status can be read
_LINE, _RULESET, _FIRST_OTHER, _MOST_DESCRIPTORS = 3, 4, 5, 1024
_ABOVE = 128  # out of the way of those


def main() -> NoReturn:
    """The whole life of the process."""
    from . import child, frames, guard, walls, worker  # with NumPy, and all that a worker needs

    del sys.path[-2:], sys.argv[1:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    control = socket.socket(fileno=os.dup(0))
    asked = child.Connection(0, frames).read()
    roots = guard.real_paths(asked["readable"])
    ruleset = None
    if "landlock" in asked["walls"]:
        try:
            ruleset = walls.ruleset(asked["walls"]["landlock"])
        except OSError:
            ruleset = os.open(os.devnull, os.O_RDONLY)  # no rules: each worker will say that this wall does not stand
    gc.freeze()  # what is shared stays shared
    pids: list[int] = []
    ours: list[int] = []
    for _ in range(asked["workers"]):
        near, far = socket.socketpair()
        output, printed = os.pipe()
        pid = os.fork()
        if pid == 0:
            _become_a_worker(far.fileno(), printed, ruleset)
            worker.live(_LINE, None if ruleset is None else _RULESET, roots, asked["limits"])
        far.close()
        os.close(printed)
        pids.append(pid)
        ours += [near.detach(), output]
    socket.send_fds(control, [json.dumps({"pids": pids}).encode() + b"\n"], ours)
    for descriptor in ours:
        os.close(descriptor)
    closed = control.recv(1 << 12)  # nothing when the tutor is gone
    ends = _end(pids, json.loads(closed) if closed else [])
    if closed:
        control.sendall(json.dumps(ends).encode() + b"\n")
    os._exit(0)


def _become_a_worker(line: int, printed: int, ruleset: int | None) -> None:
    """Keeps its own socket and its own output, and nothing of the others'."""
    nothing = fcntl.fcntl(os.open(os.devnull, os.O_RDONLY), fcntl.F_DUPFD, _ABOVE)
    line, printed = fcntl.fcntl(line, fcntl.F_DUPFD, _ABOVE), fcntl.fcntl(printed, fcntl.F_DUPFD, _ABOVE)
    if ruleset is not None:
        os.dup2(fcntl.fcntl(ruleset, fcntl.F_DUPFD, _ABOVE), _RULESET)
    os.dup2(nothing, 0)
    os.dup2(printed, 1)
    os.dup2(printed, 2)
    os.dup2(line, _LINE)
    os.closerange(_FIRST_OTHER, _MOST_DESCRIPTORS)


def _end(pids: list[int], closed: list[int]) -> list[dict[str, Any]]:
    """Ends them all; how each ended: its status as of subprocess, its processor seconds, whether it ran on."""
    found: dict[int, tuple[int, float]] = {}
    until = time.monotonic() + _GRACE
    while any(rank not in found for rank in closed) and time.monotonic() < until:
        for rank in closed:
            if rank not in found:
                pid, status, used = os.wait4(pids[rank], os.WNOHANG)
                if pid:
                    found[rank] = (status, used.ru_utime + used.ru_stime)
        time.sleep(0.001)
    ran_on = [rank for rank in closed if rank not in found]
    for rank, pid in enumerate(pids):
        if rank not in found:
            os.kill(pid, signal.SIGKILL)
    for rank, pid in enumerate(pids):
        if rank not in found:
            _, status, used = os.wait4(pid, 0)
            found[rank] = (status, used.ru_utime + used.ru_stime)
    return [
        {
            "status": os.waitstatus_to_exitcode(found[rank][0]),
            "cpu": found[rank][1],
            "ran_on": rank in ran_on,
        }
        for rank in range(len(pids))
    ]
