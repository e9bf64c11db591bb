"""What is half typed is kept a moment later, at the latest when the app ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tutor.app.drafts import Drafts
from tutor.progress.store import ProgressError, Store


class Timers:
    """Timers that go off when the test says so."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], None]] = []

    def wait(self, _seconds: float, callback: Callable[[], None]) -> None:
        self.waiting.append(callback)

    def go_off(self) -> None:
        for callback in self.waiting:
            callback()
        self.waiting.clear()


def test_a_draft_is_there_at_once_and_on_the_disk_later(tmp_path: Path) -> None:
    store, timers, said = Store(tmp_path / "p.db"), Timers(), []
    drafts = Drafts(store, timers.wait, said.append)
    drafts.keep("q", "1")
    drafts.keep("q", "12")
    assert drafts["q"] == "12"
    assert store.draft("q") == ""
    assert len(timers.waiting) == 1
    timers.go_off()
    assert store.draft("q") == "12"
    drafts.keep("q", "")
    drafts.flush()
    assert store.draft("q") == ""
    assert not said
    store.close()


def test_a_dropped_draft_does_not_come_back(tmp_path: Path) -> None:
    store, timers = Store(tmp_path / "p.db"), Timers()
    drafts = Drafts(store, timers.wait, print)
    drafts.keep("q", "38")
    drafts.drop("q")
    timers.go_off()
    assert store.draft("q") == ""
    store.close()


def test_a_draft_that_cannot_be_kept_is_said_and_stays_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, timers, said = Store(tmp_path / "p.db"), Timers(), list[str]()
    drafts = Drafts(store, timers.wait, said.append)

    def full(item: str, text: str) -> None:
        raise ProgressError("the disk is full")

    monkeypatch.setattr(store, "keep_draft", full)
    drafts.keep("q", "1")
    timers.go_off()
    assert said == ["the disk is full"]
    assert drafts["q"] == "1"
    with pytest.raises(ProgressError):
        drafts.flush()
    store.close()


def test_once_there_is_room_again_drafts_are_kept_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, timers, said = Store(tmp_path / "p.db"), Timers(), list[str]()
    drafts = Drafts(store, timers.wait, said.append)

    def full(item: str, text: str) -> None:
        raise ProgressError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(store, "keep_draft", full)
        drafts.keep("q", "1")
        timers.go_off()
    drafts.keep("q", "12")
    timers.go_off()
    assert store.draft("q") == "12"
    assert said == ["the disk is full"]
    store.close()
