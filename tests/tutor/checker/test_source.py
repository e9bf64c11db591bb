from __future__ import annotations

import errno
import os
import socket
from pathlib import Path

import pytest

from tutor.checker import CouldNotCheck, Unreadable, check_file, read_source
from tutor.checker.source import MOST_BYTES, text_failure


def refusal(path: Path | str) -> str:
    with pytest.raises(Unreadable) as caught:
        read_source(path)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, CouldNotCheck)
    return str(caught.value)


def test_bytes_come_back_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"\xef\xbb\xbfx = 1\r\n\xff")
    assert read_source(file) == b"\xef\xbb\xbfx = 1\r\n\xff"
    link = tmp_path / "link.py"
    link.symlink_to(file)
    assert read_source(link) == read_source(file)


def test_what_is_no_file(tmp_path: Path) -> None:
    pipe, link, loop, server = (tmp_path / name for name in ("pipe.py", "link.py", "loop.py", "socket.py"))
    os.mkfifo(pipe)
    link.symlink_to(tmp_path / "nowhere")
    loop.symlink_to(loop)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(server))
    listening.close()
    assert refusal(tmp_path / "missing.py").endswith("missing.py does not exist")
    assert refusal(tmp_path / "missing" / "a.py").endswith("does not exist")
    assert "is a folder" in refusal(tmp_path)
    assert "is a named pipe" in refusal(pipe)
    assert "link to a file that does not exist" in refusal(link)
    assert "leads back to itself" in refusal(loop)
    assert "a socket or a device" in refusal(server)
    assert "is a device" in refusal("/dev/null")
    assert "too long" in refusal(tmp_path / ("x" * 300))
    assert "is no name of a file" in refusal("a\0b")
    assert "\x1b" not in refusal("\x1b[31m.py")


def test_links_lead_nowhere_outside_the_learners_folder(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    home.mkdir()
    other.mkdir()
    (home / "mine.py").write_bytes(b"mine")
    (other / "theirs.py").write_bytes(b"theirs")
    (home / "link.py").symlink_to(other / "theirs.py")
    (home / "folder").symlink_to(other)
    (home / "own.py").symlink_to(home / "mine.py")
    assert read_source(home / "mine.py", home) == read_source(home / "own.py", home) == b"mine"
    for path in (home / "link.py", home / "folder" / "theirs.py", home / ".." / "other" / "theirs.py"):
        assert read_source(path) == b"theirs"
        with pytest.raises(Unreadable, match="is not in your folder"):
            read_source(path, home)


def test_what_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(path: object, flags: int) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("tutor.checker.source.os.open", denied)
    assert refusal(tmp_path / "a.py").endswith("a.py may not be read by you")


def test_large_files_are_not_read(tmp_path: Path) -> None:
    file = tmp_path / "large.py"
    file.write_bytes(b"#" * MOST_BYTES)
    assert len(read_source(file)) == MOST_BYTES
    with file.open("r+b") as opened:
        opened.truncate(100 << 20)
    assert "104,857,600 bytes" in refusal(file)


@pytest.mark.parametrize(
    ("source", "line", "said"),
    [
        (b"a = 1\nb = '\0'\n", 2, "NUL"),
        (b"a = 1\rb = '\0'\r", 2, "NUL"),
        ("# é\nx = 1\n".encode("latin-1"), 1, "Byte 0xE9 is not UTF-8. Save"),
        (b"# -*- coding: latin-1 -*-\r\n# \xe9\r\n", 2, "Its first lines say latin-1, but only UTF-8 is read"),
        ("x = 1\n".encode("utf-16"), 1, "UTF-16"),
        ("x = 1\n".encode("utf-16-le"), 1, "UTF-16"),
        ("x = 1\n".encode("utf-16-be"), 1, "UTF-16"),
        ("# 漢字\nx = 1\n".encode("utf-16-le"), 1, "UTF-16"),
        (b"a\0b", 1, "NUL"),
        (b"a\0", 1, "NUL"),
        (b"a\0 = 1", 1, "NUL"),
    ],
)
def test_what_is_no_text(source: bytes, line: int, said: str) -> None:
    failure = text_failure(source)
    assert failure is not None
    assert (failure.kind, failure.line) == ("syntax", line)
    assert said in failure.message


def test_the_file_of_a_check_is_read_by_its_name(tmp_path: Path, make_exercise) -> None:
    file = tmp_path / "my solution.py"
    file.write_bytes(b"\xef\xbb\xbfdef double(array):\r\n    return 2 * array\r\n")
    assert check_file(file, make_exercise()).passed
    file.write_bytes(b"# -*- coding: latin-1 -*-\rdef double(array):\r    return '\xc3\xa9'[5]\r")
    result = check_file(str(file), make_exercise())
    assert (result.error.kind, result.error.line) == ("exception", 3)
    with pytest.raises(Unreadable):
        check_file(tmp_path, make_exercise())


def test_any_name_of_a_file_will_do(tmp_path: Path, make_exercise) -> None:
    for name in (b"\xff.py", b"with space, 'quote\" and \n line.py", "é.py".encode()):
        file = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
        file.write_text("def double(array):\n    import ctypes\n    return ctypes.string_at(0)\n")
        result = check_file(file, make_exercise())
        assert result.error.kind == "crash"
        assert result.error.line in (3, None)
