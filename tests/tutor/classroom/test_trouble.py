"""A full disk, a folder that cannot be written, a clock that is set back: one line, and nothing corrupted."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest

from tutor.classroom import session
from tutor.classroom.copies import events_of
from tutor.classroom.session import can_keep
from tutor.classroom.standing import standing_of
from tutor.course.load import load
from tutor.permissions import Permissions
from tutor.places import Places
from tutor.progress.store import ProgressError, Store
from tutor.study import Study

COURSE = load()
LESSON = COURSE.lessons[0]
QUESTION = next(question for question in COURSE.questions().values() if question.kind == "number")


def intact(file: Path) -> bool:
    connection = sqlite3.connect(file)
    try:
        return bool(connection.execute("PRAGMA integrity_check").fetchone() == ("ok",))
    finally:
        connection.close()


def test_a_full_disk_is_said_and_what_was_kept_stays(tmp_path: Path) -> None:
    file = tmp_path / "progress.db"
    store = Store(file)
    study = Study(COURSE, store, tmp_path, Permissions(reveal=False))
    # SQLite's own word for a disk without room
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    kept, said = 0, ""
    while not said:
        try:
            study.answer(QUESTION.id, f"{kept}.25")
            kept += 1
        except ProgressError as error:
            said = str(error)
    assert said == f"cannot keep your progress in {file}: database or disk is full"
    assert kept > 5
    assert len(store.events(kind="answer")) == kept
    store.close()
    assert intact(file)
    assert len(events_of(file)) == kept
    again = Store(file)
    assert again.notices == []
    again.add("answer", QUESTION.id, text="1", right=False)
    again.close()


def test_it_is_said_before_anything_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = Places(tmp_path, tmp_path / "exercises")
    can_keep(places)
    monkeypatch.setattr(session.shutil, "disk_usage", lambda _: SimpleNamespace(free=500 << 10))
    with pytest.raises(ProgressError, match=r"disk of this host is full \(500 KiB are left\)"):
        can_keep(places)
    monkeypatch.setattr(session.os, "access", lambda *_: False)
    with pytest.raises(ProgressError, match="cannot be written"):
        can_keep(places)


def test_a_clock_that_is_set_back_changes_no_order(tmp_path: Path) -> None:
    times = iter([5_000.0, 5_001.0, 5_002.0, 100.0, 101.0])
    file = tmp_path / "progress.db"
    store = Store(file, clock=lambda: next(times))
    study = Study(COURSE, store, tmp_path, Permissions())
    study.open_step(LESSON, LESSON.steps[0])
    store.add("answer", QUESTION.id, text="1", right=False)
    store.add("answer", QUESTION.id, text="2", right=True)
    study.open_step(LESSON, LESSON.steps[1])
    store.add("answer", QUESTION.id, text="3", right=False)
    assert study.where() == (LESSON, LESSON.steps[1])
    assert study.standing(QUESTION.id).state == "solved"
    store.close()
    found = standing_of("ada", COURSE, events_of(file), now=102.0)
    assert found.step == LESSON.steps[1].id
    assert found.here_since == 100.0
    assert found.last == 101.0


def test_a_clock_that_is_set_back_by_years_hides_nobody_s_work(tmp_path: Path) -> None:
    file = tmp_path / "progress.db"
    store = Store(file, clock=lambda: 4e9)
    study = Study(COURSE, store, tmp_path, Permissions())
    study.open_step(LESSON, LESSON.steps[1])
    store.add("answer", QUESTION.id, text="2", right=True)
    store.close()
    found = standing_of("ada", COURSE, events_of(file), now=102.0)
    assert (found.step, found.solved) == (LESSON.steps[1].id, 1)
    # Since when, nobody can say
    assert (found.here_since, found.last) == (None, None)


def test_a_learner_is_told_of_a_clock_that_was_set_back_once(tmp_path: Path) -> None:
    times = [200_000.0]
    store = Store(tmp_path / "progress.db", clock=lambda: times[-1])
    assert session.of_the_clock(store) == []
    store.add("opened", LESSON.steps[0].id, lesson=LESSON.id)
    times.append(200_000.0 - 60)  # two hosts, whose clocks differ a little
    assert session.of_the_clock(store) == []
    times.append(200_000.0 - 86_400)
    assert session.of_the_clock(store) == [
        "This host's clock was set back (24 h). What you did before is kept, and comes first."
    ]
    store.add("opened", LESSON.steps[1].id, lesson=LESSON.id)
    assert session.of_the_clock(store) == []
    store.close()
