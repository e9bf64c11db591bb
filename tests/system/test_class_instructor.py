"""The instructor of a class behind a real sshd: what the doctor finds, the board, and grades."""

from __future__ import annotations

import json
import pwd
import subprocess
from pathlib import Path
from typing import Any

import pytest
from class_host import ACCOUNT, ADA, BOB, SHAPES, ClassHost, as_instructor, run

from tutor.course.load import load

COURSE = load()
EXERCISE = next(step for lesson in COURSE.lessons for step in lesson.steps if step.exercise is not None)


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
    folder = host.class_folder("accounts")
    board = [str(host.program), "class", "board", str(folder), "--json"]
    found = run(*as_instructor(*board))
    assert sorted(one["learner"] for one in json.loads(found)["learners"]) == [ADA, BOB]
    # Grades come from the learner's file, run in a box of the instructor's
    assert EXERCISE.exercise is not None
    file = host.home("accounts", BOB) / "exercises" / f"{EXERCISE.exercise.id}.py"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes((EXERCISE.exercise.folder / "solution.py").read_bytes())
    report = [str(host.program), "class", "report", str(folder), "--json"]
    graded = run(*as_instructor(*report))
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
