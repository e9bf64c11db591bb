"""What the first frame does without is loaded behind it, on a crowded host when a core is free."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tutor.app import preload


@pytest.mark.parametrize(("running", "free"), [(1, True), (2, True), (3, False), (40, False)])
def test_a_core_is_free_while_fewer_want_to_run_than_there_are(running: int, free: bool) -> None:
    """The one that looks is running too."""
    assert preload.core_is_free(f"5.10 3.20 1.00 {running}/812 4711\n", cores=2) is free


@pytest.mark.parametrize("puts_off", [False, True])
def test_loading_is_put_off_while_the_cores_are_taken_and_not_for_ever(
    monkeypatch: pytest.MonkeyPatch, puts_off: bool
) -> None:
    looks: list[float] = []
    monkeypatch.setattr(preload, "_import", lambda: looks.append(-1.0))
    monkeypatch.setattr(preload.gc, "freeze", lambda: None)
    monkeypatch.setattr(preload, "_LOOK", 0.01)
    monkeypatch.setattr(preload, "_LONGEST", 0.2)
    monkeypatch.setattr(Path, "read_text", lambda path: "9.00 9.00 9.00 50/812 4711\n")
    monkeypatch.setattr(preload.time, "sleep", looks.append)
    preload.preload(puts_off).join()
    assert looks[-1] == -1.0
    assert (len(looks) > 1) is puts_off


def test_what_is_loaded_behind_the_first_frame() -> None:
    """NumPy too: `simlib` itself puts that off until something is computed."""
    program = "import sys; from tutor.app import preload; preload.preload().join(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert {"numpy", "simlib.collectives.ring", "tutor.app.screens.lesson"} <= set(done.stdout.split())


def test_without_such_a_file_loading_begins_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[bool] = []

    def missing(path: Path) -> str:
        raise FileNotFoundError(path)

    monkeypatch.setattr(preload, "_import", lambda: begun.append(True))
    monkeypatch.setattr(preload.gc, "freeze", lambda: None)
    monkeypatch.setattr(preload.time, "sleep", lambda seconds: pytest.fail("it slept"))
    monkeypatch.setattr(Path, "read_text", missing)
    preload.preload(puts_off=True).join()
    assert begun == [True]
