"""A course of one lesson, written where a test wants it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tutor.course.load import load
from tutor.course.model import Course, Question

COURSE = """\
title = "A course"
lessons = ["one"]

[misconceptions]
stage-1-divides-all = "Stage 1 divides everything."
bits-for-bytes = "Bits are bytes."
gib-for-gb = "GiB are GB."
wrong-prefix = "MB are GB."
percent-for-share = "A share is a percentage."
did-not-add = "A step replaces."
half = "Half will do."
"""
FRONT = '+++\nid = "one"\ntitle = "One"\n+++\n'

Ask = Callable[..., tuple[Course, Question]]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """A course with one question of this TOML, and a live block before it."""

    def make(toml: str, live: str = "") -> tuple[Course, Question]:
        (tmp_path / "one").mkdir(exist_ok=True)
        (tmp_path / "course.toml").write_text(COURSE, encoding="utf-8")
        picture = f"```live picture\n{live}\n```\n" if live else ""
        text = f"{FRONT}## S {{#s}}\n{picture}```ask q\n{toml}\n```\n"
        (tmp_path / "one" / "lesson.md").write_text(text, encoding="utf-8")
        course = load(tmp_path)
        return course, course.questions()["q"]

    return make
