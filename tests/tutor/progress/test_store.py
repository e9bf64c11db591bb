"""The record: one commit an event, two windows, damage, and everything that stands in the way."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.progress.standing import OPEN, REVEALED, SOLVED, standings
from tutor.progress.store import Event, ProgressError, Store


def test_an_event_is_there_when_the_file_is_opened_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "state" / "progress.db", clock=lambda: 12.5)
    store.add("answer", "ring-steps", text="4", right=True)
    store.close()
    again = Store(tmp_path / "state" / "progress.db")
    (event,) = again.events()
    assert (event.at, event.kind, event.item) == (12.5, "answer", "ring-steps")
    assert event.detail == {"text": "4", "right": True}
    again.close()


def test_two_windows_keep_each_others_work(tmp_path: Path) -> None:
    file = tmp_path / "progress.db"
    one, two = Store(file), Store(file)
    one.add("answer", "a", right=True)
    two.add("answer", "b", right=False)
    one.keep_draft("c", "half")
    two.keep_draft("d", "typed")
    assert [event.item for event in one.events()] == [event.item for event in two.events()] == ["a", "b"]
    assert (two.draft("c"), one.draft("d")) == ("half", "typed")
    one.close()
    two.close()


def test_killed_at_any_moment_every_answer_told_is_kept(tmp_path: Path) -> None:
    """The child says each answer after the store took it; then it is killed without warning."""
    program = textwrap.dedent("""
        import sys, itertools
        from pathlib import Path
        from tutor.progress.store import Store
        store = Store(Path(sys.argv[1]))
        for number in itertools.count():
            store.add("answer", str(number), right=True)
            print(number, flush=True)
    """)
    file = tmp_path / "progress.db"
    child = subprocess.Popen([sys.executable, "-c", program, str(file)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    told = -1
    while told < 20:
        told = int(child.stdout.readline())
    os.kill(child.pid, signal.SIGKILL)
    rest = child.stdout.read().splitlines()
    child.stdout.close()
    child.wait()
    told = max([told, *(int(line) for line in rest)])
    store = Store(file)
    kept = [int(event.item) for event in store.events()]
    assert kept == list(range(len(kept)))
    assert len(kept) >= told + 1
    assert store.notices == []
    store.close()


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_damaged_file_is_set_aside_said_and_begun_afresh(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "progress.db"
    file.write_bytes(content)
    store = Store(file)
    store.add("answer", "a", right=True)
    assert len(store.events()) == 1
    aside = [path for path in tmp_path.iterdir() if "damaged" in path.name]
    if content:
        assert [path.read_bytes() for path in aside] == [content]
        assert str(aside[0]) in store.notices[0]
    else:
        # An empty file is what a fresh database is
        assert aside == []
    store.close()


def test_damage_in_the_middle_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "progress.db"
    store = Store(file)
    for number in range(500):
        store.add("answer", f"question-{number}", text="x" * 200)
    store.close()
    raw = bytearray(file.read_bytes())
    raw[4096 * 3 : 4096 * 12] = b"\x5a" * (4096 * 9)
    file.write_bytes(raw)
    store = Store(file)
    assert len(store.notices) == 1
    assert store.events() == []
    store.close()


def test_two_damaged_files_in_one_second_are_both_kept(tmp_path: Path) -> None:
    file = tmp_path / "progress.db"
    for number in range(2):
        file.write_bytes(b"rubbish %d " % number * 50)
        Store(file, clock=lambda: 0.0).close()
    kept = {path.read_bytes()[:9] for path in tmp_path.iterdir() if "damaged" in path.name}
    assert kept == {b"rubbish 0", b"rubbish 1"}


def test_another_programs_database_is_set_aside_not_written_into(tmp_path: Path) -> None:
    file = tmp_path / "progress.db"
    with sqlite3.connect(file) as other:
        other.execute("CREATE TABLE bookmarks (url TEXT)")
    other.close()
    store = Store(file)
    assert "set aside" in store.notices[0]
    store.close()


def test_a_newer_format_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "progress.db"
    Store(file).close()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE key = 'version'")
    connection.close()
    before = file.read_bytes()
    with pytest.raises(ProgressError, match="newer version"):
        Store(file)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["progress.db"]


def test_a_busy_file_is_not_called_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tutor.progress.store._BUSY_SECONDS", 0.05)
    file = tmp_path / "progress.db"
    Store(file).close()
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(ProgressError, match="locked"):
        Store(file)
    other.close()
    assert [path.name for path in tmp_path.iterdir()] == ["progress.db"]


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ProgressError, match=r"cannot make the folder for progress, .*file"):
        Store(tmp_path / "file" / "progress.db")


def test_what_was_taken_in_once_is_not_taken_in_twice(tmp_path: Path) -> None:
    here, there = Store(tmp_path / "here.db"), Store(tmp_path / "there.db")
    there.add("answer", "a", right=True)
    there.add("reveal", "b")
    assert here.take_in(there.events()) == 2
    assert here.take_in(there.events()) == 0
    assert [event.item for event in here.events()] == ["a", "b"]
    here.close()
    there.close()


def test_an_empty_draft_is_dropped(tmp_path: Path) -> None:
    store = Store(tmp_path / "progress.db")
    store.keep_draft("q", "38.")
    store.keep_draft("q", "38.5")
    assert store.draft("q") == "38.5"
    store.keep_draft("q", "")
    assert store.draft("q") == ""
    store.close()


def _event(kind: str, **detail: object) -> Event:
    return Event("u", 0.0, kind, "q", detail)


def test_revealed_is_not_solved_whatever_comes_after() -> None:
    record = [_event("answer", right=False), _event("reveal"), _event("answer", right=True)]
    assert standings(record)["q"].state == REVEALED
    assert standings(record)["q"].tries == 2


def test_solved_stays_solved_when_looked_at_afterwards() -> None:
    record = [_event("answer", right=True), _event("reveal"), _event("answer", right=False)]
    assert standings(record)["q"].state == SOLVED


def test_hints_do_not_solve() -> None:
    standing = standings([_event("hint"), _event("hint")])["q"]
    assert (standing.state, standing.hints) == (OPEN, 2)


@given(st.lists(st.sampled_from(["right", "wrong", "reveal", "hint"])))
def test_the_first_of_right_and_reveal_decides(kinds: list[str]) -> None:
    record = [_event("answer", right=kind == "right") if kind in ("right", "wrong") else _event(kind) for kind in kinds]
    deciding = [kind for kind in kinds if kind in ("right", "reveal")]
    expected = {"right": SOLVED, "reveal": REVEALED}[deciding[0]] if deciding else OPEN
    assert (standings(record)["q"].state if kinds else OPEN) == expected


def test_half_a_character_is_kept_as_far_as_it_can_be(tmp_path: Path) -> None:
    store = Store(tmp_path / "progress.db")
    store.add("answer", "x", text="\udcff")
    store.keep_draft("x", "a\udcff")
    assert [event.detail["text"] for event in store.events()] == ["\udcff"]
    assert store.draft("x") == "a?"
    store.close()
