"""A learner who practises, with a clock that the test sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tutor.course.load import load
from tutor.permissions import Permissions
from tutor.practice.session import Practice
from tutor.progress.store import Store
from tutor.study import Study

COURSE = load()
DAY = 86_400.0


class Clock:
    """Seconds since 1970, as the test says."""

    def __init__(self) -> None:
        self.at = 1.8e9

    def __call__(self) -> float:
        self.at += 5
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def study(tmp_path: Path, clock: Clock) -> Iterator[Study]:
    store = Store(tmp_path / "progress.db", clock)
    yield Study(COURSE, store, tmp_path / "mine", Permissions())
    store.close()


@pytest.fixture
def practice(study: Study) -> Callable[[], Practice]:
    """Reads the record anew, as a session on another day would."""
    return lambda: Practice(study)
