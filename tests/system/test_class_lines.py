"""Lines of a class that are cut, behind a real sshd: what was answered is kept, and what was half typed."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

import class_lines
import class_records
import pytest
from class_host import BOB, ClassHost
from class_records import ASKED, LESSON
from class_screens import CLEAR, answer, come_back

Connect = Callable[..., Any]


@pytest.mark.parametrize("way", class_lines.WAYS)
def test_after_a_cut_one_is_where_one_was(host: ClassHost, connect: Connect, way: str) -> None:
    class_records.stand_at(host, "accounts", BOB, ASKED, LESSON)
    app = connect(BOB)
    come_back(app, "15/17")
    app.go_on("F3 reveal")
    answer(app, 101)
    app.press(CLEAR, "10")
    app.until(lambda: class_records.draft(host, "accounts", BOB) == "10", "the half-typed answer on the disk")
    (session,) = host.sessions()
    os.kill(class_lines.end_of(way, app.process.pid, session), signal.SIGKILL)
    app.wait_for_end()
    assert class_lines.left(host, 30) == {}
    assert class_records.integrity(host, "accounts", BOB) == "ok"
    assert class_records.texts(host, "accounts", BOB) == ["101"]

    app = connect(BOB)
    come_back(app, "15/17")
    app.go_on("F3 reveal")
    assert any(line.endswith("Answer  10") for line in app.text.splitlines()), app.text
    app.press("2", "enter")
    app.wait_for(class_records.judged(102))
    assert class_records.texts(host, "accounts", BOB) == ["101", "102"]
