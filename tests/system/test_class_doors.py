"""The doors of a class behind a real sshd that are shut: nothing but the tutor can be had, and little may be sent."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from class_host import ADA, BOB, SHAPES, ClassHost
from terminal import PATIENCE
from unprivileged import need

Connect = Callable[..., Any]


@pytest.fixture
def agent() -> Iterator[str]:
    """The socket of an ssh-agent, whose path is short enough to be one."""
    need("ssh-agent")
    with tempfile.TemporaryDirectory() as folder:
        found = str(Path(folder, "agent"))
        process = subprocess.Popen(["ssh-agent", "-D", "-a", found], stdout=subprocess.DEVNULL)
        try:
            asked = os.environ | {"SSH_AUTH_SOCK": found}
            end = time.monotonic() + PATIENCE
            # 1: it is there and has no keys; 2: it is not there
            while subprocess.run(["ssh-add", "-l"], env=asked, capture_output=True, check=False).returncode == 2:
                assert time.monotonic() < end
                time.sleep(0.05)
            yield found
        finally:
            process.terminate()
            process.wait(10)


@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_but_the_tutor_can_be_had(host: ClassHost, shape: str) -> None:
    other = str(host.home(shape, BOB))
    commands: list[tuple[str, ...]] = [
        ("id",),
        ("exec sh -i",),
        (f"cat {other}/progress.db; id",),
        ("class session --learner " + BOB,),
        ("x" * 20_000,),
        ("\x1b]0;gone\x07\x1b[31mid",),
    ]
    attempts = [host.ssh(shape, ADA, command=command) for command in commands]
    where = host.ssh(shape, ADA)[-1]
    attempts += [
        host.ssh(shape, ADA, "-W", f"127.0.0.1:{host.port}"),
        host.ssh(shape, ADA, "-N", "-o", "ExitOnForwardFailure=yes", "-R", f"0:127.0.0.1:{host.port}"),
        host.ssh(shape, ADA, "-b", "/dev/null", program="sftp"),
        host.ssh(shape, ADA, command=("/etc/hostname", f"{where}:{other}/planted"), program="scp"),
        host.ssh(shape, ADA, "-O", command=(f"{where}:/etc/passwd", "/dev/null"), program="scp"),
        host.ssh(shape, ADA, "-l", "root"),
        host.ssh(shape, ADA, "-l", "x" * 300),
        host.ssh(shape, ADA, "-l", "$(id)"),
    ]
    running = [
        subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for words in attempts
    ]
    try:
        for words, process in zip(attempts, running, strict=True):
            out, error = process.communicate(timeout=2 * PATIENCE)
            assert process.returncode != 0, words
            assert b"uid=" not in out + error, words
            assert b"\x1b" not in out + error, words
            assert b"Traceback" not in error, words
            if words[0] == "ssh" and words[-1] != where:
                assert out == b""
                assert b"only the tutor can be opened here" in error, (words, error)
    finally:
        host.end_connections(running)
    assert not Path(other, "planted").exists()


@pytest.mark.parametrize("shape", SHAPES)
def test_what_a_learner_may_send_and_what_not(host: ClassHost, connect: Connect, agent: str, shape: str) -> None:
    sent = {
        "LC_EVIL": "x\x1b[31m",
        "COLORTERM": "truecolor",
        "NO_COLOR": "1",
        "EDITOR": "/bin/sh",
        "PYTHONPATH": "/tmp",
    }
    sent |= {"TUTOR_HOME": "/tmp", "TUTOR_TRACEBACK": "1", "LD_PRELOAD_": "/tmp/x.so", "TERM": "xterm-256color"}
    app = connect(ADA, shape, "-A", "-o", "SendEnv=*", SSH_AUTH_SOCK=agent, **sent)
    app.wait_for("Enter open")
    (session,) = host.sessions()
    arrived = dict(
        line.partition("=")[::2] for line in Path(f"/proc/{session}/environ").read_text().split("\0") if line
    )
    assert arrived["COLORTERM"] == "truecolor"
    assert arrived["TERM"] == "xterm-256color"
    assert "SSH_CONNECTION" in arrived
    assert not set(arrived) & {"EDITOR", "PYTHONPATH", "TUTOR_HOME", "TUTOR_TRACEBACK", "LD_PRELOAD_", "SSH_AUTH_SOCK"}
    assert os.readlink(f"/proc/{session}/cwd") == "/"
    # Low bandwidth is on by itself: nothing blinks while nobody types, and of the mouse clicks are asked for alone
    end = time.monotonic() + PATIENCE
    while app.read(2):
        assert time.monotonic() < end
    assert b"\x1b[?1000h" in app.raw
    assert b"\x1b[?1006h" in app.raw
    assert b"?1003h" not in app.raw
