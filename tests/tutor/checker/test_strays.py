"""What a file left running is found and ended."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tutor.checker import strays


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is found")
def test_one_that_a_look_has_missed_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        # As where one starts another and ends while the look is taken
        looks = iter([[], [process.pid], [], []])
        with monkeypatch.context() as patched:
            patched.setattr(strays, "left_behind", lambda token: next(looks))
            strays.end_all("any")
        assert process.wait(10) != 0
        assert list(looks) == []
    finally:
        process.kill()
        process.wait()
