"""What fails, of ours or of the disk, ends with one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from tutor.app.screens.home import Home
from tutor.progress.store import ProgressError
from tutor.study import Study

Play = Callable[..., None]


def test_an_error_of_our_own_is_one_line_and_a_file(
    study: Study, capsys: pytest.CaptureFixture[str], play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Home) -> None:
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr(Home, "on_screen_resume", broken)

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.pause()

    with pytest.raises(RuntimeError, match="a mistake of ours"):
        play(scenario)
    said = capsys.readouterr().err
    assert "The tutor has failed, and is sorry." in said
    assert "Traceback" not in said
    assert "a mistake of ours" in study.store.file.with_name("crash.txt").read_text()


def test_progress_that_cannot_be_kept_ends_with_one_line(
    study: Study, capsys: pytest.CaptureFixture[str], play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked() -> None:
        raise ProgressError("your progress is locked by another program")

    monkeypatch.setattr(study, "lessons", locked)

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.pause()

    with pytest.raises(ProgressError):
        play(scenario)
    said = capsys.readouterr().err
    assert "your progress is locked by another program" in said
    assert "Traceback" not in said
