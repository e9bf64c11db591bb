"""A learner's file is watched: what counts is what it holds."""

from __future__ import annotations

import os
from pathlib import Path

from tutor.checker.watch import Watch


def test_the_watch_sees_content_not_saves(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    watch = Watch(file)
    assert not watch.changed()
    file.write_text("one")
    assert watch.changed()
    assert not watch.changed()
    os.utime(file, ns=(1, 1))
    assert not watch.changed()
    file.write_text("two")
    watch.seen()
    assert not watch.changed()
    file.unlink()
    assert not watch.changed()
    file.write_text("two")
    os.utime(file, ns=(5, 5))
    assert not watch.changed()
    file.write_text("three")
    assert watch.changed()


def test_an_editor_that_saves_by_renaming_is_seen_once(tmp_path: Path) -> None:
    file, other = tmp_path / "a.py", tmp_path / "b.py"
    file.write_text("one")
    watch = Watch(file)
    file.unlink()
    assert not watch.changed()
    other.write_text("two")
    other.rename(file)
    assert watch.changed()
    assert not watch.changed()


def test_a_file_that_goes_on_being_written_is_seen_again(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    watch = Watch(file)
    with file.open("w", buffering=1) as writing:
        writing.write("def double(array):\n")
        assert watch.changed()
        writing.write("    return 2 * array\n")
        assert watch.changed()
    assert not watch.changed()
