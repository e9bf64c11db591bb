"""`python -m tutor` from a folder that a learner fills: nothing there runs in the library's place."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("name", ["random.py", "argparse.py", "json.py", "sqlite3.py", "numpy.py", "typing.py"])
def test_a_planted_module_does_not_run(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("raise SystemExit('a planted file ran')")
    for command in (["lessons", "--json"], ["show", "zero", "--json"], ["show", "all-reduce", "--json"]):
        words = [sys.executable, "-m", "tutor", *command]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)


@pytest.mark.parametrize("closed", [">&-", "<&-", "2>&-", "<&- >&- 2>&-"])
def test_with_a_standard_stream_closed_the_status_tells(closed: str, tmp_path: Path) -> None:
    command = f"{shlex.quote(sys.executable)} -m tutor answer ring-finished-on-zero"
    for text, status in (("32", 0), ("28", 1), ("lots", 2)):
        # The answer by hand: 4 workers, chunk (0 + 1) mod 4, 2 + 6 + 10 + 14
        ended = subprocess.run(
            ["sh", "-c", f"{command} {text} {closed}"],
            cwd=tmp_path,
            env={**os.environ, "TUTOR_HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == status, ended.stderr
        assert ended.stderr.count("\n") <= 1
