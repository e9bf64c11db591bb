"""An exercise in a folder of its own, and a watch on what its checks leave behind."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tutor.checker import isolation, strays
from tutor.course.model import Exercise, Place

DOUBLE = """
import numpy as np

def cases(seed):
    rng = np.random.default_rng(seed)
    for length in (3, 1, 8):
        yield f"length {length}", {"array": rng.integers(1, 1000, length)}, None

def expected(arguments):
    return 2 * arguments["array"]
"""

MakeExercise = Callable[..., Exercise]


@pytest.fixture
def make_exercise(tmp_path: Path) -> MakeExercise:
    """Builds an exercise from the text of a check.py; by default `double(array)`, which returns twice the array."""

    def make(check: str = DOUBLE, name: str = "double") -> Exercise:
        folder = tmp_path / "exercises" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "check.py").write_text(textwrap.dedent(check), encoding="utf-8")
        return Exercise(name, name, folder, "", (), "", Place(folder / "lesson.md", 1))

    return make


@pytest.fixture(autouse=True)
def nothing_left_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Every check of the test carries its token, and after the test no process does, and no folder is left."""
    token = f"test{tmp_path.name}{id(tmp_path)}"
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(isolation.secrets, "token_hex", lambda length: token)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    yield
    assert strays.left_behind(token) == []
    assert list(temporary.iterdir()) == []
