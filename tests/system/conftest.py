"""The app on a terminal of its own, and a class behind a real sshd: made once, with learners new for every test."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import class_lines
from class_host import ADA, BOB, SHAPES, ClassHost, class_host
from terminal import Terminal
from unprivileged import need

Open = Callable[..., Any]
Connect = Callable[..., Any]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def open_app(home: Path) -> Iterator[Open]:
    """Opens the app; whatever is left of it at the end is ended."""
    opened = []

    def open_one(**how: Any) -> Any:
        opened.append(Terminal(home, **how))
        return opened[-1]

    yield open_one
    for terminal in opened:
        terminal.close()


@pytest.fixture(scope="session")
def the_host() -> Iterator[ClassHost]:
    if os.geteuid() != 0:
        if os.environ.get("CI") == "true":
            pytest.fail("accounts are made by the administrator alone; with CI=true nothing is skipped")
        pytest.skip("accounts are made by the administrator alone")
    for program in ("/usr/sbin/sshd", "ssh", "sftp", "useradd", "bwrap", "setpriv"):
        need(program)
    with class_host([ADA, BOB], SHAPES) as made:
        yield made


@pytest.fixture
def host(the_host: ClassHost) -> Iterator[ClassHost]:
    """The host, whose learners have done nothing yet; afterwards nothing of theirs runs."""
    for home in (the_host.home(shape, learner) for shape in SHAPES for learner in (ADA, BOB)):
        for left in home.iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()
    yield the_host
    try:
        assert class_lines.left(the_host, 30) == {}
    finally:
        the_host.end_connections(())


@pytest.fixture
def connect(host: ClassHost, tmp_path: Path) -> Iterator[Connect]:
    """Opens a learner's connection on a terminal of 80 x 24; whatever is left of it at the end is ended."""
    opened = []

    def open_one(learner: str, shape: str = "accounts", *options: str, **environment: str) -> Any:
        command = host.ssh(shape, learner, "-tt", *options, agent="SSH_AUTH_SOCK" in environment)
        opened.append(Terminal(tmp_path, command=command, environment=environment, quiet_seconds=0.5))
        return opened[-1]

    yield open_one
    for terminal in opened:
        terminal.close()
