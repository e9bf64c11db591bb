"""Proves the walls by trying to break them: a file that attempts, beneath Python, what no learner's file may do."""

from __future__ import annotations

import contextlib
import functools
import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tutor.checker.limits import Limits
from tutor.checker.verdict import CouldNotCheck

# What is tried, and what it would mean if it worked
ATTEMPTS = {
    "read": "reads a file of yours",
    "write": "writes a file beside it",
    "list": "lists the folder of your files",
    "tcp": "reaches a port of this machine (TCP)",
    "udp": "sends to a port of this machine (UDP)",
    "abstract": "reaches a program of yours through a local socket",
    "process": "starts a process",
    "signal": "signals this program",
    "memory": "opens this program's memory",
}
# Through ctypes: the guard that answers Python's own calls must not be what is measured
_PROBE = """
import ctypes, os, struct

def probe(folder, port, datagrams, name, parent):
    libc = ctypes.CDLL(None, use_errno=True)
    path = folder.encode() + b"/canary"
    found = []
    def opened(path, flags, mode=0):
        return libc.open(path, flags, mode) >= 0
    def connected(kind, address, sending=False):
        end = libc.socket(kind[0], kind[1], 0)
        if end < 0:
            return False
        if sending:
            return libc.sendto(end, b"x", 1, 0, address, len(address)) >= 0
        return libc.connect(end, address, len(address)) == 0
    def internet(port):
        return struct.pack("=H", 2) + struct.pack("!H4B8x", port, 127, 0, 0, 1)
    def forked():
        child = libc.fork()
        if child == 0:
            os._exit(0)
        return child > 0
    attempts = {
        "read": lambda: opened(path, os.O_RDONLY),
        "write": lambda: opened(path + b".new", os.O_WRONLY | os.O_CREAT, 0o600),
        "list": lambda: opened(folder.encode(), os.O_RDONLY | os.O_DIRECTORY),
        "tcp": lambda: connected((2, 1), internet(port)),
        "udp": lambda: connected((2, 2), internet(datagrams), True),
        "abstract": lambda: connected((1, 1), struct.pack("=H", 1) + b"\\0" + name.encode()),
        "process": forked,
        "signal": lambda: libc.kill(parent, 0) == 0,
        "memory": lambda: opened(b"/proc/%d/mem" % parent, os.O_RDONLY),
    }
    for what, attempt in attempts.items():
        try:
            if attempt():
                found.append(what)
        except Exception:
            pass
    return found
"""


@functools.cache
def holes(limits: Limits) -> tuple[str, ...]:
    """Which of the attempts succeed under these limits: none, where the walls stand.

    Raises CouldNotCheck when no process can be put behind them, or what it says makes no sense.
    """
    from tutor.checker import process
    from tutor.checker.check import source_array

    with _bait() as (folder, port, datagrams, name):
        child = process.started(limits)
        arguments = [folder, port, datagrams.getsockname()[1], name, os.getpid()]
        job = {"source": source_array(_PROBE.encode()), "file": "probe.py", "function": "probe", "cases": [arguments]}
        try:
            child.work(job, None)
        finally:
            child.end()
        arrived = _has_arrived(datagrams)
    results = [message for message in child.outcome.messages if message["kind"] == "result"]
    found = results[0].get("value") if len(results) == 1 else None
    if not isinstance(found, list) or not set(found) <= set(ATTEMPTS) or not child.outcome.done:
        said = child.outcome.output.decode("utf-8", "replace").strip().splitlines()
        raise CouldNotCheck(f"the attempt to break out gave no answer: {said[-1] if said else 'nothing was said'}")
    # In a network of its own, sending succeeds and reaches nobody
    return tuple(name for name in found if name != "udp" or arrived)


def _has_arrived(datagrams: socket.socket) -> bool:
    datagrams.setblocking(False)
    try:
        return bool(datagrams.recv(1))
    except BlockingIOError:
        return False


@contextlib.contextmanager
def _bait() -> Iterator[tuple[str, int, socket.socket, str]]:
    """A folder with a file, a port of each kind, and the name of a local socket: what must stay out of reach."""
    name = f"worldsize-proof-{os.getpid()}"
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="worldsize-"))
        Path(folder, "canary").write_text("alive", encoding="ascii")
        stream = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        datagrams = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        datagrams.bind(("127.0.0.1", 0))
        if hasattr(socket, "AF_UNIX") and os.name == "posix" and os.uname().sysname == "Linux":
            local = stack.enter_context(socket.socket(socket.AF_UNIX))
            local.bind(f"\0{name}")
            local.listen()
        yield folder, stream.getsockname()[1], datagrams, name


@functools.cache
def why_no_box() -> str:
    """Why learners' files cannot be boxed on this host, proved by trying; "" where they can."""
    from tutor.checker import box

    reason = box.refusal()
    if reason:
        return reason
    try:
        found = holes(Limits.of_class())
    except CouldNotCheck as error:
        return str(error)
    return "" if not found else "a file in the box " + ", ".join(ATTEMPTS[name] for name in found)
