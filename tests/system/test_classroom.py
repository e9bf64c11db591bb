"""A class behind a real sshd on loopback: the doors that are shut, a learner at work, and the line that drops."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tutor.classroom.copies import events_of
from tutor.course.load import load
from tutor.course.model import Step

sys.path.insert(0, str(Path(__file__).parent))
import class_work
from class_host import ACCOUNT, ClassHost, class_host, run
from terminal import Terminal
from unprivileged import need

COURSE = load()
SHAPES = ["shared", "accounts"]
ADA, BOB = f"ada-{os.getpid()}", f"bob-{os.getpid()}"
FIRST = COURSE.lessons[0].steps[0]
EXERCISE = next(step for lesson in COURSE.lessons for step in lesson.steps if step.exercise is not None)
Connect = Callable[..., Any]


@pytest.fixture(scope="module")
def host() -> Iterator[ClassHost]:
    if os.geteuid() != 0:
        if os.environ.get("CI") == "true":
            pytest.fail("accounts are made by the administrator alone; with CI=true nothing is skipped")
        pytest.skip("accounts are made by the administrator alone")
    for program in ("/usr/sbin/sshd", "ssh", "sftp", "useradd", "bwrap", "setpriv"):
        need(program)
    with class_host([ADA, BOB], SHAPES) as made:
        yield made


@pytest.fixture
def connect(host: ClassHost, tmp_path: Path) -> Iterator[Connect]:
    """Opens a learner's connection on a terminal of 80 x 24; whatever is left of it at the end is ended."""
    opened = []

    def open_one(learner: str, shape: str = "accounts", *options: str, **environment: str) -> Any:
        command = host.ssh(shape, learner, "-tt", *options, agent="SSH_AUTH_SOCK" in environment)
        opened.append(Terminal(tmp_path, command=command, environment=environment))
        return opened[-1]

    yield open_one
    for terminal in opened:
        terminal.close()
    nothing_runs(host)


def nothing_runs(host: ClassHost) -> None:
    """Waits until no process of a learner is left, and no connection."""
    assert class_work.left(host, 15) == {}


def record(host: ClassHost, learner: str, shape: str = "accounts") -> list[Any]:
    return events_of(host.home(shape, learner) / "progress.db")


def be_at(host: ClassHost, learner: str, step: Step) -> None:
    """Has the learner come back to this step, with nothing done yet."""
    lesson = next(lesson for lesson in COURSE.lessons if step in lesson.steps)
    class_work.stand_at(host, "accounts", learner, step.id, lesson.id)


@pytest.fixture
def agent() -> Iterator[str]:
    """The socket of an ssh-agent, whose path is short enough to be one."""
    need("ssh-agent")
    with tempfile.TemporaryDirectory() as folder:
        found = str(Path(folder, "agent"))
        process = subprocess.Popen(["ssh-agent", "-D", "-a", found], stdout=subprocess.DEVNULL)
        try:
            asked = os.environ | {"SSH_AUTH_SOCK": found}
            end = time.monotonic() + 10
            # 1: it is there and has no keys; 2: it is not there
            while subprocess.run(["ssh-add", "-l"], env=asked, capture_output=True, check=False).returncode == 2:
                assert time.monotonic() < end
                time.sleep(0.05)
            yield found
        finally:
            process.terminate()
            process.wait(10)


# The doors


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
            out, error = process.communicate(timeout=30)
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
    nothing_runs(host)


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
    while app.read(0.3):
        pass
    quiet = len(app.raw)
    while app.read(0.7):
        pass
    assert len(app.raw) == quiet
    assert b"\x1b[?1000h" in app.raw
    assert b"\x1b[?1006h" in app.raw
    assert b"?1003h" not in app.raw


# At work


def test_a_learner_answers_and_it_is_theirs(host: ClassHost, connect: Connect) -> None:
    app = connect(ADA, "shared")
    app.wait_for("Enter open")
    app.press("ctrl+z")
    app.wait_for("There is no shell here")
    app.press("enter")
    app.wait_for(f"1/{len(COURSE.lessons[0].steps)}")
    answer_first(app)
    assert FIRST.question is not None
    kept = [event for event in record(host, ADA, "shared") if event.kind == "answer"]
    assert [event.item for event in kept] == [FIRST.question.id]
    assert record(host, BOB, "shared") == []
    app.press("ctrl+q")
    assert app.wait_for_end() == 0
    # Nobody but the learner's account and the instructors may read it
    assert (host.home("shared", ADA) / "progress.db").stat().st_mode & 0o777 == 0o640


def answer_first(app: Any) -> None:
    """Answers the question of the first step, rightly or not."""
    go_on("F3 reveal", app)
    app.press("1", "enter")
    while not any(word in app.text for word in ("Right.", "Not right", "Not quite")):
        assert app.read(10), app.text


def test_a_check_runs_in_the_box_and_sees_nobody(host: ClassHost, connect: Connect) -> None:
    assert EXERCISE.exercise is not None
    be_at(host, ADA, EXERCISE)
    other = host.home("accounts", BOB)
    app = connect(ADA)
    app.wait_for("Continue")
    app.press("enter")
    go_on("Enter write the file", app)
    app.press("enter")
    app.wait_for("edits it here")
    file = host.home("accounts", ADA) / "exercises" / f"{EXERCISE.exercise.id}.py"
    assert file.owner() == ADA
    file.write_bytes((EXERCISE.exercise.folder / "solution.py").read_bytes())
    app.press("c")
    app.wait_for("Right: all")
    # The process that is kept ready for the next check is started once the verdict is there, and stands in it
    boxed = f"{shutil.which('bwrap')} --unshare-all"
    end = time.monotonic() + 30
    while not any(words.startswith(boxed) for words in host.processes().values()):
        assert time.monotonic() < end, host.processes()
        app.read(0.05)
    # In the box there is no such folder; the checker's own tests try everything else
    hostile = f"import os\nos.listdir({str(other)!r})\n"
    file.write_bytes(hostile.encode())
    app.press("c")
    app.wait_for("No such file")
    assert [event.detail.get("error") for event in record(host, ADA) if event.kind == "check"] == [None, "exception"]
    app.press("ctrl+q")
    assert app.wait_for_end() == 0


def go_on(keys: str, *apps: Any) -> None:
    """Presses Enter in each of them until its row of keys says this."""
    for _ in range(8):
        quiet(0.5, *apps)
        waiting = [app for app in apps if keys not in app.text.splitlines()[-1]]
        if not waiting:
            return
        for app in waiting:
            app.press("enter")
        for app in waiting:
            app.read(5)
    raise AssertionError(f"{keys!r} did not come; on the screen:\n{waiting[0].text}")


def quiet(seconds: float, *apps: Any) -> None:
    """Reads until nothing has come from any of them for so long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        came = [app.read(seconds / 25) for app in apps]
        if any(came):
            end = time.monotonic() + seconds


def test_the_same_learner_twice_at_once(host: ClassHost, connect: Connect) -> None:
    be_at(host, BOB, FIRST)
    windows = [connect(BOB), connect(BOB)]
    for app in windows:
        app.wait_for("Continue")
        app.press("enter")
        app.wait_for("1/")
    for app in windows:
        answer_first(app)
    assert len([event for event in record(host, BOB) if event.kind == "answer"]) == 2
    for app in windows:
        app.press("ctrl+q")
        assert app.wait_for_end() == 0


# The line


@pytest.mark.parametrize("how", ["kill", "close", "sshd"])
def test_a_line_that_is_cut_loses_nothing_and_leaves_nothing(host: ClassHost, connect: Connect, how: str) -> None:
    be_at(host, BOB, FIRST)
    app = connect(BOB)
    app.wait_for("Continue")
    app.press("enter")
    app.wait_for("1/")
    answer_first(app)
    # What comes after is cut off somewhere
    app.press("enter", "n", "n", "p", "1", "enter")
    end = time.monotonic() + random.Random(how).uniform(0, 0.6)
    while time.monotonic() < end:
        app.read(0.02)
    if how == "kill":
        for session in host.sessions():
            os.kill(session, signal.SIGKILL)
    elif how == "close":
        app.process.kill()
    else:
        host.cut_connections()
    nothing_runs(host)
    assert len([event for event in record(host, BOB) if event.kind == "answer"]) >= 1
    assert run_checked(host.home("accounts", BOB) / "progress.db") == "ok"


def test_a_class_at_work_whose_lines_are_cut(host: ClassHost, tmp_path: Path) -> None:
    """What five learners have seen judged is there afterwards, also where the line went in the middle of an answer."""
    learners = [f"w{number}-{os.getpid()}" for number in range(5)]
    for learner in learners:
        host.enrol("shared", learner)
        class_work.stand_at(host, "shared", learner, class_work.ASKED, class_work.LESSON)
    folder = str(host.class_folder("shared"))
    host.tutor("class", "pace", folder, "--reveal", "off")
    seen: dict[str, list[int]] = {learner: [] for learner in learners}
    apps: dict[str, Terminal] = {}
    try:
        for learner in learners:
            apps[learner] = Terminal(tmp_path, command=host.ssh("shared", learner, "-tt"))
        for app in apps.values():
            app.wait_for("Continue")
            app.press("enter")
        go_on("F3 reveal", *apps.values())
        for number in (101, 102, 103):
            for app in apps.values():
                app.press(str(number), "enter")
            for learner, app in apps.items():
                app.wait_for(class_work.judged(number))
                seen[learner].append(number)
        lines = {learner: (app.master, app.process.pid) for learner, app in apps.items()}
        class_work.cut(host, lines, "104\r", random.Random())
        quiet(0.3, *apps.values())
        for learner, app in apps.items():
            # What came before the cut, a learner has seen too
            if class_work.judged(104) in app.text:
                seen[learner].append(104)
        nothing_runs(host)
    finally:
        for app in apps.values():
            app.close()
        host.end_connections(())
        host.tutor("class", "pace", folder, "--reveal", "on")
    assert class_work.lost(host, "shared", seen) == {}
    for learner in learners:
        assert run_checked(class_work.database(host, "shared", learner)) == "ok"


def test_a_home_that_cannot_be_written_is_said(host: ClassHost, connect: Connect) -> None:
    be_at(host, BOB, FIRST)
    home = host.home("accounts", BOB)
    home.chmod(0o550)
    try:
        app = connect(BOB)
        assert app.wait_for_end() == 3
    finally:
        home.chmod(0o2750)
    assert "nothing could be kept: your folder" in " ".join(app.text.split())
    assert "Traceback" not in app.text
    assert run_checked(home / "progress.db") == "ok"


def run_checked(database: Path) -> str:
    import sqlite3

    connection = sqlite3.connect(database)
    try:
        return str(connection.execute("PRAGMA integrity_check").fetchone()[0])
    finally:
        connection.close()


# The instructor


@pytest.mark.parametrize("shape", SHAPES)
def test_the_doctor_asks_sshd_and_tries_the_box(host: ClassHost, shape: str) -> None:
    def doctor(settings: Path) -> dict[str, Any]:
        words = [str(host.program), "class", "doctor", str(host.class_folder(shape)), "--sshd-config", str(settings)]
        done = subprocess.run([*words, "--json"], capture_output=True, text=True, check=False)
        return {one["what"]: one for one in json.loads(done.stdout)["findings"]}

    account = f"{ACCOUNT}-one" if shape == "shared" else ADA
    found = doctor(host.settings)
    assert [one for one in found.values() if one["state"] == "problem"] == []
    assert found["checks in a class"]["found"].endswith(
        f"attempts to break out failed (bubblewrap, Landlock and seccomp), as {account}"
    )
    assert found["sshd, lines that are cut"]["found"] == "noticed after 120 s"
    # Without its block the host lets learners do anything
    open_ = host.folder / f"open-{shape}"
    open_.write_text(host.settings.read_text().partition("Match")[0] + "AcceptEnv LANG *\nMaxStartups 10\n")
    found = doctor(open_)
    assert "can be forwarded" in found[f"sshd, what {account} may do"]["found"]
    assert found[f"sshd, what {account} runs"]["state"] == "problem"
    assert found["sshd, what a learner's terminal says"]["found"] == "AcceptEnv takes * from learners"


def test_an_instructor_reads_and_a_learner_does_not(host: ClassHost) -> None:
    import grp
    import pwd

    folder = host.class_folder("accounts")
    board = [str(host.program), "class", "board", str(folder), "--json"]
    group = grp.getgrnam(f"{ACCOUNT}-staff").gr_gid
    found = run("setpriv", "--reuid=65534", "--regid=65534", f"--groups={group}", *board)
    assert sorted(one["learner"] for one in json.loads(found)["learners"]) == [ADA, BOB]
    # Grades come from the learner's file, run in a box of the instructor's
    assert EXERCISE.exercise is not None
    file = host.home("accounts", BOB) / "exercises" / f"{EXERCISE.exercise.id}.py"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes((EXERCISE.exercise.folder / "solution.py").read_bytes())
    report = [str(host.program), "class", "report", str(folder), "--json"]
    graded = run("setpriv", "--reuid=65534", "--regid=65534", f"--groups={group}", *report)
    marks = {one["learner"]: one["marks"] for one in json.loads(graded)["learners"]}
    assert [mark["result"] for mark in marks[BOB] if mark["item"] == EXERCISE.exercise.id] == ["right"]
    ada = pwd.getpwnam(ADA)
    refused = subprocess.run(
        ["setpriv", f"--reuid={ada.pw_uid}", f"--regid={ada.pw_gid}", "--clear-groups", *board],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )
    assert refused.returncode == 2
    assert "may not be listed" in refused.stderr
    assert BOB not in refused.stderr
