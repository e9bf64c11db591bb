"""A learner of a class behind a real sshd: what is answered and checked is theirs, also in two windows at once."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import class_records
from class_host import ADA, BOB, ClassHost
from class_screens import answer_first

from tutor.course.load import load

COURSE = load()
FIRST = COURSE.lessons[0].steps[0]
LESSON, EXERCISE = next((lesson.id, step) for lesson in COURSE.lessons for step in lesson.steps if step.exercise)
Connect = Callable[..., Any]


def test_a_learner_answers_and_it_is_theirs(host: ClassHost, connect: Connect) -> None:
    app = connect(ADA, "shared")
    app.wait_for("Enter open")
    app.press("ctrl+z")
    app.wait_for("There is no shell here")
    app.press("enter")
    app.wait_for(f"1/{len(COURSE.lessons[0].steps)}")
    answer_first(app)
    assert FIRST.question is not None
    kept = class_records.kept(host, "shared", ADA)
    assert [event.item for event in kept] == [FIRST.question.id]
    assert class_records.kept(host, "shared", BOB, "opened") == []
    app.press("ctrl+q")
    assert app.wait_for_end() == 0
    # Nobody but the learner's account and the instructors may read it
    assert (host.home("shared", ADA) / "progress.db").stat().st_mode & 0o777 == 0o640


def test_a_check_runs_in_the_box_and_sees_nobody(host: ClassHost, connect: Connect) -> None:
    assert EXERCISE.exercise is not None
    class_records.stand_at(host, "accounts", ADA, EXERCISE.id, LESSON)
    other = host.home("accounts", BOB)
    app = connect(ADA)
    app.wait_for("Continue")
    app.press("enter")
    app.go_on("Enter write the file")
    app.press("enter")
    app.wait_for("edits it here")
    file = host.home("accounts", ADA) / "exercises" / f"{EXERCISE.exercise.id}.py"
    assert file.owner() == ADA
    file.write_bytes((EXERCISE.exercise.folder / "solution.py").read_bytes())
    app.press("c")
    app.wait_for("Right: all")
    # The process that is kept ready for the next check is started once the verdict is there, and stands in it
    boxed = f"{shutil.which('bwrap')} --unshare-all"
    app.until(lambda: any(words.startswith(boxed) for words in host.processes().values()), "a process in its box")
    # In the box there is no such folder; the checker's own tests try everything else
    hostile = f"import os\nos.listdir({str(other)!r})\n"
    file.write_bytes(hostile.encode())
    app.press("c")
    app.wait_for("No such file")
    # A file that is seen to have changed is checked by itself too
    errors = [event.detail.get("error") for event in class_records.kept(host, "accounts", ADA, "check")]
    assert list(dict.fromkeys(errors)) == [None, "exception"]
    app.press("ctrl+q")
    assert app.wait_for_end() == 0


def test_the_same_learner_twice_at_once(host: ClassHost, connect: Connect) -> None:
    class_records.stand_at(host, "accounts", BOB, FIRST.id, COURSE.lessons[0].id)
    windows = [connect(BOB), connect(BOB)]
    for app in windows:
        app.wait_for("Continue")
        app.press("enter")
        app.wait_for("1/")
    for app in windows:
        answer_first(app)
    assert len(class_records.kept(host, "accounts", BOB)) == 2
    for app in windows:
        app.press("ctrl+q")
        assert app.wait_for_end() == 0
