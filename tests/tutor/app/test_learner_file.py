"""The learner's file: written whole or not at all, and watched."""

from __future__ import annotations

from pathlib import Path

import pytest

from tutor.app.learner_file import NotSaved, read_text, short, write_text
from tutor.checker import Unreadable


def test_what_is_written_is_read(tmp_path: Path) -> None:
    file = tmp_path / "new" / "ring.py"
    write_text(file, "print('→')\n")
    assert read_text(file) == "print('→')\n"
    assert [path.name for path in file.parent.iterdir()] == ["ring.py"]


def test_mode_and_link_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real.py", tmp_path / "link.py"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_text(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_file_that_cannot_be_saved_is_named_and_stays(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(NotSaved, match="folder could not be saved"):
        write_text(folder, "text")
    with pytest.raises(NotSaved, match=r"a\.py could not be saved"):
        write_text(tmp_path / "a.py", "\udc80")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder"]


def test_what_is_no_text_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x = '\xff'")
    with pytest.raises(Unreadable, match="is not UTF-8 text"):
        read_text(tmp_path / "a.py")
    with pytest.raises(Unreadable):
        read_text(tmp_path)
    with pytest.raises(Unreadable):
        read_text(tmp_path / "none.py")


def test_a_byte_order_mark_and_line_ends_are_not_the_learners(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"\xef\xbb\xbfa = 1\r\nb = 2\r\n")
    assert read_text(tmp_path / "a.py") == "a = 1\nb = 2\n"


def test_a_path_at_home_is_short(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert short(tmp_path / "worldsize" / "a.py") == "~/worldsize/a.py"
    assert short(Path("/elsewhere/a.py")) == "/elsewhere/a.py"
