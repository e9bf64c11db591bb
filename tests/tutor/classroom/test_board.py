"""What an instructor sees: read from copies, of files that a learner may have made to hurt."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from tutor.answers.judge import truth
from tutor.checker import Limits, isolation, proof
from tutor.checker.isolation import Walls
from tutor.classroom import copies, rechecking, records, report, standing
from tutor.classroom.copies import Unsafe, events_of, read_bytes
from tutor.classroom.folder import SHARED, ClassFolder, Settings
from tutor.cli.main import main
from tutor.course.load import load
from tutor.permissions import Permissions
from tutor.progress.store import Event, Store
from tutor.study import Study

COURSE = load()
RING = COURSE.lesson("ring")
assert RING is not None
STEP = next(step for step in RING.steps if step.question is not None and step.question.kind == "number")
assert STEP.question is not None
QUESTION = STEP.question
NOW = 1.9e9


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClassFolder:
    monkeypatch.setattr(copies.os, "geteuid", lambda: 1000)
    made = ClassFolder(tmp_path / "class")
    made.make(Settings(shape=SHARED))
    return made


def learner(folder: ClassFolder, name: str) -> Study:
    folder.add(name)
    places = folder.places(name)
    return Study(COURSE, Store(places.database), places.exercises, Permissions())


def board(folder: ClassFolder) -> standing.Board:
    watched = standing.Watched()
    watched.look({name: folder.places(name).database for name in folder.learners()})
    return standing.board(COURSE, watched.records, watched.troubles, time.time(), folder.settings().question)


# The board


def test_who_is_where_and_stuck_on_what(folder: ClassFolder) -> None:
    wrong = QUESTION.wrong[0]
    from tutor.answers.truth import evaluate

    typed = repr(evaluate(COURSE, QUESTION, wrong.match, wrong.place).value) + (" B" if QUESTION.unit == "B" else "")
    ada, bob = learner(folder, "ada"), learner(folder, "bob")
    learner(folder, "eve")
    for study in (ada, bob):
        study.open_step(RING, STEP)
    ada.answer(QUESTION.id, typed)
    ada.answer(QUESTION.id, typed)
    bob.answer(QUESTION.id, truth(COURSE, QUESTION).shown.split(" (")[0])
    found = board(folder)
    first, *others = found.learners
    assert (first.learner, first.step, first.wrong_here, first.stuck) == ("ada", STEP.id, 2, True)
    assert first.stuck_on == wrong.misconception
    assert {one.learner: one.solved for one in others} == {"bob": 1, "eve": 0}
    assert found.wrong == ((QUESTION.id, 1),)
    assert found.beliefs == ((wrong.misconception, 1),)


def test_the_question_of_the_day_is_counted(folder: ClassFolder) -> None:
    folder.set(question=QUESTION.id)
    ada, bob = learner(folder, "ada"), learner(folder, "bob")
    ada.answer(QUESTION.id, truth(COURSE, QUESTION).shown.split(" (")[0])
    bob.answer(QUESTION.id, "0.5")
    found = board(folder)
    assert (found.question_right, found.question_tried) == (1, 2)


def test_files_are_read_again_only_when_they_changed(folder: ClassFolder) -> None:
    study = learner(folder, "ada")
    learner(folder, "bob")
    files = {name: folder.places(name).database for name in folder.learners()}
    watched = standing.Watched()
    assert watched.look(files) == 2
    assert watched.look(files) == 0
    study.open_step(RING, STEP)
    assert watched.look(files) == 1
    assert [event.item for event in watched.records["ada"]] == [STEP.id]
    del files["bob"]
    watched.look(files)
    assert set(watched.records) == {"ada"}


def test_the_command_prints_it_for_people_programs_and_spreadsheets(
    folder: ClassFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    study = learner(folder, "ada")
    study.open_step(RING, STEP)
    study.store.add("answer", QUESTION.id, text="=cmd|'/c calc'!A1\x1b[2J", right=False, misconception="\x1b]0;x\x07")
    assert main(["class", "board", str(folder.path)]) == 0
    assert main(["class", "board", str(folder.path), "--learner", "ada"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\x07" not in out
    assert f"ring/{STEP.id}"[:34] in out
    assert main(["class", "board", str(folder.path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["learners"][0]["lesson"] == "ring"
    assert main(["class", "board", str(folder.path), "--csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert row["learner"] == "ada"


def test_a_cell_is_no_formula() -> None:
    found = standing.Board((standing.Standing("ada", trouble="=1+1"),), (), ())
    assert "'=1+1" in standing.as_csv(found)


def test_the_administrator_reads_nothing(folder: ClassFolder, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(copies.os, "geteuid", lambda: 0)
    assert main(["class", "board", str(folder.path)]) == 3
    assert "not read as the administrator" in capsys.readouterr().err


# Hostile files


def traps(place: Path) -> dict[str, str]:
    """Something else in the place of a progress file, and what is said of it."""
    return {
        "link": "Too many levels|symbolic",
        "pipe": "no regular file",
        "folder": "no regular file",
        "large": "at most",
        "noise": "not a database|malformed|encrypted",
        "view": "views or triggers",
        "no table": "no such table",
    }


@pytest.mark.parametrize("kind", list(traps(Path())))
def test_what_is_no_progress_file_is_said_and_harms_nothing(
    folder: ClassFolder, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.add("ada")
    file = folder.places("ada").database
    secret = tmp_path / "secret"
    secret.write_text("secret")
    match kind:
        case "link":
            file.symlink_to(secret)
        case "pipe":
            os.mkfifo(file)
        case "folder":
            file.mkdir()
        case "large":
            monkeypatch.setattr(copies, "MOST_PROGRESS", 10)
            file.write_bytes(b"x" * 11)
        case "noise":
            file.write_bytes(b"SQLite format 3\0" + os.urandom(4096))
        case _:
            connection = sqlite3.connect(file)
            if kind == "view":
                connection.execute(
                    "CREATE VIEW events AS SELECT 'u' uid, 1 at, 'answer' kind, 'x' item, '{}' detail, 1 number"
                )
            else:
                connection.execute("CREATE TABLE other (x)")
            connection.commit()
            connection.close()
    with pytest.raises(Unsafe, match=traps(file)[kind]):
        events_of(file)
    (one,) = board(folder).learners
    assert one.learner == "ada"
    assert one.trouble


def test_rows_that_make_no_sense_are_left_out(folder: ClassFolder) -> None:
    study = learner(folder, "ada")
    study.open_step(RING, STEP)
    connection = sqlite3.connect(folder.places("ada").database)
    rows = [
        ("a", "late", "answer", "x", "{}"),
        ("b", 1.0, "answer", "x", "[1]"),
        ("c", 1.0, "answer", "x", "{" * 5000),
        ("e", float("inf"), "opened", STEP.id, "{}"),
        ("d", 4e9, "answer", QUESTION.id, '{"right": true}'),
    ]
    connection.executemany("INSERT INTO events (uid, at, kind, item, detail) VALUES (?, ?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()
    assert [event.uid for event in events_of(folder.places("ada").database)][1:] == ["d"]
    # What claims to be from far in the future counts, as on a host whose clock was set back; its time does not
    (one,) = board(folder).learners
    assert one.solved == 1
    assert one.last is not None
    assert one.last < 4e9


def test_nothing_there_is_nothing_done(folder: ClassFolder) -> None:
    folder.add("ada")
    assert events_of(folder.places("ada").database) == []
    assert read_bytes(folder.places("ada").exercises / "x.py", 10) is None


# Grades


def passed(source: bytes, exercise: Any) -> tuple[bool, str]:
    return b"right" in source, "no"


def test_a_forged_record_is_worth_nothing(tmp_path: Path) -> None:
    exercise = next(iter(COURSE.exercises()))
    (tmp_path / f"{exercise}.py").write_bytes(b"wrong")
    events = [
        Event("1", NOW, "answer", QUESTION.id, {"text": "0.5", "right": True}),
        Event("2", NOW, "check", exercise, {"right": True}),
    ]
    marks = {
        mark.item: mark
        for mark in report.grades("eve", COURSE, events, lambda name: read_bytes(tmp_path / name, 1000), passed).marks
    }
    assert (marks[QUESTION.id].result, marks[QUESTION.id].disputed) == (report.WRONG, True)
    assert (marks[exercise].result, marks[exercise].disputed) == (report.WRONG, True)


def test_right_is_right_again_and_revealed_is_not(tmp_path: Path) -> None:
    answer = truth(COURSE, QUESTION).shown.split(" (")[0]
    exercise = next(iter(COURSE.exercises()))
    (tmp_path / f"{exercise}.py").write_bytes(b"right")
    typed = Event("1", NOW, "answer", QUESTION.id, {"text": answer, "right": False})
    checked = Event("2", NOW, "check", exercise, {"right": True})
    shown = Event("3", NOW, "reveal", QUESTION.id, {})
    first = report.grades("ada", COURSE, [typed, checked], lambda name: read_bytes(tmp_path / name, 1000), passed)
    assert first.right == 2
    marks = {
        mark.item: mark.result
        for mark in report.grades(
            "ada", COURSE, [shown, typed], lambda name: read_bytes(tmp_path / name, 1000), passed
        ).marks
    }
    assert marks[QUESTION.id] == report.REVEALED


def test_a_link_in_the_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    exercise = next(iter(COURSE.exercises()))
    other = tmp_path / "other.py"
    other.write_bytes(b"right")
    (tmp_path / f"{exercise}.py").symlink_to(other)
    marks = {
        mark.item: mark
        for mark in report.grades("ada", COURSE, [], lambda name: read_bytes(tmp_path / name, 1000), passed).marks
    }
    assert marks[exercise].result == report.NOT_CHECKED


def test_a_checker_that_fails_is_never_right(tmp_path: Path) -> None:
    from tutor.checker import CouldNotCheck

    def broken(source: bytes, exercise: Any) -> tuple[bool, str]:
        raise CouldNotCheck("no box")

    exercise = next(iter(COURSE.exercises()))
    (tmp_path / f"{exercise}.py").write_bytes(b"right")
    marks = {
        mark.item: mark
        for mark in report.grades("ada", COURSE, [], lambda name: read_bytes(tmp_path / name, 1000), broken).marks
    }
    assert (marks[exercise].result, marks[exercise].note) == (report.NOT_CHECKED, "no box")


def test_records_of_several_hosts_are_one() -> None:
    one, two, three = (Event(uid, at, "answer", "x", {}) for uid, at in (("1", 3.0), ("2", 1.0), ("3", 2.0)))
    found = records.merged([{"ada": [two, one]}, {"ada": [two, three], "bob": [one]}])
    assert [event.uid for event in found["ada"]] == ["2", "3", "1"]
    assert set(found) == {"ada", "bob"}


def with_a_solution(folder: ClassFolder, name: str) -> Study:
    """A learner whose file is right."""
    study = learner(folder, name)
    exercise = COURSE.exercises()["zero_bytes"]
    places = folder.places(name)
    places.exercises.mkdir()
    (places.exercises / "zero_bytes.py").write_bytes((exercise.folder / "solution.py").read_bytes())
    return study


def test_the_report_runs_the_stored_files(
    folder: ClassFolder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = with_a_solution(folder, "ada")
    ada.answer(QUESTION.id, truth(COURSE, QUESTION).shown.split(" (")[0])
    monkeypatch.setattr(rechecking, "limits", Limits)
    assert main(["class", "report", str(folder.path), "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["learners"]
    assert one["right"] == 2
    assert {mark["item"]: mark["result"] for mark in one["marks"]} == {"zero_bytes": "right", QUESTION.id: "right"}


# Without bubblewrap


@pytest.fixture
def no_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "bwrap" else which(name))
    return monkeypatch


@pytest.mark.parametrize(
    ("walls", "holes", "why"),
    [
        (Walls(landlock=0, seccomp=True), (), "this host has no Landlock"),
        (Walls(landlock=1, seccomp=False), (), "this host has no seccomp"),
        (Walls(landlock=0, seccomp=False), (), "this host has no Landlock and no seccomp"),
        (Walls(landlock=1, seccomp=True), ("read", "signal"), "reads a file of yours, signals this program"),
    ],
)
def test_behind_weaker_walls_no_file_is_run(
    folder: ClassFolder,
    capsys: pytest.CaptureFixture[str],
    no_bubblewrap: pytest.MonkeyPatch,
    walls: Walls,
    holes: tuple[str, ...],
    why: str,
) -> None:
    with_a_solution(folder, "ada")
    no_bubblewrap.setattr(isolation, "walls", lambda: walls)
    no_bubblewrap.setattr(proof, "holes", lambda _limits: holes)
    assert main(["class", "report", str(folder.path), "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["learners"]
    (mark,) = one["marks"]
    assert (mark["item"], mark["result"]) == ("zero_bytes", "could not be checked")
    assert mark["note"].startswith("bubblewrap is not installed")
    assert mark["note"].endswith(why)
    assert main(["class", "report", str(folder.path)]) == 0
    assert f"1 could not be checked: {mark['note']}" in capsys.readouterr().out


def test_behind_whole_walls_files_are_run(no_bubblewrap: pytest.MonkeyPatch) -> None:
    no_bubblewrap.setattr(isolation, "walls", lambda: Walls(landlock=1, seccomp=True))
    tried = []
    no_bubblewrap.setattr(proof, "holes", lambda limits: tried.append(limits) or ())
    assert rechecking.limits() == Limits()
    assert tried == [Limits()]


def test_with_bubblewrap_files_are_run_in_a_box(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    assert rechecking.limits().boxed


# What the shape means


@pytest.mark.parametrize("what", ["board", "report"])
def test_a_shared_class_says_that_it_is_trusted_less(
    folder: ClassFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    own = ClassFolder(tmp_path / "own")
    own.make(Settings())
    for words, said in (([folder], 1), ([own], 0), ([own, folder], 1)):
        assert main(["class", what, *(str(one.path) for one in words)]) == 0
        out = capsys.readouterr().out
        assert out.count("Progress is trusted less: all sessions run as one account") == said
    assert f"{folder.path}: Progress" in out
    assert main(["class", what, str(folder.path), "--csv"]) == 0
    assert "trusted" not in capsys.readouterr().out
