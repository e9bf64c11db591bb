"""Sixty learners at work at once behind a real sshd, and a hundred lines that are cut."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import class_records
import class_work
from class_host import ClassHost

LEARNERS, AT_ONCE, CUTS = 60, 20, 100
MOST_MEMORY = 60.0  # MiB


def test_no_answer_is_lost_and_nothing_stays(host: ClassHost, tmp_path: Path) -> None:
    names = [f"w{number:02d}-{os.getpid()}" for number in range(LEARNERS)]
    for name in names:
        host.enrol(class_work.SHAPE, name)
    with class_work.a_class(host, names, tmp_path) as found:
        asyncio.run(class_work.class_of(found, AT_ONCE, seconds=60, rate=4, cuts=CUTS, again=3))
    assert found.cuts == CUTS
    assert found.left == {}
    seen = found.seen
    assert class_records.lost(host, class_work.SHAPE, seen.said) == {}
    # Everybody has come in, and again after a cut, has stepped a picture, answered, and had the exercise checked twice
    assert len(seen.logins) == CUTS
    assert len(seen.steps) >= LEARNERS * 2
    assert len(seen.checks) == LEARNERS * 2
    for name in names:
        assert seen.said[name], name
        assert len(class_records.kept(host, class_work.SHAPE, name, "check")) == 2, name
        assert class_records.integrity(host, class_work.SHAPE, name) == "ok", name
    assert 0 < found.most.whole <= MOST_MEMORY, found.most
