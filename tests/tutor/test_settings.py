"""Settings are kept beside the record, and a file that is none is passed over."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.settings import MOTIONS, NotKept, Settings, parsed, read, write


@given(st.text(max_size=40), st.sampled_from(MOTIONS))
def test_what_was_written_is_read(tmp_path_factory: pytest.TempPathFactory, theme: str, motion: str) -> None:
    file = tmp_path_factory.mktemp("state") / "settings.json"
    wanted = Settings(theme, motion)  # type: ignore[arg-type]
    write(file, wanted)
    assert read(file) == (wanted, "")
    assert [each.name for each in file.parent.iterdir()] == ["settings.json"]


@given(st.text(max_size=60))
def test_any_text_is_settings_or_none(text: str) -> None:
    assert parsed(text) is None or isinstance(parsed(text), Settings)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"theme": 3}', '{"motion": "often"}', '{"motion": ["on"]}', "[" * 5_000],
)
def test_a_damaged_file_is_passed_over_with_a_notice(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(text)
    assert read(file) == (
        Settings(),
        "settings.json is damaged and is passed over: choose your settings again.",
    )


def test_bytes_that_are_no_text_and_a_folder_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_bytes(b"\xff\xfe{}")
    assert "damaged" in read(tmp_path / "settings.json")[1]
    assert "damaged" in read(tmp_path)[1]


def test_before_the_first_choice_there_is_nothing_to_say(tmp_path: Path) -> None:
    assert read(tmp_path / "settings.json") == (Settings(), "")


def test_what_a_newer_version_wrote_beside_is_passed_over() -> None:
    assert parsed('{"theme": "nord", "motion": "off", "sound": true}') == Settings("nord", "off")


@pytest.mark.parametrize(
    ("motion", "remote", "moves"),
    [("auto", False, True), ("auto", True, False), ("on", True, True), ("off", False, False)],
)
def test_motion_is_off_by_itself_over_ssh_alone(motion: str, remote: bool, moves: bool) -> None:
    assert Settings(motion=motion).moves(remote) is moves  # type: ignore[arg-type]


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(NotKept, match="your settings are not kept"):
        write(tmp_path / "taken" / "settings.json", Settings())
