"""Records of several hosts and of exported files, put together; and what a learner takes along."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tutor.checker import Limits
from tutor.classroom import copies, rechecking
from tutor.classroom.copies import Unsafe, events_of
from tutor.classroom.folder import SHARED, ClassFolder, Settings
from tutor.classroom.records import opened, read_export
from tutor.cli.main import main
from tutor.course.load import load
from tutor.progress.store import Store

COURSE = load()
EXERCISE = COURSE.exercises()["zero_bytes"]
ESCAPES = "\x1b[2J é"


@pytest.fixture
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[ClassFolder]:
    monkeypatch.setattr(copies.os, "geteuid", lambda: 1000)
    folders = [ClassFolder(tmp_path / name) for name in ("one", "two")]
    for folder in folders:
        folder.make(Settings(title="Autumn", shape=SHARED))
    return folders


def learner(folder: ClassFolder, name: str, times: list[float], source: bytes = b"", changed: float = 0.0) -> None:
    folder.add(name)
    places = folder.places(name)
    clock = iter(times)
    store = Store(places.database, clock=lambda: next(clock))
    for at in times:
        store.add("answer", f"at-{at:g}", text=ESCAPES, right=False)
    store.close()
    if source:
        places.exercises.mkdir()
        file = places.exercises / "zero_bytes.py"
        file.write_bytes(source)
        os.utime(file, (changed, changed))


def items(found: Any, name: str) -> list[str]:
    return [event.item for event in found.records[name]]


def test_one_learner_on_two_hosts_is_one(hosts: list[ClassFolder]) -> None:
    learner(hosts[0], "ada", [10.0, 30.0], b"old", 1000.0)
    learner(hosts[1], "ada", [20.0], b"new", 2000.0)
    learner(hosts[1], "bob", [5.0, 4.0])
    found = opened([str(folder.path) for folder in hosts])
    assert found.look() == 3
    assert items(found, "ada") == ["at-10", "at-20", "at-30"]
    # On one host the order in which things happened holds, whatever its clock said
    assert items(found, "bob") == ["at-5", "at-4"]
    newest = found.source("ada", "zero_bytes.py")
    assert newest is not None
    assert newest.data == b"new"
    assert found.source("bob", "zero_bytes.py") is None
    assert found.look() == 0


def test_a_clock_that_was_set_back_on_one_of_two_hosts_changes_no_order(hosts: list[ClassFolder]) -> None:
    learner(hosts[0], "ada", [10.0, 90.0, 91.0, 30.0, 50.0])
    learner(hosts[1], "ada", [20.0, 40.0])
    found = opened([str(folder.path) for folder in hosts])
    found.look()
    assert items(found, "ada") == [f"at-{at}" for at in (10, 20, 90, 91, 30, 40, 50)]


def test_what_is_taken_along_says_all_and_comes_back(hosts: list[ClassFolder], tmp_path: Path, capsys: Any) -> None:
    learner(hosts[0], "ada", [10.0, 30.0], b"x = '\xff\x1b'\n", 1000.0)
    file = tmp_path / "ada.json"
    assert main(["class", "export", str(hosts[0].path), "ada", str(file)]) == 0
    assert "2 events and 1 files of ada" in capsys.readouterr().out
    assert file.read_bytes().isascii()
    back = read_export(file)
    kept = events_of(hosts[0].places("ada").database)
    assert [(event.uid, event.at, event.detail) for event in back.events] == [
        (event.uid, event.at, event.detail) for event in kept
    ]
    assert back.files["zero_bytes.py"].data == b"x = '\xff\x1b'\n"
    # Beside the folder it came from, nothing counts twice
    both = opened([str(hosts[0].path), str(file)])
    both.look()
    assert items(both, "ada") == ["at-10", "at-30"]
    assert main(["class", "export", str(hosts[0].path), "ada", str(file)]) == 2
    assert "exists and is left as it is" in capsys.readouterr().err


def test_the_learner_adds_it_to_their_own_record(
    hosts: list[ClassFolder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner(hosts[0], "ada", [10.0, 30.0])
    file = tmp_path / "ada.json"
    main(["class", "export", str(hosts[0].path), "ada", str(file)])
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "home"))
    assert main(["progress", "--import", str(file)]) == 0
    assert len(events_of(tmp_path / "home" / "progress.db")) == 2


def test_board_and_report_take_folders_and_files(
    hosts: list[ClassFolder], tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    solution = (EXERCISE.folder / "solution.py").read_bytes()
    learner(hosts[0], "ada", [10.0], b"def zero_bytes(): pass\n", 1000.0)
    learner(hosts[1], "ada", [20.0], solution, 2000.0)
    learner(hosts[1], "bob", [20.0])
    file = tmp_path / "ada.json"
    main(["class", "export", str(hosts[1].path), "ada", str(file)])
    capsys.readouterr()
    assert main(["class", "board", str(hosts[0].path), str(file), "--json"]) == 0
    assert [one["learner"] for one in json.loads(capsys.readouterr().out)["learners"]] == ["ada"]
    monkeypatch.setattr(rechecking, "limits", Limits)
    assert main(["class", "report", str(hosts[0].path), str(file), "--json"]) == 0
    (ada,) = json.loads(capsys.readouterr().out)["learners"]
    assert {mark["item"]: mark["result"] for mark in ada["marks"]} == {"zero_bytes": "right"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[1]",
        "[" * 100_000,
        '{"learner": "../x", "events": [], "files": {}}',
        '{"learner": "ada", "events": 3, "files": {}}',
        '{"learner": "ada", "events": [], "files": {"x.py": {"changed": "never", "text": ""}}}',
    ],
)
def test_a_file_that_is_no_export_is_said(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(text)
    with pytest.raises(Unsafe, match="is no record of a learner"):
        read_export(file)


def test_names_of_files_lead_nowhere(tmp_path: Path) -> None:
    files = {name: {"changed": 1, "text": "x"} for name in ("../a.py", "a/b.py", ".x.py", "a.txt", "\x1b.py", "ok.py")}
    file = tmp_path / "x.json"
    file.write_text(json.dumps({"learner": "ada", "events": [], "files": files}))
    assert set(read_export(file).files) == {"ok.py"}


@pytest.mark.parametrize("what", ["folder", "file"])
def test_links_lead_to_nothing_of_the_instructors(hosts: list[ClassFolder], tmp_path: Path, what: str) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "zero_bytes.py").write_text("secret")
    learner(hosts[0], "eve", [1.0])
    place = hosts[0].places("eve").exercises
    if what == "folder":
        place.symlink_to(own)
    else:
        place.mkdir()
        (place / "zero_bytes.py").symlink_to(own / "zero_bytes.py")
    found = opened([str(hosts[0].path)])
    found.look()
    with pytest.raises(Unsafe):
        found.source("eve", "zero_bytes.py")
    assert found.sources("eve") == {}


def test_a_record_that_is_being_written_is_read_again(
    hosts: list[ClassFolder], monkeypatch: pytest.MonkeyPatch
) -> None:
    learner(hosts[0], "ada", [1.0, 2.0])
    database = hosts[0].places("ada").database
    whole = database.read_bytes()
    database.write_bytes(whole[:5000])
    journal = database.with_name("progress.db-journal")
    journal.write_bytes(b"x")

    def commit(_seconds: float) -> None:
        database.write_bytes(whole)
        journal.unlink(missing_ok=True)

    monkeypatch.setattr(copies.time, "sleep", commit)
    assert [event.item for event in events_of(database)] == ["at-1", "at-2"]
