"""A class's host in trouble, behind a real sshd: a full disk, a home that cannot be written, a clock that is set back.

Learners are told in words that fit 80 x 24, and their records stay whole.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import class_records
import pytest
from class_host import BOB, ClassHost, as_instructor, run
from class_records import ASKED, LESSON, QUESTION, WRITTEN
from class_screens import CLEAR, answer, come_back
from terminal import PATIENCE
from unprivileged import need

Connect = Callable[..., Any]
FULL = "database or disk is full"
DAY = 86_400.0


class Disk:
    """A small disk that holds one learner's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fill(self) -> None:
        """Leaves no byte of room."""
        with (self.folder / "filling").open("wb", buffering=0) as file:
            try:
                while file.write(b"x" * 4096):
                    pass
            except OSError:
                return

    def make_room(self) -> None:
        (self.folder / "filling").unlink()


@pytest.fixture
def disk(host: ClassHost) -> Iterator[Disk]:
    """The disk that holds Bob's folder."""
    need("mount")
    home = host.home("accounts", BOB)
    whose = home.stat()
    options = f"size=4m,uid={whose.st_uid},gid={whose.st_gid},mode={whose.st_mode & 0o7777:o}"
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", home], capture_output=True, check=False)
    if done.returncode:
        why = f"no disk can be mounted here: {done.stderr.decode().strip()}"
        if os.environ.get("CI") == "true":
            pytest.fail(f"{why}; with CI=true nothing is skipped")
        pytest.skip(why)
    try:
        yield Disk(home)
    finally:
        host.end_connections(())
        end = time.monotonic() + PATIENCE
        # A process that was killed lets go of its files a moment later
        while subprocess.run(["umount", home], capture_output=True, check=False).returncode:
            assert time.monotonic() < end, f"{home} stays mounted"
            time.sleep(0.1)


def whole(app: Any) -> str:
    """What is on the screen as one line, whatever the words are broken at."""
    return " ".join(line.lstrip(" ▌").rstrip() for line in app.text.splitlines())


def kept(host: ClassHost) -> list[str]:
    """Bob's answers, out of a record that is whole."""
    assert class_records.integrity(host, "accounts", BOB) == "ok"
    return class_records.texts(host, "accounts", BOB)


# The disk


def test_a_full_disk_is_said_before_anything_is_answered(host: ClassHost, connect: Connect, disk: Disk) -> None:
    class_records.stand_at(host, "accounts", BOB, ASKED, LESSON, "101")
    disk.fill()
    app = connect(BOB)
    assert app.wait_for_end() == 3
    said = app.text.replace("\n", "")
    assert "nothing could be kept: the disk of this host is full (0 KiB are left). Please tell your instructor" in said
    assert "Traceback" not in app.text
    assert kept(host) == ["101"]
    disk.make_room()
    app = connect(BOB)
    come_back(app, "15/17")
    app.go_on("F3 reveal")
    answer(app, 102)
    assert kept(host) == ["101", "102"]


def test_a_disk_that_gets_full_is_said_and_once_there_is_room_work_goes_on(
    host: ClassHost, connect: Connect, disk: Disk
) -> None:
    class_records.stand_at(host, "accounts", BOB, ASKED, LESSON)
    app = connect(BOB)
    come_back(app, "15/17")
    app.go_on("F3 reveal")
    answer(app, 101)
    disk.fill()
    app.press(CLEAR, "102")
    # Half typed, it cannot be kept; the line goes by itself, and comes again for the answer
    app.wait_for(FULL)
    app.wait_until_gone(FULL)
    app.press("enter")
    app.wait_for(FULL)
    app.quiet()
    assert "cannot keep your progress in" in app.text
    assert class_records.judged(102) not in app.text
    assert "Answer  102" in app.text
    assert "Traceback" not in app.text
    assert kept(host) == ["101"]
    disk.make_room()
    # What is half typed is kept again, by itself
    app.press(CLEAR, "10")
    app.until(lambda: class_records.draft(host, "accounts", BOB) == "10", "the half-typed answer on the disk")
    answer(app, 102)
    assert kept(host) == ["101", "102"]
    app.press("ctrl+q")
    assert app.wait_for_end() == 0


def test_an_exercise_on_a_full_disk(host: ClassHost, connect: Connect, disk: Disk) -> None:
    class_records.stand_at(host, "accounts", BOB, WRITTEN, LESSON)
    app = connect(BOB)
    come_back(app, "16/17")
    app.go_on("Enter write the file")
    disk.fill()
    app.press("enter")
    app.wait_for("could not be written: No space left on device")
    assert list(disk.folder.rglob("*.py")) == []
    disk.make_room()
    app.press("enter")
    app.wait_for("edits it here")
    (file,) = disk.folder.rglob("*.py")
    begun = file.read_bytes()
    # A verdict that cannot be kept is not given
    disk.fill()
    app.press("c")
    app.wait_for(FULL)
    assert "Not right" not in app.text
    assert class_records.kept(host, "accounts", BOB, "check") == []
    disk.make_room()
    app.press("c")
    app.wait_for("Not right")
    assert len(class_records.kept(host, "accounts", BOB, "check")) == 1
    assert file.read_bytes() == begun
    assert kept(host) == []


# The home


def test_a_home_that_cannot_be_written_is_said(host: ClassHost, connect: Connect) -> None:
    class_records.stand_at(host, "accounts", BOB, ASKED, LESSON, "101")
    home = host.home("accounts", BOB)
    before = home.stat().st_mode & 0o7777
    home.chmod(0o550)
    try:
        app = connect(BOB)
        assert app.wait_for_end() == 3
    finally:
        home.chmod(before)
    assert "nothing could be kept: your folder" in whole(app)
    assert "Traceback" not in app.text
    assert kept(host) == ["101"]


# The clock


@pytest.fixture
def _open_questions(host: ClassHost) -> Iterator[None]:
    with host.answers_kept_back("accounts"):
        yield


@pytest.mark.usefixtures("_open_questions")
def test_a_clock_that_is_set_back_is_said_and_changes_no_order(host: ClassHost, connect: Connect) -> None:
    class_records.stand_at(host, "accounts", BOB, ASKED, LESSON, "101")
    class_records.date_ahead(host, "accounts", BOB, 2 * DAY + 600)
    app = connect(BOB)
    app.wait_for("clock was set back (2 d). What you did before is kept")
    come_back(app, "15/17")
    app.go_on("F3 reveal")
    answer(app, 102)
    # Set back again while somebody is at work
    class_records.date_ahead(host, "accounts", BOB, DAY)
    answer(app, 103)
    assert kept(host) == ["101", "102", "103"]
    events = class_records.kept(host, "accounts", BOB)
    assert events[0].at > events[1].at + DAY / 2 > events[2].at + DAY

    folder = str(host.class_folder("accounts"))
    board = json.loads(run(*as_instructor(str(host.program), "class", "board", folder, "--json")))
    (bob,) = [one for one in board["learners"] if one["learner"] == BOB]
    assert (bob["step"], bob["wrong_here"], bob["trouble"]) == (ASKED, 3, "")
    assert events[2].at <= bob["last"] <= time.time()
    report = json.loads(run(*as_instructor(str(host.program), "class", "report", folder, "--json")))
    (bob,) = [one for one in report["learners"] if one["learner"] == BOB]
    (mark,) = [mark for mark in bob["marks"] if mark["item"] == QUESTION]
    assert (mark["result"], mark["tries"]) == ("wrong", 3)

    # Where one was last is another step than where the clock was ahead
    app.press("f8")
    opened = partial(class_records.kept, host, "accounts", BOB, "opened")
    app.until(lambda: opened()[-1].item == WRITTEN, "the step after this one in the record")
    app.press("ctrl+q")
    assert app.wait_for_end() == 0
    app = connect(BOB)
    come_back(app, "16/17")
    # It is said once: since then something was done by the new clock
    assert "clock" not in app.text
    app.press("f7")
    app.wait_for("15/17")
    app.go_on("F3 reveal")
    answer(app, 104)
    assert kept(host) == ["101", "102", "103", "104"]
